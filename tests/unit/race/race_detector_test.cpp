// Each shape with one thing present or absent, and the traps that a naive detector falls into.
#include "race/race_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "execution_builder.h"

namespace replait {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Race> races_of(const ExecutionBuilder& b, std::size_t records_min = 256) {
  RaceDetector detector({.records_min = records_min});
  return b.feed(detector).races();
}

class Message : public testing::TestWithParam<bool> {};

TEST_P(Message, RacesExactlyWhenTheSignalComesBeforeTheStore) {
  const bool signal_first = GetParam();
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  const AgentId receiver = b.start(1);
  const KeyId x = b.allocate(sender, 100, {8});
  const SemaphoreId ready = b.semaphore(2000, 1, 0, "ready");
  if (signal_first) b.line(10).signal(sender, ready);
  b.line(11).write(sender, x, b.whole());
  if (!signal_first) b.line(10).signal(sender, ready);
  b.line(20).wait(receiver, ready);
  b.line(21).read(receiver, x, b.whole());
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), signal_first ? 1u : 0u);
  if (!signal_first) return;
  EXPECT_EQ(races[0].kind, RaceKind::kReadWrite);
  EXPECT_THAT(
      races[0].nearest,
      ElementsAre(
          "device 0, core 0 released nothing (no signal, copy or arrival) between its write "
          "(kernel.cpp:11, event 4) and event 6",
          "before its read (kernel.cpp:21, event 6), device 1, core 0 last waits on ready [2000 on "
          "device 1, core 0] (kernel.cpp:20, event 5): device 0, core 0 signalled it "
          "(kernel.cpp:10, event 3), before its write (kernel.cpp:11, event 4)"));
  EXPECT_EQ(races[0].missing,
            "device 0, core 0 signals device 1, core 0 after its write (kernel.cpp:11, event 4), "
            "and device 1, core 0 waits for that before its read (kernel.cpp:21, event 6)");
}
INSTANTIATE_TEST_SUITE_P(All, Message, testing::Bool());

class RemoteCopy : public testing::TestWithParam<bool> {};

TEST_P(RemoteCopy, RacesExactlyWhenTheReceiverSkipsItsWait) {
  const bool receiver_waits = GetParam();
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  const AgentId receiver = b.start(1);
  const KeyId x = b.allocate(sender, 100, {8}, "x");
  const KeyId out = b.allocate(receiver, 100, {8}, "out", 1);
  const SemaphoreId send = b.semaphore(2000, 0, 0, "send_sem");
  const SemaphoreId receive = b.semaphore(2001, 1, 0, "recv_sem");
  const AgentId copy = b.line(30).issue(sender, {x, b.whole(), out, b.whole(), send, receive});
  b.run(copy);
  b.line(31).wait(sender, send, 4096);
  if (receiver_waits) b.line(40).wait(receiver, receive, 4096);
  b.line(41).read(receiver, out, b.whole());
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), receiver_waits ? 0u : 1u);
  if (receiver_waits) return;
  EXPECT_EQ(races[0].first.kind, MemoryAccessKind::kCopyWrite);
  EXPECT_THAT(races[0].nearest,
              ElementsAre("copy #0 (device 0 -> device 1) signalled recv_sem [2001 on device 1, "
                          "core 0] at event 8; device 1, core 0 did not wait on it between that "
                          "and its read (kernel.cpp:41, event 10)"));
  EXPECT_EQ(races[0].missing,
            "device 1, core 0 waits on recv_sem [2001 on device 1, core 0] for copy #0 (device 0 "
            "-> device 1) before its read (kernel.cpp:41, event 10)");
}
INSTANTIATE_TEST_SUITE_P(All, RemoteCopy, testing::Bool());

class Source : public testing::TestWithParam<bool> {};

TEST_P(Source, IsOverwrittenTooEarlyExactlyWithoutTheSendWait) {
  const bool waits = GetParam();
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  const KeyId x = b.allocate(sender, 100, {8}, "x");
  const KeyId out = b.key(100, 1);
  const SemaphoreId send = b.semaphore(2000, 0, 0, "send_sem");
  const AgentId copy =
      b.line(30).issue(sender, {x, b.whole(), out, b.whole(), send, b.semaphore(2001, 1)});
  if (waits) {
    b.read_step(copy);
    b.line(31).wait(sender, send, 4096);
  }
  b.line(32).write(sender, x, b.whole());
  if (!waits) b.read_step(copy);
  b.write_step(copy);
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), waits ? 0u : 1u);
  if (waits) return;
  EXPECT_THAT(races[0].nearest,
              ElementsAre("device 0, core 0 issued copy #0 (device 0 -> device 1) (kernel.cpp:30, "
                          "event 2), and it was still in flight at device 0, core 0's write "
                          "(kernel.cpp:32, event 3)",
                          "device 0, core 0 did not wait on send_sem [2000 on device 0, core 0] "
                          "between the two"));
  EXPECT_THAT(races[0].missing, HasSubstr("waits on send_sem"));
}
INSTANTIATE_TEST_SUITE_P(All, Source, testing::Bool());

