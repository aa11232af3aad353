#include "race/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace replait {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kNamesMax = 4;
constexpr std::string_view kIts = "its ";

std::string_view noun(MemoryAccessKind kind) {
  switch (kind) {
    case MemoryAccessKind::kRead:
    case MemoryAccessKind::kCopyRead:
      return "read";
    case MemoryAccessKind::kWrite:
    case MemoryAccessKind::kCopyWrite:
      return "write";
    case MemoryAccessKind::kSwap:
      return "swap";
  }
  return {};
}

bool is_by_copy(MemoryAccessKind kind) {
  return kind == MemoryAccessKind::kCopyRead || kind == MemoryAccessKind::kCopyWrite;
}

}  // namespace

void Explainer::explain(Race& race) const {
  race.nearest.clear();
  if (is_in_flight(race)) {
    explain_in_flight(race);
  } else if (is_by_copy(race.first.kind)) {
    explain_copy_first(race);
  } else {
    explain_thread_first(race);
  }
  tell_knowing(race, learner_of(race.second));
}

// Whether the later access is a copy's that was under way when the earlier one was made or issued,
// by a thread that could have waited for it: then that wait is what is missing, not a signal back.
bool Explainer::is_in_flight(const Race& race) const {
  if (!is_by_copy(race.second.kind)) return false;
  const std::optional<SyncOp> issue = log_.issue_of(race.second.agent);
  const Learner earlier = learner_of(race.first);
  return issue && issue->event < earlier.before &&
         (issue->agent == race.first.agent || owns(earlier.thread, signalled_after(race.second)));
}

std::string Explainer::where(SourceId source, std::uint64_t event) const {
  if (to_index(source) == 0) return fmt::format("(event {})", event);
  return fmt::format("({}, event {})", say_.source(source), event);
}

std::string Explainer::its(const MemoryAccess& access) const {
  return fmt::format("its {} {}", noun(access.kind), where(access.source, access.event));
}

std::string Explainer::amount(SemaphoreId semaphore, std::uint64_t n) const {
  if (!tables_[semaphore].dma) return std::to_string(n);
  return fmt::format("{} byte{}", n, n == 1 ? "" : "s");
}

bool Explainer::owns(AgentId thread, SemaphoreId semaphore) const {
  const AgentRow& agent = tables_[thread];
  const SemaphoreRow& row = tables_[semaphore];
  return agent.device == row.device && agent.core == row.core;
}

std::string Explainer::owner(SemaphoreId semaphore) const {
  return say_.place(tables_[semaphore].device, tables_[semaphore].core);
}

Explainer::Learner Explainer::learner_of(const MemoryAccess& access) const {
  if (!is_by_copy(access.kind)) return {access.agent, access.event, its(access)};
  const AgentRow& row = tables_[access.agent];
  const std::optional<SyncOp> issue = log_.issue_of(access.agent);
  if (!issue) return {*row.issuer, access.event, "its issue of " + say_.agent(access.agent)};
  return {issue->agent, issue->event,
          fmt::format("its issue of {} {}", say_.agent(access.agent),
                      where(issue->source, issue->event))};
}

// What tells that a copy's access is done.
SemaphoreId Explainer::signalled_after(const MemoryAccess& access) const {
  const CopyRow& copy = tables_[access.agent].copy;
  const bool read = access.kind == MemoryAccessKind::kCopyRead && copy.send_semaphore.has_value();
  return read ? *copy.send_semaphore : copy.receive_semaphore;
}

std::optional<SyncOp> Explainer::signal_by(AgentId copy, SemaphoreId semaphore) const {
  for (const std::uint32_t index : log_.of_agent(copy)) {
    const SyncOp& op = log_[index];
    if (op.kind != SyncKind::kSignalPart && op.object == to_index(semaphore)) return op;
  }
  return std::nullopt;
}

