#include "sched/replay_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sched/describe.h"
#include "trace/describe.h"

namespace replait {

ReplayScheduler::ReplayScheduler(std::string name, ChoiceSource source)
    : name_(std::move(name)), source_(std::move(source)) {}

ReplayScheduler::ReplayScheduler(std::string name, std::vector<ScheduleChoice> choices)
    : name_(std::move(name)),
      source_([choices = std::move(choices),
               next = std::size_t{0}]() mutable -> std::optional<ScheduleChoice> {
        if (next == choices.size()) return std::nullopt;
        return choices[next++];
      }) {}

bool ReplayScheduler::begin(std::uint64_t) { return !std::exchange(begun_, true); }

std::optional<AgentIdentity> ReplayScheduler::pick(std::span<const Candidate> candidates) {
  if (divergence_) return std::nullopt;
  const std::optional<ScheduleChoice> choice = source_();
  const AgentIdentity* agent = choice ? std::get_if<AgentIdentity>(&*choice) : nullptr;
  if (agent != nullptr) {
    const auto found = std::lower_bound(
        candidates.begin(), candidates.end(), *agent,
        [](const Candidate& candidate, const AgentIdentity& id) { return candidate.agent < id; });
    if (found != candidates.end() && found->agent == *agent && found->enabled) {
      ++step_;
      return *agent;
    }
  }
  divergence_.emplace();
  divergence_->step = step_;
  divergence_->expected = choice;
  for (const Candidate& candidate : candidates) {
    divergence_->candidates.push_back({.agent = candidate.agent,
                                       .enabled = candidate.enabled,
                                       .op = std::string(op_word_of(*candidate.next))});
  }
  return std::nullopt;
}

std::uint32_t ReplayScheduler::choose(std::uint32_t n) {
  if (divergence_) return 0;
  const std::optional<ScheduleChoice> choice = source_();
  const std::uint32_t* chosen = choice ? std::get_if<std::uint32_t>(&*choice) : nullptr;
  if (chosen != nullptr && *chosen < n) {
    ++step_;
    return *chosen;
  }
  divergence_.emplace();
  divergence_->step = step_;
  divergence_->expected = choice;
  divergence_->choose_of = n;
  return 0;
}

namespace {

std::string expectation(const std::optional<ScheduleChoice>& expected) {
  if (!expected) return "the end of the recording";
  return std::visit(Overloaded{
                        [](const AgentIdentity& agent) { return to_string(agent) + " to run"; },
                        [](std::uint32_t chosen) { return fmt::format("choice {}", chosen); },
                    },
                    *expected);
}

std::string reason(const ScheduleDivergence& divergence) {
  if (divergence.choose_of) {
    return fmt::format("the program asks for a choice of {}", *divergence.choose_of);
  }
  if (!divergence.expected) return "the program goes on";
  const auto* agent = std::get_if<AgentIdentity>(&*divergence.expected);
  if (agent == nullptr) return "the program asks for no choice";
  for (const ScheduleDivergence::Seen& seen : divergence.candidates) {
    if (seen.agent == *agent) return fmt::format("it is blocked in its {}", seen.op);
  }
  return "it has no next op";
}

}  // namespace

Finding ScheduleDivergence::finding() const {
  Finding finding;
  finding.rule = "replay.diverged";
  finding.message = fmt::format("replay diverged at step {} of the schedule: expected {}, but {}",
                                step, expectation(expected), reason(*this));
  for (const Seen& seen : candidates) {
    finding.details.push_back(
        fmt::format("{}: {}{}", to_string(seen.agent), seen.op, seen.enabled ? "" : " (blocked)"));
  }
  return finding;
}

}  // namespace replait
