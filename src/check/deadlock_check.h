// Deadlock: every blocked thread, what it waits for, what it has and lacks, who has given that
// before, and where those are now.
//
// A trace cannot tell who would have signalled, only who did: that is what is said. A recording
// that was cut proves nothing about who waits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "check/check.h"

namespace replait {

class DeadlockCheck : public Check {
 protected:
  void see(const Applied& event) override;
  void conclude(const ExecutionEnd& end) override;

 private:
  struct Given {
    std::uint64_t times = 0;
    std::uint64_t last = 0;  // An event.
    SourceId source{};
  };
  struct ThreadState {
    std::uint64_t last = 0;  // An event.
    SourceId source{};
    bool left = false;
  };
  // A thread, and whether by its own signals or by those of copies that it issued.
  using Giver = std::tuple<AgentId, bool>;

  void give(SemaphoreId semaphore, const Applied& event);
  void blocked(const PendingOp& pending, const ExecutionEnd& end, Finding& finding) const;
  void tell_signals(SemaphoreId semaphore, const ExecutionEnd& end, Finding& finding) const;
  void tell_arrivals(BarrierId barrier, const ExecutionEnd& end, Finding& finding) const;
  std::string now(AgentId thread, const ExecutionEnd& end) const;

  std::map<SemaphoreId, std::map<Giver, Given>> signals_;
  std::map<BarrierId, std::map<AgentId, Given>> arrivals_;
  std::map<AgentId, ThreadState> threads_;
  std::map<AgentId, SourceId> issued_at_;  // Copies in flight.
};

}  // namespace replait
