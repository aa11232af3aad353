#include "race/happens_before.h"

#include <gtest/gtest.h>

#include "execution_builder.h"

namespace replait {
namespace {

// Whether event a happens before event b, a < b, of another agent.
bool ordered(const ExecutionBuilder& b, std::uint64_t first, std::uint64_t second) {
  HappensBefore relation;
  relation.begin(Header{}, b.tables);
  SlotId slot{};
  Epoch epoch = 0;
  for (const Applied& event : b.events) {
    const HappensBefore::Stamp stamp = relation.apply(event);
    if (event.index == first) {
      slot = stamp.slot;
      epoch = stamp.epoch;
    }
    if (event.index == second) return stamp.clock->covers(slot, epoch);
  }
  ADD_FAILURE() << "no event " << second;
  return false;
}

class Edges : public testing::Test {
 protected:
  ExecutionBuilder b;
  AgentId sender = b.start(0);
  AgentId receiver = b.start(1);
  KeyId x = b.allocate(sender, 100, {8});
  SemaphoreId ready = b.semaphore(2000, 1);
  RangeId whole = b.whole();
};

TEST_F(Edges, AWaitAcquiresASignalAndWhatCameBefore) {
  const auto write = b.write(sender, x, whole);
  const auto signal = b.signal(sender, ready);
  const auto after = b.write(sender, x, whole);
  b.wait(receiver, ready);
  const auto read = b.read(receiver, x, whole);
  EXPECT_TRUE(ordered(b, write, read));
  EXPECT_TRUE(ordered(b, signal, read));
  EXPECT_FALSE(ordered(b, after, read));
}

TEST_F(Edges, AReadOfTheCountAcquiresNothing) {
  const auto write = b.write(sender, x, whole);
  b.signal(sender, ready);
  b.apply(receiver, ReadCount{ready}, {.count = 1});
  EXPECT_FALSE(ordered(b, write, b.read(receiver, x, whole)));
}

TEST_F(Edges, AWaitAcquiresAllSignalsSoFar) {
  const AgentId other = b.thread(0, 0);
  const auto write = b.write(other, x, whole);
  b.signal(other, ready, 2);
  b.wait(receiver, ready, 1);
  EXPECT_TRUE(ordered(b, write, b.read(receiver, x, whole)));
}

TEST_F(Edges, TheReceiveSemaphoreTellsOfTheWriteTheSendSemaphoreOnlyOfTheRead) {
  const SemaphoreId send = b.semaphore(2001, 0);
  const AgentId copy = b.issue(sender, {x, whole, x, whole, send, ready});
  b.phase(copy, CopyPhase::kReadSource);
  const auto read = b.events.size() - 1;
  b.phase(copy, CopyPhase::kSignalSend);
  b.phase(copy, CopyPhase::kWriteDestination);
  const auto write = b.events.size() - 1;
  b.phase(copy, CopyPhase::kSignalReceive);
  b.wait(sender, send, 4096);
  const auto at_sender = b.write(sender, x, whole);
  EXPECT_TRUE(ordered(b, read, at_sender));
  EXPECT_FALSE(ordered(b, write, at_sender));
  b.wait(receiver, ready, 4096);
  EXPECT_TRUE(ordered(b, write, b.read(receiver, x, whole)));
}

TEST_F(Edges, ACopyKnowsWhatItsIssuerKnewAtTheIssueAndNoMore) {
  const auto before = b.write(sender, x, whole);
  const AgentId copy = b.issue(sender, {x, whole, x, whole, std::nullopt, ready});
  const auto after = b.write(sender, x, whole);
  b.phase(copy, CopyPhase::kReadSource);
  const auto read = b.events.size() - 1;
  EXPECT_TRUE(ordered(b, before, read));
  EXPECT_FALSE(ordered(b, after, read));
}

TEST_F(Edges, APartialReceiveTellsNothingOfTheWrite) {
  const AgentId copy = b.issue(sender, {x, whole, x, whole, std::nullopt, ready});
  b.phase(copy, CopyPhase::kReadSource);
  b.apply(copy, CopyStep{CopyPhase::kPartialReceive, ValueId{}, 100}, {.count = 100});
  b.phase(copy, CopyPhase::kWriteDestination);
  const auto write = b.events.size() - 1;
  b.counts[ready] = 100;
  b.wait(receiver, ready, 100);
  EXPECT_FALSE(ordered(b, write, b.read(receiver, x, whole)));
}

class Barriers : public testing::TestWithParam<bool> {};

TEST_P(Barriers, OrderExactlyWhereTheyExistOnTheHardware) {
  const bool interpreter_only = GetParam();
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  BarrierRow row;
  row.launch = b.launch;
  row.arrivals = 2;
  row.interpreter_only = interpreter_only;
  const BarrierId barrier = b.tables.barrier(row);
  const auto write = b.write(one, x, b.whole());
  b.apply(one, Arrive{barrier});
  b.apply(two, Arrive{barrier});
  b.apply(two, AwaitBarrier{barrier, 0});
  EXPECT_EQ(ordered(b, write, b.read(two, x, b.whole())), !interpreter_only);
}
INSTANTIATE_TEST_SUITE_P(All, Barriers, testing::Bool());

TEST(HappensBefore, AWaitForAPhaseAcquiresThatPhaseOnly) {
  ExecutionBuilder b(3);
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const AgentId late = b.start(2);
  const KeyId x = b.allocate(one, 100, {8});
  BarrierRow row;
  row.launch = b.launch;
  row.arrivals = 1;
  const BarrierId barrier = b.tables.barrier(row);
  const auto first = b.write(one, x, b.whole());
  b.apply(one, Arrive{barrier});
  const auto second = b.write(two, x, b.whole());
  b.apply(two, Arrive{barrier});
  b.apply(late, AwaitBarrier{barrier, 0});
  const auto read = b.read(late, x, b.whole());
  EXPECT_TRUE(ordered(b, first, read));
  EXPECT_FALSE(ordered(b, second, read));
}

TEST(HappensBefore, ALaunchBoundaryOrdersTheThreadsOfOneDevice) {
  ExecutionBuilder b(2, 2);
  const AgentId here = b.start(0, 1);
  const AgentId elsewhere = b.start(1, 0);
  const KeyId x = b.allocate(here, 100, {8});
  const auto write = b.write(here, x, b.whole());
  const auto other = b.write(elsewhere, x, b.whole());
  b.apply(here, Exit{});
  b.apply(elsewhere, Exit{});
  b.add_launch();
  const AgentId next = b.start(0, 0);
  const auto read = b.read(next, x, b.whole());
  EXPECT_TRUE(ordered(b, write, read));
  EXPECT_FALSE(ordered(b, other, read));
}

TEST(HappensBefore, AnOpThatRaisedGivesNoEdge) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const SemaphoreId ready = b.semaphore(2000, 1);
  const KeyId x = b.allocate(one, 100, {8});
  const ErrorId error = b.tables.error({ErrorKind::kRaised, "ValueError", "no", ""});
  const auto write = b.write(one, x, b.whole());
  b.apply(one, Signal{ready, 1}, {.error = error});
  b.apply(two, Wait{ready, 0});
  EXPECT_FALSE(ordered(b, write, b.read(two, x, b.whole())));
}

TEST(HappensBefore, ACopyStepOfACopyThatWasNeverIssuedIsNoFault) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const KeyId x = b.allocate(one, 100, {8});
  const SemaphoreId ready = b.semaphore(2000, 1);
  const AgentId copy = b.tables.copy(one, 0, {x, b.whole(), x, b.whole(), std::nullopt, ready});
  b.run(copy);
  b.apply(one, CopyStep{CopyPhase::kSignalReceive, ValueId{}, 0});
  HappensBefore relation;
  b.feed(relation);
  EXPECT_GT(relation.epoch(copy), 0u);
}

