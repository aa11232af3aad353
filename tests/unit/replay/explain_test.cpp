// `replait explain` finds the section that is meant, whatever form of an error people paste.
#include "replay/explain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/rules.h"

namespace replait {
namespace {

const ExplainIndex& docs() {
  static const ExplainIndex index(embedded_document("errors.md"), embedded_document("findings.md"));
  return index;
}

// The titles that a query finds, a line each; rules by their ids.
std::string found(const std::string& query) {
  const ExplainAnswer answer = docs().find(query);
  std::string text;
  for (const RuleEntry& rule : answer.rules) text += rule.id + "\n";
  for (const Explanation& explanation : answer.explanations) {
    for (const std::string& title : explanation.matched) text += title + "\n";
  }
  return text;
}

struct Pasted {
  std::string name;
  std::string query;
  std::string title;  // The beginning of the only title that must be found.
};

class PastedText : public testing::TestWithParam<Pasted> {};

TEST_P(PastedText, FindsItsSection) {
  const ExplainAnswer answer = docs().find(GetParam().query);
  ASSERT_EQ(answer.explanations.size(), 1u) << found(GetParam().query);
  EXPECT_EQ(answer.explanations[0].matched[0].substr(0, GetParam().title.size()), GetParam().title);
}

const std::string kSwap = "Attempting to swap into";
const std::string kTraceback =
    "Traceback (most recent call last):\n"
    "  File \"train_step.py\", line 12, in <module>\n"
    "    y = kernel(x)\n"
    "jax.errors.JaxRuntimeError: INTERNAL: CpuCallback error calling callback: Traceback:\n"
    "RuntimeError: Computation failed on (1, 0) with exception:\n\n"
    "Traceback (most recent call last):\n"
    "  File \"shared_memory.py\", line 723, in swap_buffer_content\n"
    "    raise ValueError(\n"
    "ValueError: Attempting to swap into allocation with `key` ('vmem', 102, 1, 0) that is not a "
    "`Buffer`.\n";

INSTANTIATE_TEST_SUITE_P(
    Forms, PastedText,
    testing::Values(
        Pasted{"AFewWords", "Attempting to swap into", kSwap},
        Pasted{"WordsInCapitals", "ATTEMPTING TO SWAP INTO", kSwap},
        Pasted{"RealKey",
               "Attempting to swap into allocation with `key` ('vmem', 102, 0, 0) that is not a "
               "`Buffer`.",
               kSwap},
        Pasted{"QuotesLostToTheShell",
               "Attempting to swap into allocation with  (vmem, 102, 0, 0) that is not a .", kSwap},
        Pasted{"TypeBeforeIt", "ValueError: Attempting to swap into allocation with `key` (",
               kSwap},
        Pasted{"CutByTheTerminal",
               "Attempting to swap into allocation with `key` ('vmem', 102, 0, 0) that is", kSwap},
        Pasted{"BrokenOverLines",
               "Attempting to swap into\n   allocation with `key` ('vmem', 1,\n 0, 0) that is not "
               "a `Buffer`",
               kSwap},
        Pasted{"CauseInATraceback", kTraceback, kSwap},
        Pasted{"WordsInAnotherOrder", "swap into allocation attempting buffer", kSwap},
        Pasted{"ReadOnTheTpu",
               "IndexError: Out-of-bounds read of (0 0 vmem 100): reading [(slice(4, 12, 1),)] but "
               "buffer has shape (8,).",
               "Out-of-bounds read of ({device_id}"},
        Pasted{"ReadOnTheGpu",
               "Out-of-bounds read of HostAllocationKey(memory_space_id=1, device_id=0, "
               "block_id=0, thread_id=0, initial_ref_count=1, buffer_id=100): reading [(slice(0, "
               "8, 1), slice(0, 128, 1))] but buffer has shape (8, 64).",
               "Out-of-bounds read of"},
        Pasted{"BlockOfAnInput",
               "Out-of-bounds block index (2,) for input \"x_ref\" in iteration (2,) on device 0 "
               "(core 0): reading [(slice(16, 24, 1),)] but input has shape (16,).",
               "Out-of-bounds block index {block_indices} for input"},
        Pasted{"NonzeroSemaphore",
               "Semaphore 2000 has non-zero count for 0 (global core 0) at kernel exit: 1",
               "Semaphore {semaphore_id} has non-zero"},
        Pasted{"BothSpaces", "Semaphore 2000 occurs as both fixed-id and internal.",
               "Semaphore {sem_id} occurs as both"},
        Pasted{"ThreadNotZero", "`thread_id` must be zero when allocating a buffer for all threads",
               "`thread_id`"},
        Pasted{"BlockNotZero", "block_id must be zero when allocating", "`block_id`"},
        Pasted{"ClockSize",
               "Vector clock size (2) must be greater than the total number of cores/threads (4).",
               "Vector clock size ({vector_clock_size}) must be greater"},
        Pasted{"MissingKey", "KeyError: ('vmem', 102, 0, 0)", "KeyError: ('{memory_space}'"},
        Pasted{"MissingSemaphore", "KeyError: 2003", "KeyError: {semaphore_id}"},
        Pasted{"AnotherCoreFailed",
               "RuntimeError: Computation failed on device 1, core 0 with exception:",
               "Computation failed on device"},
        Pasted{"Effects", "ValueError: Cannot lower jaxpr with effects: {IO, Ordered}",
               "Cannot lower jaxpr with effects"},
        Pasted{"Revisited",
               "Revisited block (slice(0, 8, 1),) of output 0 in iteration (2,). The block was "
               "previously visited in iterations (0,) through (0,) .",
               "Revisited block"},
        Pasted{"MaskedLoad", "NotImplementedError: masked load_p", "masked load_p"},
        Pasted{"AssertionInAFunction",
               "  File \"shared_memory.py\", line 666, in store_buffer_content\n"
               "    assert buff.dtype == value.dtype\nAssertionError\n",
               "AssertionError in store_buffer_content"},
        Pasted{"Hang", "the program hangs", "No text: the program hangs"},
        Pasted{"Race", "RACE DETECTED\n  read of ('vmem', 100, 0, 0)", "RACE DETECTED"},
        Pasted{"BarrierPhase",
               "ValueError: Thread Warpgroup(device_id=0, block_id=0, warpgroup_id=1) is awaiting "
               "phase 3, but barrier is already at phase 5, which violates the invariant that "
               "threads must observe each barrier completion before any arrivals in the next "
               "phase.",
               "Thread {thread} is awaiting phase {phase}, but barrier is already at phase "
               "{phase}, which"}),
    [](const auto& test) { return test.param.name; });

TEST(Explain, EveryTitleFindsItself) {
  for (const DocSection& section : parse_sections(embedded_document("errors.md"))) {
    for (const std::string& title : section.titles)
      EXPECT_NE(found(title).find(title), std::string::npos) << title << "\nfound " << found(title);
  }
}

TEST(Explain, EverySectionHasTextAndKnownRules) {
  for (const DocSection& section : parse_sections(embedded_document("errors.md"))) {
    EXPECT_GE(section.lines.size(), 3u) << section.titles[0];
    EXPECT_FALSE(section.rules.empty()) << section.titles[0];
    EXPECT_FALSE(section.group.empty()) << section.titles[0];
  }
}

TEST(Explain, RuleIsFoundByIdBeginningFamilyAndLastWord) {
  EXPECT_EQ(found("memory.key-collision"), "memory.key-collision\n");
  EXPECT_EQ(found("`memory.key-collision`"), "memory.key-collision\n");
  EXPECT_EQ(found("memory.key"), "memory.key-collision\n");
  EXPECT_EQ(found("deadlock"), "sync.deadlock\n");
  EXPECT_EQ(found("race.*"), found("race."));
  EXPECT_NE(found("race").find("race.read-write\n"), std::string::npos);
  EXPECT_NE(found("race").find("race.write-write\n"), std::string::npos);
}

TEST(Explain, RuleTellsSeveritySummaryAndTheErrorsThatNameIt) {
  const std::string text = explain_text(docs(), docs().find("memory.not-a-buffer"),
                                        {.program = "replait", .width = 200, .color = false});
  EXPECT_EQ(text.find("memory.not-a-buffer  error: "), 0u) << text;
  EXPECT_NE(text.find("- Attempting to get contents of allocation"), std::string::npos) << text;
}

TEST(Explain, RuleThatNoFindingHasYetSaysSo) {
  const std::string text = explain_text(docs(), docs().find("sync.barrier-phase"),
                                        {.program = "replait", .width = 200, .color = false});
  EXPECT_EQ(text.find("sync.barrier-phase  This version has no finding of this rule."), 0u) << text;
  EXPECT_NE(text.find("- Barrier deallocated with"), std::string::npos) << text;
}

TEST(Explain, EveryRuleOfFindingsHasASection) {
  const std::vector<DocSection> sections = parse_sections(embedded_document("findings.md"));
  EXPECT_GT(sections.size(), 5u);
  for (const DocSection& section : sections) {
    for (const std::string& title : section.titles) {
      EXPECT_EQ(found(title), title + "\n");
      EXPECT_NE(docs().section_of(title), nullptr);
    }
  }
  const std::string text = explain_text(docs(), docs().find("race.read-write"),
                                        {.program = "replait", .width = 200, .color = false});
  EXPECT_NE(text.find("What is printed. "), std::string::npos) << text;
}

TEST(Explain, WordThatIsNowhereFindsNothingAndNamesTheNearest) {
  const ExplainAnswer answer = docs().find("sync.deadlok");
  EXPECT_FALSE(answer.found());
  ASSERT_FALSE(answer.nearest.empty());
  EXPECT_EQ(answer.nearest[0], "sync.deadlock");
  EXPECT_FALSE(docs().find("").found());
  EXPECT_FALSE(docs().find(" \n ").found());
  EXPECT_FALSE(docs().find("to the of").found());
  EXPECT_FALSE(docs().find("ImportError: cannot import name 'foo' from 'bar'").found());
  EXPECT_FALSE(docs().find("\xff\xfe\x00").found());
}

TEST(Explain, TextThatManySectionsShareIsListed) {
  const ExplainAnswer answer = docs().find("Out-of-bounds");
  EXPECT_GT(answer.explanations.size(), 3u);
  const std::string text =
      explain_text(docs(), answer, {.program = "replait", .width = 100, .color = false});
  EXPECT_NE(text.find("Out-of-bounds swap of"), std::string::npos) << text;
  EXPECT_NE(text.find("to read one:  replait explain 'TEXT'"), std::string::npos) << text;
}

TEST(Explain, TextFitsTheTerminalAndHasNoMarks) {
  const ExplainAnswer answer = docs().find("Attempting to swap into");
  for (const std::size_t width : {40, 80, 100, 300}) {
    const std::string text =
        explain_text(docs(), answer, {.program = "replait", .width = width, .color = false});
    EXPECT_EQ(text.find("**"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("    $ replait record swap-not-a-buffer"), std::string::npos);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      const bool code = line.rfind("    $", 0) == 0;
      EXPECT_TRUE(code || line.size() <= std::min<std::size_t>(width, 100)) << line;
      begin = end + 1;
    }
  }
  const std::string colored =
      explain_text(docs(), answer, {.program = "replait", .width = 80, .color = true});
  EXPECT_NE(colored.find("\x1b[1mWhat it means.\x1b[0m"), std::string::npos);
}

TEST(Explain, JsonHasTheSectionAndWhatMatched) {
  const std::string query = "Attempting to swap into";
  const std::string json = explain_json(docs(), docs().find(query), query);
  EXPECT_NE(json.find("\"schema\": \"replait.explain/1\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"memory.key-collision\""), std::string::npos);
  EXPECT_NE(json.find("Attempting to swap into allocation with `key` {key}"), std::string::npos);
}

}  // namespace
}  // namespace replait
