#include "check/error_check.h"

#include <fmt/format.h>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {
namespace {

constexpr std::size_t kFollowersMax = 4;

std::string text_of(const ErrorRow& error) {
  const std::string text = printable(error.text);
  if (error.type.empty()) return text;
  return text.empty() ? printable(error.type) : printable(error.type) + ": " + text;
}

}  // namespace

void ErrorCheck::see(const Applied& event) {
  if (to_index(event.outcome.error) == 0) return;
  if (raised(event)) {
    raised_.push_back(event);
  } else {
    add(event);
  }
}

void ErrorCheck::add(const Applied& event) {
  const ErrorRow& error = (*tables_)[event.outcome.error];
  const Describer say(*tables_);
  Finding finding;
  finding.rule = error.rule.empty() ? "exec.exception" : printable(error.rule);
  finding.severity = severity_of(finding.rule);
  finding.message = text_of(error);
  finding.details.push_back(fmt::format("{}: {} ({})", say.agent(event.agent), say.op(event.op),
                                        say.source(event.source)));
  finding.events.push_back(event.index);
  finding.event = event.index;
  sources_[event.index] = event.source;
  findings_.push_back(std::move(finding));
}

void ErrorCheck::conclude(const ExecutionEnd&) {
  if (raised_.empty()) return;
  add(raised_.front());
  Finding& first = findings_.back();
  const Describer say(*tables_);
  for (std::size_t i = 1; i < raised_.size() && i <= kFollowersMax; ++i) {
    const Applied& event = raised_[i];
    first.details.push_back(fmt::format(
        "after it, {} raised {} ({}, event {})", say.agent(event.agent),
        text_of((*tables_)[event.outcome.error]), say.source(event.source), event.index));
    first.events.push_back(event.index);
  }
  if (raised_.size() > kFollowersMax + 1) {
    first.details.push_back(fmt::format("and {} more", raised_.size() - kFollowersMax - 1));
  }
}

}  // namespace replait
