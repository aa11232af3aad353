// The replayer over traces in memory, as recorded and with one thing changed.
#include "replay/replayer.h"

#include <gtest/gtest.h>

#include "replay/run_summary.h"
#include "replay/state_text.h"
#include "tests/unit/replay/kernels.h"
#include "tests/unit/replay/memory_trace.h"

namespace replait {
namespace {

// The divergence of the trace's replay; nullopt where it reproduces.
std::optional<Divergence> diverges(MemoryTrace& trace) {
  trace.rewind();
  Replayer replayer(trace, {}, {});
  const Result<void> done = replayer.run();
  EXPECT_TRUE(done.ok()) << done.failure().message;
  return replayer.divergence();
}

template <typename T>
Applied& first(MemoryTrace& trace) {
  for (Applied& event : trace.events) {
    if (std::holds_alternative<T>(event.op)) return event;
  }
  throw std::logic_error("the trace has no such op");
}

class EveryValueLevel : public testing::TestWithParam<ValueLevel> {};

TEST_P(EveryValueLevel, AnUnchangedRecordingIsReproduced) {
  for (const Kernel& kernel : {message_kernel(), failing_kernel(), deadlock_kernel()}) {
    const auto trace = MemoryTrace::record(kernel, "random", 3, GetParam());
    const auto divergence = diverges(*trace);
    EXPECT_FALSE(divergence) << kernel.name << ": " << divergence->expected << " / "
                             << divergence->got;
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, EveryValueLevel,
                         testing::Values(ValueLevel::kNone, ValueLevel::kHash, ValueLevel::kFull));

TEST(Replayer, AFailureIsReproducedWithItsTextAtItsEvent) {
  const auto trace = MemoryTrace::record(failing_kernel());
  RunSummary summary;
  EventSink* sink = &summary;
  Replayer replayer(*trace, {}, std::span(&sink, 1));
  ASSERT_TRUE(replayer.run().ok());
  ASSERT_FALSE(replayer.divergence());
  ASSERT_TRUE(summary.failure());
  EXPECT_EQ(summary.failure()->index, trace->events.back().index);
  EXPECT_NE(summary.text().find("Out-of-bounds read"), std::string::npos) << summary.text();
}

TEST(Replayer, ADeadlockNamesWhatEachThreadHasAndLacks) {
  const auto trace = MemoryTrace::record(deadlock_kernel());
  RunSummary summary;
  EventSink* sink = &summary;
  Replayer replayer(*trace, {}, std::span(&sink, 1));
  ASSERT_TRUE(replayer.run().ok());
  ASSERT_FALSE(replayer.divergence());
  EXPECT_NE(summary.text().find("2 are blocked"), std::string::npos) << summary.text();
  EXPECT_NE(summary.text().find("has 0, needs 1, lacks 1"), std::string::npos) << summary.text();
}

TEST(Replayer, AnotherIncrementDivergesAtTheSignal) {
  const auto trace = MemoryTrace::record(message_kernel());
  Applied& wait = first<Wait>(*trace);
  std::get<Wait>(wait.op).demand -= 1;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, wait.index);
}

TEST(Replayer, AWaitForMoreThanThereIsDivergesAsBlocked) {
  const auto trace = MemoryTrace::record(message_kernel());
  Applied& wait = first<Wait>(*trace);
  std::get<Wait>(wait.op).demand += 1;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, wait.index);
  EXPECT_NE(divergence->got.find("blocked"), std::string::npos) << divergence->got;
}

TEST(Replayer, ACopysPhaseOutOfTurnDiverges) {
  const auto trace = MemoryTrace::record(message_kernel());
  Applied& step = first<CopyStep>(*trace);
  std::get<CopyStep>(step.op).phase = CopyPhase::kWriteDestination;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, step.index);
  EXPECT_NE(divergence->got.find("read source"), std::string::npos) << divergence->got;
}

TEST(Replayer, AnOpThatBecomesAnotherDiverges) {
  const auto trace = MemoryTrace::record(message_kernel());
  Applied& read = first<Read>(*trace);
  read.op = Yield{};
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, read.index);
}

TEST(Replayer, AnotherValueReadDivergesWhereBytesAreKept) {
  const auto trace = MemoryTrace::record(message_kernel());
  Applied& read = first<Read>(*trace);
  read.outcome.value = trace->tables().value({.hash = {1, 2}, .bytes = {}});
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, read.index);
  EXPECT_NE(divergence->expected.find("value 0000000000000001"), std::string::npos);
}

TEST(Replayer, AnotherErrorTextDivergesAtTheFailure) {
  const auto trace = MemoryTrace::record(failing_kernel());
  Applied& last = trace->events.back();
  ErrorRow error = trace->tables()[last.outcome.error];
  error.text += " indeed";
  last.outcome.error = trace->tables().error(error);
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, last.index);
}

