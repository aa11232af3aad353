#include "race/overlap.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace replait {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// g = gcd(a, b) and x with a * x = g (mod b). REQUIRES: a, b > 0.
std::pair<Wide, Wide> gcd_with_inverse(Wide a, Wide b) {
  Wide x = 1;
  Wide next_x = 0;
  while (b != 0) {
    const Wide quotient = a / b;
    std::tie(a, b) = std::pair(b, a - quotient * b);
    std::tie(x, next_x) = std::pair(next_x, x - quotient * next_x);
  }
  return {a, x};
}

// As Python's slice.indices() for one bound.
std::int64_t from_end(std::int64_t index, std::int64_t extent) {
  if (index >= 0 || extent == kMax) return index;
  return index >= -extent ? index + extent : 0;
}

Progression asked_of(const Dim& dim, std::int64_t extent) {
  if (dim.is_index) {
    const bool wraps = dim.start < 0 && extent != kMax && dim.start >= -extent;
    const std::int64_t index = wraps ? dim.start + extent : dim.start;
    return {index, index, 1};
  }
  const std::int64_t start = from_end(dim.start, extent);
  const std::int64_t stop = from_end(dim.stop, extent);
  if (stop <= start) return {};
  const std::int64_t stride = std::max<std::int64_t>(dim.stride, 1);
  const Wide steps = (Wide{stop} - start - 1) / stride;
  const auto last = static_cast<std::int64_t>(start + steps * stride);
  return {start, last, last == start ? 1 : stride};
}

Progression within(const Progression& asked, std::int64_t extent) {
  Wide first = asked.first;
  if (first < 0) first += (-first + asked.stride - 1) / asked.stride * asked.stride;
  const Wide end = std::min<Wide>(asked.last, Wide{extent} - 1);
  if (end < first) return {};
  const Wide last = first + (end - first) / asked.stride * asked.stride;
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
          last == first ? 1 : asked.stride};
}

}  // namespace

bool Progression::contains(std::int64_t index) const {
  return index >= first && index <= last && (Wide{index} - first) % stride == 0;
}

bool meet(const Progression& a, const Progression& b) {
  if (a.empty() || b.empty()) return false;
  const Wide low = std::max(a.first, b.first);
  const Wide high = std::min(a.last, b.last);
  if (low > high) return false;
  const auto [g, inverse] = gcd_with_inverse(a.stride, b.stride);
  const Wide gap = Wide{b.first} - a.first;
  if (gap % g != 0) return false;
  // a.first + a.stride * t = b.first (mod b.stride) for t = gap / g * inverse (mod b.stride / g).
  const Wide modulus = b.stride / g;
  const Wide t = (gap / g % modulus * (inverse % modulus) % modulus + modulus) % modulus;
  const Wide period = a.stride / g * b.stride;
  Wide common = a.first + a.stride * t;
  // To the first one from `low` on; common is at least a.first, and may be above low already.
  if (common < low) common += (low - common + period - 1) / period * period;
  return common <= high && common >= low;
}

Footprint::Footprint(const RangeRow& range, const std::vector<std::int64_t>* logical,
                     const std::vector<std::int64_t>* content) {
  const std::size_t rank = std::max(range.dims.size(), content != nullptr ? content->size() : 0);
  for (std::size_t i = 0; i < rank; ++i) {
    Axis axis{};
    axis.extent = content != nullptr && i < content->size() ? (*content)[i] : kMax;
    axis.is_index = i < range.dims.size() && range.dims[i].is_index;
    const std::int64_t whole = logical != nullptr && i < logical->size() ? (*logical)[i] : kMax;
    axis.asked =
        asked_of(i < range.dims.size() ? range.dims[i] : Dim{0, whole, 1, false}, axis.extent);
    axis.touched = within(axis.asked, axis.extent);
    axes_.push_back(axis);
  }
  if (!range.mask.empty()) masked_ = &range;
}

bool Footprint::empty() const {
  for (const Axis& axis : axes_) {
    if (axis.touched.empty()) return true;
  }
  return masked_ != nullptr &&
         !any_masked_element([](const std::vector<std::int64_t>&) { return true; });
}

