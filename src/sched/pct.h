// PCT: probabilistic concurrency testing [Burckhardt 2010].
//
// Each agent gets a random priority, and the enabled one with the highest runs, until one of
// depth - 1 random change points in the first `steps` picks: the agent that runs there falls below
// all others (to a priority that belongs to the change point). A bug that needs `depth` ordering
// constraints among n agents is found with a chance of at least 1 / (n * steps^(depth - 1)).
//
// We differ in that agents appear while the execution runs (copies): a new one draws its priority
// when it is first seen. And an agent that yields falls below everything, also below the change
// points: else a loop that spins until another agent acts would spin for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "sched/scheduler.h"

namespace replait {

struct PctOptions {
  std::uint32_t depth = 3;      // At least 1: with 1 there is no change point.
  std::uint64_t steps = 10000;  // At least 1. Given, never measured: it is part of the name.
};

class PctScheduler : public Scheduler {
 public:
  PctScheduler(const PctOptions& options, std::uint64_t seed);

  std::string name() const override;
  bool begin(std::uint64_t execution) override;
  std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) override;
  std::uint32_t choose(std::uint32_t n) override;
  void end(const ExecutionEnd&) override {}

 private:
  struct ChangePoint {
    std::uint64_t step = 0;  // After how many picks.
    std::int64_t priority = 0;
  };
  struct Known {
    AgentIdentity agent;
    std::int64_t priority = 0;
  };

  // Gives new agents a priority, and forgets copies that are gone.
  void meet(std::span<const Candidate> candidates);
  // The enabled candidate with the highest priority; null if a candidate is not known yet.
  const Candidate* highest(std::span<const Candidate> candidates, Known** known);

  PctOptions options_;
  std::uint64_t seed_;
  Rng rng_;
  std::uint64_t step_ = 0;
  std::vector<ChangePoint> changes_;  // By step.
  std::size_t next_change_ = 0;
  std::int64_t lowest_ = 0;    // What the last yield left its agent with.
  std::vector<Known> known_;   // By identity; every candidate, and more.
  std::vector<Known> merged_;  // Kept for its memory.
};

}  // namespace replait
