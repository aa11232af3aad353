// Completion scripts for bash, zsh and fish, made of the command tree.
//
// All are static text: nothing of replait runs while somebody presses the tab key. Behind `--`
// stands another program's command line, which gets the shell's own completion.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "replay/command_tree.h"

namespace replait {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

// In single quotes, as the POSIX shells want it.
std::string shell_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// A shell function's name for the program's.
std::string function_name(const std::string& program) {
  std::string name = "_";
  for (const char c : program) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

std::vector<std::string> option_names(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const OptionInfo& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const ProgramInfo& program) {
  std::vector<std::string> names;
  for (const CommandInfo& command : program.commands) names.push_back(command.name);
  return names;
}

// ---- bash

// What a value may be, as commands of the script: `words`, or files.
std::string bash_value(const OptionInfo& option) {
  if (!option.choices.empty()) return "words=" + shell_literal(joined(option.choices, " "));
  return option.takes_file ? "files=1" : ":";
}

std::string bash_command(const CommandInfo& command) {
  std::string text = "    " + command.name + ")\n      case $prev in\n";
  for (const OptionInfo& option : command.options) {
    if (option.value.empty()) continue;
    text += "        " + joined(option.names, "|") + ") " + bash_value(option) + " ;;\n";
  }
  text += "        *)\n          if [[ $cur == -* ]]; then\n            words=" +
          shell_literal(joined(option_names(command), " ")) + "\n          else\n            ";
  std::string values = ":";
  for (const OptionInfo& positional : command.positionals) {
    if (values == ":") values = bash_value(positional);
  }
  return text + values + "\n          fi\n          ;;\n      esac\n      ;;\n";
}

// ---- zsh

// For _arguments: brackets and colons part its fields.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const OptionInfo& option) {
  const std::string name = zsh_text(option.value);
  if (!option.choices.empty()) return ":" + name + ":(" + joined(option.choices, " ") + ")";
  return ":" + name + ":" + (option.takes_file ? "_files" : " ");
}

std::string zsh_option(const OptionInfo& option) {
  const std::string value = option.value.empty() ? "" : zsh_value(option);
  const std::string rest = "[" + zsh_text(option.description) + "]" + value;
  std::string others;
  if (option.names.size() > 1) others = "(" + joined(option.names, " ") + ")";
  std::string text;
  for (const std::string& name : option.names)
    text += " \\\n        " + shell_literal(others + name + rest);
  return text;
}

std::string zsh_arguments(const CommandInfo& command) {
  std::string text = "      _arguments -s -S";
  for (const OptionInfo& option : command.options) text += zsh_option(option);
  for (const OptionInfo& positional : command.positionals)
    text +=
        " \\\n        " + shell_literal((positional.repeats ? "*" : "") + zsh_value(positional));
  return text;
}

// ---- fish

std::string fish_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_value(const OptionInfo& option) {
  if (!option.choices.empty()) return " -x -a " + fish_literal(joined(option.choices, " "));
  return option.takes_file ? " -r -F" : " -x";
}

std::string fish_option(const std::string& begin, const OptionInfo& option) {
  std::string text = begin;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += fish_value(option);
  return text + " -d " + fish_literal(option.description) + "\n";
}

}  // namespace

std::string bash_completion(const ProgramInfo& program) {
  const std::string function = function_name(program.main.name);
  std::string text = "# bash completion for " + program.main.name + ", made by `" +
                     program.main.name + " completion bash`.\n" + function + "() {\n";
  text +=
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command= words= files= i\n"
      "  COMPREPLY=()\n"
      "  # bash parts --option=value at the sign.\n"
      "  if [[ $cur == = ]]; then\n"
      "    cur=\n"
      "  elif [[ $prev == = ]]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
      "      compopt -o default 2>/dev/null\n"
      "      return\n"
      "    fi\n"
      "    if [[ -z $command && ${COMP_WORDS[i]} != -* ]]; then\n"
      "      command=${COMP_WORDS[i]}\n"
      "    fi\n"
      "  done\n"
      "  case $command in\n    '')\n      words=";
  std::vector<std::string> first = command_names(program);
  const std::vector<std::string> options = option_names(program.main);
  first.insert(first.end(), options.begin(), options.end());
  text += shell_literal(joined(first, " ")) + "\n      ;;\n";
  for (const CommandInfo& command : program.commands) text += bash_command(command);
  text +=
      "  esac\n"
      "  if [[ -n $files ]]; then\n"
      "    compopt -o default 2>/dev/null\n"
      "    return\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
      "}\n";
  return text + "complete -F " + function + " " + program.main.name + "\n";
}

std::string zsh_completion(const ProgramInfo& program) {
  const std::string function = function_name(program.main.name);
  std::string text = "#compdef " + program.main.name + "\n# zsh completion, made by `" +
                     program.main.name + " completion zsh`.\n" + function + "() {\n" +
                     "  local -a commands=(\n";
  for (const CommandInfo& command : program.commands)
    text += "    " + shell_literal(command.name + ":" + zsh_text(command.summary)) + "\n";
  text +=
      "  )\n  local context state state_descr line\n  typeset -A opt_args\n"
      "  if (( ${words[(I)--]} && CURRENT > ${words[(I)--]} )); then\n"
      "    _normal\n    return\n  fi\n"
      "  _arguments -C";
  for (const OptionInfo& option : program.main.options) text += zsh_option(option);
  text +=
      " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    argument)\n      case $words[1] in\n";
  for (const CommandInfo& command : program.commands)
    text += "      " + command.name + ")\n" + zsh_arguments(command) + "\n        ;;\n";
  text += "      esac\n      ;;\n  esac\n}\n";
  // Autoloaded, the file is the function's body; sourced, it has to say what it completes.
  return text + "if [[ $funcstack[1] == " + function + " ]]; then\n  " + function +
         " \"$@\"\nelse\n  compdef " + function + " " + program.main.name + "\nfi\n";
}

std::string fish_completion(const ProgramInfo& program) {
  const std::string& name = program.main.name;
  std::string text = "# fish completion for " + name + ", made by `" + name +
                     " completion fish`.\ncomplete -c " + name + " -f\n";
  const std::string no_command = "complete -c " + name + " -n __fish_use_subcommand";
  for (const OptionInfo& option : program.main.options) text += fish_option(no_command, option);
  for (const CommandInfo& command : program.commands) {
    text += no_command + " -a " + command.name + " -d " + fish_literal(command.summary) + "\n";
    const std::string seen = "complete -c " + name + " -n " +
                             fish_literal("__fish_seen_subcommand_from " + command.name);
    for (const OptionInfo& option : command.options) text += fish_option(seen, option);
    for (const OptionInfo& positional : command.positionals) {
      if (!positional.choices.empty())
        text += seen + " -a " + fish_literal(joined(positional.choices, " ")) + "\n";
      if (positional.takes_file) text += seen + " -F\n";
    }
  }
  return text;
}

}  // namespace replait
