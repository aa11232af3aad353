#include "report/text.h"

#include <fmt/format.h>

#include "check/rules.h"
#include "report/layout.h"

namespace replait {
namespace {

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

void print_stack(Layout& layout, const std::vector<ReportLine>& stack, std::string_view issued) {
  if (stack.empty()) layout.paragraph("    ", "at an unknown line", 6);
  bool innermost = true;
  for (const ReportLine& line : stack) {
    const std::string place = fmt::format("{}:{}{}", line.file, line.line,
                                          line.function.empty() ? "" : " in " + line.function);
    layout.paragraph(
        "    ",
        fmt::format("{} {}{}", innermost ? "at" : "called from", place, innermost ? issued : ""),
        6);
    const std::size_t start = line.text.find_first_not_of(' ');
    if (start != std::string::npos) layout.paragraph("      | ", line.text.substr(start), 8);
    innermost = false;
  }
}

void print_access(Layout& layout, const ReportAccess& access) {
  layout.paragraph(
      "  ",
      fmt::format("{} {} {} at event {}", access.agent, access.action, access.range, access.event),
      4);
  print_stack(layout, access.stack, access.by_copy ? ", where it was issued" : "");
}

void print_race(Layout& layout, const ReportRace& race, bool many_launches) {
  layout.paragraph("",
                   fmt::format("{}: {}: {} {}{}{}, in this run", to_string(race.severity),
                               race.rule, race.buffer.empty() ? "buffer" : race.buffer, race.key,
                               race.type.empty() ? "" : " " + race.type,
                               many_launches ? fmt::format(" of launch {}", race.launch) : ""),
                   2);
  print_access(layout, race.first);
  print_access(layout, race.second);
  layout.paragraph(
      "  ", "nothing orders the two; the nearest synchronisation, and why it is not enough:", 4);
  for (const std::string& line : race.nearest) layout.paragraph("    - ", line, 6);
  layout.paragraph("  ", "missing edge: " + race.missing, 4);
  if (race.pairs > 1) {
    layout.paragraph("  ",
                     fmt::format("{} more pair{} like it, of these lines and this buffer",
                                 race.pairs - 1, race.pairs == 2 ? "" : "s"),
                     4);
  }
  layout.paragraph("  ", "see it: " + race.see, 4);
  layout.blank();
}

void print_finding(Layout& layout, const ReportFinding& found) {
  const Finding& finding = found.finding;
  layout.paragraph(
      "",
      fmt::format("{}: {}: {}{}", to_string(finding.severity), finding.rule, finding.message,
                  finding.event ? fmt::format(" (event {})", *finding.event) : ""),
      2);
  for (const std::string& detail : finding.details) {
    const std::size_t start = std::min(detail.find_first_not_of(' '), detail.size());
    layout.paragraph(start == 0 ? "  " : "    - ", std::string_view(detail).substr(start),
                     start == 0 ? 4 : 6);
  }
  if (!found.stack.empty()) print_stack(layout, found.stack, "");
  layout.blank();
}

void print_findings(Layout& layout, const Report& report) {
  for (const ReportFinding& finding : report.findings) print_finding(layout, finding);
}

std::string_view outcome_words(EndKind end) {
  switch (end) {
    case EndKind::kFinished:
      return "the run finished";
    case EndKind::kFailed:
      return "the run failed";
    case EndKind::kDeadlocked:
      return "the run deadlocked";
    case EndKind::kAbandoned:
      return "the run was abandoned";
    case EndKind::kCut:
      return "the recording ended abnormally: what came after it is unknown";
  }
  return {};
}

}  // namespace

std::string to_text(const Report& report, std::size_t width) {
  Layout layout(width);
  // What ended the run comes first; what only was found at its end comes after the races.
  const bool ended_by_findings =
      report.end == EndKind::kFailed || report.end == EndKind::kDeadlocked;
  if (ended_by_findings) print_findings(layout, report);
  for (const ReportRace& race : report.races) {
    print_race(layout, race, report.launches.size() > 1);
  }
  if (!ended_by_findings) print_findings(layout, report);
  const std::string found = report.races.empty() && report.findings.empty()
                                ? "nothing found"
                                : fmt::format("{} and {}", counted(report.races.size(), "race"),
                                              counted(report.findings.size(), "other finding"));
  layout.paragraph(
      "",
      fmt::format("{}: {} in {} of {}; {}", report.file, found, counted(report.events, "event"),
                  report.program.empty() ? "a program without a name" : report.program,
                  outcome_words(report.end)),
      2);
  if (!report.other_schedules_judged) {
    layout.paragraph("", "only this run was judged; other schedules are not judged yet", 2);
  }
  layout.item("reproduce", report.reproduce);
  return layout.text();
}

}  // namespace replait
