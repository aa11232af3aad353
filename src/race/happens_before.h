// Happens-before, as observed in one execution: what each agent knew at each event.
//
// Edges: program order; issue -> the copy's phases, in order; signal -> a later wait on that
// semaphore (which acquires all signals so far, as JAX does; a semaphore never forgets); arrive ->
// a wait for that phase of the barrier, and no other; the exits of a device's threads -> a later
// launch's entry on that device. Allocations, index reads and barriers that exist only in JAX's
// interpreter give no edge. An op that raised did not happen.
//
// Exact for any number of copies (clock/chain_slots.h). Events that no Machine would produce (a
// phase of a copy that was never issued) give some relation, never a fault.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "clock/chain_slots.h"
#include "clock/vector_clock.h"
#include "trace/event_sink.h"

namespace replait {

class HappensBefore : public EventSink, public ClockHasher {
 public:
  // When an event happened, in this relation.
  struct Stamp {
    SlotId slot;
    Epoch epoch;
    const VectorClock* clock;  // The agent's, with what the event acquired. Until the next event.
  };

  void begin(const Header& header, const Tables& tables) override;
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd& end) override;

  // One event; consume() is a loop over this. REQUIRES: begin() was called.
  Stamp apply(const Applied& event);

  // Over each thread that has entered and not left, by identity: its identity and its components of
  // all thread places. Independent of slots.
  std::uint64_t clock_hash() const override;

  // The clock and the epoch of the agent's last event; empty and 0 before its first. The clock of a
  // complete copy is dropped at the next event.
  const VectorClock& clock(AgentId agent) const;
  Epoch epoch(AgentId agent) const;

  // Threads that have entered and not left, by identity.
  std::vector<AgentId> running_threads() const;

  // The highest epoch of `slot` that every later access of the launch is ordered after: the least
  // over its running threads and its copies in flight; 0 while a thread has still to enter.
  Epoch known_to_all(LaunchId launch, SlotId slot) const;
  // Whether all of the launch's threads have left and all of its copies are complete.
  bool is_over(LaunchId launch) const;

  std::size_t slots() const { return slots_.size(); }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // (device, core)
  struct AgentState {
    VectorClock clock;
    SlotId slot{};
    Epoch epoch = 0;        // 0: has done nothing yet.
    bool released = false;  // The next event begins a new segment.
  };
  struct PlaceState {
    SlotQueue queue{};
    std::vector<SlotId> slots;  // More than one only where a thread did not chain to the last one.
    std::optional<AgentId> running;  // The place's newest thread, until it leaves.
    Epoch last = 0;                  // Of that thread.
  };
  struct BarrierState {
    std::uint64_t arrivals = 0;
    std::map<std::uint64_t, VectorClock> phases;
  };
  struct DeviceState {
    std::map<std::uint32_t, VectorClock> exits;      // By launch number.
    std::map<std::uint32_t, std::uint32_t> entered;  // Cores, by launch number.
  };
  struct LaunchState {
    std::uint64_t entered = 0;
    std::map<AgentIdentity, AgentId> running;
    std::set<AgentId> in_flight;
  };

  AgentState& agent_state(AgentId agent);
  PlaceState& place_state(const Place& place);
  void start(AgentId agent, AgentState& state);
  void act(const Applied& event, AgentState& state);
  void enter(AgentId agent, AgentState& state);
  void exit(AgentId agent, AgentState& state);
  void issue(AgentId copy, AgentState& issuer);
  void step_copy(AgentId copy, CopyPhase phase, AgentState& state);
  void complete(AgentId copy, const AgentRow& row, AgentState& state);
  void signal(SemaphoreId id, AgentId agent, AgentState& state);
  void wait(SemaphoreId id, AgentId agent, AgentState& state);
  void release_to(VectorClock& object, AgentState& state);
  void arrive(BarrierId id, AgentState& state);
  void await(const AwaitBarrier& op, AgentState& state);
  std::uint64_t launch_threads(LaunchId id) const;

  const Tables* tables_ = nullptr;
  ChainSlots slots_;
  std::vector<AgentState> agents_;
  std::vector<VectorClock> semaphores_;
  std::vector<BarrierState> barriers_;
  std::vector<LaunchState> launches_;
  // By thread (a copy's issuer) and semaphore: what was last released to it, and acquired from it.
  // A large clock is joined by what has changed since.
  std::map<std::pair<AgentId, SemaphoreId>, VectorClock> released_;
  std::map<std::pair<AgentId, SemaphoreId>, VectorClock> acquired_;
  std::map<Place, PlaceState> places_;
  std::map<std::uint32_t, DeviceState> devices_;
  std::optional<AgentId> completed_;  // The last event completed this copy.
};

}  // namespace replait
