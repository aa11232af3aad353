// A kernel: what replait runs, once for each simulated thread, under a scheduler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replait/location.h"

namespace replait {

class ThreadContext;

// How a kernel is launched; the same options as JAX's interpret mode has.
struct LaunchOptions {
  std::uint32_t devices = 1;
  std::uint32_t cores_per_device = 1;
  bool out_of_bounds_reads_raise = true;  // Else they return uninitialised values.
  bool uninitialized_nan = true;          // Else zero.
  std::uint32_t vector_clock_size = 0;    // 0: JAX's default. Too small: JAX's error at the launch.
  std::size_t stack_bytes = std::size_t{256} << 10;  // Of each simulated thread.
};

// A source file that was built into the program, so that a recording can hold its lines wherever it
// is made. `file` is the name that recordings get: relative, "examples/cpp/ring.cpp".
struct EmbeddedSource {
  std::string_view file;
  std::string_view text;
};

// Stateless: `body` must keep nothing between executions, since one kernel is run many times.
struct Kernel {
  std::string name = {};     // As `record NAME` takes it: "ring-all-gather".
  std::string summary = {};  // One line for `record --list`.
  std::string expected =
      {};  // What it shows: "clean", a rule id, or a rule id with the error's type.
  LaunchOptions launch = {};
  std::function<void(ThreadContext&)> body;
  std::span<const EmbeddedSource> sources = {};  // Else the files are read, where they can be.
  Location where = {};  // Of its definition: Location::current(). Compilers disagree on the line of
                        // a default here, so it has none.
};

// What replait::main offers under `record`. Names must be unique.
using Kernels = std::vector<Kernel>;

// The whole command line over `kernels`, as gtest_main does for tests. Returns the exit code.
int main(int argc, char** argv, const Kernels& kernels);

}  // namespace replait
