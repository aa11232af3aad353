#include "race/access_history.h"

#include <algorithm>
#include <bit>

namespace replait {

std::size_t AccessHistory::entry_of(RangeId range) {
  const auto [found, is_new] = by_range_.try_emplace(range, kNothing);
  if (!is_new) return found->second;
  const std::vector<std::int64_t>* logical = nullptr;
  const std::vector<std::int64_t>* content = nullptr;
  if (buffer_ != nullptr) {
    logical = &tables_[buffer_->logical_shape];
    content = &tables_[buffer_->content_shape];
  }
  Footprint footprint(tables_[range], logical, content);
  if (footprint.empty()) return kNothing;
  if (footprint.is_masked()) {
    found->second = add_entry(std::move(footprint));
    return found->second;
  }
  // Different ranges may touch the same elements: [0:4] and [...] of four.
  const auto [same, is_first] = by_box_.try_emplace(footprint.box(), kNothing);
  if (is_first) same->second = add_entry(std::move(footprint));
  found->second = same->second;
  return found->second;
}

std::size_t AccessHistory::add_entry(Footprint footprint) {
  const auto [low, high] = footprint.hull();
  const std::size_t added = entries_.size();
  std::vector<std::size_t> overlapping{added};
  for (auto level = by_hull_.begin(); level != by_hull_.end();) {
    // A hull of this level is shorter than 2 << shift, so those that reach `low` start at most two
    // places before it.
    const int shift = level->first.first;
    const std::uint64_t first = low >> shift;
    auto at = by_hull_.lower_bound({shift, first < 2 ? 0 : first - 2});
    for (; at != by_hull_.end() && at->first <= std::pair(shift, high >> shift); ++at) {
      for (const std::size_t other : at->second) {
        if (entries_[other].footprint.overlaps(footprint)) overlapping.push_back(other);
      }
    }
    level = by_hull_.lower_bound({shift + 1, 0});
  }
  for (const std::size_t other : overlapping) {
    if (other != added) entries_[other].overlapping.push_back(added);
  }
  const int shift = std::bit_width(high - low) == 0 ? 0 : std::bit_width(high - low) - 1;
  by_hull_[{shift, low >> shift}].push_back(added);
  entries_.push_back({std::move(footprint), std::move(overlapping), {}, {}});
  return added;
}

void AccessHistory::keep(Entry& entry, const MemoryAccess& access, SlotId slot, Epoch epoch) {
  std::vector<Chain>& chains = writes(access.kind) ? entry.writes : entry.reads;
  auto chain = std::lower_bound(chains.begin(), chains.end(), slot,
                                [](const Chain& c, SlotId s) { return c.slot < s; });
  if (chain == chains.end() || chain->slot != slot) chain = chains.insert(chain, Chain{slot, {}});
  auto& records = chain->records;
  for (auto r = records.rbegin(); r != records.rend() && r->epoch == epoch; ++r) {
    if (r->access.agent == access.agent && r->access.source == access.source &&
        r->access.kind == access.kind) {
      ++r->count;
      return;
    }
  }
  records.push_back({access, 1, slot, epoch});
  ++size_;
}

}  // namespace replait