std::optional<SyncOp> Explainer::last_wait(AgentId thread, SemaphoreId semaphore,
                                           std::uint64_t after, std::uint64_t before) const {
  std::optional<SyncOp> found;
  for (const std::uint32_t index : log_.of_semaphore(semaphore)) {
    const SyncOp& op = log_[index];
    if (op.event >= before) break;
    if (op.kind == SyncKind::kWait && op.agent == thread && op.event > after) found = op;
  }
  return found;
}

// Whether another copy that signals it was in flight together with this one, so that a wait cannot
// tell which of them it waited for.
bool Explainer::is_shared(AgentId copy, SemaphoreId semaphore) const {
  const std::optional<SyncOp> issue = log_.issue_of(copy);
  const std::optional<SyncOp> signal = signal_by(copy, semaphore);
  for (const std::uint32_t index : log_.of_semaphore(semaphore)) {
    const SyncOp& op = log_[index];
    if (!tables_[op.agent].is_copy() || op.agent == copy) continue;
    const std::optional<SyncOp> other = log_.issue_of(op.agent);
    if (issue && other && op.event > issue->event && (!signal || other->event < signal->event)) {
      return true;
    }
  }
  return false;
}

// "wait (ring.cpp:42, event 40) took 4096 bytes; until then recv_sem got 4096 bytes (4096 from
// copy #5) and waits took 4096, this one included".
void Explainer::tell_wait(Race& race, const SyncOp& wait) const {
  const auto semaphore = from_index<SemaphoreId>(wait.object);
  std::uint64_t got = 0;
  std::uint64_t taken = 0;
  std::vector<std::pair<AgentId, std::uint64_t>> givers;
  for (const std::uint32_t index : log_.of_semaphore(semaphore)) {
    const SyncOp& op = log_[index];
    if (op.event > wait.event) break;
    if (op.kind == SyncKind::kWait) {
      taken += op.amount;
      continue;
    }
    got += op.amount;
    if (!givers.empty() && givers.back().first == op.agent) {
      givers.back().second += op.amount;
    } else {
      givers.emplace_back(op.agent, op.amount);
    }
  }
  std::string from;
  const std::size_t skipped = givers.size() > kNamesMax ? givers.size() - kNamesMax : 0;
  if (skipped != 0) from = fmt::format("{} earlier signals", skipped);
  for (std::size_t i = skipped; i < givers.size(); ++i) {
    from += from.empty() ? "" : ", ";
    from += fmt::format("{} from {}", givers[i].second, say_.agent(givers[i].first));
  }
  race.nearest.push_back(fmt::format(
      "{}'s wait {} took {}; until then {} had got {} ({}), and waits took {}, this one included",
      say_.agent(wait.agent), where(wait.source, wait.event), amount(semaphore, wait.amount),
      say_.semaphore(semaphore), amount(semaphore, got), from.empty() ? "no signal" : from, taken));
}

void Explainer::explain_copy_first(Race& race) const {
  const Learner learner = learner_of(race.second);
  const std::string thread = say_.agent(learner.thread);
  const std::string copy = say_.agent(race.first.agent);
  const SemaphoreId semaphore = signalled_after(race.first);
  const std::string name = say_.semaphore(semaphore);
  const std::optional<SyncOp> signal = signal_by(race.first.agent, semaphore);
  const std::uint64_t signalled = signal ? signal->event : kNever;
  const bool owned = owns(learner.thread, semaphore);
  if (signalled >= learner.before) {
    race.nearest.push_back(fmt::format(
        "{} had not signalled {} before {}'s {}: {}", copy, name, thread,
        std::string_view(learner.what).substr(kIts.size()),
        signal ? fmt::format("it did at event {}", signal->event) : "in this run it never did"));
  } else if (owned) {
    race.nearest.push_back(
        fmt::format("{} signalled {} at event {}; {} did not wait on it between that and {}", copy,
                    name, signalled, thread, learner.what));
  } else {
    race.nearest.push_back(
        fmt::format("{} signalled {} at event {}; {} cannot wait on it, it is {}'s", copy, name,
                    signalled, thread, owner(semaphore)));
  }
  if (owned) {
    const auto wait = last_wait(learner.thread, semaphore, 0, std::min(signalled, learner.before));
    if (wait) tell_wait(race, *wait);
  }
  race.missing = wait_for(race.first.agent, semaphore, learner);
}

