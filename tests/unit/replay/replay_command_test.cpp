// `replay` and `recover` as a user calls them, on good, broken and foreign files.
#include "tests/unit/replay/command_line.h"

namespace replait {
namespace {

using Replay = CommandLine;
using Recover = CommandLine;
using Help = CommandLine;

TEST_F(Replay, OfACleanRunExitsWith0) {
  record("message-passing", "t.replait");
  const Captured result = run({"replay", "t.replait"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("reproduced: finished: ", 0), 0U) << result.output;
}

TEST_F(Replay, OfAFailureExitsWith0AndHasItsText) {
  record("out-of-bounds-read", "t.replait");
  const Captured result = run({"replay", "t.replait"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("reproduced: IndexError at event ", 0), 0U) << result.output;
  EXPECT_TRUE(holds(result.output, "Out-of-bounds read")) << result.output;
  EXPECT_TRUE(holds(result.output, "out_of_bounds.cpp:")) << result.output;
}

TEST_F(Replay, OfADeadlockExitsWith0AndHasItsThreads) {
  record("deadlock", "t.replait");
  const Captured result = run({"replay", "t.replait"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("reproduced: deadlock ", 0), 0U) << result.output;
}

TEST_F(Replay, PrintsTheSameBytesEachTime) {
  record("ring-no-receive-wait", "t.replait", {"--values", "full"});
  EXPECT_EQ(run({"replay", "t.replait"}).output, run({"replay", "t.replait"}).output);
}

TEST_F(Replay, TwiceAndAsThreadProgramsAgree) {
  record("ring-shared-semaphore", "t.replait", {"--debug-clocks"});
  const Captured result = run({"replay", "t.replait", "--twice", "--threads"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(holds(result.output, "both replays are the same")) << result.output;
  EXPECT_TRUE(holds(result.output, "as 4 thread programs on fibers")) << result.output;
}

TEST_F(Replay, ReadsStandardInput) {
  record("deadlock", "t.replait");
  const Captured piped = shell("cat t.replait | replait replay -");
  EXPECT_EQ(piped.code, 0) << piped.errors;
  EXPECT_TRUE(holds(piped.output, "reproduced: deadlock")) << piped.output;
  expect_error({"replay", "-", "--twice"}, 2, {"standard input"});
}

TEST_F(Replay, UntilPrintsWhereEachThreadStands) {
  record("message-passing", "t.replait");
  const Captured result = run({"replay", "t.replait", "--until", "6"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("stopped before event 6\n", 0), 0U) << result.output;
  EXPECT_TRUE(holds(result.output, "device 0, core 0")) << result.output;
  EXPECT_TRUE(holds(result.output, "next")) << result.output;
  expect_error({"replay", "t.replait", "--until", "1000"}, 2, {"--until", "1000"});
  expect_error({"replay", "t.replait", "--until", "-1"}, 2, {"--until", "a whole number"});
}

TEST_F(Replay, JsonHasTheVerdictAndTheFailure) {
  record("out-of-bounds-read", "t.replait");
  const Captured result = run({"replay", "t.replait", "--json"});
  EXPECT_EQ(result.code, 0);
  for (const char* field : {"\"schema\": \"replait.replay/1\"", "\"verdict\": \"reproduced\"",
                            "\"type\": \"IndexError\"", "\"run_id\": \""})
    EXPECT_TRUE(holds(result.output, field)) << field << "\n" << result.output;
}

TEST_F(Replay, RefusesWhatIsNoTrace) {
  expect_error({"replay"}, 2, {"FILE", "replay --help"});
  expect_error({"replay", "missing.replait"}, 2, {"missing.replait"});
  std::filesystem::create_directory("folder");
  expect_error({"replay", "folder"}, 2, {"folder"});
  write("empty", "");
  expect_error({"replay", "empty"}, 3, {"empty"});
  write("text", "this is no trace, but some text that is long enough to hold a frame header\n");
  expect_error({"replay", "text"}, 3, {"text"});
}

TEST_F(Replay, OfACutTraceExitsWith3AndSaysHowToSaveIt) {
  record("ring-all-gather", "t.replait");
  const std::string bytes = bytes_of("t.replait");
  for (const double part : {0.1, 0.5, 0.9, 0.999}) {
    write("cut.replait",
          bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))));
    const Captured result = run({"replay", "cut.replait"});
    EXPECT_EQ(result.code, 3) << part << result.errors;
    EXPECT_EQ(result.output, "") << part;
    EXPECT_TRUE(holds(result.errors, "cut.replait")) << result.errors;
  }
}

TEST_F(Replay, OfAFlippedByteFailsOrChangesNothingThatIsPrinted) {
  record("message-passing-racy", "t.replait", {"--values", "full"});
  const std::string bytes = bytes_of("t.replait");
  const std::string good = run({"replay", "t.replait"}).output;
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 150) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    write("t.replait", flipped);
    const Captured result = run({"replay", "t.replait"});
    if (result.code == 0)
      EXPECT_EQ(result.output, good) << "byte " << at;
    else
      EXPECT_TRUE(result.code == 3 || result.code == 4) << "byte " << at << ": " << result.errors;
  }
}

TEST_F(Replay, RefusesATraceLargerThanItsMemory) {
  record("ring-all-gather", "t.replait");
  const Captured result = run({"replay", "t.replait", "--max-memory", "10000"});
  EXPECT_EQ(result.code, 3) << result.errors;
  EXPECT_TRUE(holds(result.errors, "more than the limit")) << result.errors;
}

TEST_F(Recover, MakesACutTraceReplayable) {
  record("ring-all-gather", "t.replait");
  const std::string bytes = bytes_of("t.replait");
  // Without the end packet and what follows it.
  write("cut.replait", bytes.substr(0, bytes.size() - bytes.size() / 8));
  const Captured recovered = run({"recover", "cut.replait"});
  if (recovered.code == 0) {
    EXPECT_TRUE(std::filesystem::exists("cut.recovered.replait"));
    const Captured replayed = run({"replay", "cut.recovered.replait"});
    EXPECT_EQ(replayed.code, 0) << replayed.errors;
    EXPECT_TRUE(holds(replayed.output, "was cut")) << replayed.output;
  } else {
    EXPECT_EQ(recovered.code, 3) << recovered.errors;  // Its only chunk was cut.
  }
}

TEST_F(Recover, LeavesAFileThatExistsAlone) {
  record("deadlock", "t.replait");
  write("there", "mine");
  expect_error({"recover", "t.replait", "-o", "there"}, 2, {"'there' exists already"});
  EXPECT_EQ(bytes_of("there"), "mine");
}

TEST_F(Recover, RefusesWhatIsNoTrace) {
  expect_error({"recover", "missing"}, 2, {"missing"});
  write("empty", "");
  expect_error({"recover", "empty", "-o", "new.replait"}, 3, {"empty"});
  EXPECT_FALSE(std::filesystem::exists("new.replait"));
}

TEST_F(Help, ShowsExamplesBeforeOptions) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"--help"},
                                                  {"record", "--help"},
                                                  {"replay", "-h"},
                                                  {"recover", "-h"}}) {
    const Captured result = run(command);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.errors, "");
    EXPECT_LT(result.output.find("Examples:"), result.output.find("Options:")) << result.output;
  }
}

TEST_F(Help, VersionIsTheProjects) {
  const Captured result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output.rfind("replait ", 0), 0U);
}

TEST_F(Help, AnUnknownCommandNamesTheKnownOnes) {
  expect_error({"recrod", "deadlock"}, 2, {"recrod", "did you mean 'record'", "replay"});
  expect_error({}, 2, {"--help"});
  expect_error({"replay", "t.replait", "--", "python"}, 2, {"only 'record' does"});
}

}  // namespace
}  // namespace replait
