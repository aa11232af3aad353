// What was done to one buffer, kept so that each new access finds all unordered overlapping ones
// without looking at the ordered.
//
// Accesses stand by what they touch (one entry a distinct range), then by slot, in order of their
// epochs. The agents of a slot form a chain, so what does not happen before a new access is a tail
// of each slot's list. Which ranges overlap is computed once for each pair of ranges that are near
// each other. Accesses of one agent, segment, line and range are one record with a count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "clock/vector_clock.h"
#include "race/overlap.h"
#include "race/race.h"
#include "trace/tables.h"

namespace replait {

struct AccessRecord {
  MemoryAccess access;  // The first of `count`.
  std::uint64_t count = 1;
  SlotId slot{};
  Epoch epoch = 0;
};

class AccessHistory {
 public:
  // `buffer`: what was allocated, or null where that is not known. `tables` must outlive this.
  AccessHistory(const Tables& tables, const BufferRow* buffer, std::size_t records_min)
      : tables_(tables), buffer_(buffer), records_min_(records_min), capacity_(records_min) {}

  // Calls visit(record) for each record that conflicts with `access` (overlaps it, and one of
  // the two writes) and is not covered by `clock`; then keeps `access`.
  template <typename Visit>
  void add(const MemoryAccess& access, SlotId slot, Epoch epoch, const VectorClock& clock,
           Visit visit) {
    const std::size_t at = entry_of(access.range);
    if (at == kNothing) return;
    for (const std::size_t near : entries_[at].overlapping) {
      const Entry& entry = entries_[near];
      visit_unordered(entry.writes, slot, clock, visit);
      if (writes(access.kind)) visit_unordered(entry.reads, slot, clock, visit);
    }
    keep(entries_[at], access, slot, epoch);
  }

  // Records, and how many there may be before it pays to drop what can no longer race.
  std::size_t size() const { return size_; }
  bool is_full() const { return size_ >= capacity_; }

  // Drops the records that every access to come is ordered after: known(slot) is the epoch up to
  // which all agents that can still access this buffer know the slot.
  template <typename Known>
  void drop_known(Known known) {
    size_ = 0;
    for (Entry& entry : entries_) {
      for (std::vector<Chain>* chains : {&entry.reads, &entry.writes}) {
        std::erase_if(*chains, [&](Chain& chain) {
          const Epoch epoch = known(chain.slot);
          std::erase_if(chain.records, [&](const AccessRecord& r) { return r.epoch <= epoch; });
          size_ += chain.records.size();
          return chain.records.empty();
        });
      }
    }
    capacity_ = std::max(records_min_, 2 * size_);
  }

 private:
  static constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();
  struct Chain {
    SlotId slot;
    std::vector<AccessRecord> records;  // By epoch.
  };
  struct Entry {
    Footprint footprint;
    std::vector<std::size_t> overlapping;  // Itself too.
    std::vector<Chain> reads;              // By slot.
    std::vector<Chain> writes;             // Swaps too.
  };

  template <typename Visit>
  static void visit_unordered(const std::vector<Chain>& chains, SlotId slot,
                              const VectorClock& clock, Visit& visit) {
    for (const Chain& chain : chains) {
      if (chain.slot == slot) continue;
      const Epoch known = clock.epoch(chain.slot);
      for (auto r = chain.records.rbegin(); r != chain.records.rend() && r->epoch > known; ++r) {
        visit(*r);
      }
    }
  }

  // The entry of what the range touches; kNothing if that is nothing.
  std::size_t entry_of(RangeId range);
  std::size_t add_entry(Footprint footprint);
  void keep(Entry& entry, const MemoryAccess& access, SlotId slot, Epoch epoch);

  const Tables& tables_;
  const BufferRow* buffer_;
  std::vector<Entry> entries_;
  std::map<RangeId, std::size_t> by_range_;
  std::map<std::vector<Progression>, std::size_t> by_box_;  // Without masks.
  // By (log2 of the hull's length, hull's start / that length): what may meet a hull stands in
  // neighbouring places of each level.
  std::map<std::pair<int, std::uint64_t>, std::vector<std::size_t>> by_hull_;
  std::size_t size_ = 0;
  std::size_t records_min_;
  std::size_t capacity_;
};

}  // namespace replait
