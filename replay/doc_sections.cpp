#include "replay/doc_sections.h"

#include <algorithm>

namespace replait {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// ``text`` -> text; other headings as they are.
std::string_view without_code_marks(std::string_view heading) {
  const std::size_t marks = std::min(heading.find_first_not_of('`'), heading.size());
  if (marks == 0 || heading.size() < 2 * marks) return heading;
  const std::string_view close = heading.substr(heading.size() - marks);
  if (close.find_first_not_of('`') != std::string_view::npos) return heading;
  const std::string_view inside = heading.substr(marks, heading.size() - 2 * marks);
  return marks == 1 && inside.find('`') != std::string_view::npos ? heading : trimmed(inside);
}

std::vector<std::string> code_spans(std::string_view line) {
  std::vector<std::string> spans;
  while (true) {
    const std::size_t open = line.find('`');
    if (open == std::string_view::npos) return spans;
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) return spans;
    spans.emplace_back(line.substr(open + 1, close - open - 1));
    line.remove_prefix(close + 1);
  }
}

// **bold** and *stress* as the terminal shows them. Marks inside of code stay.
std::string with_emphasis(std::string_view line, bool color) {
  std::string text;
  bool bold = false;
  bool stress = false;
  bool code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') code = !code;
    if (code || line[i] != '*') {
      text += line[i];
    } else if (line.substr(i, 2) == "**") {
      bold = !bold;
      if (color) text += bold ? kBold : kPlain;
      ++i;
    } else if (stress || (i + 1 < line.size() && line[i + 1] != ' ')) {
      stress = !stress;
    } else {
      text += line[i];
    }
  }
  if (bold && color) text += kPlain;
  return text;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size() - 1);
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++count;
    }
  }
  return count;
}

// Gathers the lines of a paragraph or list item, which are wrapped anew as one.
class Paragraphs {
 public:
  Paragraphs(std::size_t width, bool color) : width_(width), color_(color) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      end_paragraph();
      in_code_ = !in_code_;
    } else if (in_code_) {
      text_ += "    " + std::string(line) + "\n";
    } else if (line.starts_with('|')) {
      end_paragraph();
      text_ += std::string(line) + "\n";
    } else if (trimmed(line).empty()) {
      end_paragraph();
      text_ += "\n";
    } else {
      const bool item = trimmed(line).starts_with("- ");
      if (item) end_paragraph();
      if (paragraph_.empty()) {
        const std::size_t indent = item ? line.find('-') + 2 : 0;
        first_ = std::string(line.substr(0, indent));
        line.remove_prefix(indent);
      }
      if (!paragraph_.empty()) paragraph_ += ' ';
      paragraph_ += trimmed(line);
    }
  }

  std::string text() {
    end_paragraph();
    return text_;
  }

 private:
  void end_paragraph() {
    if (paragraph_.empty()) return;
    const std::string shown = with_emphasis(paragraph_, color_);
    text_ += wrapped(shown, first_, std::string(first_.size(), ' '), width_);
    paragraph_.clear();
  }

  std::size_t width_;
  bool color_;
  bool in_code_ = false;
  std::string first_;  // What stands before the paragraph's first line: a list's mark.
  std::string paragraph_;
  std::string text_;
};

}  // namespace

std::vector<DocSection> parse_sections(std::string_view document) {
  std::vector<DocSection> sections;
  std::string group;
  bool in_titles = false;
  bool in_section = false;
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size());
    const std::string_view line = document.substr(0, end);
    document.remove_prefix(std::min(end + 1, document.size()));
    if (line.starts_with("### ")) {
      if (!in_titles) sections.push_back({.group = group, .titles = {}, .rules = {}, .lines = {}});
      sections.back().titles.emplace_back(without_code_marks(trimmed(line.substr(4))));
      in_titles = in_section = true;
    } else if (line.starts_with("# ") || line.starts_with("## ")) {
      group = std::string(trimmed(line.substr(line.find(' '))));
      in_titles = in_section = false;
    } else if (in_section) {
      in_titles = false;
      DocSection& section = sections.back();
      if (line.starts_with("Rule: ")) section.rules = code_spans(line);
      if (!line.empty() || !section.lines.empty()) section.lines.emplace_back(line);
    }
  }
  for (DocSection& section : sections) {
    while (!section.lines.empty() && section.lines.back().empty()) section.lines.pop_back();
  }
  return sections;
}

std::string section_text(const DocSection& section, std::size_t width, bool color) {
  Paragraphs paragraphs(width, color);
  for (const std::string& line : section.lines) paragraphs.add(line);
  return paragraphs.text();
}

std::string wrapped(std::string_view text, std::string_view first, std::string_view rest,
                    std::size_t width) {
  std::string out(first);
  std::size_t column = columns(first);
  bool line_is_empty = true;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out + "\n";
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t wide = columns(word);
    if (!line_is_empty && column + 1 + wide > width) {
      out += '\n';
      out += rest;
      column = columns(rest);
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
    line_is_empty = false;
  }
}

}  // namespace replait