// Two copies, one receive semaphore, one wait that either of them can pay.
TEST(SharedSemaphore, RacesWithTheCopyThatWasNotTheOneToPay) {
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  const AgentId receiver = b.start(1);
  const KeyId x = b.allocate(sender, 100, {8}, "x");
  const KeyId out = b.allocate(receiver, 100, {2, 8}, "out", 1);
  const SemaphoreId receive = b.semaphore(2003, 1, 0, "recv_sem");
  const RangeId first = b.range({ExecutionBuilder::index(0)});
  const RangeId second = b.range({ExecutionBuilder::index(1)});
  const AgentId one = b.line(30).issue(sender, {x, b.whole(), out, first, std::nullopt, receive});
  const AgentId two = b.line(31).issue(sender, {x, b.whole(), out, second, std::nullopt, receive});
  b.run(two);
  b.line(40).wait(receiver, receive, 4096);
  b.line(41).read(receiver, out, first);
  b.run(one);
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].second.agent, one);
  EXPECT_THAT(
      races[0].nearest,
      ElementsAre(
          "device 0, core 0 issued copy #0 (device 0 -> device 1) (kernel.cpp:30, event 4), and it "
          "was still in flight at device 1, core 0's read (kernel.cpp:41, event 10)",
          "device 1, core 0's wait (kernel.cpp:40, event 9) took 4096 bytes; until then recv_sem "
          "[2003 on device 1, core 0] had got 4096 bytes (4096 from copy #1 (device 0 -> device "
          "1)), and waits took 4096, this one included"));
  EXPECT_EQ(
      races[0].missing,
      "device 1, core 0 waits on recv_sem [2003 on device 1, core 0] for copy #0 (device 0 "
      "-> device 1) before its read (kernel.cpp:41, event 10); since other copies that signal "
      "recv_sem [2003 on device 1, core 0] were in flight too, either this copy needs a "
      "semaphore of its own, or all of them have to be waited for first");

  // The other way round the copy had landed before, and the wait had not been for it.
  ExecutionBuilder c;
  const AgentId c_sender = c.start(0);
  const AgentId c_receiver = c.start(1);
  const KeyId c_x = c.allocate(c_sender, 100, {8}, "x");
  const KeyId c_out = c.allocate(c_receiver, 100, {2, 8}, "out", 1);
  const SemaphoreId c_receive = c.semaphore(2003, 1, 0, "recv_sem");
  const RangeId c_first = c.range({ExecutionBuilder::index(0)});
  const AgentId c_one =
      c.line(30).issue(c_sender, {c_x, c.whole(), c_out, c_first, std::nullopt, c_receive});
  const AgentId c_two = c.line(31).issue(
      c_sender,
      {c_x, c.whole(), c_out, c.range({ExecutionBuilder::index(1)}), std::nullopt, c_receive});
  c.run(c_two);
  c.line(40).wait(c_receiver, c_receive, 4096);
  c.run(c_one);
  c.line(41).read(c_receiver, c_out, c_first);
  const std::vector<Race> late = races_of(c);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_THAT(
      late[0].nearest,
      ElementsAre(
          "copy #0 (device 0 -> device 1) signalled recv_sem [2003 on device 1, core 0] at event "
          "12; device 1, core 0 did not wait on it between that and its read (kernel.cpp:41, event "
          "13)",
          "device 1, core 0's wait (kernel.cpp:40, event 9) took 4096 bytes; until then recv_sem "
          "[2003 on device 1, core 0] had got 4096 bytes (4096 from copy #1 (device 0 -> device "
          "1)), and waits took 4096, this one included"));
  EXPECT_THAT(late[0].missing, HasSubstr("this copy needs a semaphore of its own"));
}

