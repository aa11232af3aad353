// The nondeterminism check: every schedule of another scheduler runs twice, and the second run must
// go as the first did.
//
// Executions 2k and 2k + 1 are the inner scheduler's execution k: the first is picked by it and
// noted, the second gets the same picks. What both runs offered at each step is compared (who has a
// next op, which op, whether it would complete), and so are the ends. A difference means that the
// program's behaviour depends on something besides the schedule: a clock, an address, state kept
// between runs.
//
// Limit: a scheduler sees no values. A program that writes other values but does the same ops
// passes; comparing the run ids of two traces finds that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sched/replay_scheduler.h"
#include "sched/scheduler.h"
#include "trace/finding.h"

namespace replait {

class TwiceScheduler : public Scheduler {
 public:
  explicit TwiceScheduler(std::unique_ptr<Scheduler> inner);

  std::string name() const override { return inner_->name(); }
  // REQUIRES: executions in order, none left out.
  bool begin(std::uint64_t execution) override;
  std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) override;
  std::uint32_t choose(std::uint32_t n) override;
  void end(const ExecutionEnd& end) override;

  // The first difference, as a replay.diverged finding; nothing is run after it.
  const std::optional<Finding>& difference() const { return difference_; }

 private:
  // What the first run did at one step.
  struct Step {
    ScheduleChoice choice;
    std::uint64_t offered = 0;  // Fingerprint of all candidates, or of n.
  };

  // The first run's step at this place; null at a difference.
  const Step* expect(std::uint64_t offered, const std::string& now);
  void differ(const std::string& first, const std::string& second);

  std::unique_ptr<Scheduler> inner_;
  std::uint64_t next_execution_ = 0;
  bool second_run_ = false;
  bool abandoned_ = false;  // The inner scheduler gave the first run up.
  std::vector<Step> steps_;
  std::size_t at_ = 0;
  EndKind first_end_ = EndKind::kFinished;
  std::optional<Finding> difference_;
};

}  // namespace replait
