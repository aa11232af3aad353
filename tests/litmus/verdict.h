// Runs a kernel under many seeds and says what the race detector found, and how runs ended.
//
// The relation is the observed one, so a race that needs a certain order of events is seen in the
// runs that have it: "racy" is racy in some of them, "clean" is clean in all.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "replait/kernel.h"

namespace replait {

struct Verdict {
  std::set<std::string> races;  // Rules that some run showed.
  std::uint64_t runs = 0;
  std::uint64_t racy_runs = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t failures = 0;  // An op raised.

  bool clean() const { return races.empty() && deadlocks == 0 && failures == 0; }
};

struct VerdictOptions {
  std::string scheduler = "random";
  std::uint64_t seeds = 200;
};

Verdict judge(const Kernel& kernel, const VerdictOptions& options = {});

}  // namespace replait
