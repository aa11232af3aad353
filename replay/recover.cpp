// `recover FILE`: a finished trace from the whole frames of a broken one.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "replay/command.h"
#include "replay/event_text.h"
#include "replay/json_text.h"
#include "replay/trace_file.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait recover bug.replait.partial      what a killed recording left -> bug.replait\n"
    "replait recover cut.replait -o new.replait   of a file that lost its end\n";

struct Options {
  std::string file;
  std::string output;
};

void recover(const Options& options, CommandContext& context) {
  const std::string output = options.output.empty() ? recovered_name(options.file) : options.output;
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored)) {
    return context.fail({FailureKind::kUsage, fmt::format("'{}' exists already", output),
                         "name another file with -o; nothing was changed"});
  }
  const Result<std::uint64_t> kept =
      recover_trace(options.file, output,
                    {.max_memory_bytes = context.max_memory_bytes, .accept_changed = false});
  if (!kept.ok()) return context.fail(kept.failure());
  if (context.json) {
    JsonText json;
    json.begin_object().field("schema", "replait.recover/1").field("file", options.file);
    json.field("output", output).field("events", *kept).end_object();
    std::fputs(json.text().c_str(), stdout);
    return;
  }
  const std::string text =
      fmt::format("recovered {} events into {}\n  replay it:  {} replay {}\n", grouped(*kept),
                  output, context.program, shell_quoted(output));
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_recover_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "recover", "Make a finished trace of a broken one", std::string(kExamples));
  command->add_option("FILE", options->file, "The broken trace")->required();
  command
      ->add_option("-o,--output", options->output,
                   "Where to; by default FILE without .partial, or FILE.recovered.replait")
      ->type_name("FILE");
  command->callback([options, &context] { recover(*options, context); });
}

}  // namespace replait
