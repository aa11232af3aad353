#include "check/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "check/rules.h"
#include "execution_builder.h"

namespace replait {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ExecutionEnd ending(EndKind kind) {
  ExecutionEnd end;
  end.kind = kind;
  return end;
}

std::vector<Finding> findings_of(const ExecutionBuilder& b, const ExecutionEnd& end = {}) {
  Checks checks;
  return b.feed(checks, end).findings();
}

ErrorId raised(ExecutionBuilder& b, const std::string& text, const std::string& rule = "") {
  return b.tables.error({ErrorKind::kRaised, "ValueError", text, rule});
}

TEST(ErrorCheck, TheFirstErrorLeadsAndTheOthersFollow) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.key(100);
  b.line(5).apply(two, Read{x, b.whole(), Proxy::kGeneric},
                  {.error = raised(b, "not a `Buffer`", "memory.not-a-buffer")});
  b.line(6).apply(one, Raise{}, {.error = raised(b, "stopped")});
  const std::vector<Finding> findings = findings_of(b, ending(EndKind::kFailed));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "memory.not-a-buffer");
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_EQ(findings[0].message, "ValueError: not a `Buffer`");
  EXPECT_EQ(findings[0].event, 2u);
  EXPECT_THAT(findings[0].details,
              ElementsAre("device 1, core 0: read ('vmem', 100, 0, 0) [...] (kernel.cpp:5)",
                          "also, device 0, core 0 raised ValueError: stopped (kernel.cpp:6, "
                          "event 3)"));
}

TEST(ErrorCheck, AFollowerDoesNotLeadEvenIfItIsRecordedFirst) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  b.apply(one, Raise{}, {.error = raised(b, "failed on device 1", "exec.follower")});
  b.apply(two, Raise{}, {.error = raised(b, "mine", "exec.exception")});
  const std::vector<Finding> findings = findings_of(b, ending(EndKind::kFailed));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "ValueError: mine");
  EXPECT_EQ(findings[0].rule, "exec.exception");
}

TEST(ErrorCheck, AnErrorWithoutARuleIsTheKernelsException) {
  ExecutionBuilder b;
  b.apply(b.start(0), Raise{}, {.error = raised(b, "mine")});
  EXPECT_EQ(findings_of(b, ending(EndKind::kFailed))[0].rule, "exec.exception");
}

TEST(ErrorCheck, APrintedErrorIsAFindingAndTheRunGoesOn) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const ErrorId printed = b.tables.error(
      {ErrorKind::kPrinted, "", "Semaphore 2000 has non-zero count", "sync.semaphore-nonzero"});
  b.apply(one, CheckSemaphores{}, {.error = printed});
  b.apply(one, Exit{});
  const std::vector<Finding> findings = findings_of(b);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "sync.semaphore-nonzero");
  EXPECT_EQ(findings[0].message, "Semaphore 2000 has non-zero count");
}

TEST(DeadlockCheck, TellsWhatEachThreadLacksAndWhereItsSignallersAre) {
  ExecutionBuilder b(3);
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const AgentId three = b.start(2);
  const SemaphoreId at_one = b.semaphore(2000, 0, 0, "from_right");
  const SemaphoreId at_two = b.semaphore(2000, 1, 0, "from_left");
  b.line(7).signal(one, at_two, 1);
  b.line(8).wait(two, at_two, 1);
  b.line(9).apply(three, Exit{});
  b.line(20);
  ExecutionEnd end = ending(EndKind::kDeadlocked);
  const SourceId source = b.tables.source({"kernel.cpp", 20, 0, "body", SourceId{}});
  end.pending.push_back({one, source, Wait{at_one, 2}, 0, 2});
  end.pending.push_back({two, source, Wait{at_two, 3}, 0, 3});
  const std::vector<Finding> findings = findings_of(b, end);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "sync.deadlock");
  EXPECT_EQ(findings[0].message, "no thread can go on: 2 wait, 1 has left, no copy is in flight");
  EXPECT_THAT(
      findings[0].details,
      ElementsAre("device 0, core 0 (kernel.cpp:20: `line 20`): wait for 2 on from_right [2000 on "
                  "device 0, core 0]; it has 0, needs 2, lacks 2",
                  "  nobody signalled from_right [2000 on device 0, core 0] in this run",
                  "device 1, core 0 (kernel.cpp:20: `line 20`): wait for 3 on from_left [2000 on "
                  "device 1, core 0]; it has 0, needs 3, lacks 3",
                  "  signalled 1 time by device 0, core 0 (last by kernel.cpp:7, event 3); it now "
                  "waits at kernel.cpp:20"));
}

