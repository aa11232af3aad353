// Moves elements between two n-dimensional layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace replait {

struct StridedDim {
  std::int64_t count = 0;
  std::int64_t to = 0;    // Bytes from one element to the next.
  std::int64_t from = 0;  // 0 repeats one element.
};

// REQUIRES: every element that the dimensions reach from `to` and `from` exists. `dims` is used up:
// neighbours that form one run are joined in place.
void move_elements(std::byte* to, const std::byte* from, std::vector<StridedDim>& dims,
                   std::size_t item_size);

}  // namespace replait
