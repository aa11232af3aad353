// What `record` was asked for, whichever of its two forms runs.
#pragma once

#include <cstdint>
#include <string>

#include "replay/command_context.h"

namespace replait {

struct RecordOptions {
  std::string kernel;  // Empty: a program, CommandContext::child.
  std::string scheduler = "pct";
  std::string seed = "0";  // Checked: a whole number.
  std::string values = "none";
  std::string output;  // Empty: see output_path().
  std::string jax_version;
  bool no_environment = false;
  bool debug_clocks = false;
  bool list = false;
};

// -o, or `.replait/STEM.replait`, whose folder is made if need be.
Result<std::string> output_path(const RecordOptions& options, const std::string& stem);

// Runs the C++ kernel called `options.kernel`.
void record_kernel(const RecordOptions& options, CommandContext& context);

// Runs the Python program `*context.child`.
void record_program(const RecordOptions& options, CommandContext& context);

}  // namespace replait