TEST(SharedSemaphore, IsCleanWhenAllCopiesAreWaitedForBeforeUse) {
  ExecutionBuilder b(1);
  const AgentId thread = b.start(0);
  const KeyId x = b.allocate(thread, 100, {16}, "x");
  const KeyId out = b.allocate(thread, 101, {16}, "out");
  const SemaphoreId done = b.semaphore(2000, 0);
  std::vector<AgentId> copies;
  for (std::int64_t i = 0; i < 16; ++i) {
    const RangeId cell = b.range({ExecutionBuilder::index(i)});
    copies.push_back(b.issue(thread, {x, cell, out, cell, std::nullopt, done}));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) b.run(*copy);
  for (int i = 0; i < 16; ++i) b.wait(thread, done, 4096);
  b.read(thread, out, b.whole());
  EXPECT_TRUE(races_of(b).empty());
}

// A device sends on what has not arrived: what is missing is its wait, not a signal back.
TEST(RemoteCopyChain, LacksTheWaitOfWhoSendsOn) {
  ExecutionBuilder b(3);
  const AgentId left = b.start(0);
  const AgentId middle = b.start(1);
  const KeyId x = b.allocate(left, 100, {8}, "x");
  const KeyId at_middle = b.allocate(middle, 100, {8}, "out", 1);
  const KeyId at_right = b.key(100, 2);
  const SemaphoreId arrived = b.semaphore(2001, 1, 0, "recv_sem");
  const AgentId in =
      b.line(30).issue(left, {x, b.whole(), at_middle, b.whole(), std::nullopt, arrived});
  const AgentId on = b.line(40).issue(
      middle, {at_middle, b.whole(), at_right, b.whole(), std::nullopt, b.semaphore(2001, 2)});
  b.run(on);
  b.run(in);
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_THAT(
      races[0].nearest,
      ElementsAre("device 0, core 0 issued copy #0 (device 0 -> device 1) (kernel.cpp:30, "
                  "event 4), and it was still in flight at device 1, core 0's issue of copy "
                  "#0 (device 1 -> device 2) (kernel.cpp:40, event 5)",
                  "device 1, core 0 did not wait on recv_sem [2001 on device 1, core 0] "
                  "between the two"));
  EXPECT_EQ(races[0].missing,
            "device 1, core 0 waits on recv_sem [2001 on device 1, core 0] for copy #0 (device 0 "
            "-> device 1) before its issue of copy #0 (device 1 -> device 2) (kernel.cpp:40, event "
            "5)");
}

// The copy was issued after the read: two edges could be the one that was meant.
TEST(RemoteCopyChain, AReadBeforeTheIssueHasTwoEdgesToChooseFrom) {
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  const AgentId receiver = b.start(1);
  const KeyId x = b.allocate(sender, 100, {8}, "x");
  const KeyId out = b.allocate(receiver, 100, {8}, "out", 1);
  const SemaphoreId arrived = b.semaphore(2001, 1, 0, "recv_sem");
  b.line(41).read(receiver, out, b.whole());
  b.run(b.line(30).issue(sender, {x, b.whole(), out, b.whole(), std::nullopt, arrived}));
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].missing,
            "device 1, core 0 waits on recv_sem [2001 on device 1, core 0] for copy #0 (device 0 "
            "-> device 1) before its read (kernel.cpp:41, event 4); or device 1, core 0 signals "
            "device 0, core 0 after its read (kernel.cpp:41, event 4), and device 0, core 0 waits "
            "for that before its issue of copy #0 (device 0 -> device 1) (kernel.cpp:30, event 5)");
}

// Its read and its send are known, its write is not: its slot is not free.
TEST(Trap, ACopyWhoseWriteIsNotKnownKeepsItsSlot) {
  ExecutionBuilder b;
  const AgentId sender = b.start(0);
  b.start(1);
  const KeyId x = b.allocate(sender, 100, {8});
  const KeyId out = b.key(100, 1);
  const SemaphoreId send = b.semaphore(2000, 0);
  const SemaphoreId receive = b.semaphore(2001, 1);
  const AgentId one = b.line(1).issue(sender, {x, b.whole(), out, b.whole(), send, receive});
  b.read_step(one);
  b.wait(sender, send, 4096);
  b.write_step(one);
  const AgentId two = b.line(2).issue(sender, {x, b.whole(), out, b.whole(), send, receive});
  b.run(two);
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].kind, RaceKind::kWriteWrite);
  EXPECT_EQ(races[0].first.agent, one);
  EXPECT_EQ(races[0].second.agent, two);
}

