#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {
namespace {

// Deeper than any stack that a person reads; a trace's may be circular.
constexpr std::size_t kStackMax = 32;

std::vector<ReportLine> stack_of(const Tables& tables, SourceId source) {
  std::vector<ReportLine> stack;
  while (to_index(source) != 0 && stack.size() < kStackMax) {
    const SourceRow& row = tables[source];
    stack.push_back({printable(row.file), row.line, row.column, printable(row.function),
                     printable(tables.text(source).line_text)});
    source = row.caller;
  }
  return stack;
}

std::string_view action_of(MemoryAccessKind kind) {
  switch (kind) {
    case MemoryAccessKind::kRead:
    case MemoryAccessKind::kCopyRead:
      return "reads";
    case MemoryAccessKind::kWrite:
    case MemoryAccessKind::kCopyWrite:
      return "writes";
    case MemoryAccessKind::kSwap:
      return "swaps";
  }
  return {};
}

ReportAccess access_of(const Tables& tables, const MemoryAccess& access) {
  const Describer say(tables);
  return {access.event,
          say.agent(access.agent),
          std::string(action_of(access.kind)),
          say.range(access.range),
          tables[access.agent].is_copy(),
          stack_of(tables, access.source)};
}

ReportRace race_of(const Tables& tables, const Race& race, const ReportOptions& options) {
  const Describer say(tables);
  ReportRace result;
  result.rule = rule_of(race.kind);
  result.severity = severity_of(result.rule);
  result.launch = tables[tables[race.key].launch].number;
  if (race.buffer) {
    result.buffer = printable(tables[*race.buffer].name);
    result.type = say.type(*race.buffer);
  }
  result.key = say.key(race.key);
  result.first = access_of(tables, race.first);
  result.second = access_of(tables, race.second);
  result.pairs = race.pairs;
  result.nearest = race.nearest;
  result.missing = race.missing;
  result.see = fmt::format("{} replay {} --until {}", options.command, options.file_quoted,
                           race.second.event);
  return result;
}

ReportFinding finding_of(const Tables& tables, const Checks& checks, const Finding& finding) {
  ReportFinding result{finding, {}};
  if (finding.event) result.stack = stack_of(tables, checks.source_of(*finding.event));
  result.finding.rule = printable(finding.rule);
  result.finding.message = printable(finding.message);
  for (std::string& detail : result.finding.details) detail = printable(detail);
  return result;
}

bool wanted(std::string_view rule, const ReportOptions& options) {
  return options.rule.empty() || rule_matches(rule, options.rule);
}

}  // namespace

std::string_view to_string(EndKind kind) {
  switch (kind) {
    case EndKind::kFinished:
      return "finished";
    case EndKind::kFailed:
      return "failed";
    case EndKind::kDeadlocked:
      return "deadlocked";
    case EndKind::kAbandoned:
      return "abandoned";
    case EndKind::kCut:
      return "cut";
  }
  return {};
}

std::size_t Report::errors() const {
  const auto races_count = std::count_if(races.begin(), races.end(), [](const ReportRace& race) {
    return race.severity == Severity::kError;
  });
  const auto findings_count =
      std::count_if(findings.begin(), findings.end(),
                    [](const ReportFinding& f) { return f.finding.severity == Severity::kError; });
  return static_cast<std::size_t>(races_count + findings_count);
}

Report make_report(const ReportInputs& inputs, const ReportOptions& options) {
  const Tables& tables = inputs.tables;
  Report report;
  report.file = printable(options.file);
  report.program = printable(inputs.header.program);
  report.scheduler = printable(inputs.header.scheduler);
  report.seed = inputs.header.seed;
  report.jax_version = printable(inputs.header.jax_version);
  for (std::size_t i = 0; i < tables.launches(); ++i) {
    const LaunchRow& row = tables[from_index<LaunchId>(i)];
    report.launches.push_back(
        {row.number, printable(row.kernel), row.devices, row.cores_per_device});
  }
  report.events = inputs.events;
  report.end = inputs.end;
  for (const Race& race : inputs.races.races()) {
    ReportRace told = race_of(tables, race, options);
    if (options.launch && told.launch != *options.launch) continue;
    if (wanted(told.rule, options)) report.races.push_back(std::move(told));
  }
  for (const Finding& finding : inputs.checks.findings()) {
    if (wanted(finding.rule, options))
      report.findings.push_back(finding_of(tables, inputs.checks, finding));
  }
  report.reproduce = fmt::format("{} check {}{}", options.command, options.file_quoted,
                                 options.arguments.empty() ? "" : " " + options.arguments);
  return report;
}

}  // namespace replait
