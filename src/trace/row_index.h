// An index over the rows of a table: hash -> row number, without a node or an allocation a row.
//
// Open addressing with linear probing over pairs (row number, 32 bits of the hash): 8 bytes a slot,
// at most three quarters full, so 11 to 21 bytes a row. The rows themselves stay where the caller
// keeps them; growing needs only the stored part of the hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace replait {

class RowIndex {
 public:
  // The number of a row with this hash for which `equal(number)` holds; else enters `next` and
  // returns it.
  template <typename Equal>
  std::uint32_t find_or_insert(std::uint64_t hash, std::uint32_t next, Equal equal) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = place(tag);
    for (; slots_[slot].row != kEmpty; slot = next_slot(slot)) {
      if (slots_[slot].tag == tag && equal(slots_[slot].row)) return slots_[slot].row;
    }
    slots_[slot] = {.row = next, .tag = tag};
    ++count_;
    return next;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  struct Slot {
    std::uint32_t row = kEmpty;
    std::uint32_t tag = 0;
  };

  // The high bits decide, so rows stay in order of their tags when the index grows.
  std::size_t place(std::uint32_t tag) const {
    return static_cast<std::size_t>((std::uint64_t{tag} * slots_.size()) >> 32);
  }
  std::size_t next_slot(std::size_t slot) const { return slot + 1 == slots_.size() ? 0 : slot + 1; }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& entry : old) {
      if (entry.row == kEmpty) continue;
      std::size_t slot = place(entry.tag);
      while (slots_[slot].row != kEmpty) slot = next_slot(slot);
      slots_[slot] = entry;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace replait
