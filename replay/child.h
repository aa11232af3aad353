// Other programs: started, waited for, and their end told as a shell tells it.
//
// While a child runs, an interrupt from the keyboard is the child's to handle, which gets it too:
// the recording it was making is still looked at afterwards.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace replait {

using Arguments = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;  // Set on top of ours.

// Runs to the end with our standard streams. Returns the exit code, 128 + n after signal n.
// Failure: the program cannot be started.
Result<int> run_child(const Arguments& arguments, const Environment& environment);

struct Captured {
  int code = 0;
  std::string output;
  std::string errors;
};
// The same with its output taken, and no input.
Result<Captured> capture_child(const Arguments& arguments);

}  // namespace replait
