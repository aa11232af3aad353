// Shapes, indices and slices of n-dimensional buffers. All count elements, row-major, from 0.
//
// Nothing is clamped or checked against a buffer here: what lies outside is decided as JAX decides
// it, when the access is applied.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>

#include "replait/location.h"

namespace replait {

inline constexpr std::size_t kRankMax = 8;

// {8, 128}; {} is a scalar. Throws std::invalid_argument above kRankMax dimensions.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::int64_t> dims) : rank_(dims.size()) {
    if (rank_ > kRankMax) throw std::invalid_argument("a shape has at most 8 dimensions");
    std::copy(dims.begin(), dims.end(), dims_.begin());
  }

  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t dim) const { return dims_[dim]; }
  std::span<const std::int64_t> dims() const { return {dims_.data(), rank_}; }
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims()) product *= dim;
    return product;
  }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kRankMax> dims_{};
  std::size_t rank_ = 0;
};

// One dimension of a region: an index, which drops the dimension; a slice; or all of it.
struct Slice {
  std::int64_t start = 0;
  std::int64_t stop = 0;  // Exclusive; the indices are start, start + stride, ... below it.
  std::int64_t stride = 1;
  bool is_index = false;
  bool is_all = false;

  Slice() = default;
  Slice(std::int64_t index) : start(index), stop(index + 1), is_index(true) {}

  // Elements of this dimension; `dim` is the buffer's.
  std::int64_t size(std::int64_t dim) const {
    if (is_all) return dim;
    return stop <= start ? 0 : (stop - start - 1) / stride + 1;
  }
};

// Elements start .. stop - 1, every `stride`-th. Throws std::invalid_argument for a stride below 1.
inline Slice slice(std::int64_t start, std::int64_t stop, std::int64_t stride = 1) {
  if (stride < 1) throw std::invalid_argument("the stride of a slice must be at least 1");
  Slice result;
  result.start = start;
  result.stop = stop;
  result.stride = stride;
  return result;
}

// The whole dimension.
inline Slice all() {
  Slice result;
  result.is_all = true;
  return result;
}

// One element, {row, column}, and where it is named.
struct Index {
  std::array<std::int64_t, kRankMax> at;  // Only the first `rank` are set.
  std::size_t rank;
  Location where;

  Index(std::int64_t index, Location location = Location::current()) : rank(1), where(location) {
    at[0] = index;
  }
  Index(std::initializer_list<std::int64_t> indices, Location location = Location::current())
      : rank(indices.size()), where(location) {
    if (rank > kRankMax) throw std::invalid_argument("an index has at most 8 dimensions");
    std::copy(indices.begin(), indices.end(), at.begin());
  }
};

}  // namespace replait
