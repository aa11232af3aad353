#include "model/range.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace replait {
namespace {

// Sums of two numbers of a hostile trace do not fit into 64 bits.
__extension__ using Wide = __int128;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::int64_t saturate(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, kMin, kMax));
}

// Python's //. REQUIRES: divisor != 0.
Wide floor_divide(Wide dividend, Wide divisor) {
  const Wide quotient = dividend / divisor;
  const bool inexact = dividend % divisor != 0;
  return inexact && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

// Python's slice.indices(length), as numpy applies it.
Axis slice_axis(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t length) {
  const auto clamp = [&](std::int64_t bound) {
    if (bound < 0) {
      bound += length;
      return bound < 0 ? (step < 0 ? std::int64_t{-1} : std::int64_t{0}) : bound;
    }
    return bound >= length ? (step < 0 ? length - 1 : length) : bound;
  };
  if (step == kMin) step = -kMax;
  Axis axis{.start = clamp(start), .count = 0, .step = step, .is_index = false};
  const std::int64_t end = clamp(stop);
  if (step > 0 && axis.start < end) axis.count = (end - axis.start - 1) / step + 1;
  if (step < 0 && end < axis.start) axis.count = (axis.start - end - 1) / -step + 1;
  if (axis.count <= 1) axis.step = 1;
  return axis;
}

Bounds outside() { return {.fit = Fit::kOutside, .type = "", .text = ""}; }
Bounds raises(const char* type, const char* text) {
  return {.fit = Fit::kRaises, .type = type, .text = text};
}

}  // namespace

Bounds select(const std::vector<Dim>& dims, const Shape& logical, const Shape& limit,
              const Shape& content, std::vector<Axis>& axes) {
  axes.clear();
  const std::size_t rank = content.size();
  for (std::size_t i = 0; i < std::max(dims.size(), rank); ++i) {
    if (i >= rank) return raises("ValueError", "zip() argument 2 is shorter than argument 1");
    const std::int64_t start = i < dims.size() ? dims[i].start : 0;
    if (start >= limit[i]) return outside();
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (i >= dims.size()) {
      axes.push_back(slice_axis(0, std::min(logical[i], limit[i]), 1, content[i]));
    } else if (dims[i].is_index) {
      const std::int64_t index = dims[i].start < 0 ? dims[i].start + content[i] : dims[i].start;
      if (index < 0) return outside();
      axes.push_back({.start = index, .count = 1, .step = 1, .is_index = true});
    } else {
      if (dims[i].stride == 0) return raises("ValueError", "slice step cannot be zero");
      axes.push_back(
          slice_axis(dims[i].start, std::min(dims[i].stop, limit[i]), dims[i].stride, content[i]));
    }
  }
  return {};
}

Bounds check_write(const std::vector<Dim>& dims, const Shape& logical, const Shape& content) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i >= content.size()) {
      return raises("ValueError", "zip() argument 2 is longer than argument 1");
    }
    const Dim& dim = dims[i];
    if (dim.start < 0) return raises("AssertionError", "");
    if (dim.is_index) {
      if (dim.start >= content[i]) return outside();
      continue;
    }
    if (dim.stop < 0 || dim.stride < 0) return raises("AssertionError", "");
    if (dim.stride == 0) {
      return raises("ZeroDivisionError", "integer division or modulo by zero");
    }
    if (dim.stride == 1) [[likely]] {
      if (dim.stop > dim.start && dim.stop > content[i]) return outside();
      continue;
    }
    const Wide elements = floor_divide(Wide{dim.stop} - dim.start + dim.stride - 1, dim.stride);
    if (elements > 0 && dim.start + (elements - 1) * dim.stride >= content[i]) return outside();
  }
  for (std::size_t i = dims.size(); i < content.size(); ++i) {
    if (logical[i] > content[i]) return outside();
  }
  return {};
}

void expected_shape(const std::vector<Dim>& dims, const Shape& logical, Shape& shape) {
  shape.clear();
  for (const Dim& dim : dims) {
    if (dim.is_index) continue;
    const Wide length = Wide{dim.stop} - dim.start;
    shape.push_back(dim.stride == 1
                        ? saturate(length)
                        : saturate(floor_divide(length, dim.stride == 0 ? 1 : dim.stride)));
  }
  for (std::size_t i = dims.size(); i < logical.size(); ++i) shape.push_back(logical[i]);
}

void value_shape(const std::vector<Dim>& dims, const Shape& logical, Shape& shape) {
  shape.clear();
  for (const Dim& dim : dims) {
    if (dim.is_index) continue;
    const Wide length = Wide{dim.stop} - dim.start;
    const Wide stride = dim.stride < 1 ? 1 : dim.stride;
    shape.push_back(length <= 0 ? 0 : saturate((length - 1) / stride + 1));
  }
  for (std::size_t i = dims.size(); i < logical.size(); ++i) shape.push_back(logical[i]);
}

void selected_shape(const std::vector<Axis>& axes, Shape& shape) {
  shape.clear();
  for (const Axis& axis : axes) {
    if (!axis.is_index) shape.push_back(axis.count);
  }
}

bool is_permutation(const std::vector<std::uint32_t>& permutation, std::size_t rank) {
  if (permutation.empty()) return true;
  if (permutation.size() != rank) return false;
  std::vector<bool> seen(rank);
  for (const std::uint32_t dimension : permutation) {
    if (dimension >= rank || seen[dimension]) return false;
    seen[dimension] = true;
  }
  return true;
}

void permute(Shape& shape, const std::vector<std::uint32_t>& permutation) {
  if (permutation.empty()) return;
  const Shape original = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = original[permutation[i]];
}

std::int64_t element_count(const Shape& shape) {
  Wide product = 1;
  for (const std::int64_t size : shape) {
    if (size <= 0) return 0;
  }
  for (const std::int64_t size : shape) product = std::min<Wide>(product * size, kMax);
  return static_cast<std::int64_t>(product);
}

bool may_overlap(const Axis& a, const Axis& b) {
  if (a.count == 0 || b.count == 0) return false;
  const auto first = [](const Axis& x) {
    return x.step > 0 ? x.start : x.start + (x.count - 1) * x.step;
  };
  const auto last = [](const Axis& x) {
    return x.step > 0 ? x.start + (x.count - 1) * x.step : x.start;
  };
  if (last(a) < first(b) || last(b) < first(a)) return false;
  if (a.count == 1 || b.count == 1) {
    const Axis& many = a.count == 1 ? b : a;
    const std::int64_t one = a.count == 1 ? a.start : b.start;
    return (one - many.start) % many.step == 0;
  }
  return (a.start - b.start) % std::gcd(a.step, b.step) == 0;
}

}  // namespace replait
