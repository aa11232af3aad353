// Matching of an error text with templates: whole, in part, by words.
#include "replay/text_match.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace replait {
namespace {

using Indices = std::vector<std::size_t>;

const std::vector<std::string> kTemplates = {
    "Buffer {id} has shape {shape}.",                // 0
    "Buffer {id} has shape {shape} but wanted {n}",  // 1
    "Failed on {thread} with:",                      // 2
    "KeyError: {id}",                                // 3
    "KeyError: ({space}, {id})",                     // 4
    "{name}: cannot be used here",                   // 5
    "Semaphore {id} is below zero",                  // 6
};

TextMatches match(const std::string& text) { return TextMatcher(kTemplates).match(text); }

TEST(TextMatch, WholeTemplateMatchesWhateverStandsInItsBlanks) {
  const TextMatches matches = match("ValueError: buffer 12 has shape (3, 4).");
  EXPECT_EQ(matches.kind, MatchKind::kWhole);
  EXPECT_EQ(matches.best, Indices{0});
}

TEST(TextMatch, LongerTemplateWinsWhereBothMatch) {
  EXPECT_EQ(match("Buffer 12 has shape (3, 4) but wanted 5").best, Indices{1});
}

TEST(TextMatch, CauseWinsOverTheMessageThatHoldsIt) {
  EXPECT_EQ(match("Failed on (0, 1) with:\n\nBuffer 7 has shape (3,).").best, Indices{0});
}

TEST(TextMatch, NumberOfValuesTellsTemplatesApart) {
  EXPECT_EQ(match("KeyError: 12").best, Indices{3});
  EXPECT_EQ(match("KeyError: ('vmem', 12)").best, Indices{4});
  EXPECT_EQ(match("KeyError: 12\nand other lines that do not count").best, Indices{3});
  EXPECT_EQ(match("KeyError").best, (Indices{3, 4}));
}

TEST(TextMatch, BlankAtTheBeginningMayBeEmpty) {
  EXPECT_EQ(match("cannot be used here").best, Indices{5});
  EXPECT_EQ(match("hbm_ref: cannot be used here").best, Indices{5});
}

TEST(TextMatch, PieceOfATemplateMatchesAllThatHaveIt) {
  const TextMatches matches = match("has shape");
  EXPECT_EQ(matches.kind, MatchKind::kPart);
  EXPECT_EQ(matches.best, (Indices{0, 1}));
  EXPECT_EQ(match("12 has shape (3, 4) but").best, Indices{1});
}

TEST(TextMatch, WordsInAnyOrderMatchWhereMostAreThere) {
  const TextMatches matches = match("zero below semaphore");
  EXPECT_EQ(matches.kind, MatchKind::kWords);
  EXPECT_EQ(matches.best, Indices{6});
}

TEST(TextMatch, TooFewWordsMatchNothingButNameTheNearest) {
  const TextMatches matches = match("semaphore overflow at launch boundary");
  EXPECT_EQ(matches.kind, MatchKind::kNone);
  EXPECT_TRUE(matches.best.empty());
  EXPECT_EQ(matches.nearest, Indices{6});
}

TEST(TextMatch, NothingInCommonHasNoNearest) {
  const TextMatches matches = match("something else");
  EXPECT_EQ(matches.kind, MatchKind::kNone);
  EXPECT_TRUE(matches.nearest.empty());
  EXPECT_EQ(match("").kind, MatchKind::kNone);
  EXPECT_EQ(match("... !!").kind, MatchKind::kNone);
}

TEST(TextMatch, LongTextIsSearchedFromItsEnd) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "word " + std::to_string(i) + "\n";
  EXPECT_EQ(match("Semaphore 1 is below zero\n" + text).best, Indices{});
  EXPECT_EQ(match(text + "Semaphore 1 is below zero").best, Indices{6});
}

}  // namespace
}  // namespace replait
