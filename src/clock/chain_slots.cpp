#include "clock/chain_slots.h"

#include <algorithm>

#include "base/check.h"

namespace replait {

SlotId ChainSlots::open() {
  REPLAIT_CHECK(last_.size() < std::numeric_limits<std::uint32_t>::max());
  last_.push_back(kInFlight);
  return from_index<SlotId>(last_.size() - 1);
}

ChainSlots::Start ChainSlots::take(const VectorClock& issuer, SlotQueue queue) {
  if (to_index(queue) < queues_.size()) {
    std::deque<Finished>& finished = queues_[to_index(queue)];
    std::size_t probes = std::min<std::size_t>(kProbes, finished.size());
    while (!finished.empty() && probes > 0) {
      const Finished candidate = finished.front();
      finished.pop_front();
      // Taken over meanwhile, through another queue.
      if (last_[to_index(candidate.slot)] != candidate.last) continue;
      if (issuer.covers(candidate.slot, candidate.last)) {
        last_[to_index(candidate.slot)] = kInFlight;
        return {candidate.slot, candidate.last + 1};
      }
      finished.push_back(candidate);
      --probes;
    }
  }
  return {open(), 1};
}

void ChainSlots::retire(SlotId slot, Epoch last, std::span<const SlotQueue> queues) {
  REPLAIT_CHECK(last_[to_index(slot)] == kInFlight && last != kInFlight);
  last_[to_index(slot)] = last;
  for (const SlotQueue queue : queues) {
    if (to_index(queue) >= queues_.size()) queues_.resize(to_index(queue) + 1);
    queues_[to_index(queue)].push_back({slot, last});
  }
}

}  // namespace replait
