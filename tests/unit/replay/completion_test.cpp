// Completion scripts and man pages say what the command tree holds, no more and no less.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "replay/command_tree.h"

namespace replait {
namespace {

// A program with one of everything.
struct Toy {
  Toy() : app("Plays with toys.", "toy") {
    app.set_help_flag("-h,--help", "Print this help and exit");
    CLI::App* build = app.add_subcommand("build", "Build a toy");
    build->footer("toy build castle --color red   a red one\n");
    build->add_option("NAME", text, "Which one");
    build->add_option("-o,--output", text, "Where to: it's a file")->type_name("FILE");
    build->add_option("--color", text, "Its color")
        ->check(CLI::IsMember({"red", "green"}))
        ->type_name("red|green")
        ->default_str("red");
    build->add_option("--kind", text, "Big [or] small")->check(CLI::IsMember({"big", "small"}));
    build->add_option("--size", text, "In inches")->type_name("N")->group("Other options");
    build->add_flag("--fast", flag, "Do not wait");
    build->add_flag("--secret", flag, "Nobody sees it")->group("");
    CLI::App* burn = app.add_subcommand("burn", "Burn toys");
    burn->add_option("FILE", files, "The toys")->required();
    app.add_subcommand("hidden", "Not shown")->group("");
    program = program_info(app, "toy");
    add_known_words(program, {{"build", "NAME", {"castle", "car"}}});
  }

  const OptionInfo& option(const std::string& name) const {
    const auto& options = program.commands[0].options;
    const auto found = std::find_if(options.begin(), options.end(), [&](const OptionInfo& info) {
      return std::find(info.names.begin(), info.names.end(), name) != info.names.end();
    });
    if (found == options.end()) throw std::out_of_range(name);
    return *found;
  }

  std::string text;
  std::vector<std::string> files;
  bool flag = false;
  CLI::App app;
  ProgramInfo program;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CommandTree, HasShownCommandsInTheirOrder) {
  const Toy toy;
  ASSERT_EQ(toy.program.commands.size(), 2u);
  EXPECT_EQ(toy.program.commands[0].name, "build");
  EXPECT_EQ(toy.program.commands[1].name, "burn");
  EXPECT_EQ(toy.program.commands[1].summary, "Burn toys");
}

TEST(CommandTree, TellsFlagsFilesChoicesAndNumbersApart) {
  const Toy toy;
  EXPECT_EQ(toy.option("--fast").value, "");
  EXPECT_TRUE(toy.option("-o").takes_file);
  EXPECT_EQ(toy.option("-o").names, (std::vector<std::string>{"-o", "--output"}));
  EXPECT_EQ(toy.option("--color").choices, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(toy.option("--kind").choices, (std::vector<std::string>{"big", "small"}));
  EXPECT_EQ(toy.option("--size").value, "N");
  EXPECT_TRUE(toy.option("--size").choices.empty());
  EXPECT_FALSE(toy.option("--size").takes_file);
  EXPECT_THROW(toy.option("--secret"), std::out_of_range);
}

TEST(CommandTree, PositionalsAreFilesOrKnownWords) {
  const Toy toy;
  const OptionInfo& name = toy.program.commands[0].positionals[0];
  EXPECT_EQ(name.choices, (std::vector<std::string>{"castle", "car"}));
  EXPECT_FALSE(name.is_required);
  const OptionInfo& file = toy.program.commands[1].positionals[0];
  EXPECT_TRUE(file.takes_file);
  EXPECT_TRUE(file.is_required);
  EXPECT_TRUE(file.repeats);
}

TEST(Completion, ScriptsHaveEveryShownWordAndNoHiddenOne) {
  const Toy toy;
  for (const std::string& script :
       {bash_completion(toy.program), zsh_completion(toy.program), fish_completion(toy.program)}) {
    for (const char* word :
         {"build", "burn", "color", "red", "green", "castle", "output", "fast", "big", "help"})
      EXPECT_TRUE(has(script, word)) << word << " in\n" << script;
    EXPECT_FALSE(has(script, "hidden")) << script;
    EXPECT_FALSE(has(script, "secret")) << script;
  }
}

TEST(Completion, DescriptionsCannotBreakOutOfTheirQuotes) {
  const Toy toy;
  EXPECT_TRUE(has(zsh_completion(toy.program), "Where to\\: it'\\''s a file"));
  EXPECT_TRUE(has(zsh_completion(toy.program), "Big \\[or\\] small"));
  EXPECT_TRUE(has(fish_completion(toy.program), "'Where to: it\\'s a file'"));
}

TEST(Completion, ProgramMayHaveAnyFileName) {
  Toy toy;
  const ProgramInfo program = program_info(toy.app, "my-kernels.bin");
  EXPECT_TRUE(has(bash_completion(program), "complete -F _my_kernels_bin my-kernels.bin"));
  EXPECT_TRUE(has(zsh_completion(program), "compdef _my_kernels_bin my-kernels.bin"));
  EXPECT_TRUE(has(fish_completion(program), "complete -c my-kernels.bin "));
}

TEST(ManPages, OneForTheProgramAndOneACommand) {
  const Toy toy;
  const std::vector<ManPage> pages = man_pages(toy.program, "1.2.3");
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].name, "toy.1");
  EXPECT_EQ(pages[1].name, "toy-build.1");
  EXPECT_EQ(pages[2].name, "toy-burn.1");
  EXPECT_TRUE(has(pages[0].text, "toy 1.2.3"));
  EXPECT_TRUE(has(pages[0].text, ".BR toy\\-build (1),\n.BR toy\\-burn (1)\n")) << pages[0].text;
}

TEST(ManPages, HaveOptionsWithValuesAndDefaultsAndExamples) {
  const Toy toy;
  const std::string page = man_pages(toy.program, "1.2.3")[1].text;
  EXPECT_TRUE(has(page, "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR")) << page;
  EXPECT_TRUE(has(page, "\\fIred|green\\fR\nIts color.\nDefault: red.\n")) << page;
  EXPECT_TRUE(has(page, ".SH EXAMPLES\n.nf\ntoy build castle \\-\\-color red")) << page;
  EXPECT_TRUE(has(page, ".SH OTHER OPTIONS\n")) << page;
  EXPECT_FALSE(has(page, "secret")) << page;
}

TEST(ManPages, LineThatBeginsLikeARequestIsText) {
  CLI::App app("Toys.", "toy");
  app.add_subcommand("dot", ".so is a suffix\n'it' is a word");
  const std::string page = man_pages(program_info(app, "toy"), "1")[0].text;
  EXPECT_TRUE(has(page, "\n\\&.so is a suffix\n\\&\\(aqit\\(aq is a word")) << page;
}

}  // namespace
}  // namespace replait
