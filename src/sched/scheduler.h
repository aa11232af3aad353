// scheduler.h: decides who runs next, and nothing else does.
//
// A scheduler sees identities and ops, never fibers, buffers or clocks, so it cannot tell a C++
// kernel from a trace or from live JAX. Replay is a scheduler; so is the wrapper that runs each
// schedule twice to find nondeterminism.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/event.h"
#include "trace/event_sink.h"
#include "trace/tables.h"

namespace replait {

struct Candidate {
  AgentIdentity agent;  // The same in every schedule.
  const Op* next;       // What it will do when picked.
  bool enabled;         // Whether that would complete now.
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // Name with parameters, as the trace header stores it and make_scheduler takes it.
  virtual std::string name() const = 0;

  // Starts execution number `execution`, from 0. Returns false when there is nothing left to try.
  virtual bool begin(std::uint64_t execution) = 0;

  // Picks an enabled agent among all that have a next op, sorted by identity; at least one is
  // enabled. Called for forced choices too. nullopt abandons this execution (nothing new can come
  // of it). Candidates are valid for this call only.
  virtual std::optional<AgentIdentity> pick(std::span<const Candidate> candidates) = 0;

  // A choice of 0 .. n-1 that the program itself asks for; recorded like a pick. REQUIRES: n > 0.
  virtual std::uint32_t choose(std::uint32_t n) = 0;

  // The execution ended: finished, failed, deadlocked or abandoned.
  virtual void end(const ExecutionEnd& end) = 0;
};

// From "round-robin", "random", "pct", "pct:depth=3,steps=10000". Execution k of seed s draws from
// seed s + k. Failure (kUsage) names the known schedulers and parameters.
Result<std::unique_ptr<Scheduler>> make_scheduler(std::string_view spec, std::uint64_t seed);

}  // namespace replait
