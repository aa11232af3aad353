// Async copies in flight: read the source, signal the send semaphore, write the destination, signal
// the receive semaphore; each step is an event of the copy, an agent of its own.
//
// A copy is a read and a write with JAX's rules and texts at those steps. Its semaphores are looked
// up when it is issued. Its size is that of the data read: a copy that reads out of bounds in the
// mode that allows it moves uninitialised elements too.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/memory.h"
#include "model/semaphores.h"
#include "trace/tables.h"

namespace replait {

class Copies {
 public:
  Copies(Tables& tables, Memory& memory, Semaphores& semaphores)
      : tables_(tables), memory_(memory), semaphores_(semaphores) {}

  // Whether `issuer` may issue it: a copy of its own that was not issued yet.
  bool may_issue(AgentId issuer, AgentId copy) const;
  Outcome issue(AgentId copy);

  // Whether this is the copy's next step, or a part of its bytes that it may add early.
  bool may_step(AgentId copy, const CopyStep& step) const;
  // REQUIRES: may_step(). A step that raises can be asked for again.
  Outcome step(AgentId copy, const CopyStep& step, const Outcome* observed);

  std::optional<CopyStep> next(AgentId copy) const;
  const std::vector<AgentId>& in_flight() const { return in_flight_; }

  // JAX forgets the copies that nobody waited for.
  void end_launch(LaunchId launch);

 private:
  struct Copy {
    CopyPhase next = CopyPhase::kReadSource;
    Semaphores::Group* send = nullptr;
    Semaphores::Group* receive = nullptr;
    std::uint64_t bytes = 0;     // Known once it was read.
    std::uint64_t received = 0;  // Added early.
    Value data;
  };
  static constexpr std::uint32_t kNotIssued = 0xffffffff;
  static constexpr std::uint32_t kComplete = 0xfffffffe;

  // Where the copy's state stands in pool_, or one of the above.
  std::uint32_t slot(AgentId copy) const;
  bool is_in_flight(AgentId copy) const { return slot(copy) < kComplete; }
  void retire(AgentId copy);

  Outcome read_source(AgentId agent, const CopyStep& step, Copy& copy, const Outcome* observed);
  Outcome write_destination(AgentId agent, Copy& copy, const Outcome* observed);
  Outcome signal_receive(AgentId agent, Copy& copy, std::uint64_t bytes);

  Tables& tables_;
  Memory& memory_;
  Semaphores& semaphores_;
  std::vector<std::uint32_t> slots_;  // By agent.
  std::vector<Copy> pool_;
  std::vector<std::uint32_t> free_;
  std::vector<AgentId> in_flight_;  // In order of identity.
};

}  // namespace replait
