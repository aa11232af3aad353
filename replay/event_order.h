// What the order of a stored trace's events must have, whatever they do: checked before a Machine
// sees them, since a file may hold anything.
//
// A thread enters first and does nothing after its exit; its copies are its own, and numbered from
// 0 as it issues them; a copy has only phases, after its issue. Which phase comes next is the
// Machine's to know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

class EventOrder {
 public:
  explicit EventOrder(const Tables& tables) : tables_(tables) {}

  // Why no execution has this event next; empty where one may. An event that may is taken in.
  std::string add(const Applied& event);

  // Threads that have entered and not left, by identity.
  std::vector<AgentId> running() const;

 private:
  struct State {
    bool entered = false;  // A copy: issued.
    bool left = false;
    std::uint64_t copies = 0;
  };
  State& state(AgentId agent);
  std::string add_thread_op(const Applied& event);

  const Tables& tables_;
  std::vector<State> agents_;
};

}  // namespace replait
