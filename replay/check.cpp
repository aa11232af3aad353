// `check FILE`: all that is wrong with a recorded run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "check/checks.h"
#include "check/rules.h"
#include "race/race_detector.h"
#include "replay/command.h"
#include "replay/near_names.h"
#include "replay/trace_file.h"
#include "report/json.h"
#include "report/report.h"
#include "report/text.h"

namespace replait {
namespace {

constexpr std::string_view kExamples =
    "replait check bug.replait                     all findings of the recorded run\n"
    "replait check bug.replait --rule 'race.*'     only races\n"
    "replait check bug.replait --launch 2 --json   one kernel call, for a program\n"
    "cat bug.replait | replait check -             from standard input\n";

struct Options {
  std::string file;
  bool this_run = false;
  bool all_schedules = false;
  std::string launch;
  std::string rule;
};

// Hands the checks the events of one launch only; races need all of them for their order.
class LaunchFilter : public EventSink {
 public:
  LaunchFilter(EventSink& next, std::optional<std::uint32_t> launch)
      : next_(next), launch_(launch) {}

  void begin(const Header& header, const Tables& tables) override {
    tables_ = &tables;
    next_.begin(header, tables);
  }
  void consume(std::span<const Applied> events) override {
    events_ += events.size();
    if (!launch_) return next_.consume(events);
    std::vector<Applied> wanted;
    for (const Applied& event : events) {
      if (is_wanted(event.agent)) wanted.push_back(event);
    }
    if (!wanted.empty() && !first_) first_ = wanted.front().index;
    if (!wanted.empty()) last_ = wanted.back().index;
    next_.consume(wanted);
  }
  void finish(const ExecutionEnd& end) override {
    kind_ = end.kind;
    ExecutionEnd part = end;
    if (launch_) {
      std::erase_if(part.pending, [&](const PendingOp& op) { return !is_wanted(op.agent); });
      std::erase_if(part.findings, [&](const Finding& finding) {
        return !finding.event || !first_ || *finding.event < *first_ || *finding.event > last_;
      });
      if (part.kind == EndKind::kDeadlocked && part.pending.empty())
        part.kind = EndKind::kAbandoned;
    }
    next_.finish(part);
  }

  std::uint64_t events() const { return events_; }
  EndKind kind() const { return kind_; }

 private:
  bool is_wanted(AgentId agent) const {
    return (*tables_)[(*tables_)[agent].launch].number == *launch_;
  }

  EventSink& next_;
  std::optional<std::uint32_t> launch_;
  const Tables* tables_ = nullptr;
  std::uint64_t events_ = 0;
  std::optional<std::uint64_t> first_;  // Events of the launch.
  std::uint64_t last_ = 0;
  EndKind kind_ = EndKind::kCut;
};

class CheckCommand {
 public:
  CheckCommand(const Options& options, CommandContext& context)
      : options_(options), context_(context) {}

  void run() {
    if (const auto failure = wrong_options()) return context_.fail(*failure);
    std::optional<std::uint32_t> launch;
    if (!options_.launch.empty()) launch = static_cast<std::uint32_t>(std::stoul(options_.launch));
    const Result<std::unique_ptr<TraceReader>> reader = open_trace(options_.file, context_);
    if (!reader.ok()) return context_.fail(reader.failure());
    RaceDetector races;
    Checks checks;
    LaunchFilter filter(checks, launch);
    EventSink* const sinks[] = {&races, &filter};
    const Result<void> fed = feed(**reader, sinks);
    if (!fed.ok()) {
      return context_.fail(with_recovery(fed.failure(), options_.file, filter.events(), context_));
    }
    const Tables& tables = (*reader)->tables();
    if (launch && *launch >= tables.launches()) return context_.fail(no_launch(tables.launches()));
    const ReportInputs inputs{(*reader)->header(), tables,         races, checks,
                              filter.kind(),       filter.events()};
    print(make_report(inputs, report_options(launch)));
    if (!(*reader)->end()) context_.fail(cut(filter.events()));
  }

 private:
  std::optional<Failure> wrong_options() const {
    if (options_.all_schedules) {
      return Failure{
          FailureKind::kUsage,
          "--all-schedules is not supported yet: this version judges the recorded run only",
          fmt::format("use: {} check {} --this-run", context_.program,
                      shell_quoted(options_.file))};
    }
    if (!options_.launch.empty() && options_.launch.size() > 9) {
      return Failure{FailureKind::kUsage,
                     fmt::format("expected the number of a launch, got {}", options_.launch), ""};
    }
    std::vector<std::string> known;
    for (const Rule& rule : rules()) {
      if (options_.rule.empty() || rule_matches(rule.id, options_.rule)) return std::nullopt;
      known.emplace_back(rule.id);
    }
    const std::string hint = nearest_hint(options_.rule, known);
    return Failure{
        FailureKind::kUsage,
        fmt::format("expected a rule or a family like 'race.*', got '{}'", options_.rule),
        hint.empty() ? fmt::format("rules: {}", fmt::join(known, ", ")) : hint};
  }

  Failure no_launch(std::size_t launches) const {
    if (launches == 0) {
      return {FailureKind::kUsage, fmt::format("{} holds no launch", options_.file), ""};
    }
    return {FailureKind::kUsage,
            fmt::format("expected a launch from 0 to {}, got {}", launches - 1, options_.launch),
            fmt::format("see them: {} show {}", context_.program, shell_quoted(options_.file))};
  }

  Failure cut(std::uint64_t events) const {
    return with_recovery(
        {FailureKind::kUnreadable,
         fmt::format("{} ended abnormally: it has no end packet; what was found above is from the "
                     "{} events that it has",
                     options_.file, events),
         ""},
        options_.file, events, context_);
  }

  ReportOptions report_options(std::optional<std::uint32_t> launch) const {
    std::string arguments = "--this-run";
    if (launch) arguments += fmt::format(" --launch {}", *launch);
    if (!options_.rule.empty()) arguments += " --rule " + shell_quoted(options_.rule);
    return {options_.file, context_.program, shell_quoted(options_.file),
            arguments,     launch,           options_.rule};
  }

  void print(const Report& report) {
    const std::string text =
        context_.json ? to_json(report)
                      : to_text(report, static_cast<std::size_t>(std::max(context_.width, 1)));
    std::fputs(text.c_str(), stdout);
    if (report.errors() != 0) context_.exit_code = context_.error_exit_code;
  }

  const Options& options_;
  CommandContext& context_;
};

}  // namespace

void add_check_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "check", "Tell all that is wrong with a recorded run",
                                  std::string(kExamples));
  command->add_option("FILE", options->file, "The trace; - for standard input")->required();
  CLI::Option* this_run = command->add_flag(
      "--this-run", options->this_run, "Judge the recorded run only: the default of this version");
  command
      ->add_flag("--all-schedules", options->all_schedules,
                 "Judge every schedule of the recorded ops: not supported yet")
      ->excludes(this_run);
  command->add_option("--launch", options->launch, "Only what concerns launch K")
      ->check(whole_number)
      ->type_name("K");
  command->add_option("--rule", options->rule, "Only this rule, or a family like 'race.*'")
      ->type_name("RULE");
  command->callback([options, &context] { CheckCommand(*options, context).run(); });
}

}  // namespace replait
