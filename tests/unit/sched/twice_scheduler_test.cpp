// The nondeterminism check: each schedule twice, and the first difference.
#include "sched/twice_scheduler.h"

#include <gtest/gtest.h>

#include "toy_program.h"

namespace replait {
namespace {

TwiceScheduler twice(std::uint64_t seed = 1) {
  return TwiceScheduler(make_scheduler("random", seed).value());
}

TEST(Twice, ADeterministicProgramPasses) {
  const ToyProgram program{{"..2y", "?.", ".!."}};
  TwiceScheduler scheduler = twice();
  std::string before;
  for (std::uint64_t execution = 0; execution < 20; ++execution) {
    const auto result = program.run(scheduler, execution);
    EXPECT_EQ(result.end, EndKind::kFinished);
    if (execution % 2 == 1) {
      EXPECT_EQ(result.schedule, before);
    }
    before = result.schedule;
  }
  EXPECT_FALSE(scheduler.difference());
}

TEST(Twice, RunsTheInnerSchedulersExecutions) {
  const ToyProgram program{{"....", "...."}};
  const auto inner = make_scheduler("random", 1).value();
  TwiceScheduler scheduler = twice(1);
  for (std::uint64_t execution = 0; execution < 10; ++execution) {
    EXPECT_EQ(program.run(scheduler, execution).schedule,
              program.run(*inner, execution / 2).schedule);
  }
}

// What the second run does instead of the first, and how that is reported.
struct Changing {
  std::string what;
  ToyProgram first;
  ToyProgram second;
  std::string message;
  std::vector<std::string> details;
};

void PrintTo(const Changing& changing, std::ostream* out) { *out << changing.what; }

class TwiceFinds : public testing::TestWithParam<Changing> {};

TEST_P(TwiceFinds, TheFirstDifference) {
  TwiceScheduler scheduler(make_scheduler("round-robin", 0).value());
  GetParam().first.run(scheduler, 0);
  EXPECT_FALSE(scheduler.difference());
  GetParam().second.run(scheduler, 1);
  ASSERT_TRUE(scheduler.difference());
  EXPECT_EQ(scheduler.difference()->rule, "replay.diverged");
  EXPECT_EQ(scheduler.difference()->message, GetParam().message);
  EXPECT_EQ(scheduler.difference()->details, GetParam().details);
  EXPECT_FALSE(scheduler.begin(2));
}

const std::string kAt = "the program is not deterministic: two runs of one schedule part at step ";

INSTANTIATE_TEST_SUITE_P(
    All, TwiceFinds,
    testing::Values(
        Changing{"another op",
                 {{"..."}},
                 {{".!."}},
                 kAt + "1",
                 {"the first run ran device 0, core 0",
                  "the second run offered device 0, core 0 (signal)"}},
        Changing{"another agent",
                 {{".", "."}},
                 {{".."}},
                 kAt + "0",
                 {"the first run ran device 0, core 0",
                  "the second run offered device 0, core 0 (read count)"}},
        Changing{"blocked instead of ready",
                 {{"!", "?"}},
                 {{"!.", "?"}},
                 kAt + "1",
                 {"the first run ran device 0, core 1",
                  "the second run offered device 0, core 0 (read count), device 0, core "
                  "1 (wait)"}},
        Changing{"a shorter second run",
                 {{".."}},
                 {{"."}},
                 kAt + "1",
                 {"the first run ran device 0, core 0", "the second run finished there"}},
        Changing{"a longer second run",
                 {{"."}},
                 {{".."}},
                 kAt + "1",
                 {"the first run finished there",
                  "the second run offered device 0, core 0 (read count)"}},
        Changing{"a choice that was none",
                 {{"2."}},
                 {{".."}},
                 kAt + "0",
                 {"the first run ran device 0, core 0",
                  "the second run offered device 0, core 0 (read count)"}}));

}  // namespace
}  // namespace replait
