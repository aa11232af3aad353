// PCT [Burckhardt 2010]: priorities and change points.
#include "sched/pct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "toy_program.h"

namespace replait {
namespace {

int switches(const std::string& schedule) {
  int count = 0;
  for (std::size_t i = 1; i < schedule.size(); ++i) count += schedule[i] != schedule[i - 1];
  return count;
}

TEST(Pct, WithoutChangePointsRunsEachAgentToItsEnd) {
  const ToyProgram program{{"....", "....", "...."}};
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 12}, seed);
    const std::string schedule = program.run(scheduler).schedule;
    EXPECT_EQ(switches(schedule), 2) << schedule;
    seen.insert(schedule);
  }
  EXPECT_EQ(seen.size(), 6U);  // Every order of three agents.
}

TEST(Pct, EveryOrderOfPrioritiesIsAsLikely) {
  const ToyProgram program{{".", ".", "."}};
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 1}, seed);
    ++seen[program.run(scheduler).schedule];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [schedule, count] : seen) EXPECT_NEAR(count, 1000, 150) << schedule;
}

TEST(Pct, AChangePointPreemptsOnce) {
  const ToyProgram program{{"....", "...."}};
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    PctScheduler scheduler({.depth = 2, .steps = 8}, seed);
    seen.insert(program.run(scheduler).schedule);
  }
  // One agent runs k steps, the other all of its own, then the rest.
  const std::set<std::string> expected = {"aaaabbbb", "bbbbaaaa", "abbbbaaa", "aabbbbaa",
                                          "aaabbbba", "baaaabbb", "bbaaaabb", "bbbaaaab"};
  EXPECT_EQ(seen, expected);
}

TEST(Pct, HasAtMostOneSwitchMoreForEachChangePoint) {
  const ToyProgram program{{"......", "......", "......"}};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    PctScheduler scheduler({.depth = 4, .steps = 18}, seed);
    const std::string schedule = program.run(scheduler).schedule;
    EXPECT_LE(switches(schedule), 2 + 3) << schedule;
  }
}

TEST(Pct, ABlockedAgentOfTheHighestPriorityRunsAsSoonAsItCan) {
  const ToyProgram program{{"?.", "..!.."}};
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 10}, seed);
    seen.insert(program.run(scheduler).schedule);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"bbbaabb", "bbbbbaa"}));
}

TEST(Pct, AnAgentThatYieldsLetsAllOthersRunFirst) {
  const ToyProgram program{{".y.", "..."}};
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 10}, seed);
    seen.insert(program.run(scheduler).schedule);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"aabbba", "bbbaaa"}));
}

TEST(Pct, TwoSpinningAgentsTakeTurns) {
  const ToyProgram program{{"yyyy", "yyyy"}};
  PctScheduler scheduler({.depth = 1, .steps = 10}, 3);
  const std::string schedule = program.run(scheduler).schedule;
  EXPECT_EQ(switches(schedule), 7) << schedule;
}

// A copy appears after its issuer was first seen, and gets a priority of its own.
TEST(Pct, ANewAgentMayComeBeforeOrAfterTheOldOnes) {
  const Op op = ReadCount{};
  const AgentIdentity thread{.core = 0};
  const AgentIdentity copy{.core = 0, .is_copy = true, .issue = 0};
  std::map<bool, int> copy_first;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 10}, seed);
    scheduler.begin(0);
    const Candidate before[] = {{.agent = thread, .next = &op, .enabled = true}};
    EXPECT_EQ(scheduler.pick(before), thread);
    const Candidate after[] = {{.agent = thread, .next = &op, .enabled = true},
                               {.agent = copy, .next = &op, .enabled = true}};
    ++copy_first[scheduler.pick(after) == copy];
  }
  EXPECT_NEAR(copy_first[true], 500, 80);
}

TEST(Pct, AThreadKeepsItsPriorityWhileItHasNoNextOp) {
  const Op op = ReadCount{};
  const AgentIdentity a{.core = 0};
  const AgentIdentity b{.core = 1};
  const Candidate both[] = {{.agent = a, .next = &op, .enabled = true},
                            {.agent = b, .next = &op, .enabled = true}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    PctScheduler scheduler({.depth = 1, .steps = 10}, seed);
    scheduler.begin(0);
    const auto first = scheduler.pick(both);
    scheduler.pick(std::span(both, 1));
    scheduler.pick(std::span(both + 1, 1));
    EXPECT_EQ(scheduler.pick(both), first);
  }
}

}  // namespace
}  // namespace replait
