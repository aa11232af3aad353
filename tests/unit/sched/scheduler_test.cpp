// Schedulers by name, and what holds for all of them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "toy_program.h"

namespace replait {
namespace {

std::unique_ptr<Scheduler> make(const std::string& spec, std::uint64_t seed = 0) {
  auto made = make_scheduler(spec, seed);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

TEST(MakeScheduler, NameCarriesEveryParameterAlsoTheDefaults) {
  EXPECT_EQ(make("round-robin")->name(), "round-robin");
  EXPECT_EQ(make("random")->name(), "random");
  EXPECT_EQ(make("pct")->name(), "pct:depth=3,steps=10000");
  EXPECT_EQ(make("pct:steps=50")->name(), "pct:depth=3,steps=50");
  EXPECT_EQ(make("pct:steps=7,depth=1")->name(), "pct:depth=1,steps=7");
}

TEST(MakeScheduler, NameMakesTheSameScheduler) {
  for (const std::string spec : {"round-robin", "random", "pct:depth=5,steps=12"}) {
    EXPECT_EQ(make(make(spec)->name())->name(), spec);
  }
}

struct Wrong {
  std::string spec;
  std::string message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.spec; }

class WrongSpec : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSpec, IsAFailureThatNamesWhatIsKnown) {
  const auto made = make_scheduler(GetParam().spec, 0);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.failure().kind, FailureKind::kUsage);
  EXPECT_EQ(made.failure().message, GetParam().message);
  EXPECT_EQ(made.failure().remedy,
            "the schedulers are: round-robin, random, pct[:depth=N,steps=N] (default "
            "depth=3,steps=10000)");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongSpec,
    testing::Values(
        Wrong{"", "scheduler '': no such scheduler"},
        Wrong{"dfs", "scheduler 'dfs': no such scheduler"},
        Wrong{"random:seed=1", "scheduler 'random:seed=1': it has no parameters"},
        Wrong{"pct:", "scheduler 'pct:': unknown parameter '', expected depth, steps"},
        Wrong{"pct:deep=2",
              "scheduler 'pct:deep=2': unknown parameter 'deep', expected depth, "
              "steps"},
        Wrong{"pct:depth",
              "scheduler 'pct:depth': depth must be a whole number from 1 to 1000, "
              "not ''"},
        Wrong{"pct:depth=0",
              "scheduler 'pct:depth=0': depth must be a whole number from 1 to "
              "1000, not '0'"},
        Wrong{"pct:depth=2,steps=1x",
              "scheduler 'pct:depth=2,steps=1x': steps must be a whole number from 1 to "
              "4611686018427387904, not '1x'"},
        Wrong{"pct:depth=99999999999999999999",
              "scheduler 'pct:depth=99999999999999999999': depth must be a whole number from 1 to "
              "1000, not '99999999999999999999'"}));

const ToyProgram kMixed{{"..y..", "?..2.", "..!..", "2.y.."}};

class Seeded : public testing::TestWithParam<std::string> {};

TEST_P(Seeded, SameSeedGivesTheSameSchedule) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = kMixed.run(*make(GetParam(), seed));
    EXPECT_EQ(first.end, EndKind::kFinished);
    EXPECT_EQ(first.schedule, kMixed.run(*make(GetParam(), seed)).schedule);
  }
}

TEST_P(Seeded, ExecutionKOfSeedSIsExecution0OfSeedSPlusK) {
  const auto scheduler = make(GetParam(), 5);
  for (std::uint64_t execution = 0; execution < 10; ++execution) {
    EXPECT_EQ(kMixed.run(*scheduler, execution).schedule,
              kMixed.run(*make(GetParam(), 5 + execution)).schedule);
  }
}

TEST_P(Seeded, AnExecutionDoesNotDependOnTheOnesBefore) {
  const auto scheduler = make(GetParam(), 1);
  const std::string third = kMixed.run(*scheduler, 3).schedule;
  kMixed.run(*scheduler, 0);
  EXPECT_EQ(kMixed.run(*scheduler, 3).schedule, third);
}

INSTANTIATE_TEST_SUITE_P(All, Seeded, testing::Values("random", "pct:depth=3,steps=20"));

TEST(RoundRobin, TakesTheNextEnabledAgentInACircle) {
  const ToyProgram program{{"..", "?", "..!"}};
  EXPECT_EQ(program.run(*make("round-robin")).schedule, "acaccb");
}

TEST(RoundRobin, HasOneExecution) {
  const auto scheduler = make("round-robin");
  EXPECT_EQ(kMixed.run(*scheduler, 1).schedule, "none");
}

TEST(RoundRobin, ChoosesInTurn) {
  const ToyProgram program{{"2222"}};
  EXPECT_EQ(program.run(*make("round-robin")).schedule, "a0a1a0a1");
}

// Two agents of two steps: the walk picks each with 1/2 while both can go on.
TEST(RandomWalk, ReachesEverySchedule) {
  const ToyProgram program{{"..", ".."}};
  std::map<std::string, int> seen;
  constexpr int kRuns = 8000;
  for (int seed = 0; seed < kRuns; ++seed) {
    ++seen[program.run(*make("random", static_cast<std::uint64_t>(seed))).schedule];
  }
  const std::map<std::string, double> chances = {{"aabb", 0.25},  {"abab", 0.125}, {"abba", 0.125},
                                                 {"baab", 0.125}, {"baba", 0.125}, {"bbaa", 0.25}};
  ASSERT_EQ(seen.size(), chances.size());
  for (const auto& [schedule, chance] : chances) {
    EXPECT_NEAR(seen[schedule], chance * kRuns, 150) << schedule;
  }
}

TEST(RandomWalk, ChoosesUniformly) {
  const ToyProgram program{{"2"}};
  int ones = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    if (program.run(*make("random", seed)).schedule == "a1") ++ones;
  }
  EXPECT_NEAR(ones, 1000, 120);
}

}  // namespace
}  // namespace replait
