// The command line: one file a command, each adds its subcommand to the app and runs in its
// callback.
//
// Results go to stdout, messages and progress to stderr. A command sets `exit_code`; a Failure
// becomes one through fail().
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replait/kernel.h"

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
  Kernels kernels;                                // What `record NAME` can run.
  std::optional<std::vector<std::string>> child;  // What stood after `--`: PROGRAM ARGS.

  // Prints the failure and its remedy on stderr, and sets the exit code of its kind.
  void fail(const Failure& failure);
};

// A subcommand whose help shows `examples` first: lines of "COMMAND   what it does".
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& examples);

// --json, --max-memory and --error-exitcode, which every command has. Called for each subcommand by
// main().
void add_common_options(CLI::App& command, CommandContext& context);

// A check of an option's text, empty where it is a whole number that fits 64 bits, else what was
// expected.
std::string whole_number(const std::string& text);

// `path` as the shell must be given it: quoted only where needed.
std::string shell_quoted(std::string_view path);

void add_record_command(CLI::App& app, CommandContext& context);
void add_replay_command(CLI::App& app, CommandContext& context);
void add_check_command(CLI::App& app, CommandContext& context);
void add_show_command(CLI::App& app, CommandContext& context);
void add_recover_command(CLI::App& app, CommandContext& context);
void add_explain_command(CLI::App& app, CommandContext& context);
void add_completion_command(CLI::App& app, CommandContext& context);  // And man-pages, hidden.

}  // namespace replait
