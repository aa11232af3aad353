// Replay: the same choices again, and where they cannot be made.
#include "sched/replay_scheduler.h"

#include <gtest/gtest.h>

#include "toy_program.h"

namespace replait {
namespace {

// "ab0": agents by letter, choices by digit.
std::vector<ScheduleChoice> choices(const std::string& schedule) {
  std::vector<ScheduleChoice> result;
  for (const char c : schedule) {
    if (c >= 'a') {
      result.emplace_back(ToyProgram::identity(static_cast<std::size_t>(c - 'a')));
    } else {
      result.emplace_back(static_cast<std::uint32_t>(c - '0'));
    }
  }
  return result;
}

TEST(Replay, RepeatsASchedule) {
  const ToyProgram program{{"..2", "?.", ".!"}};
  for (const std::string schedule : {"aaa1ccbb", "ccbbaaa0", "cacbaba1"}) {
    ReplayScheduler scheduler("random", choices(schedule));
    const auto result = program.run(scheduler);
    EXPECT_EQ(result.schedule, schedule);
    EXPECT_EQ(result.end, EndKind::kFinished);
    EXPECT_FALSE(scheduler.divergence());
    EXPECT_EQ(scheduler.steps(), schedule.size());
  }
}

TEST(Replay, HasTheNameOfTheRecordedScheduler) {
  EXPECT_EQ(ReplayScheduler("pct:depth=2,steps=9", choices("")).name(), "pct:depth=2,steps=9");
}

TEST(Replay, RunsOnce) {
  const ToyProgram program{{"."}};
  ReplayScheduler scheduler("random", choices("a"));
  program.run(scheduler);
  EXPECT_EQ(program.run(scheduler).schedule, "none");
}

struct Diverging {
  std::string what;
  ToyProgram program;
  std::string schedule;
  std::string ran;  // Before it diverged.
  std::string message;
  std::vector<std::string> details;
};

void PrintTo(const Diverging& diverging, std::ostream* out) { *out << diverging.what; }

class ReplayDiverges : public testing::TestWithParam<Diverging> {};

TEST_P(ReplayDiverges, AtTheFirstChoiceThatCannotBeMade) {
  ReplayScheduler scheduler("random", choices(GetParam().schedule));
  const auto result = GetParam().program.run(scheduler);
  EXPECT_EQ(result.end, EndKind::kAbandoned);
  EXPECT_EQ(result.schedule, GetParam().ran);
  ASSERT_TRUE(scheduler.divergence());
  const Finding finding = scheduler.divergence()->finding();
  EXPECT_EQ(finding.rule, "replay.diverged");
  EXPECT_EQ(finding.message, GetParam().message);
  EXPECT_EQ(finding.details, GetParam().details);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReplayDiverges,
    testing::Values(
        Diverging{
            "the agent is blocked",
            {{"?.", ".!"}},
            "ba",
            "b",
            "replay diverged at step 1 of the schedule: expected device 0, core 0 to run, but "
            "it is blocked in its wait",
            {"device 0, core 0: wait (blocked)", "device 0, core 1: signal"}},
        Diverging{
            "the agent is gone",
            {{".", ".."}},
            "aa",
            "a",
            "replay diverged at step 1 of the schedule: expected device 0, core 0 to run, but "
            "it has no next op",
            {"device 0, core 1: read count"}},
        Diverging{"the recording ends early",
                  {{"..."}},
                  "aa",
                  "aa",
                  "replay diverged at step 2 of the schedule: expected the end of the recording, "
                  "but the program goes on",
                  {"device 0, core 0: read count"}},
        Diverging{"a choice is expected",
                  {{".."}},
                  "a1",
                  "a",
                  "replay diverged at step 1 of the schedule: expected choice 1, but the program "
                  "asks for no choice",
                  {"device 0, core 0: read count"}},
        Diverging{
            "an agent is expected at a choice",
            {{"2."}},
            "aa",
            "a0",
            "replay diverged at step 1 of the schedule: expected device 0, core 0 to run, but "
            "the program asks for a choice of 2",
            {}},
        Diverging{"the choice is out of range",
                  {{"2."}},
                  "a5a",
                  "a0",
                  "replay diverged at step 1 of the schedule: expected choice 5, but the program "
                  "asks for a choice of 2",
                  {}}));

TEST(Replay, NamesCopiesAndLaunches) {
  const Op op = ReadCount{};
  const AgentIdentity copy{.launch = 2, .device = 1, .core = 0, .is_copy = true, .issue = 7};
  ReplayScheduler scheduler("random", std::vector<ScheduleChoice>{copy});
  scheduler.begin(0);
  const Candidate candidates[] = {{.agent = {.launch = 2}, .next = &op, .enabled = true}};
  EXPECT_FALSE(scheduler.pick(candidates));
  EXPECT_EQ(
      scheduler.divergence()->finding().message,
      "replay diverged at step 0 of the schedule: expected launch 2, copy 7 of device 1, core "
      "0 to run, but it has no next op");
}

}  // namespace
}  // namespace replait
