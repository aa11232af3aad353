// Man pages, made of the command tree: roff for man(7) [groff_man]. They hold no date, so that one
// version's pages are the same whenever they are built.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/command_tree.h"

namespace replait {
namespace {

std::string roff(std::string_view text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    at_line_start = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string heading(const std::string& title, const std::string& program,
                    const std::string& version) {
  return ".TH \"" + roff(upper(title)) + "\" \"1\" \"\" \"" + roff(program + " " + version) +
         "\" \"User Commands\"\n";
}

std::string sentence(const std::string& text) {
  const bool ended = text.empty() || text.back() == '.' || text.back() == ':';
  return text + (ended ? "" : ".");
}

std::string entry(const OptionInfo& option, bool is_positional) {
  std::string text = ".TP\n";
  if (is_positional) {
    text += italic(option.names[0]) + (option.repeats ? "..." : "");
  } else {
    for (std::size_t i = 0; i < option.names.size(); ++i)
      text += (i > 0 ? ", " : "") + bold(option.names[i]);
    if (!option.value.empty()) text += " " + italic(option.value);
  }
  text += "\n" + roff(sentence(option.description));
  if (!option.default_value.empty()) text += "\nDefault: " + roff(option.default_value) + ".";
  return text + "\n";
}

std::string entries(const CommandInfo& command) {
  std::string text;
  if (!command.positionals.empty()) text += ".SH ARGUMENTS\n";
  for (const OptionInfo& positional : command.positionals) text += entry(positional, true);
  std::vector<std::string> groups;  // As they come first.
  for (const OptionInfo& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    text += ".SH " + roff(upper(group)) + "\n";
    for (const OptionInfo& option : command.options) {
      if (option.group == group) text += entry(option, false);
    }
  }
  return text;
}

std::string examples(const CommandInfo& command) {
  if (command.examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n.nf\n" + roff(command.examples);
  if (text.back() != '\n') text += '\n';
  return text + ".fi\n";
}

std::string synopsis(const std::string& program, const CommandInfo& command) {
  std::string text = ".SH SYNOPSIS\n" + bold(program) + " " + bold(command.name);
  if (!command.options.empty()) text += " [" + italic("OPTION") + "]...";
  for (const OptionInfo& positional : command.positionals) {
    const std::string shown = italic(positional.names[0]) + (positional.repeats ? "..." : "");
    text += positional.is_required ? " " + shown : " [" + shown + "]";
  }
  return text + "\n";
}

std::string exit_status() {
  constexpr std::pair<std::string_view, std::string_view> kCodes[] = {
      {"0", "Nothing found, or replayed exactly."},
      {"1", "A finding; --error-exitcode replaces this code."},
      {"2", "Wrong use: an unknown name or option, a path that cannot be written."},
      {"3", "The trace is unreadable, damaged or too new."},
      {"4", "A replay left its recording."},
      {"5", "Nothing was recorded, or a limit was reached without a verdict."},
      {"70", "A fault of replait itself."},
  };
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kCodes)
    text += ".TP\n.B " + std::string(code) + "\n" + roff(meaning) + "\n";
  return text;
}

std::string page_name(const std::string& program, const std::string& command) {
  return program + "-" + command;
}

}  // namespace

std::vector<ManPage> man_pages(const ProgramInfo& program, const std::string& version) {
  const std::string& name = program.main.name;
  std::string text = heading(name, name, version);
  text += ".SH NAME\n" + roff(name) + " \\- " + roff(program.main.summary) + "\n";
  text += ".SH SYNOPSIS\n" + bold(name) + " " + italic("COMMAND") + " [" + italic("OPTION") +
          "]... [" + italic("ARGUMENT") + "]...\n.SH COMMANDS\n";
  for (const CommandInfo& command : program.commands)
    text += ".TP\n" + bold(command.name) + "\n" + roff(sentence(command.summary)) + "\n";
  text += entries(program.main) + examples(program.main) + exit_status();
  text += ".SH SEE ALSO\n";
  for (const CommandInfo& command : program.commands) {
    const bool last = &command == &program.commands.back();
    text += ".BR " + roff(page_name(name, command.name)) + " (1)" + (last ? "\n" : ",\n");
  }
  std::vector<ManPage> pages{{name + ".1", text}};
  for (const CommandInfo& command : program.commands) {
    const std::string page = page_name(name, command.name);
    pages.push_back({page + ".1", heading(page, name, version) + ".SH NAME\n" + roff(page) +
                                      " \\- " + roff(command.summary) + "\n" +
                                      synopsis(name, command) + examples(command) +
                                      entries(command) + exit_status() + ".SH SEE ALSO\n.BR " +
                                      roff(name) + " (1)\n"});
  }
  return pages;
}

}  // namespace replait