void Explainer::explain_in_flight(Race& race) const {
  const Learner learner = learner_of(race.first);
  const std::string thread = say_.agent(learner.thread);
  const std::string copy = say_.agent(race.second.agent);
  const SyncOp issue = *log_.issue_of(race.second.agent);
  const SemaphoreId semaphore = signalled_after(race.second);
  const std::string name = say_.semaphore(semaphore);
  race.nearest.push_back(fmt::format("{} issued {} {}, and it was still in flight at {}'s {}",
                                     say_.agent(issue.agent), copy,
                                     where(issue.source, issue.event), thread,
                                     std::string_view(learner.what).substr(kIts.size())));
  const bool owned = owns(learner.thread, semaphore);
  if (owned) {
    const auto wait = last_wait(learner.thread, semaphore, issue.event, learner.before);
    if (wait) {
      tell_wait(race, *wait);
    } else {
      race.nearest.push_back(fmt::format("{} did not wait on {} between the two", thread, name));
    }
  }
  race.missing = wait_for(race.second.agent, semaphore, learner);
}

// Who has to wait for the copy so that `learner` knows of it in time.
std::string Explainer::wait_for(AgentId copy, SemaphoreId semaphore, const Learner& learner) const {
  const std::string name = say_.semaphore(semaphore);
  std::string text = fmt::format("{} waits on {} for {}", owner(semaphore), name, say_.agent(copy));
  text += owns(learner.thread, semaphore)
              ? fmt::format(" before {}", learner.what)
              : fmt::format(", then signals {}, and that waits before {}",
                            say_.agent(learner.thread), learner.what);
  if (is_shared(copy, semaphore)) {
    text += fmt::format(
        "; since other copies that signal {} were in flight too, either this copy needs a "
        "semaphore "
        "of its own, or all of them have to be waited for first",
        name);
  }
  return text;
}

void Explainer::explain_thread_first(Race& race) const {
  const Learner learner = learner_of(race.second);
  tell_release(race, learner);
  tell_acquire(race, learner);
  const std::string signal = fmt::format("{} signals {} after {}, and {} waits for that before {}",
                                         say_.agent(race.first.agent), say_.agent(learner.thread),
                                         its(race.first), say_.agent(learner.thread), learner.what);
  race.missing = signal;
  if (!is_by_copy(race.second.kind)) return;
  const SemaphoreId semaphore = signalled_after(race.second);
  if (!owns(race.first.agent, semaphore)) return;
  const std::string wait = wait_for(race.second.agent, semaphore, learner_of(race.first));
  // A read is more often too early for what a copy brings than too late for what it overwrites.
  const bool read_too_early = race.first.kind == MemoryAccessKind::kRead &&
                              race.second.kind == MemoryAccessKind::kCopyWrite;
  race.missing = read_too_early ? wait + "; or " + signal : signal + "; or " + wait;
}