TEST(DeadlockCheck, CountsTheSignalsOfCopiesForWhoIssuedThem) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.key(100);
  const SemaphoreId receive = b.semaphore(2001, 1, 0, "recv");
  b.run(b.line(7).issue(one, {x, b.whole(), x, b.whole(), std::nullopt, receive}));
  b.apply(one, Exit{});
  ExecutionEnd end = ending(EndKind::kDeadlocked);
  end.pending.push_back({two, SourceId{}, Wait{receive, 8192}, 4096, 8192});
  const std::vector<Finding> findings = findings_of(b, end);
  EXPECT_THAT(findings[0].details,
              Contains("  signalled 1 time by copies of device 0, core 0 (last "
                       "by kernel.cpp:7, event 5); it has left the launch"));
}

TEST(DeadlockCheck, NamesWhoHasNotArrivedAtABarrier) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  BarrierRow row;
  row.launch = b.launch;
  row.arrivals = 2;
  row.name = "mid";
  const BarrierId barrier = b.tables.barrier(row);
  b.apply(one, Arrive{barrier});
  b.apply(two, Exit{});
  ExecutionEnd end = ending(EndKind::kDeadlocked);
  end.pending.push_back({one, SourceId{}, AwaitBarrier{barrier, 0}, 1, 2});
  const std::vector<Finding> findings = findings_of(b, end);
  EXPECT_THAT(
      findings[0].details,
      ElementsAre("device 0, core 0 (an unknown line): wait for phase 0 of barrier mid [0]; it has "
                  "1, needs 2, lacks 1",
                  "  device 0, core 0 arrived 1 time; it now waits at an unknown line",
                  "  device 1, core 0 arrived 0 times; it has left the launch"));
}

TEST(DeadlockCheck, ARecordingThatWasCutProvesNoDeadlock) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  ExecutionEnd end = ending(EndKind::kCut);
  end.pending.push_back({one, SourceId{}, Wait{b.semaphore(2000, 0), 1}, 0, 1});
  EXPECT_THAT(findings_of(b, end), IsEmpty());
}

class Collision : public testing::TestWithParam<bool> {};

TEST_P(Collision, IsAnErrorExactlyWhenTheAllocationsDiffer) {
  const bool differ = GetParam();
  ExecutionBuilder b(1, 2);
  const AgentId one = b.start(0, 0);
  const AgentId two = b.start(0, 1);
  b.line(3).allocate(one, 100, {8}, "x");
  b.line(differ ? 4 : 3).allocate(two, 100, {differ ? 16 : 8}, "x");
  const std::vector<Finding> findings = findings_of(b);
  ASSERT_EQ(findings.size(), differ ? 1u : 0u);
  if (!differ) return;
  EXPECT_EQ(findings[0].rule, "memory.key-collision");
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_THAT(findings[0].details,
              ElementsAre("it holds x ('vmem', 100, 0, 0) f32[8], allocated by device 0, core 0 "
                          "(kernel.cpp:3, event 2)",
                          "asked for was x ('vmem', 100, 0, 0) f32[16], by device 0, core 1 "
                          "(kernel.cpp:4, event 3)"));
}
INSTANTIATE_TEST_SUITE_P(All, Collision, testing::Bool());

TEST(KeyCheck, AnotherPlaceWithTheSameTypeIsAWarning) {
  ExecutionBuilder b(1, 2);
  b.line(3).allocate(b.start(0, 0), 100, {8});
  b.line(4).allocate(b.start(0, 1), 100, {8});
  const std::vector<Finding> findings = findings_of(b);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
}

TEST(KeyCheck, AKeyThatWasFreedIsFree) {
  ExecutionBuilder b;
  const AgentId one = b.start(0);
  b.apply(one, Free{b.line(3).allocate(one, 100, {8})});
  b.line(4).allocate(one, 100, {16});
  EXPECT_THAT(findings_of(b), IsEmpty());
}

