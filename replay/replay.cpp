// `replay FILE`: applies the recording again, and says whether it came out the same.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "replay/command.h"
#include "replay/event_text.h"
#include "replay/json_text.h"
#include "replay/replayer.h"
#include "replay/run_summary.h"
#include "replay/state_text.h"
#include "replay/trace_file.h"
#include "replay/trace_program.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait replay bug.replait               the same events, clocks and failure again\n"
    "replait replay bug.replait --until 412   where every thread stands before event 412\n"
    "replait replay bug.replait --threads     also as one program a thread, on fibers\n"
    "cat bug.replait | replait replay -       from standard input\n";

struct Options {
  std::string file;
  std::string until;
  bool twice = false;
  bool threads = false;
};

std::string_view level_words(ValueLevel level) {
  switch (level) {
    case ValueLevel::kNone:
      return "no values to compare, none were recorded";
    case ValueLevel::kHash:
      return "values not recomputed, only their hashes were recorded";
    case ValueLevel::kFull:
      return "every value as recorded";
  }
  REPLAIT_CHECK(false, "unknown level of values");
}

// One pass over the file, kept for printing.
struct Pass {
  std::unique_ptr<TraceReader> reader;
  RunSummary summary;
  LastOps last;
  std::unique_ptr<Replayer> replayer;
};

class ReplayCommand {
 public:
  ReplayCommand(const Options& options, CommandContext& context)
      : options_(options), context_(context) {}

  void run() {
    if ((options_.twice || options_.threads) && options_.file == "-") {
      return context_.fail({FailureKind::kUsage,
                            "--twice and --threads read the trace again, and standard input can be "
                            "read once",
                            "save it to a file first"});
    }
    const std::unique_ptr<Pass> pass = once();
    if (pass == nullptr) return;
    if (pass->replayer->stopped()) return print_state(*pass);
    if (options_.twice && !same_again(*pass)) return;
    if (options_.threads && !same_on_fibers()) return;
    print(*pass);
  }

 private:
  // nullptr: failed or diverged, and said so.
  std::unique_ptr<Pass> once() {
    auto pass = std::make_unique<Pass>();
    Result<std::unique_ptr<TraceReader>> reader = open_for_replay(options_.file, context_);
    if (!reader.ok()) return report(reader.failure());
    pass->reader = std::move(*reader);
    ReplayOptions options{.until = std::nullopt, .file = options_.file};
    if (!options_.until.empty()) options.until = std::stoull(options_.until);
    std::vector<EventSink*> sinks{&pass->summary};
    if (options.until) sinks.push_back(&pass->last);
    pass->replayer = std::make_unique<Replayer>(*pass->reader, options, sinks);
    const Result<void> done = pass->replayer->run();
    if (!done.ok())
      return report(
          with_recovery(done.failure(), options_.file, pass->replayer->events(), context_));
    if (const auto& divergence = pass->replayer->divergence())
      return report_divergence(*divergence);
    return pass;
  }

  std::unique_ptr<Pass> report(const Failure& failure) {
    context_.fail(failure);
    return nullptr;
  }

  std::unique_ptr<Pass> report_divergence(const Divergence& divergence) {
    context_.exit_code = 4;
    const std::string text = divergence_text(divergence, options_.file, context_.program);
    std::fputs(text.c_str(), stderr);
    if (context_.json) {
      JsonText json;
      begin_json(json, "diverged", divergence.event);
      json.key("divergence").begin_object();
      json.field("event", divergence.event).field("expected", divergence.expected);
      json.field("got", divergence.got).field("cause", divergence.cause).end_object();
      std::fputs(json.end_object().text().c_str(), stdout);
    }
    return nullptr;
  }

  void begin_json(JsonText& json, std::string_view verdict, std::uint64_t events) const {
    json.begin_object().field("schema", "replait.replay/1").field("file", options_.file);
    json.field("verdict", verdict).field("events", events);
  }

  void print_state(Pass& pass) {
    const Result<std::string> state = state_text(*pass.replayer, pass.last, *pass.reader);
    if (!state.ok()) return context_.fail(state.failure());
    if (!context_.json) {
      std::fputs(state->c_str(), stdout);
      return;
    }
    JsonText json;
    begin_json(json, "stopped", pass.replayer->events());
    std::fputs(json.field("state", *state).end_object().text().c_str(), stdout);
  }

  bool same_again(const Pass& first) {
    const std::unique_ptr<Pass> second = once();
    if (second == nullptr) return false;
    const bool same =
        second->summary.text() == first.summary.text() &&
        second->replayer->clocks().clock_hash() == first.replayer->clocks().clock_hash();
    if (!same) {
      report_divergence({.event = first.replayer->events(),
                         .expected = first.summary.text(),
                         .got = second->summary.text(),
                         .cause = "two replays of one file differ: please report it"});
    }
    return same;
  }

  bool same_on_fibers() {
    const Result<std::unique_ptr<TraceReader>> reader = open_trace(options_.file, context_);
    if (!reader.ok()) return report(reader.failure()) != nullptr;
    const Result<TracePrograms> programs = cut_trace(**reader, context_.max_memory_bytes);
    if (!programs.ok()) return report(programs.failure()) != nullptr;
    const Result<std::optional<Divergence>> divergence = replay_programs(*programs, **reader);
    if (!divergence.ok()) return report(divergence.failure()) != nullptr;
    if (*divergence) return report_divergence(**divergence) != nullptr;
    threads_ = programs->programs.size();
    return true;
  }

  void print(const Pass& pass) const {
    const TraceReader& reader = *pass.reader;
    const RunId run_id = reader.end()->run_id;
    if (context_.json) {
      JsonText json;
      begin_json(json, "reproduced", pass.summary.events());
      json.field("run_id", to_string(run_id));
      pass.summary.add_to(json);
      std::fputs(json.end_object().text().c_str(), stdout);
      return;
    }
    const std::string text = fmt::format(
        "reproduced: {}"
        "  {}: order, outcomes and clocks as recorded; {}\n"
        "  run id {}\n"
        "  races are not judged here: {} check {}\n",
        pass.summary.text(), pass.summary.counted(), level_words(reader.header().values),
        to_string(run_id), context_.program, shell_quoted(options_.file));
    std::fputs(text.c_str(), stdout);
    if (options_.twice) std::fputs("  twice: both replays are the same\n", stdout);
    if (options_.threads) {
      const std::string programs =
          fmt::format("  as {} thread program{} on fibers: the same events\n", threads_,
                      threads_ == 1 ? "" : "s");
      std::fputs(programs.c_str(), stdout);
    }
  }

  const Options& options_;
  CommandContext& context_;
  std::size_t threads_ = 0;  // Programs that were run on fibers.
};

}  // namespace

void add_replay_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "replay", "Apply a recording again and reproduce its failure", std::string(kExamples));
  command->add_option("FILE", options->file, "The trace; - for standard input")->required();
  command->add_option("--until", options->until, "Stop before event N and print the state there")
      ->check(whole_number)
      ->type_name("N");
  command->add_flag("--twice", options->twice, "Replay twice, and compare the two");
  command->add_flag("--threads", options->threads,
                    "Also cut it into one program a thread and run those on fibers");
  command->callback([options, &context] { ReplayCommand(*options, context).run(); });
}

}  // namespace replait
