#include "check/deadlock_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/rules.h"
#include "trace/describe.h"

namespace replait {

void DeadlockCheck::see(const Applied& event) {
  if (raised(event)) return;
  const AgentRow& row = (*tables_)[event.agent];
  if (!row.is_copy()) {
    ThreadState& thread = threads_[event.agent];
    thread.last = event.index;
    thread.source = event.source;
    thread.left = std::holds_alternative<Exit>(event.op);
  }
  if (const auto* signal = std::get_if<Signal>(&event.op)) give(signal->semaphore, event);
  if (const auto* issue = std::get_if<IssueCopy>(&event.op)) issued_at_[issue->copy] = event.source;
  if (const auto* step = std::get_if<CopyStep>(&event.op); step != nullptr && row.is_copy()) {
    if (step->phase == CopyPhase::kSignalSend && row.copy.send_semaphore) {
      give(*row.copy.send_semaphore, event);
    }
    if (step->phase == CopyPhase::kSignalReceive) {
      give(row.copy.receive_semaphore, event);
      issued_at_.erase(event.agent);
    }
  }
  if (const auto* arrive = std::get_if<Arrive>(&event.op)) {
    Given& given = arrivals_[arrive->barrier][event.agent];
    ++given.times;
    given.last = event.index;
    given.source = event.source;
  }
}

void DeadlockCheck::give(SemaphoreId semaphore, const Applied& event) {
  const AgentRow& row = (*tables_)[event.agent];
  Given& given = signals_[semaphore][{row.issuer.value_or(event.agent), row.is_copy()}];
  ++given.times;
  given.last = event.index;
  const auto issued = issued_at_.find(event.agent);
  given.source = issued == issued_at_.end() ? event.source : issued->second;
}

void DeadlockCheck::conclude(const ExecutionEnd& end) {
  if (end.kind != EndKind::kDeadlocked) return;
  Finding finding;
  finding.rule = "sync.deadlock";
  finding.severity = severity_of(finding.rule);
  const std::size_t waiting = end.pending.size();
  const auto others = static_cast<std::size_t>(
      std::count_if(threads_.begin(), threads_.end(), [](const auto& t) { return t.second.left; }));
  finding.message =
      fmt::format("no thread can go on: {} wait{}, {} ha{} left, no copy is in flight", waiting,
                  waiting == 1 ? "s" : "", others, others == 1 ? "s" : "ve");
  for (const PendingOp& pending : end.pending) blocked(pending, end, finding);
  findings_.push_back(std::move(finding));
}

void DeadlockCheck::blocked(const PendingOp& pending, const ExecutionEnd& end,
                            Finding& finding) const {
  const Describer say(*tables_);
  const std::uint64_t lacks = pending.needs > pending.has ? pending.needs - pending.has : 0;
  finding.details.push_back(fmt::format("{} ({}): {}; it has {}, needs {}, lacks {}",
                                        say.agent(pending.agent), say.source_line(pending.source),
                                        say.op(pending.op), pending.has, pending.needs, lacks));
  const auto thread = threads_.find(pending.agent);
  if (thread != threads_.end()) finding.events.push_back(thread->second.last);
  if (const auto* wait = std::get_if<Wait>(&pending.op)) {
    tell_signals(wait->semaphore, end, finding);
  }
  if (const auto* await = std::get_if<AwaitBarrier>(&pending.op)) {
    tell_arrivals(await->barrier, end, finding);
  }
}

void DeadlockCheck::tell_signals(SemaphoreId semaphore, const ExecutionEnd& end,
                                 Finding& finding) const {
  const Describer say(*tables_);
  const auto found = signals_.find(semaphore);
  if (found == signals_.end()) {
    finding.details.push_back(
        fmt::format("  nobody signalled {} in this run", say.semaphore(semaphore)));
    return;
  }
  for (const auto& [giver, given] : found->second) {
    const auto& [thread, by_copies] = giver;
    finding.details.push_back(
        fmt::format("  signalled {} time{} by {}{} (last by {}, event {}); {}", given.times,
                    given.times == 1 ? "" : "s", by_copies ? "copies of " : "", say.agent(thread),
                    say.source(given.source), given.last, now(thread, end)));
  }
}

void DeadlockCheck::tell_arrivals(BarrierId barrier, const ExecutionEnd& end,
                                  Finding& finding) const {
  const Describer say(*tables_);
  const auto arrived = arrivals_.find(barrier);
  for (const auto& [thread, state] : threads_) {
    if ((*tables_)[thread].launch != (*tables_)[barrier].launch) continue;
    std::uint64_t times = 0;
    if (arrived != arrivals_.end()) {
      const auto given = arrived->second.find(thread);
      if (given != arrived->second.end()) times = given->second.times;
    }
    finding.details.push_back(fmt::format("  {} arrived {} time{}; {}", say.agent(thread), times,
                                          times == 1 ? "" : "s", now(thread, end)));
  }
}

// Where a thread is at the end.
std::string DeadlockCheck::now(AgentId thread, const ExecutionEnd& end) const {
  const Describer say(*tables_);
  for (const PendingOp& pending : end.pending) {
    if (pending.agent != thread) continue;
    return fmt::format("it now waits at {}", say.source(pending.source));
  }
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return "it did nothing in this run";
  return found->second.left ? "it has left the launch"
                            : fmt::format("its last event is {}", found->second.last);
}

}  // namespace replait
