#include "check/checks.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "check/rules.h"

namespace replait {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void Checks::begin(const Header& header, const Tables& tables) {
  for (Check* check : all()) check->begin(header, tables);
}

void Checks::consume(std::span<const Applied> events) {
  for (Check* check : all()) check->consume(events);
}

void Checks::finish(const ExecutionEnd& end) {
  findings_.clear();
  for (Check* check : all()) {
    check->finish(end);
    findings_.insert(findings_.end(), check->findings().begin(), check->findings().end());
    sources_.insert(check->sources().begin(), check->sources().end());
  }
  const std::size_t own = findings_.size();
  for (const Finding& recorded : end.findings) {
    const bool known = std::any_of(
        findings_.begin(), findings_.begin() + static_cast<std::ptrdiff_t>(own),
        [&](const Finding& f) { return f.rule == recorded.rule && f.event == recorded.event; });
    if (known) continue;
    findings_.push_back(recorded);
    if (const Rule* rule = find_rule(recorded.rule)) findings_.back().severity = rule->severity;
  }
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, a.event.value_or(kEnd)) <
           std::tuple(b.severity, b.event.value_or(kEnd));
  });
}

SourceId Checks::source_of(std::uint64_t event) const {
  const auto found = sources_.find(event);
  return found == sources_.end() ? SourceId{} : found->second;
}

}  // namespace replait
