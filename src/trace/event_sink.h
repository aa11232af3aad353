// event_sink.h: whoever watches an execution, live or stored.
//
// The trace writer, the happens-before engine, the race detector and the checkers are sinks, so a
// stored trace and a live run are analysed by the same code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/event.h"
#include "trace/finding.h"
#include "trace/tables.h"

namespace replait {

enum class ValueLevel : std::uint8_t { kNone, kHash, kFull };

// What is known before the first event.
struct Header {
  std::string scheduler;  // Name and parameters: "pct:depth=3,steps=10000"; "ungated" for
                          // free-running threads.
  std::uint64_t seed = 0;
  std::string program;             // Registered id of a C++ kernel, or the Python program's name.
  std::uint64_t program_hash = 0;  // Of the registered id, or of the jaxpr; 0: unknown.
  std::uint64_t inputs_hash = 0;   // 0: unknown.
  std::string jax_version;         // Whose rules and texts apply.
  ValueLevel values = ValueLevel::kNone;
  std::vector<std::pair<std::string, std::string>> options;  // The command's own, in order.
};

enum class EndKind : std::uint8_t {
  kFinished,    // Every thread left its launch.
  kFailed,      // An op raised.
  kDeadlocked,  // No agent can move, and some thread has not left.
  kAbandoned,   // Stopped by the scheduler or at a limit.
  kCut,         // The recording ended abnormally: only in recovered traces.
};

// What a blocked thread still waits to do.
struct PendingOp {
  AgentId agent{};
  SourceId source{};
  Op op;
  std::uint64_t has = 0;    // The semaphore's count, or the barrier's arrivals in the phase.
  std::uint64_t needs = 0;  // The demand, or the arrivals of a phase.
};

struct ExecutionEnd {
  EndKind kind = EndKind::kFinished;
  std::vector<PendingOp> pending;  // By agent identity.
  std::vector<Finding> findings;   // Seen while running.
};

class EventSink {
 public:
  virtual ~EventSink() = default;

  // Called once, before any event. `tables` grows while the execution goes on and outlives it.
  virtual void begin(const Header& header, const Tables& tables) = 0;

  // Events in schedule order, after the Machine has applied them; as many at once as the driver
  // has.
  virtual void consume(std::span<const Applied> events) = 0;

  // Called once, after the last event. `end` holds the ops that blocked threads still wait to do.
  virtual void finish(const ExecutionEnd& end) = 0;
};

// The trace stores a hash of the observed clocks at each chunk's end, which replay compares; the
// trace module knows no clocks, so whoever computes them (race/happens_before.h) is asked through
// this.
class ClockHasher {
 public:
  virtual ~ClockHasher() = default;

  // XXH3-64 over the thread components of every running thread's observed clock, by identity, after
  // the last consumed event.
  virtual std::uint64_t clock_hash() const = 0;
};

}  // namespace replait
