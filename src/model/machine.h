// machine.h: what an event does. Pure state, no threads, no time, no randomness.
//
// Every driver (fibers, a stored trace, live JAX) asks the same questions, so a replay cannot
// differ from its recording in meaning, only in input. Errors are values that carry JAX's own text:
// the kernel's fault, not ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event.h"
#include "trace/event_sink.h"
#include "trace/tables.h"

namespace replait {

struct MachineOptions {
  std::string jax_version = "0.12.0.1";   // Whose rules and texts apply.
  ValueLevel values = ValueLevel::kNone;  // What outcomes carry.
  bool compute_values = true;  // Whether buffers hold bytes: off where an event stream brings none.
};

// Whether an op would complete now, and if not, what it lacks.
struct Readiness {
  bool ready = true;
  // Whether this agent may do this op now at all. False (and not ready) only for what no execution
  // does: a copy's step out of turn, a copy issued twice, a thread's op by a copy. Only a damaged
  // or foreign trace asks for that.
  bool legal = true;
  std::uint64_t has = 0;    // Count of the semaphore, or arrivals of the awaited phase.
  std::uint64_t needs = 0;  // What the op waits for.
};

// Outcome::count of an Allocate: the allocation took effect, or the key already held something, of
// the same kind, type and shapes or not (a key collision). In the latter two nothing happened.
inline constexpr std::uint64_t kAllocated = 0;
inline constexpr std::uint64_t kAlreadyHeld = 1;
inline constexpr std::uint64_t kHeldDifferent = 2;

// Outcome::count otherwise: of a Free the references left; of Signal, Wait, ReadCount and a copy's
// signals the count afterwards (JAX's 32-bit number, sign-extended); of Arrive and AwaitBarrier the
// phases completed; of Choose what `observed` says was chosen. Outcome::value: of Read, Swap,
// kReadSource and kWriteDestination the value that was read or moved.
//
// Increments and demands are signed numbers in two's complement, as JAX's are.
class Machine {
 public:
  // `tables` must outlive the Machine; rows are added to it (errors, values).
  Machine(Tables& tables, const MachineOptions& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Whether `op` would complete now rather than block, and if not, what it lacks. Changes nothing.
  // An op that will raise is ready.
  Readiness readiness(AgentId agent, const Op& op) const;

  // REQUIRES: readiness(agent, op).ready. `bytes` is what a Write, Swap or Allocate stores,
  // row-major, or empty where there is none. `observed` is what live JAX or the recording says came
  // of it; where it is absent (C++ kernels, other schedules) the Machine computes it. With it,
  // values that the Machine cannot know (no bytes) are taken over; what it can know is computed,
  // and the caller compares.
  Outcome apply(AgentId agent, const Op& op, std::span<const std::byte> bytes,
                const Outcome* observed);

  // What the last applied Read or Swap returned, row-major; empty where buffers hold no bytes or
  // the op failed.
  std::span<const std::byte> read_bytes() const;

  // The next phase of a copy in flight; nullopt once it is complete. Threads' next ops are the
  // driver's to know.
  std::optional<Op> next_phase(AgentId copy) const;
  // In order of identity; valid until the next apply().
  const std::vector<AgentId>& copies_in_flight() const;

  // The value id of what `op` (Allocate, Write or Swap) stores when it brings `bytes`: 0 where
  // values are off or the key holds no buffer.
  ValueId stored_value(const Op& op, std::span<const std::byte> bytes);

  // JAX's allocators for C++ kernels: buffer ids count from 100 a thread, semaphore ids from 2000 a
  // core.
  std::int64_t take_buffer_id(AgentId thread);
  std::int64_t take_semaphore_ids(AgentId thread, std::int64_t count);

  // The content shape and dtype at a key, for printing; nullopt if it holds no buffer.
  std::optional<BufferId> buffer_at(KeyId key) const;
  std::uint64_t semaphore_count(SemaphoreId semaphore) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether all cores of a device share this memory space; its keys then have core 0, and its buffers
// one reference a core.
bool is_shared_space(std::string_view space);

// Python's spelling, as JAX's messages hold it.
std::string python_repr(const KeyRow& key);                       // ('vmem', 102, 0, 0)
std::string python_repr(const std::vector<std::int64_t>& shape);  // (8, 128); one element: (8,)
std::string python_repr(const RangeRow& range);                   // (slice(0, 8, 1), 3)

}  // namespace replait
