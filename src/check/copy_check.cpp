#include "check/copy_check.h"

#include <fmt/format.h>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {
namespace {

constexpr std::size_t kCopiesMax = 4;

}  // namespace

void CopyCheck::see(const Applied& event) {
  if (raised(event)) return;
  if (const auto* op = std::get_if<IssueCopy>(&event.op)) {
    if ((*tables_)[op->copy].copy.pipeline) return;
    in_flight_[op->copy] = issued_.size();
    issued_.push_back({event.index, op->copy, event.source, false});
  }
  if (const auto* op = std::get_if<Wait>(&event.op)) last_wait_[op->semaphore] = event.index + 1;
  if (const auto* op = std::get_if<CopyStep>(&event.op)) {
    const auto found = in_flight_.find(event.agent);
    if (op->phase != CopyPhase::kSignalReceive || found == in_flight_.end()) return;
    issued_[found->second].complete = true;
    in_flight_.erase(found);
  }
}

bool CopyCheck::waited_since(SemaphoreId semaphore, std::uint64_t event) const {
  const auto found = last_wait_.find(semaphore);
  return found != last_wait_.end() && found->second > event;
}

void CopyCheck::conclude(const ExecutionEnd& end) {
  if (end.kind != EndKind::kFinished) return;
  for (const Issued& issued : issued_) {
    const CopyRow& copy = (*tables_)[issued.copy].copy;
    if (!waited_since(copy.receive_semaphore, issued.event)) {
      add(issued, Reason::kNoReceiveWait);
    } else if (copy.send_semaphore && !waited_since(*copy.send_semaphore, issued.event)) {
      add(issued, Reason::kNoSendWait);
    } else if (!issued.complete) {
      add(issued, Reason::kIncomplete);
    }
  }
  for (const auto& [of, missed] : missed_) tell(of.first, of.second, missed);
}

void CopyCheck::add(const Issued& issued, Reason reason) {
  missed_[{issued.source, reason}].push_back(issued);
}

// One finding a line that issues and a reason.
void CopyCheck::tell(SourceId source, Reason reason, const std::vector<Issued>& missed) {
  const Describer say(*tables_);
  Finding finding;
  finding.rule = "sync.copy-not-waited";
  finding.severity = severity_of(finding.rule);
  finding.message = missed.size() == 1
                        ? fmt::format("{} was started ({}) and never waited for",
                                      say.agent(missed[0].copy), say.source(source))
                        : fmt::format("{} copies were started ({}) and never waited for",
                                      missed.size(), say.source(source));
  for (const Issued& issued : missed) {
    finding.events.push_back(issued.event);
    if (finding.details.size() == kCopiesMax) continue;
    finding.details.push_back(fmt::format("{} (event {}): {}", say.agent(issued.copy), issued.event,
                                          why(issued, reason)));
  }
  if (missed.size() > kCopiesMax) {
    finding.details.push_back(fmt::format("and {} more", missed.size() - kCopiesMax));
  }
  sources_[missed[0].event] = source;
  findings_.push_back(std::move(finding));
}

std::string CopyCheck::why(const Issued& issued, Reason reason) const {
  const Describer say(*tables_);
  const CopyRow& copy = (*tables_)[issued.copy].copy;
  switch (reason) {
    case Reason::kNoReceiveWait:
      return "no wait on " + say.semaphore(copy.receive_semaphore) + " came after its issue";
    case Reason::kNoSendWait:
      return "no wait on " + say.semaphore(*copy.send_semaphore) + " came after its issue";
    case Reason::kIncomplete:
      return "it was not complete when the last thread left";
  }
  return {};
}

}  // namespace replait
