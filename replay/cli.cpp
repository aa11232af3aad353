// The app round the commands: parses, prints help with examples first, and turns whatever went
// wrong into one line that says what was expected, what to do, and the exit code of its kind.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>

#include "replay/command.h"
#include "replay/near_names.h"

namespace replait {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitInternal = 70;

constexpr std::string_view kExamples =
    "replait record --list                     the kernels that can be recorded\n"
    "replait record NAME --seed 7 -o t.replait record one, with what it shows\n"
    "replait record -o t.replait -- python f.py  record a Python program's Pallas kernels\n"
    "replait replay t.replait                  the same events, clocks and failure again\n"
    "replait check t.replait                   its races, each with both source lines\n"
    "replait show t.replait                    what the trace holds\n"
    "replait explain 'error text'              what an error of JAX means, and what to do\n";

// CLI11's help with the examples, which it would put last, before the options.
class ExamplesFirst : public CLI::Formatter {
 public:
  ExamplesFirst() {
    column_width(34);
    label("REQUIRED", "(required)");
  }
  std::string make_description(const CLI::App* app) const override {
    std::string text = app->get_description() + "\n\nExamples:\n";
    const std::string footer = app->get_footer();
    std::string_view examples = footer;
    while (!examples.empty()) {
      const std::size_t end = std::min(examples.find('\n'), examples.size());
      text += fmt::format("  {}\n", examples.substr(0, end));
      examples.remove_prefix(std::min(end + 1, examples.size()));
    }
    return text + "\n";
  }
  std::string make_footer(const CLI::App*) const override { return ""; }
};

int exit_code(FailureKind kind) {
  switch (kind) {
    case FailureKind::kUsage:
      return kExitUsage;
    case FailureKind::kUnreadable:
      return 3;
    case FailureKind::kDiverged:
      return 4;
    case FailureKind::kNothing:
      return 5;
  }
  REPLAIT_CHECK(false, "unknown kind of failure");
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

// The user's own binary may be called anything; a path is kept as it was typed.
std::string program_name(const char* argv0) {
  const std::string typed = argv0 == nullptr ? "" : argv0;
  return typed.empty() ? "replait" : typed;
}

// `--` parts our arguments from the program's, which CLI11 must not look at.
std::vector<std::string> take_child(std::vector<std::string> arguments, CommandContext& context) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end()) return arguments;
  context.child.emplace(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return arguments;
}

// What CLI11 would only call unexpected, or not see at all.
std::optional<Failure> wrong_command(const CLI::App& app, const CommandContext& context,
                                     const std::vector<std::string>& arguments) {
  const auto is_word = [](const std::string& argument) {
    return !argument.empty() && argument.front() != '-';
  };
  const auto word = std::find_if(arguments.begin(), arguments.end(), is_word);
  if (word == arguments.end()) return std::nullopt;
  std::vector<std::string> names;
  bool known = false;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known = known || command->get_name() == *word;
    if (!command->get_group().empty()) names.push_back(command->get_name());  // Else hidden.
  }
  if (known) {
    if (!context.child || *word == "record") return std::nullopt;
    return Failure{FailureKind::kUsage,
                   fmt::format("'{}' takes no program after --, only 'record' does", *word),
                   fmt::format("see: {} {} --help", context.program, *word)};
  }
  return Failure{FailureKind::kUsage,
                 fmt::format("expected a command ({}), got '{}'", fmt::join(names, ", "), *word),
                 nearest_hint(*word, names)};
}

int run(CLI::App& app, CommandContext& context, std::vector<std::string> arguments) {
  if (const auto failure = wrong_command(app, context, arguments)) {
    context.fail(*failure);
    return context.exit_code;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back.
    app.parse(arguments);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::string help = context.program;
    for (const CLI::App* command : app.get_subcommands()) help += " " + command->get_name();
    context.fail({FailureKind::kUsage, error.what(), fmt::format("see: {} --help", help)});
  }
  return context.exit_code;
}

}  // namespace

void CommandContext::fail(const Failure& failure) {
  std::fflush(stdout);
  std::string text = "error: " + failure.message + "\n";
  std::string_view remedy = failure.remedy;
  while (!remedy.empty()) {
    const std::size_t end = std::min(remedy.find('\n'), remedy.size());
    text += fmt::format("  {}\n", remedy.substr(0, end));
    remedy.remove_prefix(std::min(end + 1, remedy.size()));
  }
  std::fputs(text.c_str(), stderr);
  exit_code = replait::exit_code(failure.kind);
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(examples);
  return command;
}

void add_common_options(CLI::App& command, CommandContext& context) {
  constexpr const char* kGroup = "Common options";
  command.set_help_flag("-h,--help", "Print this help and exit")->group(kGroup);
  command.add_flag("--json", context.json, "Print the results as JSON")->group(kGroup);
  command.add_option("--max-memory", context.max_memory_bytes, "Refuse traces that need more")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE")
      ->default_str("4GiB")
      ->group(kGroup);
  command.add_option("--error-exitcode", context.error_exit_code, "Exit code for findings")
      ->check(CLI::Range(0, 255).description(""))
      ->type_name("N")
      ->default_str("1")
      ->group(kGroup);
}

std::string whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("expected a whole number from 0 to 18446744073709551615, got '{}'", text);
}

std::string shell_quoted(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%";
  if (!path.empty() && path.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(path);
  std::string quoted = "'";
  for (const char c : path) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

int main(int argc, char** argv, const Kernels& kernels) {
  CommandContext context;
  context.kernels = kernels;
  context.program = program_name(argc > 0 ? argv[0] : nullptr);
  context.width = terminal_width();
  const char* no_color = std::getenv("NO_COLOR");
  context.color = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');

  CLI::App app("Deterministic race detection, record and replay for accelerator kernels.",
               context.program);
  app.formatter(std::make_shared<ExamplesFirst>());
  app.footer(std::string(kExamples));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "replait " REPLAIT_VERSION);
  app.require_subcommand(1);
  add_record_command(app, context);
  add_replay_command(app, context);
  add_check_command(app, context);
  add_show_command(app, context);
  add_recover_command(app, context);
  add_explain_command(app, context);
  add_completion_command(app, context);
  for (CLI::App* command : app.get_subcommands({})) add_common_options(*command, context);

  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  try {
    const int code = run(app, context, take_child(std::move(arguments), context));
    return std::fflush(stdout) == 0 ? code : kExitUsage;
  } catch (const std::bad_alloc&) {
    context.fail({FailureKind::kUnreadable, "expected to fit in memory, and there is not enough",
                  "the trace is very large or damaged: lower --max-memory to be told which part"});
    return context.exit_code;
  } catch (const std::exception& fault) {
    std::fprintf(stderr,
                 "replait: internal error: %s\nThis is a fault of replait, not of your kernel. "
                 "Please report it with this line and the trace.\n",
                 fault.what());
    return kExitInternal;
  }
}

}  // namespace replait
