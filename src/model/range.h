// Which elements a range selects, and when it is out of bounds: decided as JAX's Buffer decides it.
//
// JAX clips a read to the shape of the content and then indexes with numpy, so a negative start
// wraps like Python's, and a range is "outside" (None) as soon as one dimension starts at or behind
// its end, even an empty one. A write is never clipped to the content: it fails when its last
// element lies outside, and an assertion fails on a negative start. Both take missing dimensions
// whole, by the logical shape.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

using Shape = std::vector<std::int64_t>;

// The selected indices of one dimension: start, start + step, ...; all inside the content.
struct Axis {
  std::int64_t start = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
  bool is_index = false;  // Drops the dimension.
  friend bool operator==(const Axis&, const Axis&) = default;
};

enum class Fit : std::uint8_t {
  kFits,
  kOutside,  // JAX: None, or False.
  kRaises,   // numpy or Python raise something of their own: `type` and `text`.
};

struct Bounds {
  Fit fit = Fit::kFits;
  const char* type = "";
  const char* text = "";
};

// The part of `dims` inside `limit` (the content's shape, or the logical one), as indices into the
// content. `axes` has one entry a dimension of the content if it fits.
Bounds select(const std::vector<Dim>& dims, const Shape& logical, const Shape& limit,
              const Shape& content, std::vector<Axis>& axes);

// Whether a write to `dims` may proceed.
Bounds check_write(const std::vector<Dim>& dims, const Shape& logical, const Shape& content);

// The shape that `get` expects of its result (rounding a stepped slice down) and the shape of the
// value that a write or swap brings (rounding up). Dimensions behind the range's are whole.
void expected_shape(const std::vector<Dim>& dims, const Shape& logical, Shape& shape);
void value_shape(const std::vector<Dim>& dims, const Shape& logical, Shape& shape);

// Of the selected elements, in the buffer's order.
void selected_shape(const std::vector<Axis>& axes, Shape& shape);

// Whether `permutation` names each of 0 .. rank-1 once, or is empty.
bool is_permutation(const std::vector<std::uint32_t>& permutation, std::size_t rank);

// `shape` with dimension i taken from `permutation[i]`; unchanged where that is empty.
void permute(Shape& shape, const std::vector<std::uint32_t>& permutation);

// The product, at most 2^63-1; 0 if a dimension is not positive.
std::int64_t element_count(const Shape& shape);

// Whether two selections of one buffer may share an element; false only if they cannot.
bool may_overlap(const Axis& a, const Axis& b);

}  // namespace replait
