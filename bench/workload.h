// The kernel that the trace benchmarks run: every device writes and reads its buffer, signals its
// neighbour and waits, and sends a block every eighth turn. As many events as asked for, about.
#pragma once

#include <cstdint>

#include "replait/kernel.h"

namespace replait::bench {

struct WorkloadOptions {
  std::uint32_t devices = 8;
  std::uint64_t events = 1'000'000;
};

Kernel workload(const WorkloadOptions& options);

}  // namespace replait::bench
