#include "check/error_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {
namespace {

constexpr std::size_t kFollowersMax = 4;
// What a recorder calls the error of a thread that failed because another had.
constexpr std::string_view kFollower = "exec.follower";

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
  const auto is_cause = [&](const Applied& event) {
    return (*tables_)[event.outcome.error].rule != kFollower;
  };
  const auto cause = std::find_if(raised_.begin(), raised_.end(), is_cause);
  const auto lead = cause == raised_.end() ? raised_.begin() : cause;
  add(*lead);
  Finding& first = findings_.back();
  const Describer say(*tables_);
  std::size_t told = 0;
  for (auto other = raised_.begin(); other != raised_.end(); ++other) {
    if (other == lead || ++told > kFollowersMax) continue;
    first.details.push_back(fmt::format(
        "also, {} raised {} ({}, event {})", say.agent(other->agent),
        text_of((*tables_)[other->outcome.error]), say.source(other->source), other->index));
    first.events.push_back(other->index);
  }
  if (told > kFollowersMax) {
    first.details.push_back(fmt::format("and {} more", told - kFollowersMax));
  }
}

}  // namespace replait
