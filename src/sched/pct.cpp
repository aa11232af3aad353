#include "sched/pct.h"

#include <fmt/format.h>

#include <algorithm>

namespace replait {

namespace {

// Above every change point's priority: those are 1 .. depth - 1.
constexpr std::int64_t kFirstRandomPriority = std::int64_t{1} << 32;

}  // namespace

PctScheduler::PctScheduler(const PctOptions& options, std::uint64_t seed)
    : options_(options), seed_(seed), rng_(seed) {
  REPLAIT_CHECK(options.depth >= 1 && options.steps >= 1);
}

std::string PctScheduler::name() const {
  return fmt::format("pct:depth={},steps={}", options_.depth, options_.steps);
}

bool PctScheduler::begin(std::uint64_t execution) {
  rng_ = Rng(seed_ + execution);
  step_ = 0;
  lowest_ = 0;
  known_.clear();
  changes_.clear();
  for (std::uint32_t i = 1; i < options_.depth; ++i) {
    changes_.push_back({.step = 1 + rng_.below(options_.steps), .priority = i});
  }
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const ChangePoint& a, const ChangePoint& b) { return a.step < b.step; });
  next_change_ = 0;
  return true;
}

void PctScheduler::meet(std::span<const Candidate> candidates) {
  merged_.clear();
  auto old = known_.begin();
  const auto keep_threads_before = [&](const AgentIdentity* limit) {
    // A thread may have no next op for a while (it waits for threads that it started).
    for (; old != known_.end() && (limit == nullptr || old->agent < *limit); ++old) {
      if (!old->agent.is_copy) merged_.push_back(*old);
    }
  };
  for (const Candidate& candidate : candidates) {
    keep_threads_before(&candidate.agent);
    if (old != known_.end() && old->agent == candidate.agent) {
      merged_.push_back(*old);
      ++old;
      continue;
    }
    const auto draw = static_cast<std::int64_t>(rng_.next() >> 2);
    merged_.push_back({.agent = candidate.agent, .priority = kFirstRandomPriority + draw});
  }
  keep_threads_before(nullptr);
  known_.swap(merged_);
}

const Candidate* PctScheduler::highest(std::span<const Candidate> candidates, Known** known) {
  const Candidate* best = nullptr;
  auto at = known_.begin();
  for (const Candidate& candidate : candidates) {
    while (at != known_.end() && at->agent != candidate.agent) ++at;
    if (at == known_.end()) return nullptr;
    if (candidate.enabled && (best == nullptr || at->priority > (*known)->priority)) {
      best = &candidate;
      *known = &*at;
    }
    ++at;
  }
  return best;
}

std::optional<AgentIdentity> PctScheduler::pick(std::span<const Candidate> candidates) {
  Known* known = nullptr;
  const Candidate* best = highest(candidates, &known);
  if (best == nullptr) {
    meet(candidates);
    best = highest(candidates, &known);
  }
  REPLAIT_CHECK(best != nullptr);
  ++step_;
  for (; next_change_ < changes_.size() && changes_[next_change_].step <= step_; ++next_change_) {
    known->priority = changes_[next_change_].priority;
  }
  if (std::holds_alternative<Yield>(*best->next)) known->priority = --lowest_;
  return best->agent;
}

std::uint32_t PctScheduler::choose(std::uint32_t n) {
  return static_cast<std::uint32_t>(rng_.below(n));
}

}  // namespace replait
