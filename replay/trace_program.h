// Trace programs: a recording cut into one program a thread, each run on a fiber.
//
// The second driver of a recorded run. A program is a thread's ops in order, without any order
// between threads; a scheduler decides that anew. Under the ReplayScheduler, which makes the
// recorded choices, the run must have the recording's events, one by one: so the cut loses nothing,
// and what other schedulers do with the same programs starts from a known place.
//
// Copies are agents as in a kernel's run: they appear when issued. In launches recorded with a gate
// a copy is picked for its read with the send signal, and for its write with the receive signal.
// The whole trace is in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/machine.h"
#include "replay/divergence.h"
#include "sched/replay_scheduler.h"
#include "trace/trace_reader.h"

namespace replait {

struct TracePrograms {
  struct Program {
    AgentId thread{};
    std::vector<std::uint64_t> ops;  // Positions in `events`.
    // What the thread was blocked in at the end of the recording.
    std::optional<PendingOp> pending;
  };
  std::vector<Applied> events;    // In the recorded order.
  std::vector<Program> programs;  // By identity.
  std::vector<ScheduleChoice> schedule;
  ExecutionEnd end;
};

// Reads all of `reader`, which is fresh, and whose order of events was found good by a Replayer.
// Failure: unreadable, or larger than `max_memory_bytes` (kNothing).
Result<TracePrograms> cut_trace(TraceReader& reader, std::uint64_t max_memory_bytes);

// Runs the programs on fibers under the recorded schedule. nullopt: the same events and end.
Result<std::optional<Divergence>> replay_programs(const TracePrograms& programs,
                                                  TraceReader& reader);

}  // namespace replait
