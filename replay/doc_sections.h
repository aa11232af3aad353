// The sections of a Markdown document of ours, and how a terminal shows one.
//
// A section begins with one or more `###` headings in a row, which share the text below; the last
// `##` heading above is its group. A heading in a code span is shown without the span's marks. The
// rules that a section names stand in its line "Rule: `id`, `id`."; a section whose heading is a
// rule's id is that rule's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace replait {

struct DocSection {
  std::string group;
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  std::vector<std::string> lines;  // Markdown, without empty lines at either end.
};

std::vector<DocSection> parse_sections(std::string_view document);

// A document that was built into the program, by file name; empty where there is none such.
std::string embedded_document(std::string_view name);

// The body as plain text: paragraphs and lists wrapped to `width` columns, code and tables as they
// are, emphasis without its marks, or bold where `color`.
std::string section_text(const DocSection& section, std::size_t width, bool color);

// `text` on lines of at most `width` columns where its words allow it: the first after `first`,
// the others after `rest`, whose columns count.
std::string wrapped(std::string_view text, std::string_view first, std::string_view rest,
                    std::size_t width);

}  // namespace replait
