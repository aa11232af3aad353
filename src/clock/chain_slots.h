// Chain slots: exact clocks for any number of copies without a slot for each.
//
// A new copy takes over the slot of an older one only if its issuer's clock already covers that
// copy's last event; else it opens a slot. So all agents of one slot are totally ordered, and
// comparing one epoch decides happens-before exactly. While a copy is in flight its slot is not to
// be had, whatever is known of its phases so far. (JAX draws one of a few shared entries instead,
// and misses the races between copies that share one.)
//
// Which finished slots an issuer is offered is a matter of cost only: those queued at its own
// place, a few at a time in turn, so that copies which nobody ever acknowledges cost the same each.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "clock/vector_clock.h"

namespace replait {

// Where finished slots wait for their next user: one queue a thread place.
enum class SlotQueue : std::uint32_t {};

class ChainSlots {
 public:
  struct Start {
    SlotId slot;
    Epoch first;  // The new agent's first epoch.
  };

  // A slot of its own, that no copy will take over.
  SlotId open();

  // The slot of a copy whose issuer has the clock `issuer` and the queue `queue`. In flight until
  // retire().
  Start take(const VectorClock& issuer, SlotQueue queue);

  // The copy's last event had the epoch `last`. `queues`: whose copies may take the slot over.
  void retire(SlotId slot, Epoch last, std::span<const SlotQueue> queues);

  std::size_t size() const { return last_.size(); }

 private:
  static constexpr Epoch kInFlight = std::numeric_limits<Epoch>::max();
  static constexpr int kProbes = 8;
  struct Finished {
    SlotId slot;
    Epoch last;
  };

  std::vector<Epoch> last_;                   // By slot; kInFlight: infinite.
  std::vector<std::deque<Finished>> queues_;  // By queue. Entries go stale at a takeover.
};

}  // namespace replait
