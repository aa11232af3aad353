// The agents that have a next op, by identity: what a scheduler picks from.
//
// Kept up to date instead of built anew for each pick: agents rarely come and go, and an applied op
// changes whether others could go on only where they wait for what it touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/scheduler.h"

namespace replait {

class CandidateList {
 public:
  // `slot` is the caller's own number of the agent. REQUIRES: not in the list.
  void insert(const Candidate& candidate, std::uint32_t slot);
  void erase(std::size_t position);
  void set_enabled(std::size_t position, bool enabled);

  // REQUIRES: in the list.
  std::size_t find(const AgentIdentity& agent);

  std::uint32_t slot(std::size_t position) const { return slots_[position]; }
  const Candidate& operator[](std::size_t position) const { return candidates_[position]; }
  std::span<const Candidate> all() const { return candidates_; }
  std::size_t enabled() const { return enabled_; }

 private:
  std::size_t lower_bound(const AgentIdentity& agent) const;

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> slots_;  // Parallel.
  std::size_t enabled_ = 0;
  std::size_t last_found_ = 0;  // Schedulers often stay with one agent.
};

}  // namespace replait
