#include "sched/twice_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sched/describe.h"
#include "trace/describe.h"

namespace replait {

namespace {

std::uint64_t fingerprint(std::span<const Candidate> candidates) {
  std::uint64_t all = 0;
  for (const Candidate& candidate : candidates) {
    const AgentIdentity& agent = candidate.agent;
    all = mix(all, agent.launch);
    all = mix(all, agent.device);
    all = mix(all, agent.core);
    all = mix(all, agent.is_copy ? agent.issue + 1 : 0);
    all = mix(all, candidate.enabled ? 1 : 0);
    all = mix(all, op_fingerprint(*candidate.next));
  }
  return all;
}

std::string describe(std::span<const Candidate> candidates) {
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", to_string(candidate.agent),
                        op_word_of(*candidate.next), candidate.enabled ? "" : ", blocked");
  }
  return text;
}

std::string describe(const ScheduleChoice& choice) {
  return std::visit(Overloaded{
                        [](const AgentIdentity& agent) { return "ran " + to_string(agent); },
                        [](std::uint32_t chosen) { return fmt::format("chose {}", chosen); },
                    },
                    choice);
}

std::string_view end_name(EndKind kind) {
  switch (kind) {
    case EndKind::kFinished:
      return "finished";
    case EndKind::kFailed:
      return "failed";
    case EndKind::kDeadlocked:
      return "deadlocked";
    case EndKind::kAbandoned:
      return "was abandoned";
    case EndKind::kCut:
      return "was cut";
  }
  return "";
}

}  // namespace

TwiceScheduler::TwiceScheduler(std::unique_ptr<Scheduler> inner) : inner_(std::move(inner)) {}

bool TwiceScheduler::begin(std::uint64_t execution) {
  REPLAIT_CHECK(execution == next_execution_);
  ++next_execution_;
  if (difference_) return false;
  second_run_ = execution % 2 == 1;
  at_ = 0;
  if (second_run_) return true;
  steps_.clear();
  abandoned_ = false;
  return inner_->begin(execution / 2);
}

const TwiceScheduler::Step* TwiceScheduler::expect(std::uint64_t offered, const std::string& now) {
  if (at_ == steps_.size()) {
    // An abandoned first run stops the second one at the same place.
    if (!abandoned_) differ(fmt::format("{} there", end_name(first_end_)), now);
    return nullptr;
  }
  const Step& step = steps_[at_];
  if (step.offered != offered) {
    differ(describe(step.choice), now);
    return nullptr;
  }
  ++at_;
  return &step;
}

std::optional<AgentIdentity> TwiceScheduler::pick(std::span<const Candidate> candidates) {
  if (difference_) return std::nullopt;
  const std::uint64_t offered = fingerprint(candidates);
  if (second_run_) {
    const bool known = at_ < steps_.size() && steps_[at_].offered == offered;
    const Step* step = expect(offered, known ? "" : "offered " + describe(candidates));
    return step != nullptr ? std::optional(std::get<AgentIdentity>(step->choice)) : std::nullopt;
  }
  const std::optional<AgentIdentity> agent = inner_->pick(candidates);
  abandoned_ = !agent;
  if (agent) steps_.push_back({.choice = *agent, .offered = offered});
  return agent;
}

std::uint32_t TwiceScheduler::choose(std::uint32_t n) {
  if (difference_) return 0;
  const std::uint64_t offered = mix(~std::uint64_t{0}, n);  // No list of candidates starts so.
  if (second_run_) {
    const Step* step = expect(offered, fmt::format("asked for a choice of {}", n));
    return step != nullptr ? std::get<std::uint32_t>(step->choice) : 0;
  }
  const std::uint32_t chosen = inner_->choose(n);
  steps_.push_back({.choice = chosen, .offered = offered});
  return chosen;
}

void TwiceScheduler::end(const ExecutionEnd& end) {
  if (!second_run_) {
    first_end_ = end.kind;
    inner_->end(end);
    return;
  }
  if (difference_ || (at_ == steps_.size() && end.kind == first_end_)) return;
  const std::string first = at_ < steps_.size() ? describe(steps_[at_].choice)
                                                : fmt::format("{} there", end_name(first_end_));
  differ(first, fmt::format("{} there", end_name(end.kind)));
}

void TwiceScheduler::differ(const std::string& first, const std::string& second) {
  difference_.emplace();
  difference_->rule = "replay.diverged";
  difference_->message = fmt::format(
      "the program is not deterministic: two runs of one schedule part at step {}", at_);
  difference_->details = {"the first run " + first, "the second run " + second};
}

}  // namespace replait
