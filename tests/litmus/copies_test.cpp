// Async copies, each synchronisation op present or absent.
#include <gtest/gtest.h>

#include <vector>

#include "replait/replait.h"
#include "verdict.h"

namespace replait {
namespace {

const std::set<std::string> kReadWrite = {"race.read-write"};

struct LocalCopy {
  bool wait_before_overwrite = true;
  bool wait_before_read = true;
};

Kernel local_copy(const LocalCopy& options) {
  return {.name = "local-copy", .body = [options](ThreadContext& context) {
            const auto source = context.allocate<float>(MemorySpace::kHbm, {8});
            const auto target = context.allocate<float>(MemorySpace::kVmem, {8});
            const Semaphore sem = context.semaphore({.dma = true});
            const AsyncCopy copy = context.start_copy<float>(source, target, {.receive = sem});
            if (!options.wait_before_overwrite) source[3] = 1.0F;
            if (!options.wait_before_read) target.get();
            copy.wait();
            source[3] = 1.0F;
            target.get();
          }};
}

TEST(LocalCopyTest, IsCleanWhenItIsWaitedForFirst) { EXPECT_TRUE(judge(local_copy({})).clean()); }

TEST(LocalCopyTest, RacesWhenItsSourceIsOverwrittenBeforeTheWait) {
  EXPECT_EQ(judge(local_copy({.wait_before_overwrite = false})).races, kReadWrite);
}

TEST(LocalCopyTest, RacesWhenItsDestinationIsReadBeforeTheWait) {
  EXPECT_EQ(judge(local_copy({.wait_before_read = false})).races, kReadWrite);
}

// Device 0 sends a block to device 1.
struct RemoteCopy {
  bool handshake = true;        // The receiver says that it has allocated its buffer.
  bool wait_send = true;        // Before the sender overwrites the source.
  bool wait_receive = true;     // Before the receiver reads.
  bool signal_instead = false;  // The sender tells the receiver by a regular semaphore.
};

Kernel remote_copy(const RemoteCopy& options) {
  return {
      .name = "remote-copy", .launch = {.devices = 2}, .body = [options](ThreadContext& context) {
        const auto source = context.allocate<float>(MemorySpace::kHbm, {8});
        const auto target = context.allocate<float>(MemorySpace::kHbm, {8});
        const Semaphore send = context.semaphore({.name = "send", .dma = true});
        const Semaphore receive = context.semaphore({.name = "receive", .dma = true});
        const Semaphore ready = context.semaphore({.name = "ready"});
        const Semaphore sent = context.semaphore({.name = "sent"});
        if (context.device() == 0) {
          if (options.handshake) ready.wait();
          const AsyncCopy copy = context.start_copy<float>(source, target.on_device(1),
                                                           {.send = send, .receive = receive});
          if (!options.wait_send) source[0] = 1.0F;
          copy.wait_send();
          source[0] = 2.0F;
          if (options.signal_instead) sent.on_device(1).signal();
        } else {
          if (options.handshake) ready.on_device(0).signal();
          if (options.signal_instead) sent.wait();
          if (options.wait_receive) receive.wait(8 * sizeof(float));
          target.get();
          if (!options.wait_receive) receive.wait(8 * sizeof(float));
        }
      }};
}

TEST(RemoteCopyTest, IsCleanWithHandshakeAndBothWaits) {
  EXPECT_TRUE(judge(remote_copy({})).clean());
}

TEST(RemoteCopyTest, RacesWhenTheReceiverReadsBeforeItsWait) {
  EXPECT_EQ(judge(remote_copy({.wait_receive = false})).races, kReadWrite);
}

TEST(RemoteCopyTest, RacesWhenTheSenderOverwritesBeforeItsWait) {
  EXPECT_EQ(judge(remote_copy({.wait_send = false})).races, kReadWrite);
}

// The send wait says that the source was read, not that the data has arrived.
TEST(RemoteCopyTest, ASignalAfterTheSendWaitDoesNotPublishTheData) {
  const Verdict verdict = judge(remote_copy({.wait_receive = false, .signal_instead = true}));
  EXPECT_EQ(verdict.races, kReadWrite);
  EXPECT_EQ(verdict.failures, 0U);
}

// Without it the copy may write before the receiver has allocated its buffer: a missing key.
TEST(RemoteCopyTest, FailsInSomeSchedulesWithoutTheHandshake) {
  const Verdict verdict = judge(remote_copy({.handshake = false}));
  EXPECT_GT(verdict.failures, 0U);
  EXPECT_LT(verdict.failures, verdict.runs);
}

// Two operands are fetched and both used.
struct TwoOperands {
  bool two_semaphores = true;
  bool both_waits_first = true;
};

Kernel two_operands(const TwoOperands& options) {
  return {.name = "two-operands", .body = [options](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {8});
            const auto y = context.allocate<float>(MemorySpace::kHbm, {8});
            const auto x_vmem = context.allocate<float>(MemorySpace::kVmem, {8});
            const auto y_vmem = context.allocate<float>(MemorySpace::kVmem, {8});
            const std::vector<Semaphore> sems = context.semaphores(2, {.dma = true});
            const Semaphore y_sem = sems[options.two_semaphores ? 1 : 0];
            const AsyncCopy x_copy = context.start_copy<float>(x, x_vmem, {.receive = sems[0]});
            const AsyncCopy y_copy = context.start_copy<float>(y, y_vmem, {.receive = y_sem});
            x_copy.wait();
            if (options.both_waits_first) y_copy.wait();
            x_vmem.get();
            if (!options.both_waits_first) y_copy.wait();
            y_vmem.get();
          }};
}

TEST(TwoOperandsTest, AreCleanOnTwoSemaphores) {
  EXPECT_TRUE(judge(two_operands({.both_waits_first = false})).clean());
}

TEST(TwoOperandsTest, AreCleanOnOneSemaphoreWhenBothAreWaitedForFirst) {
  EXPECT_TRUE(judge(two_operands({.two_semaphores = false})).clean());
}

TEST(TwoOperandsTest, RaceOnOneSemaphoreWhenTheFirstIsUsedAfterOneWait) {
  const Verdict verdict = judge(two_operands({.two_semaphores = false, .both_waits_first = false}));
  EXPECT_EQ(verdict.races, kReadWrite);
  EXPECT_LT(verdict.racy_runs, verdict.runs);
}

// Two copies into one range.
Kernel same_target(bool first_is_awaited) {
  return {.name = "same-target", .body = [first_is_awaited](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {8});
            const auto target = context.allocate<float>(MemorySpace::kVmem, {8});
            const std::vector<Semaphore> sems = context.semaphores(2, {.dma = true});
            const AsyncCopy first = context.start_copy<float>(x, target, {.receive = sems[0]});
            if (first_is_awaited) first.wait();
            const AsyncCopy second = context.start_copy<float>(x, target, {.receive = sems[1]});
            if (!first_is_awaited) first.wait();
            second.wait();
          }};
}

