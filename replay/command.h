// The command line: one file a command, each adds its subcommand to the app and runs in its
// callback.
//
// Results go to stdout, messages and progress to stderr. A command sets `exit_code`; a Failure
// becomes one through fail().
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace replait {

struct CommandContext {
  int exit_code = 0;                                        // README, Exit codes.
  int error_exit_code = 1;                                  // --error-exitcode
  bool json = false;                                        // --json
  std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;  // --max-memory
  bool color = false;  // stdout is a terminal and NO_COLOR is unset.
  int width = 100;     // Columns to print into; 100 where stdout is no terminal.
  std::string
      program;  // How the user called us, for reproduce lines: "replait", or the user's own binary.

  // Prints the failure and its remedy on stderr, and sets the exit code of its kind.
  void fail(const Failure& failure);
};

// A subcommand whose help shows `examples` first.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& examples);

void add_record_command(CLI::App& app, CommandContext& context);
void add_replay_command(CLI::App& app, CommandContext& context);
void add_check_command(CLI::App& app, CommandContext& context);
void add_show_command(CLI::App& app, CommandContext& context);
void add_recover_command(CLI::App& app, CommandContext& context);

}  // namespace replait
