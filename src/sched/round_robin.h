// Round-robin: after each step the next enabled agent in order of identity, for ever in a circle.
//
// The one schedule that switches at every op. There is nothing random in it, so there is only one
// execution to try.
#pragma once

#include "sched/scheduler.h"

namespace replait {

class RoundRobinScheduler : public Scheduler {
 public:
  std::string name() const override { return "round-robin"; }
  bool begin(std::uint64_t execution) override;
  std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) override;
  std::uint32_t choose(std::uint32_t n) override;  // 0, 1, 2, ... in turn, modulo n.
  void end(const ExecutionEnd&) override {}

 private:
  std::optional<AgentIdentity> last_;
  std::uint32_t choices_ = 0;
};

}  // namespace replait
