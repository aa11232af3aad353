// What a command is told and what it answers, apart from its own options.
#pragma once

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

// `path` as the shell must be given it: quoted only where needed.
std::string shell_quoted(std::string_view path);

}  // namespace replait
