// `record` as a user calls it, right and wrong.
#include "tests/unit/replay/command_line.h"

namespace replait {
namespace {

using Record = CommandLine;

TEST_F(Record, ACleanKernelExitsWith0AndSaysHowToReplayIt) {
  const Captured result = run({"record", "message-passing", "--seed", "3", "-o", "t.replait"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(holds(result.output, "seed 3")) << result.output;
  EXPECT_TRUE(holds(result.output, "replay t.replait")) << result.output;
  EXPECT_TRUE(std::filesystem::exists("t.replait"));
  EXPECT_FALSE(std::filesystem::exists("t.replait.partial"));
}

TEST_F(Record, ARaceExitsWith1AndPrintsBothLines) {
  const Captured result = run({"record", "message-passing-racy", "-o", "t.replait"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(holds(result.output, "race.read-write")) << result.output;
  EXPECT_TRUE(holds(result.output, "message_passing.cpp:")) << result.output;
}

TEST_F(Record, AFailureExitsWith1AndPrintsItsText) {
  const Captured result = run({"record", "out-of-bounds-read", "-o", "t.replait"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(holds(result.output, "Out-of-bounds read")) << result.output;
}

TEST_F(Record, ADeadlockExitsWith1AndPrintsEachBlockedThread) {
  const Captured result = run({"record", "deadlock", "-o", "t.replait"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(holds(result.output, "sync.deadlock")) << result.output;
  EXPECT_TRUE(holds(result.output, "device 0, core 0")) << result.output;
  EXPECT_TRUE(holds(result.output, "device 1, core 0")) << result.output;
}

TEST_F(Record, ErrorExitcodeTakesThePlaceOf1Only) {
  EXPECT_EQ(run({"record", "deadlock", "-o", "t.replait", "--error-exitcode", "42"}).code, 42);
  EXPECT_EQ(run({"record", "message-passing", "-o", "u.replait", "--error-exitcode", "42"}).code,
            0);
  EXPECT_EQ(run({"record", "no-such-kernel", "--error-exitcode", "42"}).code, 2);
}

TEST_F(Record, TwiceGivesTheSameBytesWithoutEnvironment) {
  for (const char* level : {"none", "hash", "full"}) {
    record("ring-shared-semaphore", "a.replait", {"--values", level});
    record("ring-shared-semaphore", "b.replait", {"--values", level});
    EXPECT_EQ(bytes_of("a.replait"), bytes_of("b.replait")) << level;
  }
}

TEST_F(Record, AnotherSeedGivesAnotherRun) {
  record("ring-all-gather", "a.replait", {"--scheduler", "random"});
  const Captured other = run({"record", "ring-all-gather", "--seed", "2", "--scheduler", "random",
                              "--no-environment", "-o", "b.replait"});
  EXPECT_EQ(other.code, 0);
  EXPECT_NE(bytes_of("a.replait"), bytes_of("b.replait"));
}

TEST_F(Record, WithoutOutputItWritesToItsOwnFolder) {
  EXPECT_EQ(run({"record", "message-passing", "--seed", "7"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(".replait/message-passing-seed7.replait"));
}

TEST_F(Record, ToStandardOutputPrintsTheTraceAndNothingElse) {
  record("message-passing", "file.replait");
  const Captured piped =
      shell("replait record message-passing --seed 1 --no-environment -o - > piped.replait");
  EXPECT_EQ(piped.code, 0) << piped.errors;
  EXPECT_EQ(bytes_of("piped.replait"), bytes_of("file.replait"));
  EXPECT_TRUE(holds(piped.errors, "recorded")) << piped.errors;
}

TEST_F(Record, ListNamesEveryKernelAndWhatItShows) {
  const Captured list = run({"record", "--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_TRUE(holds(list.output, "ring-all-gather"));
  EXPECT_TRUE(holds(list.output, "shows: clean"));
  const Captured json = run({"record", "--list", "--json"});
  EXPECT_EQ(json.output.rfind("{\n  \"kernels\": [", 0), 0U) << json.output;
  for (const char* field : {"\"name\": \"deadlock\"", "\"summary\": ", "\"expected\": \"clean\""})
    EXPECT_TRUE(holds(json.output, field)) << field;
}

TEST_F(Record, JsonIsOneDocumentWithTheReport) {
  const Captured result = run({"record", "deadlock", "--json", "-o", "t.replait"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.output.rfind("{\n  \"schema\": \"replait.record/1\"", 0), 0U);
  for (const char* field : {"\"outcome\": \"deadlocked\"", "\"run_id\": \"", "\"report\": {"})
    EXPECT_TRUE(holds(result.output, field)) << field;
}

TEST_F(Record, RefusesAnUnknownKernelAndNamesItsNeighbours) {
  expect_error({"record", "deadlok"}, 2, {"deadlok", "did you mean 'deadlock'?", "record --list"});
  expect_error({"record", ""}, 2, {"expected the name of a kernel"});
}

TEST_F(Record, RefusesAWrongSeed) {
  for (const char* seed : {"-1", "x", "1.5", "", "18446744073709551616", "0x10"})
    expect_error({"record", "deadlock", "--seed", seed}, 2,
                 {"--seed", "a whole number from 0 to 18446744073709551615"});
}

TEST_F(Record, RefusesAnUnknownSchedulerAndNamesTheKnownOnes) {
  for (const char* scheduler : {"dfs", "pct:depth=x", "pct:width=3", "random:", ""})
    expect_error({"record", "deadlock", "--scheduler", scheduler}, 2, {"scheduler"});
  expect_error({"record", "deadlock", "--scheduler", "dfs"}, 2, {"round-robin", "random", "pct"});
}

TEST_F(Record, RefusesAPathThatCannotBeWritten) {
  expect_error({"record", "deadlock", "-o", "no/such/folder/t.replait"}, 2,
               {"no/such/folder/t.replait"});
  std::filesystem::create_directory("folder");
  expect_error({"record", "deadlock", "-o", "folder"}, 2, {"folder"});
  write("file", "");
  expect_error({"record", "deadlock", "-o", "file/t.replait"}, 2, {"file/t.replait"});
}

TEST_F(Record, RefusesOptionsThatContradictEachOther) {
  expect_error({"record"}, 2, {"expected the name of a kernel", "record --help"});
  expect_error({"record", "deadlock", "--list"}, 2, {"--list"});
  expect_error({"record", "deadlock", "--", "python"}, 2, {"got both", "deadlock", "python"});
  expect_error({"record", "--"}, 2, {"expected a program after --"});
  expect_error({"record", "--seed", "1", "--", "python"}, 2, {"--seed", "C++ kernels"});
  expect_error({"record", "-o", "-", "--", "python"}, 2, {"expected a file for -o"});
  expect_error({"record", "a", "b"}, 2, {"b"});
  expect_error({"record", "deadlock", "--values", "some"}, 2, {"--values", "none", "full"});
  expect_error({"record", "deadlock", "--no-such-option"}, 2, {"--no-such-option"});
  expect_error({"record", "deadlock", "--max-memory", "much"}, 2, {"--max-memory"});
  expect_error({"record", "deadlock", "--error-exitcode", "256"}, 2, {"--error-exitcode"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_));  // Nothing was begun.
}

TEST_F(Record, RefusesAProgramThatIsNoPython) {
  expect_error({"record", "-o", "t.replait", "--", "no-such-program"}, 2,
               {"no-such-program", "python"});
  expect_error({"record", "-o", "t.replait", "--", "sh", "-c", "touch ran"}, 2,
               {"is no Python program", "-- python"});
  write("wrapper", "#!/bin/sh\ntouch ran\n");
  std::filesystem::permissions("wrapper", std::filesystem::perms::owner_all);
  expect_error({"record", "-o", "t.replait", "--", "./wrapper"}, 2, {"./wrapper", "/bin/sh"});
  EXPECT_FALSE(std::filesystem::exists("ran"));
}

TEST_F(Record, RefusesAPythonWithoutReplaitBeforeAnythingRuns) {
  // A Python that knows no package at all.
  std::filesystem::create_directory("bin");
  write("bin/python3",
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'replait'\" >&2\n"
        "[ \"$1\" = -c ] || touch ran\nexit 1\n");
  std::filesystem::permissions("bin/python3", std::filesystem::perms::owner_all);
  expect_error({"record", "-o", "t.replait", "--", "bin/python3", "f.py"}, 2,
               {"bin/python3", "No module named 'replait'", "pip install", "nothing was run"});
  EXPECT_FALSE(std::filesystem::exists("ran"));
}

}  // namespace
}  // namespace replait