// The same run up to the order in which two cores enter, or issue their copies: slots differ.
std::uint64_t hash_of(bool swapped, bool waits) {
  ExecutionBuilder b;
  const AgentId first = b.thread(0);
  const AgentId second = b.thread(1);
  b.apply(swapped ? second : first, Enter{});
  b.apply(swapped ? first : second, Enter{});
  const KeyId x = b.key(100);
  const KeyId y = b.key(101);
  const SemaphoreId at_first = b.semaphore(2000, 0);
  const SemaphoreId at_second = b.semaphore(2000, 1);
  const auto issue = [&](AgentId thread, SemaphoreId to) {
    return b.issue(thread, {x, b.whole(), y, b.whole(), std::nullopt, to});
  };
  AgentId one{};
  AgentId two{};
  if (swapped) {
    two = issue(second, at_first);
    one = issue(first, at_second);
  } else {
    one = issue(first, at_second);
    two = issue(second, at_first);
  }
  b.run(one);
  b.run(two);
  if (waits) b.wait(first, at_first, 4096);
  b.wait(second, at_second, 4096);
  HappensBefore relation;
  b.feed(relation);
  return relation.clock_hash();
}

TEST(ClockHash, DoesNotDependOnSlots) { EXPECT_EQ(hash_of(false, true), hash_of(true, true)); }
TEST(ClockHash, TellsWhatEachThreadKnows) {
  EXPECT_NE(hash_of(false, true), hash_of(false, false));
}

TEST(ClockHash, LeavesOutThreadsThatHaveLeft) {
  ExecutionBuilder b(1);
  HappensBefore nobody;
  b.feed(nobody);
  b.apply(b.start(0), Exit{});
  HappensBefore left;
  b.feed(left);
  EXPECT_EQ(left.clock_hash(), nobody.clock_hash());
}

// The issuer learns of each copy's read and never of its write, so no slot is ever free.
TEST(HappensBefore, CopiesThatNobodyAcknowledgesCostTheSameEach) {
  constexpr std::uint64_t kCopies = 50'000;
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  b.start(1);
  const KeyId x = b.key(100);
  const SemaphoreId send = b.semaphore(2000, 0);
  const SemaphoreId receive = b.semaphore(2000, 1);
  for (std::uint64_t i = 0; i < kCopies; ++i) {
    const AgentId copy = b.issue(sender, {x, b.whole(), x, b.whole(), send, receive});
    b.run(copy);
    b.wait(sender, send, 4096);
  }
  HappensBefore relation;
  b.feed(relation);
  EXPECT_EQ(relation.slots(), kCopies + 2);
}

TEST(HappensBefore, CopiesThatAreAllWaitedForShareOneSlot) {
  ExecutionBuilder b(1);
  const AgentId thread = b.start(0);
  const KeyId x = b.key(100);
  const SemaphoreId done = b.semaphore(2000, 0);
  for (int i = 0; i < 1000; ++i) {
    b.run(b.issue(thread, {x, b.whole(), x, b.whole(), std::nullopt, done}));
    b.wait(thread, done, 4096);
  }
  HappensBefore relation;
  b.feed(relation);
  EXPECT_EQ(relation.slots(), 2u);
}

TEST(HappensBefore, ThreadsOfOneCoreShareASlotOverLaunches) {
  ExecutionBuilder b(1);
  for (int i = 0; i < 10; ++i) {
    b.apply(b.start(0), Exit{});
    b.add_launch();
  }
  HappensBefore relation;
  b.feed(relation);
  EXPECT_EQ(relation.slots(), 1u);
}

}  // namespace
}  // namespace replait
