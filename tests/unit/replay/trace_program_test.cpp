// Traces cut into thread programs: the same events under the recorded schedule.
#include "replay/trace_program.h"

#include <gtest/gtest.h>

#include "tests/unit/replay/kernels.h"
#include "tests/unit/replay/memory_trace.h"

namespace replait {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

TEST(TraceProgram, GivesTheRecordedEventsHoweverTheRunEnded) {
  for (const Kernel& kernel : {message_kernel(), failing_kernel(), deadlock_kernel()}) {
    for (const char* scheduler : {"round-robin", "random", "pct"}) {
      const auto trace = MemoryTrace::record(kernel, scheduler, 5);
      const Result<TracePrograms> programs = cut_trace(*trace, kPlenty);
      ASSERT_TRUE(programs.ok());
      EXPECT_EQ(programs->programs.size(), kernel.launch.devices);
      const auto divergence = replay_programs(*programs, *trace);
      ASSERT_TRUE(divergence.ok());
      EXPECT_FALSE(*divergence) << (*divergence)->expected << " / " << (*divergence)->got;
    }
  }
}

TEST(TraceProgram, IsAThreadsOpsInOrderWithoutTheOthers) {
  const auto trace = MemoryTrace::record(message_kernel());
  const Result<TracePrograms> programs = cut_trace(*trace, kPlenty);
  ASSERT_TRUE(programs.ok());
  for (const TracePrograms::Program& program : programs->programs) {
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      EXPECT_EQ(programs->events[program.ops[i]].agent, program.thread);
      EXPECT_TRUE(i == 0 || program.ops[i - 1] < program.ops[i]);
    }
  }
}

TEST(TraceProgram, AScheduleThatPicksABlockedThreadDiverges) {
  const auto trace = MemoryTrace::record(message_kernel());
  Result<TracePrograms> programs = cut_trace(*trace, kPlenty);
  ASSERT_TRUE(programs.ok());
  // The last choice is somebody's exit: made first, its thread has not entered yet.
  std::swap(programs->schedule.front(), programs->schedule.back());
  const auto divergence = replay_programs(*programs, *trace);
  ASSERT_TRUE(divergence.ok());
  EXPECT_TRUE(*divergence);
}

TEST(TraceProgram, ATraceLargerThanTheLimitHasNoVerdict) {
  const auto trace = MemoryTrace::record(message_kernel());
  const Result<TracePrograms> programs = cut_trace(*trace, 1000);
  ASSERT_FALSE(programs.ok());
  EXPECT_EQ(programs.failure().kind, FailureKind::kNothing);
}

}  // namespace
}  // namespace replait
