// The command line: one file a command, each adds its subcommand to the app and runs in its
// callback.
//
// Results go to stdout, messages and progress to stderr. A command sets `exit_code`; a Failure
// becomes one through fail().
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "replay/command_context.h"

namespace replait {

// A subcommand whose help shows `examples` first: lines of "COMMAND   what it does".
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& examples);

// --json, --max-memory and --error-exitcode, which every command has. Called for each subcommand by
// main().
void add_common_options(CLI::App& command, CommandContext& context);

// A check of an option's text, empty where it is a whole number that fits 64 bits, else what was
// expected.
std::string whole_number(const std::string& text);

void add_record_command(CLI::App& app, CommandContext& context);
void add_replay_command(CLI::App& app, CommandContext& context);
void add_check_command(CLI::App& app, CommandContext& context);
void add_show_command(CLI::App& app, CommandContext& context);
void add_recover_command(CLI::App& app, CommandContext& context);
void add_explain_command(CLI::App& app, CommandContext& context);
void add_completion_command(CLI::App& app, CommandContext& context);  // And man-pages, hidden.

}  // namespace replait
