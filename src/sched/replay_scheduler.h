// The replay scheduler: makes the recorded choices again, and says where that cannot be done.
//
// Replay is a scheduler, not a mode. The choices come one at a time, so a trace need not be in
// memory. The first choice that cannot be made (the recorded agent has no next op or is blocked, a
// number is out of range, the recording has ended) is the divergence; the execution is then
// abandoned.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "sched/scheduler.h"
#include "trace/finding.h"

namespace replait {

// One entry of a schedule: who ran, or what choose() returned.
using ScheduleChoice = std::variant<AgentIdentity, std::uint32_t>;

// The recorded choices in order; nullopt at the end.
using ChoiceSource = std::function<std::optional<ScheduleChoice>()>;

// Where a run left the recorded schedule.
struct ScheduleDivergence {
  struct Seen {
    AgentIdentity agent;
    bool enabled = false;
    std::string op;  // Its name: "wait".
  };
  std::uint64_t step = 0;                  // Position in the schedule, from 0.
  std::optional<ScheduleChoice> expected;  // nullopt: the recording ends before this step.
  std::vector<Seen> candidates;            // What there was to pick from; empty at a choose.
  std::optional<std::uint32_t> choose_of;  // Set where the program asked for a number below this.

  Finding finding() const;  // replay.diverged
};

class ReplayScheduler : public Scheduler {
 public:
  // `name` is the recording's scheduler: a replay has the name of what it replays.
  ReplayScheduler(std::string name, ChoiceSource source);
  ReplayScheduler(std::string name, std::vector<ScheduleChoice> choices);

  std::string name() const override { return name_; }
  bool begin(std::uint64_t execution) override;  // There is one execution to replay.
  std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) override;
  std::uint32_t choose(std::uint32_t n) override;
  void end(const ExecutionEnd&) override {}

  // A recording that was cut short ends in a divergence without `expected`.
  const std::optional<ScheduleDivergence>& divergence() const { return divergence_; }
  std::uint64_t steps() const { return step_; }  // Choices made so far.

 private:
  std::string name_;
  ChoiceSource source_;
  bool begun_ = false;
  std::uint64_t step_ = 0;
  std::optional<ScheduleDivergence> divergence_;
};

}  // namespace replait
