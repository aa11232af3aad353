// The loop of one execution (simulation.h): pick, apply, tell the sinks, let the thread go on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sched/scheduler.h"
#include "sim/candidate_list.h"
#include "sim/resource.h"
#include "sim/simulated_thread.h"
#include "sim/simulation.h"

namespace replait {

class Execution {
 public:
  Execution(const Kernel& kernel, Scheduler& scheduler, Tables& tables,
            std::span<EventSink* const> sinks, const SimulationOptions& options);

  // Failure: no memory for the stacks.
  Result<void> start(StackPool& stacks);
  // REQUIRES: start() succeeded.
  ExecutionEnd run();

 private:
  struct CopyInFlight {
    AgentId agent{};
    SourceId source{};
    Op next;
  };
  enum class Step {
    kDone,
    kFailed,  // An error was raised.
  };

  void step(std::size_t position);
  Step step_thread(std::size_t position);
  Step step_copy(std::size_t position);
  Outcome apply_posted(SimulatedThread& thread);

  // One event: applied, stored for the sinks, its effect on who can go on.
  Step record(AgentId agent, SourceId source, const Op& op, const Outcome& outcome);
  void flush();

  bool can_go_on(const SimulatedThread& thread) const;
  void posted(std::size_t position, SimulatedThread& thread);
  void issued(SimulatedThread& thread);
  void recheck_waiters(const Resource& resource);
  void release_checks();
  std::vector<PendingOp> pending() const;
  void end(EndKind kind) { end_ = kind; }

  Scheduler& scheduler_;
  std::span<EventSink* const> sinks_;
  const std::uint64_t max_events_;
  SimulationState state_;
  std::vector<std::unique_ptr<SimulatedThread>> threads_;  // By identity.

  CandidateList candidates_;
  std::deque<CopyInFlight> copies_;         // Slots; addresses stay.
  std::vector<std::uint32_t> free_copies_;  // Slots to use again.
  std::size_t copies_in_flight_ = 0;

  std::vector<std::uint32_t> waiters_;  // Threads whose op waits for a resource.
  std::vector<std::uint32_t> checks_;   // Threads held at CheckSemaphores.
  std::size_t bodies_running_ = 0;      // Threads that have neither left nor come to their check.

  std::vector<Applied> batch_;
  std::uint64_t next_index_ = 0;
  std::optional<EndKind> end_;
};

}  // namespace replait
