#include "sched/round_robin.h"

namespace replait {

bool RoundRobinScheduler::begin(std::uint64_t execution) {
  last_.reset();
  choices_ = 0;
  return execution == 0;
}

std::optional<AgentIdentity> RoundRobinScheduler::pick(std::span<const Candidate> candidates) {
  const Candidate* first = nullptr;  // Where the circle closes.
  const Candidate* next = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!candidate.enabled) continue;
    if (first == nullptr) first = &candidate;
    if (last_ && candidate.agent > *last_) {
      next = &candidate;
      break;
    }
  }
  REPLAIT_CHECK(first != nullptr);
  last_ = next != nullptr ? next->agent : first->agent;
  return last_;
}

std::uint32_t RoundRobinScheduler::choose(std::uint32_t n) { return choices_++ % n; }

}  // namespace replait