TEST(SameTarget, IsCleanOneAfterTheOther) { EXPECT_TRUE(judge(same_target(true)).clean()); }

TEST(SameTarget, RacesWhenBothAreInFlight) {
  EXPECT_EQ(judge(same_target(false)).races, (std::set<std::string>{"race.write-write"}));
}

// Strided parts that interleave without touching.
Kernel interleaved(std::int64_t second_start) {
  return {.name = "interleaved", .body = [second_start](ThreadContext& context) {
            const auto x = context.allocate<float>(MemorySpace::kHbm, {4});
            const auto target = context.allocate<float>(MemorySpace::kVmem, {16});
            const Semaphore sem = context.semaphore({.dma = true});
            const AsyncCopy copy =
                context.start_copy<float>(x, target.at({slice(0, 8, 2)}), {.receive = sem});
            target.at({slice(second_start, second_start + 8, 2)}).set({1, 2, 3, 4});
            copy.wait();
          }};
}

TEST(Interleaved, IsCleanOnOtherElements) { EXPECT_TRUE(judge(interleaved(1)).clean()); }

TEST(Interleaved, RacesOnTheSameOnes) {
  EXPECT_EQ(judge(interleaved(2)).races, (std::set<std::string>{"race.write-write"}));
}

}  // namespace
}  // namespace replait