// Every thread knows of the write, and the copy in flight does not: the record must stay.
TEST(Trap, ACopyInFlightKeepsRecordsThatEveryThreadKnows) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  const KeyId other = b.allocate(one, 101, {8}, "other");
  const SemaphoreId at_two = b.semaphore(2000, 1);
  const AgentId copy =
      b.line(1).issue(two, {x, b.whole(), other, b.whole(), std::nullopt, b.semaphore(2001, 1)});
  b.line(2).write(one, x, b.whole());
  b.signal(one, at_two);
  b.wait(two, at_two);
  for (int i = 0; i < 20; ++i) b.line(3).read(two, x, b.range({ExecutionBuilder::index(i % 8)}));
  b.run(copy);
  const std::vector<Race> races = races_of(b, 1);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].second.agent, copy);
}

// What all threads and copies know is dropped, and counts do not change by it.
TEST(Trap, DroppingWhatCanNoLongerRaceLosesNoPair) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  const SemaphoreId at_one = b.semaphore(2000, 0);
  const SemaphoreId at_two = b.semaphore(2000, 1);
  for (int round = 0; round < 50; ++round) {
    b.line(1).write(one, x, b.whole());
    b.signal(one, at_two);
    b.wait(two, at_two);
    b.line(2).write(two, x, b.whole());
    b.signal(two, at_one);
    if (round % 10 != 9) b.wait(one, at_one);
    if (round % 10 == 9) b.line(3).read(one, x, b.whole());
    if (round % 10 == 9) b.wait(one, at_one);
  }
  for (const std::size_t records_min : {std::size_t{1}, std::size_t{1000}}) {
    const std::vector<Race> races = races_of(b, records_min);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].pairs, 5u);
  }
}

TEST(RaceDetector, CountsEveryPairAndNamesTheFirst) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  for (int i = 0; i < 3; ++i) b.line(1).write(one, x, b.whole());
  for (int i = 0; i < 4; ++i) b.line(2).read(two, x, b.range({ExecutionBuilder::index(i)}));
  b.line(3).write(two, x, b.whole());
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 2u);
  EXPECT_EQ(races[0].pairs, 12u);
  EXPECT_EQ(races[0].first.event, 3u);
  EXPECT_EQ(races[0].second.event, 6u);
  EXPECT_EQ(races[1].kind, RaceKind::kWriteWrite);
  EXPECT_EQ(races[1].pairs, 3u);
}

TEST(RaceDetector, BuffersOfTwoLaunchesNeverMeet) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  b.write(one, b.allocate(one, 100, {8}), b.whole());
  b.add_launch();
  const AgentId two = b.start(1);
  b.write(two, b.allocate(two, 100, {8}), b.whole());
  EXPECT_TRUE(races_of(b).empty());
}

TEST(RaceDetector, AKeyThatIsFreedAndAllocatedAnewIsAnotherBuffer) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  b.write(one, x, b.whole());
  b.apply(one, Free{x});
  b.allocate(two, 100, {8});
  b.write(two, x, b.whole());
  EXPECT_TRUE(races_of(b).empty());
}

TEST(RaceDetector, AnAccessThatRaisedTouchedNothing) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  const ErrorId error = b.tables.error({ErrorKind::kRaised, "ValueError", "no", ""});
  b.write(one, x, b.whole());
  b.apply(two, Write{x, b.whole(), ValueId{}, Proxy::kGeneric}, {.error = error});
  EXPECT_TRUE(races_of(b).empty());
}

TEST(RaceDetector, EmptyRangesCopiesOfNothingAndIdleLaunchesAreClean) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {0, 8});
  const KeyId y = b.allocate(one, 101, {8}, "y");
  const RangeId nothing = b.range({ExecutionBuilder::slice(3, 3)});
  b.write(one, x, b.whole());
  b.write(two, x, b.whole());
  b.write(one, y, nothing);
  b.write(two, y, b.whole());
  b.run(b.issue(one, {y, nothing, y, nothing, std::nullopt, b.semaphore(2000, 0), 0}));
  b.apply(one, Exit{});
  b.apply(two, Exit{});
  b.add_launch();
  b.apply(b.start(0), Exit{});
  EXPECT_TRUE(races_of(b).empty());
}

TEST(RaceDetector, ManyRangesOfOneBufferAreFoundWithoutComparingAll) {
  constexpr std::int64_t kCells = 20'000;
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {kCells});
  for (std::int64_t i = 0; i < kCells; ++i) {
    b.line(1).write(one, x, b.range({ExecutionBuilder::index(i)}));
  }
  b.line(2).write(two, x, b.range({ExecutionBuilder::slice(7, kCells, 5000)}));
  const std::vector<Race> races = races_of(b);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].pairs, 4u);
}

}  // namespace
}  // namespace replait
