#include "check/copy_check.h"

#include <fmt/format.h>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {

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
  const Describer say(*tables_);
  for (const Issued& issued : issued_) {
    const CopyRow& copy = (*tables_)[issued.copy].copy;
    if (!waited_since(copy.receive_semaphore, issued.event)) {
      add(issued, "no wait on " + say.semaphore(copy.receive_semaphore) + " came after its issue");
    } else if (copy.send_semaphore && !waited_since(*copy.send_semaphore, issued.event)) {
      add(issued, "no wait on " + say.semaphore(*copy.send_semaphore) + " came after its issue");
    } else if (!issued.complete) {
      add(issued, "it was not complete when the last thread left");
    }
  }
}

// One finding an issuing line and reason, with its copies counted.
void CopyCheck::add(const Issued& issued, const std::string& why) {
  const Describer say(*tables_);
  const auto [found, is_new] = told_.try_emplace({issued.source, why}, findings_.size());
  if (!is_new) {
    findings_[found->second].events.push_back(issued.event);
    return;
  }
  Finding finding;
  finding.rule = "sync.copy-not-waited";
  finding.severity = severity_of(finding.rule);
  finding.message = fmt::format("{} was started ({}) and never waited for", say.agent(issued.copy),
                                say.source(issued.source));
  finding.details.push_back(why);
  finding.events.push_back(issued.event);
  findings_.push_back(std::move(finding));
}

}  // namespace replait
