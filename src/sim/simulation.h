// One execution of a C++ kernel: Machine, fibers and scheduler -> events and an outcome.
//
// Each simulated thread is a fiber. A fiber's op is posted, not done: the loop asks the Machine
// which ops would complete, lets the scheduler pick among them and the phases of the copies in
// flight, applies the picked one and hands it to the sinks. When no agent is enabled and some
// thread has not left, that is a deadlock, known at once. The first raised error ends the
// execution.
//
// A copy is picked twice: for its read with the send signal, and for its write with the receive
// signal. A thread picked at a Choose asks the scheduler's choose() right after. Core 0 of each
// device checks the device's semaphores before it leaves, and is held there until every other body
// is over and no copy is in flight: counts are judged after all signals (JAX does so at the
// device's end, and misses a peer's later signal).
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "model/machine.h"
#include "replait/kernel.h"
#include "sched/scheduler.h"
#include "trace/event_sink.h"

namespace replait {

struct SimulationOptions {
  MachineOptions machine;
  std::uint64_t max_events = std::uint64_t{1} << 32;  // Then the execution is abandoned.
};

// Runs execution number `execution` of `scheduler`. Sinks get begin, consume, finish in the given
// order. `tables` must be new. Failure, before any sink is called: launch options that cannot be
// (kUsage), no memory for the stacks (kUsage), or nothing left to try for the scheduler (kNothing).
Result<ExecutionEnd> simulate(const Kernel& kernel, Scheduler& scheduler, std::uint64_t execution,
                              const Header& header, Tables& tables,
                              std::span<EventSink* const> sinks, const SimulationOptions& options);

}  // namespace replait
