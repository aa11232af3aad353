// The little Markdown that our documents use, cut into sections and shown on a terminal.
#include "replay/doc_sections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace replait {
namespace {

constexpr std::string_view kDocument =
    "# Title\n\nNo section yet.\n\n"
    "## First group\n\nIts introduction.\n\n"
    "### ``Text with `marks` and {blanks}.``\n### `` `mark` first``\n\n"
    "A **bold** word, a *stressed* one and `code ** with * stars`\nover two lines.\n\n"
    "- an item that is longer\n  than a line\n- 2 * 3 * 4\n\n"
    "```console\n$ replait show   t.replait\n```\n\n"
    "| a | table |\n\n"
    "Rule: `race.read-write`, `sync.deadlock`.\n\n"
    "## Second group\n### `rule.id`\nShort.\n";

TEST(DocSections, StackedHeadingsShareTheTextBelow) {
  const std::vector<DocSection> sections = parse_sections(kDocument);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].group, "First group");
  EXPECT_EQ(sections[0].titles,
            (std::vector<std::string>{"Text with `marks` and {blanks}.", "`mark` first"}));
  EXPECT_EQ(sections[0].rules, (std::vector<std::string>{"race.read-write", "sync.deadlock"}));
  EXPECT_EQ(sections[1].group, "Second group");
  EXPECT_EQ(sections[1].titles, std::vector<std::string>{"rule.id"});
  EXPECT_EQ(sections[1].lines, std::vector<std::string>{"Short."});
}

TEST(DocSections, TerminalGetsWrappedTextAndCodeAsItIs) {
  EXPECT_EQ(section_text(parse_sections(kDocument)[0], 28, false),
            "A bold word, a stressed one\n"
            "and `code ** with * stars`\n"
            "over two lines.\n\n"
            "- an item that is longer\n"
            "  than a line\n"
            "- 2 * 3 * 4\n\n"
            "    $ replait show   t.replait\n\n"
            "| a | table |\n\n"
            "Rule: `race.read-write`,\n"
            "`sync.deadlock`.\n");
}

TEST(DocSections, ColorMakesBoldAndTakesNoColumns) {
  const std::string text = section_text(parse_sections(kDocument)[0], 28, true);
  EXPECT_EQ(text.substr(0, text.find('\n')), "A \x1b[1mbold\x1b[0m word, a stressed one");
}

TEST(DocSections, WordThatIsLongerThanALineStaysWhole) {
  EXPECT_EQ(wrapped("a verylongword b", "- ", "  ", 6), "- a\n  verylongword\n  b\n");
  EXPECT_EQ(wrapped("", "- ", "  ", 6), "- \n");
}

TEST(DocSections, DocumentsAreBuiltIn) {
  EXPECT_EQ(embedded_document("errors.md").substr(0, 14), "# JAX's errors");
  EXPECT_EQ(embedded_document("no-such.md"), "");
}

}  // namespace
}  // namespace replait
