// Stacks: used again, guarded, refused with a remedy; and the wrong uses of a fiber that stop us.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fiber/fiber.h"
#include "fiber/sanitizers.h"

namespace replait {
namespace {

std::unique_ptr<Fiber> make_fiber(StackPool& pool, Fiber::Body body, std::string name = "fiber") {
  return Fiber::create(pool, std::move(name), std::move(body)).value();
}

// About 1 KiB a level; not a tail call, and nothing the optimiser can drop.
__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[1000];
  frame[static_cast<std::size_t>(depth) % sizeof(frame)] = 1;
  return depth == 0 ? frame[0] : recurse(depth - 1) + frame[0];
}

TEST(StackPool, HandsOutAReleasedStackAgain) {
  StackPool pool;
  const Stack first = pool.acquire().value();
  pool.release(first);
  const Stack second = pool.acquire().value();
  EXPECT_EQ(second.guard_begin, first.guard_begin);
  pool.release(second);
}

TEST(StackPool, RoundsTheSizeUpToPagesAndAMinimum) {
  StackPool tiny({.usable_bytes = 1});
  const Stack small = tiny.acquire().value();
  EXPECT_EQ(small.end - small.usable_begin, 16 << 10);
  tiny.release(small);
  StackPool odd({.usable_bytes = (64 << 10) + 1});
  const Stack rounded = odd.acquire().value();
  EXPECT_GE(rounded.end - rounded.usable_begin, (64 << 10) + 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rounded.usable_begin) % 4096, 0U);
  odd.release(rounded);
}

TEST(StackPool, RefusesASizeThatCannotBeMapped) {
  StackPool pool({.usable_bytes = ~std::size_t{0}});
  const auto fiber = Fiber::create(pool, "device 3, core 1", [](Fiber&) {});
  ASSERT_FALSE(fiber.ok());
  EXPECT_EQ(fiber.failure().kind, FailureKind::kUsage);
  EXPECT_NE(fiber.failure().message.find("fiber 'device 3, core 1': no memory for the stack"),
            std::string::npos)
      << fiber.failure().message;
  EXPECT_NE(fiber.failure().remedy.find("vm.max_map_count"), std::string::npos);
}

TEST(StackPool, GivesADeepBodyTheSizeThatWasAskedFor) {
  StackPool pool({.usable_bytes = std::size_t{8} << 20});
  int result = -1;
  const auto fiber = make_fiber(pool, [&](Fiber&) { result = recurse(2000); });
  fiber->resume();
  EXPECT_GE(result, 0);
  EXPECT_TRUE(fiber->done());
}

#if !defined(REPLAIT_ASAN) && !defined(REPLAIT_TSAN)
// The sanitizers reserve terabytes of address space, so it cannot be limited under them.
TEST(StackPool, ReportsThatMemoryRanOutAndWorksAfterwards) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = std::size_t{2} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  StackPool pool({.usable_bytes = std::size_t{16} << 20});
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::string message;
  while (message.empty() && fibers.size() < 1000) {
    auto fiber = Fiber::create(pool, "many", [](Fiber& self) { self.suspend(); });
    if (fiber.ok()) {
      fibers.push_back(std::move(fiber).value());
    } else {
      message = fiber.failure().message;
    }
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(message.find("fiber number " + std::to_string(fibers.size() + 1)), std::string::npos)
      << message;
  EXPECT_FALSE(fibers.empty());
  for (const auto& fiber : fibers) fiber->resume();
  for (const auto& fiber : fibers) fiber->resume();
  EXPECT_TRUE(fibers.back()->done());
}
#endif

using StackDeathTest = testing::Test;

TEST(StackDeathTest, OverflowNamesTheFiberAndTheRemedy) {
  EXPECT_EXIT(
      {
        StackPool pool({.enlarge_hint = "pass --stack 1M"});
        const auto other = make_fiber(
            pool, [](Fiber& self) { self.suspend(); }, "device 0, core 0");
        other->resume();
        const auto deep = make_fiber(
            pool, [](Fiber&) { recurse(1 << 20); }, "device 0, core 1");
        deep->resume();
      },
      testing::ExitedWithCode(70),
      "stack overflow in fiber 'device 0, core 1': its stack of 256 KiB is used up.*\n"
      ".*pass --stack 1M");
}

TEST(StackDeathTest, OverflowByOneBigFrameIsCaught) {
  EXPECT_EXIT(
      {
        StackPool pool;
        const auto fiber = make_fiber(
            pool,
            [](Fiber&) {
              volatile char big[4 << 20];
              for (std::size_t i = sizeof(big); i > 0; i -= 4096) big[i - 1] = 1;
            },
            "big frame");
        fiber->resume();
      },
      testing::ExitedWithCode(70), "stack overflow in fiber 'big frame'");
}

TEST(StackDeathTest, OtherFaultsInsideAFiberStayWhatTheyWere) {
  // Under a sanitizer its own handler reports the fault; otherwise the signal ends the process.
  const auto is_no_overflow = [](int status) {
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV
                               : WIFEXITED(status) && WEXITSTATUS(status) != 70;
  };
  EXPECT_EXIT(
      {
        StackPool pool;
        void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const auto fiber =
            make_fiber(pool, [page](Fiber&) { *static_cast<volatile int*>(page) = 1; });
        fiber->resume();
        std::exit(70);
      },
      is_no_overflow, "");
}

TEST(StackDeathTest, ASentSignalStillEndsTheProcess) {
  const auto was_ended = [](int status) {
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV
                               : WIFEXITED(status) && WEXITSTATUS(status) != 70;
  };
  EXPECT_EXIT(
      {
        StackPool pool;
        const auto fiber = make_fiber(pool, [](Fiber&) { std::raise(SIGSEGV); });
        fiber->resume();
        std::exit(70);
      },
      was_ended, "");
}

using FiberDeathTest = testing::Test;

TEST(FiberDeathTest, ResumeOfAFinishedFiberIsOurFault) {
  EXPECT_EXIT(
      {
        StackPool pool;
        const auto fiber = make_fiber(
            pool, [](Fiber&) {}, "finished");
        fiber->resume();
        fiber->resume();
      },
      testing::ExitedWithCode(70), "resume of a finished fiber: finished");
}

TEST(FiberDeathTest, ResumeOfItselfIsOurFault) {
  EXPECT_EXIT(
      {
        StackPool pool;
        const auto fiber = make_fiber(
            pool, [](Fiber& self) { self.resume(); }, "itself");
        fiber->resume();
      },
      testing::ExitedWithCode(70), "resume of a running fiber: itself");
}

TEST(FiberDeathTest, ABodyThatSwallowsEveryCancelIsNamed) {
  EXPECT_EXIT(
      {
        StackPool pool;
        const auto fiber = make_fiber(
            pool,
            [](Fiber& self) {
              for (;;) {
                try {
                  self.suspend();
                } catch (...) {
                }
              }
            },
            "stubborn");
        fiber->resume();
        fiber->cancel();
      },
      testing::ExitedWithCode(70), "fiber 'stubborn' goes on after being cancelled");
}

TEST(FiberDeathTest, APoolThatEndsBeforeItsFibersIsOurFault) {
  EXPECT_EXIT(
      {
        auto pool = std::make_unique<StackPool>();
        const auto fiber = make_fiber(*pool, [](Fiber& self) { self.suspend(); });
        pool.reset();
      },
      testing::ExitedWithCode(70), "a stack pool ended before its fibers");
}

}  // namespace
}  // namespace replait
