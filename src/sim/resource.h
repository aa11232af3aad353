// What an op waits for or changes, as far as other ops may wait for it: one semaphore or barrier.
//
// An op that waits for a resource can only become able to complete, or cease to be, by an op that
// changes the same resource.
#pragma once

#include <cstdint>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

struct Resource {
  enum class Kind : std::uint8_t { kNone, kSemaphore, kBarrier };
  Kind kind = Kind::kNone;
  std::uint32_t id = 0;

  bool none() const { return kind == Kind::kNone; }
  friend bool operator==(const Resource&, const Resource&) = default;
};

// kNone for ops that always complete.
Resource waits_for(const Op& op);

// `agent` is whose op it is: a copy's phases touch the semaphores of its row.
Resource changes(const Op& op, AgentId agent, const Tables& tables);

}  // namespace replait