std::vector<Progression> Footprint::box() const {
  std::vector<Progression> box;
  for (const Axis& axis : axes_) box.push_back(axis.touched);
  return box;
}

// The axes of the value that the range moves, in the value's order.
std::vector<std::size_t> Footprint::value_axes() const {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!axes_[i].is_index) kept.push_back(i);
  }
  const std::vector<std::uint32_t>& permutation = masked_->permutation;
  if (permutation.size() != kept.size()) return kept;
  std::vector<std::size_t> axes;
  for (const std::uint32_t from : permutation)
    axes.push_back(kept[std::min<std::size_t>(from, kept.size() - 1)]);
  return axes;
}

// Calls visit(element) for each masked element within the content, until it returns true.
template <typename Visit>
bool Footprint::any_masked_element(Visit visit) const {
  const std::vector<std::size_t> axes = value_axes();
  std::vector<std::int64_t> element(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) element[i] = axes_[i].asked.first;
  const std::vector<std::uint8_t>& mask = masked_->mask;
  for (std::size_t bit = 0; bit < mask.size() * 8; ++bit) {
    if ((mask[bit / 8] >> (bit % 8) & 1) == 0) continue;
    std::uint64_t rest = bit;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const Progression& asked = axes_[axes[i]].asked;
      if (asked.empty()) return false;
      const Wide count = (Wide{asked.last} - asked.first) / asked.stride + 1;
      element[axes[i]] = static_cast<std::int64_t>(asked.first + rest % count * asked.stride);
      rest = static_cast<std::uint64_t>(rest / count);
    }
    if (rest != 0) return false;  // Padding bits behind the last element.
    bool inside = true;
    for (std::size_t i = 0; i < axes_.size() && inside; ++i) {
      inside = axes_[i].touched.contains(element[i]);
    }
    if (inside && visit(element)) return true;
  }
  return false;
}

bool Footprint::mask_has(const std::vector<std::int64_t>& element) const {
  Wide bit = 0;
  for (const std::size_t axis : value_axes()) {
    const Progression& asked = axes_[axis].asked;
    bit = bit * ((Wide{asked.last} - asked.first) / asked.stride + 1) +
          (Wide{element[axis]} - asked.first) / asked.stride;
    if (bit >= Wide{1} << 62) return false;  // Masks are far shorter.
  }
  const auto index = static_cast<std::uint64_t>(bit);
  return index / 8 < masked_->mask.size() && (masked_->mask[index / 8] >> (index % 8) & 1) != 0;
}

bool Footprint::contains(const std::vector<std::int64_t>& element) const {
  for (std::size_t i = 0; i < std::min(axes_.size(), element.size()); ++i) {
    if (!axes_[i].touched.contains(element[i])) return false;
  }
  return masked_ == nullptr || element.size() < axes_.size() || mask_has(element);
}

bool Footprint::overlaps_box(const Footprint& other) const {
  for (const Footprint* footprint : {this, &other}) {
    for (const Axis& axis : footprint->axes_) {
      if (axis.touched.empty()) return false;
    }
  }
  for (std::size_t i = 0; i < std::min(axes_.size(), other.axes_.size()); ++i) {
    if (!meet(axes_[i].touched, other.axes_[i].touched)) return false;
  }
  return true;
}

bool Footprint::overlaps(const Footprint& other) const {
  if (!overlaps_box(other)) return false;
  const auto in_other = [&](const std::vector<std::int64_t>& element) {
    return other.contains(element);
  };
  const auto in_this = [&](const std::vector<std::int64_t>& element) { return contains(element); };
  if (masked_ != nullptr) return any_masked_element(in_other);
  return other.masked_ == nullptr || other.any_masked_element(in_this);
}

std::pair<std::uint64_t, std::uint64_t> Footprint::hull() const {
  Wide low = 0;
  Wide high = 0;
  for (const Axis& axis : axes_) {
    if (axis.extent == kMax) return {0, std::numeric_limits<std::uint64_t>::max()};
    low = low * axis.extent + axis.touched.first;
    high = high * axis.extent + axis.touched.last;
    if (high >= kMax) return {0, std::numeric_limits<std::uint64_t>::max()};
  }
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

}  // namespace replait
