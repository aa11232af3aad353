// What writer and reader of a chunk both expect of its next event, so that only what differs is
// stored: the phases of copies, and the counts of semaphores and barriers.
//
// The counts are a guess: whatever the Machine or JAX said is stored exactly, as the difference
// from it. So this is part of the format, and need not know the Machine's rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/event.h"
#include "trace/op_fields.h"

namespace replait {

// Events in a chunk that starts after `events` of them: a killed run loses little, and the same
// every time.
constexpr std::uint64_t kChunkEventsMin = 256;
constexpr std::uint64_t kChunkEventsMax = std::uint64_t{256} << 10;
constexpr std::uint64_t chunk_events(std::uint64_t events) {
  return events / 16 < kChunkEventsMin   ? kChunkEventsMin
         : events / 16 > kChunkEventsMax ? kChunkEventsMax
                                         : events / 16;
}

// The phase after `phase`; nullopt after the last.
inline std::optional<CopyPhase> phase_after(CopyPhase phase, bool has_send_semaphore) {
  switch (phase) {
    case CopyPhase::kReadSource:
      return has_send_semaphore ? CopyPhase::kSignalSend : CopyPhase::kWriteDestination;
    case CopyPhase::kSignalSend:
      return CopyPhase::kWriteDestination;
    case CopyPhase::kWriteDestination:
      return CopyPhase::kSignalReceive;
    case CopyPhase::kPartialReceive:
    case CopyPhase::kSignalReceive:
      break;
  }
  return std::nullopt;
}

// Steps that a copy takes when it is picked: in a gated launch up to the end of its pair.
inline std::uint32_t natural_length(CopyPhase phase, bool has_send_semaphore, bool gated) {
  const bool pair = phase == CopyPhase::kWriteDestination ||
                    (phase == CopyPhase::kReadSource && has_send_semaphore);
  return gated && pair ? 2 : 1;
}

// Expected counts, by local numbers, all 0 at the start of a chunk.
class CountModel {
 public:
  // The outcome's count that `op` should have, and what it then was. REQUIRES for observe: the op
  // of the last expect().
  std::uint64_t expect_semaphore(std::uint8_t op, std::uint32_t semaphore, std::uint64_t number) {
    const std::uint64_t count = at(semaphores_, semaphore).count;
    if (op == op_index<Signal>()) return count + number;
    if (op == op_index<Wait>()) return count - number;
    return count;
  }
  void observe_semaphore(std::uint32_t semaphore, std::uint64_t count) {
    at(semaphores_, semaphore).count = count;
  }

  // The units of a copy are not stored: as many as the copy before added.
  std::uint64_t expect_copy_signal(std::uint32_t semaphore) {
    const Semaphore& state = at(semaphores_, semaphore);
    return state.count + state.copy_units;
  }
  void observe_copy_signal(std::uint32_t semaphore, std::uint64_t count) {
    Semaphore& state = at(semaphores_, semaphore);
    state.copy_units = count - state.count;
    state.count = count;
  }

  // Phases count the arrivals since the chunk began.
  std::uint64_t expect_barrier(std::uint8_t op, std::uint32_t barrier, std::uint32_t arrivals) {
    Barrier& state = at(barriers_, barrier);
    if (op == op_index<Arrive>() && ++state.arrived >= arrivals) {
      state.arrived = 0;
      ++state.phase;
    }
    return state.phase;
  }
  void observe_barrier(std::uint32_t barrier, std::uint64_t phase) {
    at(barriers_, barrier).phase = phase;
  }

  void clear() {
    semaphores_.clear();
    barriers_.clear();
  }

 private:
  struct Semaphore {
    std::uint64_t count = 0;
    std::uint64_t copy_units = 0;
  };
  struct Barrier {
    std::uint64_t phase = 0;
    std::uint32_t arrived = 0;
  };
  template <typename State>
  static State& at(std::vector<State>& states, std::uint32_t index) {
    if (index >= states.size()) states.resize(index + 1);
    return states[index];
  }

  std::vector<Semaphore> semaphores_;
  std::vector<Barrier> barriers_;
};

}  // namespace replait
