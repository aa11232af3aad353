// Which elements an access touches, and whether two accesses of one buffer touch a common one.
//
// Exact. A range is a product of arithmetic progressions, so two ranges meet iff they do in every
// dimension, and one dimension is a gcd test and a Chinese-remainder step. A masked range is the
// set of its masked elements: each is looked up in the other range. An empty range touches nothing.
// No number overflows, whatever a trace holds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/tables.h"

namespace replait {

// The indices first, first + stride, ..., last.
struct Progression {
  std::int64_t first = 0;
  std::int64_t last = -1;  // Below first: empty.
  std::int64_t stride = 1;

  bool empty() const { return last < first; }
  bool contains(std::int64_t index) const;
  friend auto operator<=>(const Progression&, const Progression&) = default;
};

bool meet(const Progression& a, const Progression& b);

class Footprint {
 public:
  // Dimensions that the range lacks are the buffer's logical ones, whole; what lies outside the
  // content is not touched; negative indices count from the end, as in Python. Null shapes: nothing
  // is known of the buffer, and missing dimensions are all that there is. `range` must outlive
  // this.
  Footprint(const RangeRow& range, const std::vector<std::int64_t>* logical,
            const std::vector<std::int64_t>* content);

  bool empty() const;

  // REQUIRES: both are of one buffer.
  bool overlaps(const Footprint& other) const;

  // From the first to the last element in row-major order of the content, both inclusive; wide
  // where that cannot be counted. What does not meet here does not overlap. REQUIRES: !empty().
  std::pair<std::uint64_t, std::uint64_t> hull() const;

  // Two footprints of one buffer without masks touch the same elements iff their boxes are equal.
  std::vector<Progression> box() const;
  bool is_masked() const { return masked_ != nullptr; }

 private:
  struct Axis {
    Progression asked;    // As the range says, with negative indices resolved: counts the mask.
    Progression touched;  // Of those, what lies within the content.
    std::int64_t extent;  // Of the content; the largest number where it is unknown.
    bool is_index;
  };

  template <typename Visit>
  bool any_masked_element(Visit visit) const;
  bool contains(const std::vector<std::int64_t>& element) const;
  bool mask_has(const std::vector<std::int64_t>& element) const;
  std::vector<std::size_t> value_axes() const;
  bool overlaps_box(const Footprint& other) const;

  std::vector<Axis> axes_;
  const RangeRow* masked_ = nullptr;  // Set iff the range has a mask.
};

}  // namespace replait