TEST(Replayer, TheEventsOfOneThreadInAnotherOrderDiverge) {
  const auto trace = MemoryTrace::record(message_kernel());
  const std::size_t issue = first<IssueCopy>(*trace).index;
  std::size_t step = first<CopyStep>(*trace).index;
  std::swap(trace->events[issue], trace->events[step]);
  std::swap(trace->events[issue].index, trace->events[step].index);
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, issue);
}

TEST(Replayer, AnotherClockHashDivergesAtTheChunksLastEvent) {
  const auto trace = MemoryTrace::record(message_kernel());
  trace->chunk_events = 4;
  trace->clock_hashes[7] += 1;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, 7U);
}

TEST(Replayer, DebugClocksAreComparedAtEachEvent) {
  const auto trace = MemoryTrace::record(message_kernel());
  trace->chunk_events = 4;
  trace->clock_hashes[5] += 1;
  EXPECT_FALSE(diverges(*trace));  // Within a chunk only debug clocks are there to be compared.
  trace->debug_clocks_kept = true;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, 5U);
}

TEST(Replayer, AnotherRunIdDivergesAtTheEnd) {
  const auto trace = MemoryTrace::record(message_kernel());
  trace->end_->run_id[0] += 1;
  const auto divergence = diverges(*trace);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->event, trace->events.size());
}

TEST(Replayer, AnEndThatTheEventsDoNotHaveDiverges) {
  const auto finished = MemoryTrace::record(message_kernel());
  for (const EndKind kind : {EndKind::kFailed, EndKind::kDeadlocked}) {
    finished->end_->execution.kind = kind;
    EXPECT_TRUE(diverges(*finished));
  }
  const auto failed = MemoryTrace::record(failing_kernel());
  failed->end_->execution.kind = EndKind::kFinished;
  EXPECT_TRUE(diverges(*failed));
  const auto deadlocked = MemoryTrace::record(deadlock_kernel());
  deadlocked->end_->execution.kind = EndKind::kFinished;
  EXPECT_TRUE(diverges(*deadlocked));
}

TEST(Replayer, ADeadlockWithoutOneOfItsThreadsDiverges) {
  const auto trace = MemoryTrace::record(deadlock_kernel());
  trace->end_->execution.pending.pop_back();
  EXPECT_TRUE(diverges(*trace));
}

TEST(Replayer, APendingWaitWithAnotherCountDiverges) {
  const auto trace = MemoryTrace::record(deadlock_kernel());
  trace->end_->execution.pending.front().has = 1;
  EXPECT_TRUE(diverges(*trace));
}

TEST(Replayer, ARecordingWithoutAnEndIsUnreadableAndCounted) {
  const auto trace = MemoryTrace::record(message_kernel());
  trace->end_.reset();
  Replayer replayer(*trace, {}, {});
  const Result<void> done = replayer.run();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.failure().kind, FailureKind::kUnreadable);
  EXPECT_EQ(replayer.events(), trace->events.size());
}

TEST(Replayer, UntilStopsBeforeTheEventAndTellsWhereEachThreadStands) {
  const auto trace = MemoryTrace::record(message_kernel());
  const std::uint64_t wait = first<Wait>(*trace).index;
  LastOps last;
  EventSink* sink = &last;
  Replayer replayer(*trace, {.until = wait, .file = "t"}, std::span(&sink, 1));
  ASSERT_TRUE(replayer.run().ok());
  ASSERT_TRUE(replayer.stopped());
  EXPECT_EQ(replayer.events(), wait);
  EXPECT_EQ(replayer.ahead().front().index, wait);
  const Result<std::string> state = state_text(replayer, last, *trace);
  ASSERT_TRUE(state.ok());
  EXPECT_NE(state->find("device 0, core 0"), std::string::npos) << *state;
  EXPECT_NE(state->find("device 1, core 0"), std::string::npos) << *state;
  EXPECT_NE(state->find("wait for 32"), std::string::npos) << *state;
}

TEST(Replayer, UntilTheEndStopsAndBeyondItIsWrongUse) {
  const auto trace = MemoryTrace::record(message_kernel());
  Replayer at_end(*trace, {.until = trace->events.size(), .file = "t"}, {});
  EXPECT_TRUE(at_end.run().ok());
  EXPECT_TRUE(at_end.stopped());
  trace->rewind();
  Replayer beyond(*trace, {.until = trace->events.size() + 1, .file = "t"}, {});
  const Result<void> done = beyond.run();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.failure().kind, FailureKind::kUsage);
}

}  // namespace
}  // namespace replait
