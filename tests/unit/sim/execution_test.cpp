// How an execution goes: its events, its ends, and who learns of them.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "event_log.h"
#include "replait/replait.h"
#include "sched/replay_scheduler.h"
#include "sched/twice_scheduler.h"

namespace replait {
namespace {

// "01a": threads by core, letters for copies of core 0 in order of issue.
std::vector<ScheduleChoice> schedule(const std::string& text) {
  std::vector<ScheduleChoice> choices;
  for (const char c : text) {
    AgentIdentity agent;
    agent.is_copy = c >= 'a';
    if (agent.is_copy) {
      agent.issue = static_cast<std::uint64_t>(c - 'a');
    } else {
      agent.core = static_cast<std::uint32_t>(c - '0');
    }
    choices.emplace_back(agent);
  }
  return choices;
}

std::string without_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find(" @", at)) != std::string::npos;) {
    const std::size_t end = text.find('\n', at);
    // Semaphores are written as name@device.core, without a space before.
    text.erase(at, end - at);
  }
  return text;
}

TEST(Execution, ThreadsPassAMessage) {
  const Kernel kernel{
      .name = "messages", .launch = {.cores_per_device = 2}, .body = [](ThreadContext& context) {
        const auto box = context.allocate<std::int32_t>(MemorySpace::kHbm, {2}, {.name = "b"});
        const Semaphore sem = context.semaphore({.name = "s"});
        if (context.core() == 0) {
          box[1] = 7;
          sem.on_core(1).signal(3);
        } else {
          sem.wait(2);
          if (box[1] != 7) throw std::runtime_error("not the message");
        }
      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_TRUE(result->end.pending.empty());
  EXPECT_EQ(without_lines(result->text()),
            "0 device 0, core 0: enter\n"
            "1 device 0, core 1: enter\n"
            "2 device 0, core 0: allocate b ('hbm', 100, 0, 0)\n"
            "3 device 0, core 1: allocate b ('hbm', 100, 0, 0) -> 1\n"
            "4 device 0, core 0: create semaphore s@0.0\n"
            "5 device 0, core 1: create semaphore s@0.1\n"
            "6 device 0, core 0: write ('hbm', 100, 0, 0)(1,)\n"
            "7 device 0, core 0: signal s@0.1 3 -> 3\n"
            "8 device 0, core 1: wait s@0.1 2 -> 1\n"
            "9 device 0, core 1: read ('hbm', 100, 0, 0)(1,)\n"
            "10 device 0, core 1: exit\n"
            "11 device 0, core 0: check semaphores ! : Semaphore 2000 has non-zero count for 0 "
            "(global core 1) at kernel exit: 1 [sync.semaphore-nonzero]\n"
            "12 device 0, core 0: exit\n");
}

Kernel copying_kernel() {
  return {.name = "copying", .body = [](ThreadContext& context) {
            const float values[] = {1, 2};
            const auto from = context.allocate<float>(MemorySpace::kHbm, {2}, {.initial = values});
            const auto to = context.allocate<float>(MemorySpace::kVmem, {2});
            const Semaphore sem = context.semaphore({.name = "s", .dma = true});
            const AsyncCopy copy = context.start_copy<float>(from, to, {.receive = sem});
            from[0] = 5.0F;
            copy.wait();
            to.get();
          }};
}

TEST(Execution, ACopyIsAnAgentWithTwoSteps) {
  ReplayScheduler scheduler("script", schedule("00000a0a0000"));
  const auto result = run(copying_kernel(), scheduler);
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(without_lines(result->text()),
            "0 device 0, core 0: enter\n"
            "1 device 0, core 0: allocate  ('hbm', 100, 0, 0)\n"
            "2 device 0, core 0: allocate  ('vmem', 101, 0, 0)\n"
            "3 device 0, core 0: create semaphore s@0.0\n"
            "4 device 0, core 0: issue copy copy 0 of device 0, core 0\n"
            "5 copy 0 of device 0, core 0: read source\n"
            "6 device 0, core 0: write ('hbm', 100, 0, 0)(0,)\n"
            "7 copy 0 of device 0, core 0: write destination\n"
            "8 copy 0 of device 0, core 0: signal receive -> 8\n"
            "9 device 0, core 0: wait s@0.0 8\n"
            "10 device 0, core 0: read ('vmem', 101, 0, 0)()\n"
            "11 device 0, core 0: check semaphores\n"
            "12 device 0, core 0: exit\n");
}

TEST(Execution, ACopysStepsHaveTheLineThatIssuedIt) {
  const auto result = run(copying_kernel());
  std::vector<std::string> lines;
  for (const std::string& line : result->log.lines) {
    if (line.find("issue copy") != std::string::npos ||
        line.find(": read source") != std::string::npos ||
        line.find("signal receive") != std::string::npos) {
      lines.push_back(line.substr(line.find(" @")));
    }
  }
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_EQ(lines[0], lines[2]);
}

TEST(Execution, ACopyMayStillRunWhenItsIssuerIsDone) {
  const Kernel kernel{.name = "unawaited", .body = [](ThreadContext& context) {
                        const auto x = context.allocate<float>(MemorySpace::kVmem, {2});
                        const auto y = context.allocate<float>(MemorySpace::kVmem, {2});
                        const Semaphore sem = context.semaphore({.dma = true});
                        context.start_copy<float>(x, y, {.receive = sem});
                      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  // The check comes after the copy: it sees the bytes that nobody waited for.
  const std::string check = result->log.lines[result->log.lines.size() - 2];
  EXPECT_NE(check.find("at kernel exit: 8"), std::string::npos) << check;
}

TEST(Execution, EndsInADeadlockAsSoonAsNobodyCanMove) {
  const Kernel kernel{
      .name = "stuck", .launch = {.devices = 3}, .body = [](ThreadContext& context) {
        const Semaphore sem = context.semaphore({.name = "s"});
        if (context.device() == 0) return;
        sem.signal(context.device());
        sem.wait(5);
      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kDeadlocked);
  // Device 0 is at the end of its kernel: it waits for nothing.
  ASSERT_EQ(result->end.pending.size(), 2U);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const PendingOp& pending = result->end.pending[i];
    EXPECT_EQ(result->tables[pending.agent].device, i + 1);
    EXPECT_EQ(pending.has, i + 1);
    EXPECT_EQ(pending.needs, 5U);
    EXPECT_TRUE(std::holds_alternative<Wait>(pending.op));
    EXPECT_NE(pending.source, SourceId{});
  }
  EXPECT_EQ(result->log.finishes, 1);
}

TEST(Execution, AMissedBarrierIsADeadlock) {
  const Kernel kernel{
      .name = "missed", .launch = {.devices = 3}, .body = [](ThreadContext& context) {
        if (context.device() != 1) context.global_barrier();
      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kDeadlocked);
  ASSERT_EQ(result->end.pending.size(), 2U);
  EXPECT_EQ(result->end.pending[0].has, 2U);
  EXPECT_EQ(result->end.pending[0].needs, 3U);
}

// Counts the objects that are alive in bodies.
struct Alive {
  explicit Alive(int& count_) : count(count_) { ++count; }
  ~Alive() { --count; }
  int& count;
};

TEST(Execution, TheFirstErrorEndsItAndUnwindsEveryOtherBody) {
  int alive = 0;
  int after = 0;
  const Kernel kernel{
      .name = "failing", .launch = {.cores_per_device = 3}, .body = [&](ThreadContext& context) {
        const Alive object(alive);
        context.yield();
        if (context.core() == 0) context.masked_load();
        context.yield();
        ++after;
      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kFailed);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(after, 0);
  EXPECT_NE(result->log.lines.back().find("NotImplementedError: masked load_p"), std::string::npos);
  EXPECT_EQ(result->log.finishes, 1);
}

// An op in a destructor, which runs while the body is unwound.
struct SignalsAtEnd {
  ~SignalsAtEnd() { sem.signal(); }
  Semaphore sem;
};

TEST(Execution, OpsOfABodyThatIsUnwoundDoNothing) {
  const Kernel kernel{
      .name = "unwound", .launch = {.cores_per_device = 2}, .body = [](ThreadContext& context) {
        const SignalsAtEnd guard{context.semaphore({.name = "s"})};
        if (context.core() == 1) context.masked_load();
        guard.sem.wait(9);
      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kFailed);
  EXPECT_EQ(result->text().find("signal"), std::string::npos) << result->text();
}

struct OwnError : std::out_of_range {
  using std::out_of_range::out_of_range;
};

TEST(Execution, AnExceptionIsAnEventWithTypeAndText) {
  const Kernel own{.name = "own", .body = [](ThreadContext&) { throw OwnError("no such slot"); }};
  EXPECT_NE(run(own)->log.lines.back().find(
                "raise ! replait::(anonymous namespace)::OwnError: no such slot [exec.exception]"),
            std::string::npos)
      << run(own)->text();
  const Kernel number{.name = "number", .body = [](ThreadContext&) { throw 7; }};
  EXPECT_NE(run(number)->log.lines.back().find("raise ! int:  [exec.exception]"), std::string::npos)
      << run(number)->text();
  EXPECT_EQ(run(number)->end.kind, EndKind::kFailed);
}

TEST(Execution, ADeviceIsCheckedAfterTheSignalsOfAllOthers) {
  const Kernel kernel{.name = "late", .launch = {.devices = 2}, .body = [](ThreadContext& context) {
                        const Semaphore sem = context.semaphore({.name = "s"});
                        if (context.device() == 0) return;
                        for (int i = 0; i < 10; ++i) context.yield();
                        sem.on_device(0).signal();
                      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_NE(
      result->text().find("device 0, core 0: check semaphores ! : Semaphore 2000 has non-zero "
                          "count for 0 (global core 0) at kernel exit: 1"),
      std::string::npos)
      << result->text();
}

TEST(Execution, SinksGetEveryEventOnceInBatches) {
  const Kernel kernel{.name = "long", .body = [](ThreadContext& context) {
                        for (int i = 0; i < 1000; ++i) context.yield();
                      }};
  const auto result = run(kernel);
  EXPECT_EQ(result->log.lines.size(), 1003U);
  EXPECT_EQ(result->log.batches, (std::vector<std::size_t>{256, 256, 256, 235}));
  EXPECT_EQ(result->log.begins, 1);
  EXPECT_EQ(result->log.finishes, 1);
}

TEST(Execution, IsAbandonedAtTheLimitOfEvents) {
  const Kernel kernel{.name = "endless", .body = [](ThreadContext& context) {
                        for (;;) context.yield();
                      }};
  const auto result = run(kernel, {.simulation = {.machine = {}, .max_events = 1000}});
  EXPECT_EQ(result->end.kind, EndKind::kAbandoned);
  EXPECT_EQ(result->log.lines.size(), 1000U);
}

TEST(Execution, IsAbandonedWhenTheSchedulerGivesUp) {
  ReplayScheduler scheduler("script", schedule("00"));
  const auto result = run(copying_kernel(), scheduler);
  EXPECT_EQ(result->end.kind, EndKind::kAbandoned);
  EXPECT_EQ(result->log.lines.size(), 2U);
  EXPECT_TRUE(scheduler.divergence());
}

TEST(Execution, ChoicesComeFromTheScheduler) {
  std::vector<std::uint32_t> chosen;
  const Kernel kernel{.name = "choosing", .body = [&](ThreadContext& context) {
                        for (int i = 0; i < 3; ++i) chosen.push_back(context.choose(5));
                      }};
  std::vector<ScheduleChoice> choices = schedule("0");
  for (const std::uint32_t number : {4U, 0U, 2U}) {
    choices.push_back(AgentIdentity{});
    choices.emplace_back(number);
  }
  for (const ScheduleChoice& choice : schedule("00")) choices.push_back(choice);
  ReplayScheduler scheduler("script", choices);
  const auto result = run(kernel, scheduler);
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(chosen, (std::vector<std::uint32_t>{4, 0, 2}));
  EXPECT_NE(result->text().find("choose 5 -> 4"), std::string::npos);
}

TEST(Execution, AKernelThatKeepsStateFailsTheNondeterminismCheck) {
  int runs = 0;
  const Kernel kernel{.name = "stateful", .body = [&](ThreadContext& context) {
                        if (++runs == 2) context.yield();
                      }};
  TwiceScheduler scheduler(make_scheduler("random", 0).value());
  for (std::uint64_t execution = 0; execution < 2; ++execution) {
    Tables tables;
    ASSERT_TRUE(simulate(kernel, scheduler, execution, Header{}, tables, {}, {}).ok());
  }
  ASSERT_TRUE(scheduler.difference());
  EXPECT_EQ(scheduler.difference()->details.back(),
            "the second run offered device 0, core 0 (yield)");
}

TEST(Execution, ThousandsOfThreads) {
  const Kernel kernel{.name = "many",
                      .launch = {.devices = 50, .cores_per_device = 40},
                      .body = [](ThreadContext& context) {
                        context.device_barrier();
                        context.global_barrier();
                      }};
  const auto result = run(kernel, {.scheduler = "random"});
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(result->log.lines.size(), 2000U * 6 + 50);
}

TEST(Execution, AnImpossibleLaunchIsAFailure) {
  Tables tables;
  const auto scheduler = make_scheduler("round-robin", 0).value();
  const Kernel none{.name = "none", .launch = {.devices = 0}, .body = [](ThreadContext&) {}};
  const auto refused = simulate(none, *scheduler, 0, Header{}, tables, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().message,
            "kernel 'none': expected 1 to 1000000 threads, got 0 devices with 1 cores each");
}

TEST(Execution, ASchedulerWithNothingLeftIsAFailure) {
  Tables tables;
  const auto scheduler = make_scheduler("round-robin", 0).value();
  const auto refused = simulate(copying_kernel(), *scheduler, 1, Header{}, tables, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().kind, FailureKind::kNothing);
}

}  // namespace
}  // namespace replait