class CopyWaits : public testing::TestWithParam<bool> {};

TEST_P(CopyWaits, AreMissedExactlyWhenThereIsNoneAfterTheIssue) {
  const bool waits = GetParam();
  ExecutionBuilder b(1);
  const AgentId one = b.start(0);
  const KeyId x = b.key(100);
  const SemaphoreId done = b.semaphore(2000, 0, 0, "done");
  b.signal(one, done, 4096);
  b.wait(one, done, 4096);
  b.run(b.line(7).issue(one, {x, b.whole(), x, b.whole(), std::nullopt, done}));
  b.run(b.line(7).issue(one, {x, b.whole(), x, b.whole(), std::nullopt, done}));
  if (waits) b.wait(one, done, 8192);
  b.apply(one, Exit{});
  const std::vector<Finding> findings = findings_of(b);
  ASSERT_EQ(findings.size(), waits ? 0u : 1u);
  if (waits) return;
  EXPECT_EQ(findings[0].rule, "sync.copy-not-waited");
  EXPECT_EQ(findings[0].events.size(), 2u);
  EXPECT_EQ(findings[0].message, "2 copies were started (kernel.cpp:7) and never waited for");
  EXPECT_THAT(
      findings[0].details,
      ElementsAre("copy #0 (device 0) (event 3): no wait on done [2000 on device 0, core 0] "
                  "came after its issue",
                  "copy #1 (device 0) (event 7): no wait on done [2000 on device 0, core 0] "
                  "came after its issue"));
}
INSTANTIATE_TEST_SUITE_P(All, CopyWaits, testing::Bool());

TEST(CopyCheck, ARunThatFailedIsNotJudged) {
  ExecutionBuilder b(1);
  const AgentId one = b.start(0);
  const KeyId x = b.key(100);
  b.issue(one, {x, b.whole(), x, b.whole(), std::nullopt, b.semaphore(2000, 0)});
  EXPECT_THAT(findings_of(b, ending(EndKind::kFailed)), IsEmpty());
  EXPECT_EQ(findings_of(b).size(), 1u);
}

TEST(Checks, KeepWhatWasFoundWhileRecordingOnceAndErrorsFirst) {
  ExecutionBuilder b;
  b.apply(b.start(0), Raise{}, {.error = raised(b, "mine")});
  ExecutionEnd end = ending(EndKind::kFailed);
  end.findings.push_back({.rule = "machine.mismatch",
                          .severity = Severity::kWarning,
                          .message = "expected 1",
                          .details = {},
                          .events = {},
                          .event = 0});
  end.findings.push_back({.rule = "exec.exception",
                          .severity = Severity::kError,
                          .message = "mine",
                          .details = {},
                          .events = {},
                          .event = 1});
  const std::vector<Finding> findings = findings_of(b, end);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message, "ValueError: mine");
  EXPECT_EQ(findings[1].rule, "machine.mismatch");
  EXPECT_EQ(findings[1].severity, Severity::kWarning);  // As the table of rules has it.
}

TEST(Rules, AFamilyMatchesItsRules) {
  EXPECT_TRUE(rule_matches("race.read-write", "race.*"));
  EXPECT_TRUE(rule_matches("race.read-write", "race.read-write"));
  EXPECT_FALSE(rule_matches("race.read-write", "race"));
  EXPECT_FALSE(rule_matches("sync.deadlock", "race.*"));
}

// docs/findings.md names each rule with its severity, and no other.
TEST(Rules, StandInTheDocument) {
  std::ifstream file(FINDINGS_MD);
  ASSERT_TRUE(file.is_open());
  std::stringstream text;
  text << file.rdbuf();
  std::size_t documented = 0;
  for (std::string line; std::getline(text, line);) documented += line.starts_with("| `");
  for (const Rule& rule : rules()) {
    const std::string row =
        "| `" + std::string(rule.id) + "` | " + std::string(to_string(rule.severity)) + " |";
    EXPECT_THAT(text.str(), HasSubstr(row));
  }
  EXPECT_EQ(documented, rules().size());
}

}  // namespace
}  // namespace replait
