// The command line as data: what completion scripts and man pages are made of.
//
// Read from the CLI11 app itself, so a command or option that is added is completed and documented
// without another line here. A value is one of some words where the option's type is "a|b" or it
// has an IsMember check, and a file where its type or name is FILE.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace replait {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its one name: "FILE".
  std::string value;               // What follows it: "FILE", "N"; empty for a flag.
  std::vector<std::string> choices;
  std::string description;
  std::string default_value;
  std::string group;
  bool takes_file = false;
  bool is_required = false;
  bool repeats = false;  // Takes any number of values.
};

struct CommandInfo {
  std::string name;
  std::string summary;
  std::string examples;  // Lines of "COMMAND   what it does".
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> positionals;
};

struct ProgramInfo {
  CommandInfo main;                   // Its name is the program's.
  std::vector<CommandInfo> commands;  // Without hidden ones.
};

// `program` is the name to complete: a path's last part.
ProgramInfo program_info(const CLI::App& app, const std::string& program);

// Words that the program knows for one value, where its type does not say them.
struct KnownWords {
  std::string command;
  std::string option;  // One of its names.
  std::vector<std::string> words;
};
void add_known_words(ProgramInfo& program, const std::vector<KnownWords>& known);

std::string bash_completion(const ProgramInfo& program);
std::string zsh_completion(const ProgramInfo& program);
std::string fish_completion(const ProgramInfo& program);

struct ManPage {
  std::string name;  // "replait-record.1"
  std::string text;  // In roff, for man(7).
};

// The program's page first, then one a command.
std::vector<ManPage> man_pages(const ProgramInfo& program, const std::string& version);

}  // namespace replait
