// Signals, barriers and waits between cores and devices, each present or absent.
#include <gtest/gtest.h>

#include "replait/replait.h"
#include "samples.h"
#include "verdict.h"

namespace replait {
namespace {

const std::set<std::string> kReadWrite = {"race.read-write"};
const std::set<std::string> kWriteWrite = {"race.write-write"};

// One core writes, all others read after a barrier.
Kernel barrier(bool present) {
  return {.name = "barrier",
          .launch = {.cores_per_device = 3},
          .body = [present](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            if (context.core() == 0) x[1] = 1.0F;
            if (present) context.device_barrier();
            x.get();
          }};
}

TEST(DeviceBarrier, OrdersWhatCoresDidBefore) { EXPECT_TRUE(judge(barrier(true)).clean()); }

TEST(DeviceBarrier, WithoutItReadersRace) { EXPECT_EQ(judge(barrier(false)).races, kReadWrite); }

// A barrier orders only what comes before the arrival.
Kernel split_barrier(bool write_before_arrival) {
  return {.name = "split-barrier",
          .launch = {.cores_per_device = 2},
          .body = [write_before_arrival](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            const Barrier done = context.barrier({.arrivals = 1, .name = "done"});
            if (context.core() == 0) {
              if (write_before_arrival) x[1] = 1.0F;
              done.arrive();
              if (!write_before_arrival) x[1] = 1.0F;
            } else {
              done.wait();
              x.get();
            }
          }};
}

TEST(SplitBarrier, PublishesWhatWasWrittenBeforeTheArrival) {
  EXPECT_TRUE(judge(split_barrier(true)).clean());
}

TEST(SplitBarrier, DoesNotPublishWhatIsWrittenAfterIt) {
  EXPECT_EQ(judge(split_barrier(false)).races, kReadWrite);
}

// Three devices in a ring, each writes into its right neighbour.
Kernel neighbours(bool signal_both) {
  return {.name = "neighbours",
          .launch = {.devices = 3},
          .body = [signal_both](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            const std::uint32_t right = (context.device() + 1) % 3;
            const std::uint32_t left = (context.device() + 2) % 3;
            const Semaphore sem = context.barrier_semaphore(1);
            sem.on_device(right).signal();
            if (signal_both) sem.on_device(left).signal();
            sem.wait(signal_both ? 2 : 1);
            x.on_device(right)[0] = 1.0F;
          }};
}

TEST(NeighbourBarrier, OrdersAllocationsWhenBothNeighboursAreSignalled) {
  EXPECT_TRUE(judge(neighbours(true)).clean());
}

TEST(NeighbourBarrier, FailsInSomeSchedulesWhenOnlyOneIs) {
  const Verdict verdict = judge(neighbours(false));
  EXPECT_GT(verdict.failures, 0U);
  EXPECT_LT(verdict.failures, verdict.runs);
}

// Two cores store to one HBM cell.
Kernel two_writers(bool in_turn) {
  return {.name = "two-writers",
          .launch = {.cores_per_device = 2},
          .body = [in_turn](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            const Semaphore turn = context.semaphore({.name = "turn"});
            if (in_turn && context.core() == 1) turn.wait();
            x[2] = 1.0F;
            if (in_turn && context.core() == 0) turn.on_core(1).signal();
          }};
}

TEST(TwoWriters, AreCleanInTurn) { EXPECT_TRUE(judge(two_writers(true)).clean()); }

TEST(TwoWriters, RaceOtherwise) { EXPECT_EQ(judge(two_writers(false)).races, kWriteWrite); }

// A count that is read orders nothing, even when it has the awaited value.
Kernel polling(bool then_wait) {
  return {.name = "polling",
          .launch = {.cores_per_device = 2},
          .body = [then_wait](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            const Semaphore ready = context.semaphore({.name = "ready"});
            if (context.core() == 0) {
              x[0] = 1.0F;
              ready.on_core(1).signal();
            } else {
              while (ready.read() == 0) context.yield();
              if (then_wait) ready.wait();
              x.get();
              if (!then_wait) ready.wait();
            }
          }};
}

TEST(Polling, OrdersNothingByItself) { EXPECT_EQ(judge(polling(false)).races, kReadWrite); }

TEST(Polling, IsCleanWhenAWaitFollows) { EXPECT_TRUE(judge(polling(true)).clean()); }

TEST(Polling, EndsUnderEveryScheduler) {
  for (const std::string scheduler : {"round-robin", "random", "pct"}) {
    const Verdict verdict = judge(polling(true), {.scheduler = scheduler, .seeds = 30});
    EXPECT_TRUE(verdict.clean()) << scheduler;
  }
}

class SampleVerdict : public testing::TestWithParam<Kernel> {};

TEST_P(SampleVerdict, IsWhatTheSampleSays) {
  const Kernel& kernel = GetParam();
  const Verdict verdict = judge(kernel);
  if (kernel.expected.starts_with("race.")) {
    EXPECT_TRUE(verdict.races.contains(kernel.expected));
  } else {
    EXPECT_TRUE(verdict.races.empty());
  }
  EXPECT_EQ(verdict.deadlocks == verdict.runs, kernel.expected == "sync.deadlock");
  EXPECT_EQ(verdict.clean(),
            kernel.expected == "clean" || kernel.expected == "sync.semaphore-nonzero");
}

INSTANTIATE_TEST_SUITE_P(All, SampleVerdict, testing::ValuesIn(sample_kernels()),
                         [](const testing::TestParamInfo<Kernel>& sample) {
                           std::string name = sample.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace replait
