// Random walk: each step picks uniformly among the enabled agents.
//
// Simple and good at short bugs; the chance of one certain long order falls with every step, which
// is why it is not the default.
#pragma once

#include "base/rng.h"
#include "sched/scheduler.h"

namespace replait {

class RandomWalkScheduler : public Scheduler {
 public:
  explicit RandomWalkScheduler(std::uint64_t seed) : seed_(seed), rng_(seed) {}

  std::string name() const override { return "random"; }
  bool begin(std::uint64_t execution) override;
  std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) override;
  std::uint32_t choose(std::uint32_t n) override;
  void end(const ExecutionEnd&) override {}

 private:
  std::uint64_t seed_;
  Rng rng_;
};

}  // namespace replait
