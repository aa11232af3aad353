#include "replay/command_tree.h"

#include <algorithm>
#include <utility>

namespace replait {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// CLI11 gives "TYPE:{a,b}" for a value that is one of some.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{');
  if (open != std::string::npos && type.back() == '}')
    return split(std::string_view(type).substr(open + 1, type.size() - open - 2), ',');
  const std::string plain = type.substr(0, type.find(':'));
  return plain.find('|') == std::string::npos ? std::vector<std::string>{} : split(plain, '|');
}

OptionInfo option_info(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  const bool is_positional = info.names.empty();
  if (is_positional) info.names.push_back(option.get_name(true));
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) {
    info.value = is_positional ? info.names[0] : type.substr(0, type.find(':'));
    info.choices = choices_of(type);
  }
  info.takes_file = info.value.starts_with("FILE");
  info.repeats = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  info.description = option.get_description();
  info.default_value = option.get_default_str();
  info.is_required = option.get_required();
  info.group = option.get_group();
  return info;
}

CommandInfo command_info(const CLI::App& app, const std::string& name) {
  CommandInfo info{.name = name,
                   .summary = app.get_description(),
                   .examples = app.get_footer(),
                   .options = {},
                   .positionals = {}};
  const auto shown = [](const CLI::Option* option) { return !option->get_group().empty(); };
  for (const CLI::Option* option : app.get_options(shown))
    (option->nonpositional() ? info.options : info.positionals).push_back(option_info(*option));
  return info;
}

}  // namespace

ProgramInfo program_info(const CLI::App& app, const std::string& program) {
  ProgramInfo info{.main = command_info(app, program), .commands = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    info.commands.push_back(command_info(*command, command->get_name()));
  }
  return info;
}

void add_known_words(ProgramInfo& program, const std::vector<KnownWords>& known) {
  for (const KnownWords& words : known) {
    for (CommandInfo& command : program.commands) {
      if (command.name != words.command) continue;
      for (auto* options : {&command.options, &command.positionals}) {
        for (OptionInfo& option : *options) {
          const auto& names = option.names;
          if (std::find(names.begin(), names.end(), words.option) != names.end())
            option.choices = words.words;
        }
      }
    }
  }
}

}  // namespace replait
