// `record`: a C++ kernel under a scheduler, or a Python program with its Pallas kernels.
#include "replay/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "replay/command.h"
#include "replay/json_text.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait record --list                          the kernels by name\n"
    "replait record ring-all-gather --seed 7 -o t.replait   one of them, one schedule\n"
    "replait record NAME --scheduler random --values full   with every value kept\n"
    "replait record -o bug.replait -- python train_step.py  a Python program's Pallas kernels\n";

void list_kernels(const CommandContext& context) {
  if (context.json) {
    JsonText json;
    json.begin_object().key("kernels").begin_array();
    for (const Kernel& kernel : context.kernels) {
      json.begin_object().field("name", kernel.name).field("summary", kernel.summary);
      json.field("expected", kernel.expected).end_object();
    }
    std::fputs(json.end_array().end_object().text().c_str(), stdout);
    return;
  }
  std::size_t width = 0;
  for (const Kernel& kernel : context.kernels) width = std::max(width, kernel.name.size());
  for (const Kernel& kernel : context.kernels) {
    const std::string line = fmt::format("{:<{}}  {}\n{:<{}}    shows: {}\n", kernel.name, width,
                                         kernel.summary, "", width, kernel.expected);
    std::fputs(line.c_str(), stdout);
  }
}

std::optional<Failure> conflict(const RecordOptions& options, const CLI::App& command,
                                const CommandContext& context) {
  const std::string help = fmt::format("see: {} record --help", context.program);
  const auto usage = [&](std::string message) {
    return Failure{FailureKind::kUsage, std::move(message), help};
  };
  if (options.list) {
    if (!options.kernel.empty() || context.child)
      return usage("--list takes neither a kernel nor a program");
    return std::nullopt;
  }
  if (!options.kernel.empty() && context.child)
    return usage(fmt::format("expected a kernel or a program after --, got both: '{}' and '{}'",
                             options.kernel, context.child->empty() ? "" : context.child->front()));
  if (options.kernel.empty() && !context.child)
    return usage("expected the name of a kernel, or -- and a Python program");
  if (!context.child) return std::nullopt;
  if (context.child->empty()) return usage("expected a program after --, got nothing");
  for (const char* name : {"--seed", "--scheduler", "--debug-clocks", "--jax-version"}) {
    if (command.count(name) > 0)
      return usage(fmt::format(
          "{} is for C++ kernels: the threads of a recorded program run free in this version",
          name));
  }
  if (options.output == "-") return usage("expected a file for -o: a program owns standard output");
  return std::nullopt;
}

}  // namespace

Result<std::string> output_path(const RecordOptions& options, const std::string& stem) {
  if (!options.output.empty()) return options.output;
  const std::filesystem::path folder = ".replait";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Failure{FailureKind::kUsage,
                   fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()),
                   "name a file that can be written with -o"};
  }
  return (folder / (stem + ".replait")).string();
}

void add_record_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* command =
      add_command(app, "record", "Record a C++ kernel, or a Python program's Pallas kernels",
                  std::string(kExamples));
  command->add_option("NAME", options->kernel, "The kernel; --list names them");
  command->add_flag("--list", options->list, "Name the kernels, and what each shows");
  command
      ->add_option("-o,--output", options->output,
                   "The trace; - for standard output; by default .replait/NAME-seedN.replait")
      ->type_name("FILE");
  command
      ->add_option("--scheduler", options->scheduler,
                   "round-robin, random, pct, or pct:depth=3,steps=10000")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the scheduler")
      ->check(whole_number)
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--values", options->values, "Keep none, their hashes, or all of their bytes")
      ->check(CLI::IsMember({"none", "hash", "full"}).description(""))
      ->type_name("none|hash|full")
      ->capture_default_str();
  command->add_option("--jax-version", options->jax_version, "Whose rules and error texts apply")
      ->type_name("V");
  command->add_flag("--no-environment", options->no_environment,
                    "Leave versions and system out: equal runs give equal files");
  command->add_flag("--debug-clocks", options->debug_clocks,
                    "Store the clocks' hash after each event, not each chunk");
  command->callback([options, command, &context] {
    if (const auto failure = conflict(*options, *command, context)) return context.fail(*failure);
    if (options->list) return list_kernels(context);
    context.child ? record_program(*options, context) : record_kernel(*options, context);
  });
}

}  // namespace replait
