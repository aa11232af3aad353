// `explain`, `completion` and `man-pages` as a user, a shell and the build call them.
#include "tests/unit/replay/command_line.h"

namespace replait {
namespace {

using Explain = CommandLine;

TEST_F(Explain, AFewWordsOfAnErrorPrintItsSection) {
  const Captured result = run({"explain", "Attempting to swap into"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(holds(result.output, "Attempting to swap into allocation")) << result.output;
  EXPECT_TRUE(holds(result.output, "What the usual advice misses.")) << result.output;
  EXPECT_TRUE(holds(result.output, "memory.key-collision")) << result.output;
}

TEST_F(Explain, WordsNeedNoQuotes) {
  const Captured quoted = run({"explain", "Attempting to swap into"});
  EXPECT_EQ(run({"explain", "Attempting", "to", "swap", "into"}).output, quoted.output);
}

TEST_F(Explain, ARuleOfAFindingPrintsIt) {
  const Captured result = run({"explain", "sync.deadlock"});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(holds(result.output, "sync.deadlock  error: ")) << result.output;
}

TEST_F(Explain, ATracebackComesThroughStandardInput) {
  const Captured result = shell(
      "printf 'Traceback:\\nValueError: Attempting to swap into allocation with `key` (1, 2)' | "
      "replait explain -");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_TRUE(holds(result.output, "Attempting to swap into allocation")) << result.output;
}

TEST_F(Explain, AnUnknownTextExitsWith2AndNamesTheNearest) {
  const Captured result = run({"explain", "sync.deadlok"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(holds(result.errors, "nearest:")) << result.errors;
  EXPECT_TRUE(holds(result.errors, "sync.deadlock")) << result.errors;
  EXPECT_EQ(run({"explain", ""}).code, 2);
  EXPECT_EQ(run({"explain"}).code, 2);
}

TEST_F(Explain, JsonHasItsSchemaAlsoWhereNothingIsFound) {
  const Captured found = run({"explain", "--json", "masked load_p"});
  EXPECT_EQ(found.code, 0);
  EXPECT_TRUE(holds(found.output, "\"replait.explain/1\"")) << found.output;
  const Captured missing = run({"explain", "--json", "sync.deadlok"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(holds(missing.output, "\"replait.explain/1\"")) << missing.output;
  EXPECT_TRUE(holds(missing.output, "\"sync.deadlock\"")) << missing.output;
}

TEST_F(Explain, HiddenCommandIsNotOfferedButWorks) {
  EXPECT_FALSE(holds(run({"--help"}).output, "man-pages"));
  EXPECT_FALSE(holds(run({"no-such-command"}).errors, "man-pages"));
  EXPECT_EQ(run({"man-pages", "."}).code, 0);
  EXPECT_TRUE(std::filesystem::exists("replait-explain.1"));
  EXPECT_FALSE(std::filesystem::exists("replait-man-pages.1"));
}

TEST_F(Explain, APageThatTheBuildDoesNotNameIsAnError) {
  const Captured result = run({"man-pages", ".", "replait.1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(holds(result.errors, "replait-record.1")) << result.errors;
  EXPECT_EQ(run({"man-pages", "no/such/folder"}).code, 2);
}

TEST_F(Explain, AnUnknownShellExitsWith2AndNamesTheKnownOnes) {
  const Captured result = run({"completion", "tcsh"});
  EXPECT_EQ(result.code, 2);
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_TRUE(holds(result.errors, shell)) << result.errors;
}

}  // namespace
}  // namespace replait
