// From the slices of an access to a RangeId, without building a row for a range that is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replait/memory.h"
#include "replait/shape.h"
#include "trace/row_index.h"
#include "trace/tables.h"

namespace replait {

class RangeTable {
 public:
  explicit RangeTable(Tables& tables) : tables_(tables) {}

  RangeId id(const Index& index);
  RangeId id(std::span<const Slice> slices);
  // With a mask (one entry an element of the value; empty: none) or the block of a window.
  RangeId id(std::span<const Slice> slices, std::span<const bool> mask, const GridBlock* block);

 private:
  struct Known {
    std::uint32_t first = 0;  // In dims_.
    std::uint32_t rank = 0;
    RangeId id{};
  };

  // `slice_at(i)` is dimension i of `rank`.
  template <typename SliceAt>
  RangeId find(std::size_t rank, SliceAt slice_at);

  Tables& tables_;
  std::vector<Dim> dims_;
  std::vector<Known> known_;
  RowIndex index_;
};

}  // namespace replait