// The first release by the earlier access's thread after it.
void Explainer::tell_release(Race& race, const Learner& learner) const {
  const std::string thread = say_.agent(race.first.agent);
  const auto& ops = log_.of_agent(race.first.agent);
  const auto next = std::find_if(ops.begin(), ops.end(), [&](std::uint32_t index) {
    return log_[index].event > race.first.event && releases(log_[index].kind);
  });
  if (next == ops.end() || log_[*next].event > race.second.event) {
    race.nearest.push_back(
        fmt::format("{} released nothing (no signal, copy or arrival) between {} and event {}",
                    thread, its(race.first), race.second.event));
    return;
  }
  const SyncOp& op = log_[*next];
  const std::string at = where(op.source, op.event);
  const auto semaphore = from_index<SemaphoreId>(op.object);
  switch (op.kind) {
    case SyncKind::kSignal: {
      std::string text = fmt::format("after {}, {} next signals {} {}", its(race.first), thread,
                                     say_.semaphore(semaphore), at);
      if (op.event >= learner.before) {
        text += fmt::format(", which is after {}'s {}", say_.agent(learner.thread),
                            std::string_view(learner.what).substr(kIts.size()));
      } else if (owns(learner.thread, semaphore)) {
        text += fmt::format("; {} did not wait on it between that and {}",
                            say_.agent(learner.thread), learner.what);
      }
      race.nearest.push_back(text);
      return;
    }
    case SyncKind::kIssue:
      race.nearest.push_back(fmt::format("after {}, {} next issues {} {}", its(race.first), thread,
                                         say_.agent(from_index<AgentId>(op.object)), at));
      return;
    case SyncKind::kArrive:
      race.nearest.push_back(fmt::format("after {}, {} next arrives at {} {}", its(race.first),
                                         thread, say_.barrier(from_index<BarrierId>(op.object)),
                                         at));
      return;
    case SyncKind::kExit:
      race.nearest.push_back(fmt::format("after {}, {} leaves the launch {} without a signal",
                                         its(race.first), thread, at));
      return;
    case SyncKind::kSignalSend:
    case SyncKind::kSignalReceive:
    case SyncKind::kSignalPart:
    case SyncKind::kWait:
    case SyncKind::kAwait:
    case SyncKind::kEnter:
      return;  // No releases of a thread.
  }
}

// The last acquire by the later access's thread before it.
void Explainer::tell_acquire(Race& race, const Learner& learner) const {
  std::optional<SyncOp> last;
  for (const std::uint32_t index : log_.of_agent(learner.thread)) {
    if (log_[index].event >= learner.before) break;
    if (acquires(log_[index].kind)) last = log_[index];
  }
  const std::string thread = say_.agent(learner.thread);
  if (!last || last->kind == SyncKind::kEnter) {
    race.nearest.push_back(fmt::format("{} waited for nothing before {}", thread, learner.what));
    return;
  }
  const std::string at = where(last->source, last->event);
  if (last->kind == SyncKind::kAwait) {
    race.nearest.push_back(fmt::format("before {}, {} last waits for phase {} of {} {}",
                                       learner.what, thread, last->amount,
                                       say_.barrier(from_index<BarrierId>(last->object)), at));
    return;
  }
  const auto semaphore = from_index<SemaphoreId>(last->object);
  std::optional<SyncOp> signal;
  for (const std::uint32_t index : log_.of_semaphore(semaphore)) {
    const SyncOp& op = log_[index];
    if (op.event > last->event) break;
    if (op.kind == SyncKind::kSignal && op.agent == race.first.agent) signal = op;
  }
  race.nearest.push_back(fmt::format(
      "before {}, {} last waits on {} {}: {}", learner.what, thread, say_.semaphore(semaphore), at,
      signal ? fmt::format("{} signalled it {}, before {}", say_.agent(race.first.agent),
                           where(signal->source, signal->event), its(race.first))
             : fmt::format("{} had not signalled it", say_.agent(race.first.agent))));
}

void Explainer::tell_knowing(Race& race, const Learner& learner) const {
  std::string names;
  std::size_t more = 0;
  for (const AgentId thread : race.knowing) {
    if (thread == race.first.agent || thread == learner.thread) continue;
    if (names.empty()) {
      names = say_.agent(thread);
    } else {
      ++more;
    }
  }
  if (names.empty()) return;
  if (more != 0) names += fmt::format(" and {} more", more);
  race.nearest.push_back(
      fmt::format("{} knew of it by then, but {} acquired nothing that was released since", names,
                  say_.agent(learner.thread)));
}

}  // namespace replait
