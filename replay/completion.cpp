// `completion SHELL` prints a completion script; `man-pages DIR`, which is hidden, writes the man
// pages. Both read the app that they are a part of.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "check/rules.h"
#include "replay/command.h"
#include "replay/command_tree.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "source <(replait completion bash)                            bash, for this session\n"
    "replait completion zsh > ~/.zfunc/_replait                   zsh, in a folder of $fpath\n"
    "replait completion fish > ~/.config/fish/completions/replait.fish\n";

struct PagesOptions {
  std::string folder;
  std::vector<std::string> names;
};

ProgramInfo program_of(const CLI::App& app, const CommandContext& context) {
  ProgramInfo program =
      program_info(app, std::filesystem::path(context.program).filename().string());
  std::vector<std::string> kernels;
  for (const Kernel& kernel : context.kernels) kernels.push_back(kernel.name);
  std::vector<std::string> ids;
  for (const Rule& rule : rules()) ids.emplace_back(rule.id);
  add_known_words(program, {{"record", "NAME", kernels},
                            {"record", "--scheduler", {"round-robin", "random", "pct"}},
                            {"check", "--rule", ids},
                            {"explain", "TEXT", ids}});
  return program;
}

void print_completion(const std::string& shell, const CLI::App& app, CommandContext& context) {
  const ProgramInfo program = program_of(app, context);
  const std::string script = shell == "bash"  ? bash_completion(program)
                             : shell == "zsh" ? zsh_completion(program)
                                              : fish_completion(program);
  std::fputs(script.c_str(), stdout);
}

// The build names the pages that it installs; one that was added or left must be named there.
void write_pages(const PagesOptions& options, const CLI::App& app, CommandContext& context) {
  const std::vector<ManPage> pages = man_pages(program_of(app, context), REPLAIT_VERSION);
  std::vector<std::string> names;
  for (const ManPage& page : pages) names.push_back(page.name);
  if (!options.names.empty() && options.names != names) {
    return context.fail({FailureKind::kUsage,
                         fmt::format("expected the pages {}, got {}", fmt::join(names, " "),
                                     fmt::join(options.names, " ")),
                         "replay/meson.build lists them: bring it up to date"});
  }
  for (const ManPage& page : pages) {
    const std::filesystem::path path = std::filesystem::path(options.folder) / page.name;
    std::ofstream file(path, std::ios::binary);
    file << page.text;
    if (!file.flush()) {
      return context.fail({FailureKind::kUsage, fmt::format("cannot write '{}'", path.string()),
                           "name a folder that exists and can be written"});
    }
  }
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(app, "completion", "Print a completion script for a shell",
                                  std::string(kExamples));
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &context] { print_completion(*shell, app, context); });

  auto options = std::make_shared<PagesOptions>();
  CLI::App* pages = add_command(app, "man-pages", "Write the man pages into a folder", "");
  pages->group("");  // Hidden: the build uses it.
  pages->add_option("DIR", options->folder, "Where to")->required();
  pages->add_option("PAGE", options->names, "The pages that are expected");
  pages->callback([options, &app, &context] { write_pages(*options, app, context); });
}

}  // namespace replait
