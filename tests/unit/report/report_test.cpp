#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "execution_builder.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/text.h"

namespace replait {
namespace {

using testing::HasSubstr;
using testing::Not;

class Reports : public testing::Test {
 protected:
  ExecutionBuilder b;

  Report report(const ReportOptions& options = {.file = "bug.replait",
                                                .command = "replait",
                                                .file_quoted = "bug.replait",
                                                .arguments = "--this-run",
                                                .launch = std::nullopt,
                                                .rule = ""},
                const ExecutionEnd& end = {}) {
    RaceDetector races;
    Checks checks;
    b.feed(races, end);
    b.feed(checks, end);
    Header header;
    header.program = "ring";
    header.scheduler = "pct:depth=3,steps=10000";
    header.seed = 7;
    return make_report({header, b.tables, races, checks, end.kind, b.events.size()}, options);
  }

  // A remote copy whose receiver does not wait, from lines with text and a caller.
  void racing_copy(const std::string& name = "out",
                   const std::string& text = "    out.read(slot);  // too early") {
    const AgentId sender = b.start(0);
    const AgentId receiver = b.start(1);
    const KeyId x = b.allocate(sender, 100, {8, 128}, "x");
    const KeyId out = b.allocate(receiver, 100, {4, 8, 128}, name, 1);
    const SemaphoreId send = b.semaphore(2000, 0, 0, "send_sem");
    const SemaphoreId receive = b.semaphore(2001, 1, 0, "recv_sem");
    const RangeId slot = b.range({ExecutionBuilder::index(1)});
    const AgentId copy = b.line(30).issue(sender, {x, b.whole(), out, slot, send, receive});
    b.run(copy);
    b.line(31).wait(sender, send, 4096);
    const SourceId caller = b.tables.source({"train.cpp", 5, 0, "main", SourceId{}}, {"run();", 0});
    b.source = b.tables.source({"ring.cpp", 50, 3, "step", caller}, {text, 0});
    b.read(receiver, out, slot);
    b.read(receiver, out, slot);
    b.apply(sender, Exit{});
    b.apply(receiver, Exit{});
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(Reports, ARaceIsPrintedWithBothLinesAndTheMissingEdge) {
  racing_copy();
  EXPECT_EQ(to_text(report(), 100),
            R"(error: race.read-write: out ('vmem', 100, 1, 0) f32[4,8,128], in this run
  copy #0 (device 0 -> device 1) writes [1] at event 7
    at kernel.cpp:30 in body, where it was issued
      | line 30
  device 1, core 0 reads [1] at event 10
    at ring.cpp:50 in step
      | out.read(slot);  // too early
    called from train.cpp:5 in main
      | run();
  nothing orders the two; the nearest synchronisation, and why it is not enough:
    - copy #0 (device 0 -> device 1) signalled recv_sem [2001 on device 1, core 0] at event 8;
      device 1, core 0 did not wait on it between that and its read (ring.cpp:50, event 10)
  missing edge: device 1, core 0 waits on recv_sem [2001 on device 1, core 0] for copy #0 (device 0
    -> device 1) before its read (ring.cpp:50, event 10)
  1 more pair like it, of these lines and this buffer
  see it: replait replay bug.replait --until 10

error: sync.copy-not-waited: copy #0 (device 0 -> device 1) was started (kernel.cpp:30) and never
  waited for
  copy #0 (device 0 -> device 1) (event 4): no wait on recv_sem [2001 on device 1, core 0] came
    after its issue

bug.replait: 1 race and 1 other finding in 14 events of ring; the run finished
only this run was judged; other schedules are not judged yet
reproduce: replait check bug.replait --this-run
)");
}

TEST_F(Reports, NoLineIsWiderThanAsked) {
  racing_copy("a_buffer_with_a_name_that_is_longer_than_any_narrow_terminal_is_wide",
              "\t  x = [漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字]");
  for (const std::size_t width : {24, 30, 41, 60, 79, 100, 200}) {
    for (const std::string& line : lines_of(to_text(report(), width))) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
  // Nothing is lost by the breaks.
  const auto squeezed = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  EXPECT_EQ(squeezed(to_text(report(), 24)), squeezed(to_text(report(), 400)));
}

TEST_F(Reports, WhatATerminalWouldObeyIsSpelledOut) {
  racing_copy(
      "x\x1b[2J\xff\xe2\x80\xae"
      "y",
      "a\rb\x07\xc2\x9b");
  for (const std::string& text : {to_text(report(), 100), to_json(report())}) {
    for (const unsigned char c : text) EXPECT_TRUE(c == '\n' || c >= 0x20) << int{c};
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
    EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
  }
  EXPECT_THAT(to_text(report(), 100), HasSubstr("x\\x1b[2J\\xff\\xe2\\x80\\xaey ('vmem'"));
  EXPECT_THAT(to_text(report(), 100), HasSubstr("| a\\x0db\\x07\\xc2\\x9b\n"));
}

TEST_F(Reports, JsonHoldsTheSameAsData) {
  racing_copy();
  const auto json = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(json["schema"], "replait.report/1");
  EXPECT_EQ(json["outcome"], "finished");
  EXPECT_EQ(json["other_schedules_judged"], false);
  ASSERT_EQ(json["races"].size(), 1u);
  const auto& race = json["races"][0];
  EXPECT_EQ(race["rule"], "race.read-write");
  EXPECT_EQ(race["buffer"], "out");
  EXPECT_EQ(race["key"], "('vmem', 100, 1, 0)");
  EXPECT_EQ(race["type"], "f32[4,8,128]");
  EXPECT_EQ(race["pairs"], 2);
  EXPECT_EQ(race["first"]["by_copy"], true);
  EXPECT_EQ(race["first"]["stack"][0]["line"], 30);
  EXPECT_EQ(race["second"]["agent"], "device 1, core 0");
  EXPECT_EQ(race["second"]["stack"][0]["text"], "    out.read(slot);  // too early");
  EXPECT_EQ(race["second"]["stack"][1]["function"], "main");
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["rule"], "sync.copy-not-waited");
  EXPECT_TRUE(json["findings"][0]["event"].is_null());
}

TEST_F(Reports, RuleAndLaunchSelectWhatIsTold) {
  racing_copy();
  ReportOptions options{.file = "t",
                        .command = "replait",
                        .file_quoted = "t",
                        .arguments = "",
                        .launch = std::nullopt,
                        .rule = "race.*"};
  EXPECT_EQ(report(options).races.size(), 1u);
  EXPECT_TRUE(report(options).findings.empty());
  options.rule = "sync.copy-not-waited";
  EXPECT_TRUE(report(options).races.empty());
  EXPECT_EQ(report(options).findings.size(), 1u);
  options.rule = "";
  options.launch = 1;
  EXPECT_TRUE(report(options).races.empty());
}

TEST_F(Reports, OnlyErrorsCount) {
  racing_copy();
  EXPECT_EQ(report().errors(), 2u);
  ExecutionBuilder quiet(1, 2);
  quiet.line(1).allocate(quiet.start(0, 0), 100, {8});
  quiet.line(2).allocate(quiet.start(0, 1), 100, {8});
  RaceDetector races;
  Checks checks;
  quiet.feed(races);
  quiet.feed(checks);
  const Header header;
  const Report told = make_report(
      {header, quiet.tables, races, checks, EndKind::kFinished, quiet.events.size()}, {});
  ASSERT_EQ(told.findings.size(), 1u);
  EXPECT_EQ(told.errors(), 0u);
}

TEST_F(Reports, ACleanRunSaysThatOnlyThisRunWasJudged) {
  b.apply(b.start(0), Exit{});
  EXPECT_EQ(to_text(report(), 100),
            "bug.replait: nothing found in 2 events of ring; the run finished\n"
            "only this run was judged; other schedules are not judged yet\n"
            "reproduce: replait check bug.replait --this-run\n");
}

TEST_F(Reports, AStackThatCallsItselfEnds) {
  const AgentId one = b.start(0);
  const AgentId two = b.start(1);
  const KeyId x = b.allocate(one, 100, {8});
  SourceId caller{};
  for (std::uint32_t line = 1; line < 200; ++line) {
    caller = b.tables.source({"deep.py", line, 0, "f", caller});
  }
  b.source = caller;
  b.write(one, x, b.whole());
  b.write(two, x, b.whole());
  EXPECT_EQ(report().races[0].first.stack.size(), 32u);
}

TEST(Layout, BreaksAtSpacesAndThenAnywhere) {
  Layout layout(24);
  layout.paragraph("  - ", "one two three four five", 4);
  layout.paragraph("", "abcdefghijklmnopqrstuvwxyz0123456789", 2);
  layout.paragraph("", "keeps   gaps", 2);
  layout.item("empty", "");
  EXPECT_EQ(layout.text(),
            "  - one two three four\n"
            "    five\n"
            "abcdefghijklmnopqrstuvwx\n"
            "  yz0123456789\n"
            "keeps   gaps\n"
            "empty:\n");
}

TEST(Layout, AWideCharacterTakesTwoColumns) {
  EXPECT_EQ(display_width("ab"), 2u);
  EXPECT_EQ(display_width("漢字"), 4u);
  Layout layout(24);
  layout.paragraph("", "漢字漢字漢字漢字漢字漢字漢", 0);
  EXPECT_EQ(layout.text(), "漢字漢字漢字漢字漢字漢字\n漢\n");
}

}  // namespace
}  // namespace replait
