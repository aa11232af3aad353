#include "sched/random_walk.h"

#include <algorithm>

namespace replait {

bool RandomWalkScheduler::begin(std::uint64_t execution) {
  rng_ = Rng(seed_ + execution);
  return true;
}

std::optional<AgentIdentity> RandomWalkScheduler::pick(std::span<const Candidate> candidates) {
  const auto enabled = static_cast<std::uint64_t>(
      std::count_if(candidates.begin(), candidates.end(),
                    [](const Candidate& candidate) { return candidate.enabled; }));
  // Also drawn where only one is enabled: a schedule's draws then depend on its steps alone.
  std::uint64_t left = rng_.below(enabled);
  for (const Candidate& candidate : candidates) {
    if (!candidate.enabled) continue;
    if (left == 0) return candidate.agent;
    --left;
  }
  return std::nullopt;
}

std::uint32_t RandomWalkScheduler::choose(std::uint32_t n) {
  return static_cast<std::uint32_t>(rng_.below(n));
}

}  // namespace replait
