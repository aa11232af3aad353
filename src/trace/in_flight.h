// The copies in flight of one chunk, in order of issue: a schedule names a copy by its rank there.
//
// Ranks of FIFO copies are small whatever the number of copies. A Fenwick tree over the chunk's
// copies [Fenwick 1994] finds rank and copy in O(log n), also where no copy ever completes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace replait {

class InFlight {
 public:
  // For copies 0 .. n-1 in order of issue; none is in flight.
  explicit InFlight(std::size_t n) : tree_(n + 1) {
    while (top_ * 2 <= n) top_ *= 2;
  }

  void insert(std::size_t copy) {
    ++count_;
    for (std::size_t i = copy + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
  }
  // REQUIRES: `copy` is in flight.
  void erase(std::size_t copy) {
    --count_;
    for (std::size_t i = copy + 1; i < tree_.size(); i += i & (~i + 1)) --tree_[i];
  }
  std::size_t count() const { return count_; }

  // How many copies in flight were issued before `copy`.
  std::size_t rank(std::size_t copy) const {
    std::size_t sum = 0;
    for (std::size_t i = copy; i > 0; i &= i - 1) sum += tree_[i];
    return sum;
  }
  // The copy of that rank. REQUIRES: rank < count().
  std::size_t at(std::size_t rank) const {
    std::size_t copy = 0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      if (copy + step < tree_.size() && tree_[copy + step] <= rank) {
        copy += step;
        rank -= tree_[copy];
      }
    }
    return copy;
  }

 private:
  std::vector<std::uint32_t> tree_;  // From 1.
  std::size_t top_ = 1;              // The greatest power of two up to n.
  std::size_t count_ = 0;
};

}  // namespace replait
