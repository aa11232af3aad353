// Writes and swaps: what JAX stores, and where it refuses.
//
// A write that fits the content stores only what lies inside the logical shape, silently. A masked
// swap judges its mask by comparing every dimension's size with the first dimension's index, as JAX
// does, right or wrong.

#include <algorithm>
#include <cstdint>

#include "model/memory.h"

namespace replait {
namespace {

// Whether the mask selects an element that JAX takes for out of bounds: one whose first index is
// not below each of the sizes `inside`.
bool masks_outside(const std::vector<std::uint8_t>& mask, const Shape& value, const Shape& inside) {
  if (value.empty()) return false;
  const auto limit = static_cast<std::uint64_t>(*std::min_element(inside.begin(), inside.end()));
  const Shape row(value.begin() + 1, value.end());
  const auto row_size = static_cast<std::uint64_t>(element_count(row));
  const auto total = static_cast<std::uint64_t>(element_count(value));
  std::uint64_t bit = std::min<std::uint64_t>(total, mask.size() * 8);
  while (bit-- > 0) {
    if ((mask[bit / 8] >> (bit % 8) & 1) != 0) return bit / row_size >= limit;
  }
  return false;
}

// Whether it holds the bytes of as many elements.
bool brings(const Incoming& value, std::uint32_t item_size, std::int64_t elements) {
  return elements == 0 || (value.has_bytes &&
                           value.bytes.size() / item_size == static_cast<std::uint64_t>(elements));
}

// `shape`, whose dimension i is the buffer's dimension permutation[i], in the buffer's order.
void unpermute(Shape& shape, const std::vector<std::uint32_t>& permutation) {
  if (permutation.empty()) return;
  const Shape original = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[permutation[i]] = original[i];
}

}  // namespace

ErrorId Memory::write(const Access& access, const Incoming& value, const Outcome* observed) {
  Allocation* buffer = nullptr;
  if (const ErrorId error = find(AccessKind::kWrite, access.key, buffer); error != ErrorId{}) {
    return error;
  }
  if (value.dtype && *value.dtype != buffer->dtype) {
    return raised(tables_, "AssertionError", "", kException);
  }
  const RangeRow& range = tables_[access.range];
  const Bounds bounds = check_write(range.dims, *buffer->logical, *buffer->content);
  if (bounds.fit == Fit::kRaises) return raised(tables_, bounds);
  if (bounds.fit == Fit::kOutside) {
    return out_of_bounds(tables_, AccessKind::kWrite, access, *buffer->logical);
  }
  if (raised_unseen(observed)) return observed->error;
  return assign(*buffer, access, value);
}

// content[range] = value, inside the logical shape.
ErrorId Memory::assign(Allocation& buffer, const Access& access, const Incoming& value) {
  const RangeRow& range = tables_[access.range];
  const bool keeps_nothing = !buffer.has_bytes && values_ == ValueLevel::kNone;
  if (keeps_nothing && value.shape == nullptr && range.permutation.empty()) return {};
  const Bounds bounds =
      select(range.dims, *buffer.logical, *buffer.logical, *buffer.content, axes_);
  if (bounds.fit != Fit::kFits) return {};  // Behind the logical shape: dropped.
  selected_shape(axes_, target_);
  const bool exact = value.shape == nullptr;
  if (const ErrorId error = fit_value(access, *buffer.logical, value); error != ErrorId{}) {
    return error;
  }
  if (buffer.has_bytes && element_count(target_) > 0) {
    const std::int64_t elements =
        element_count(value.shape != nullptr ? *value.shape : value_shape_);
    if (!brings(value, buffer.item_size, elements)) {
      drop_bytes(buffer);
    } else {
      scatter(buffer, value.bytes);
    }
  }
  if (!buffer.has_bytes && values_ != ValueLevel::kNone) {
    if (target_ == value_shape_ && (exact || value_shape_.size() == value.shape->size())) {
      buffer.known.remember(axes_, range.permutation, value.id);
    } else {
      buffer.known.forget(axes_);
    }
  }
  return {};
}

// Lays the value along target_: value_shape_ and value_from_ get its sizes and steps there, 0 where
// one element repeats.
ErrorId Memory::fit_value(const Access& access, const Shape& logical, const Incoming& value) {
  const RangeRow& range = tables_[access.range];
  const bool other_rank = value.shape != nullptr && value.shape->size() != target_.size();
  if (!is_permutation(range.permutation, target_.size()) ||
      (other_rank && !range.permutation.empty())) {
    return raised(tables_, "ValueError", "axes don't match array", kException);
  }
  if (value.shape == nullptr) {
    value_shape(range.dims, logical, value_shape_);
    permute(value_shape_, range.permutation);
  } else {
    value_shape_ = *value.shape;
  }
  if (value_shape_.size() < target_.size()) {
    // numpy: too many indices; JAX takes that for an access out of bounds.
    return out_of_bounds(tables_, AccessKind::kWrite, access, logical);
  }
  value_from_.assign(value_shape_.size(), 0);
  if (element_count(value_shape_) > 0) {
    std::int64_t step = 1;
    for (std::size_t i = value_shape_.size(); i-- > 0;) {
      value_from_[i] = step;
      if (__builtin_mul_overflow(step, value_shape_[i], &step)) step = 0;
    }
  }
  unpermute(value_shape_, range.permutation);
  unpermute(value_from_, range.permutation);
  if (value_shape_ == target_) return {};
  if (value.shape == nullptr) return {};  // Longer at the end only: the rest is dropped.

  Shape sliced = value_shape_;
  for (std::size_t i = 0; i < target_.size(); ++i) sliced[i] = std::min(sliced[i], target_[i]);
  if (target_.empty()) {
    return element_count(sliced) == 1
               ? ErrorId{}
               : raised(tables_, "ValueError", "setting an array element with a sequence.",
                        kException);
  }
  const std::size_t extra = sliced.size() - target_.size();
  for (std::size_t i = 0; i < sliced.size(); ++i) {
    const std::int64_t wanted = i < extra ? 1 : target_[i - extra];
    if (sliced[i] == wanted) continue;
    if (sliced[i] != 1) return no_broadcast(tables_, sliced, target_);
    value_from_[i] = 0;
  }
  value_shape_.erase(value_shape_.begin(),
                     value_shape_.begin() + static_cast<std::ptrdiff_t>(extra));
  value_from_.erase(value_from_.begin(), value_from_.begin() + static_cast<std::ptrdiff_t>(extra));
  return {};
}

void Memory::scatter(Allocation& buffer, std::span<const std::byte> bytes) {
  const auto item = static_cast<std::int64_t>(buffer.item_size);
  std::byte* to = buffer.bytes.data();
  moves_.clear();
  std::size_t dimension = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    to += axes_[i].start * buffer.strides[i];
    if (axes_[i].is_index) continue;
    moves_.push_back({.count = axes_[i].count,
                      .to = axes_[i].step * buffer.strides[i],
                      .from = value_from_[dimension++] * item});
  }
  move_elements(to, bytes.data(), moves_, buffer.item_size);
}

ErrorId Memory::swap(const Access& access, const Incoming& value, const Outcome* observed) {
  clear_last_read();
  Allocation* buffer = nullptr;
  if (const ErrorId error = find(AccessKind::kSwap, access.key, buffer); error != ErrorId{}) {
    return error;
  }
  const RangeRow& range = tables_[access.range];
  const Bounds bounds =
      select(range.dims, *buffer->logical, *buffer->content, *buffer->content, axes_);
  if (bounds.fit == Fit::kRaises) return raised(tables_, bounds);
  if (bounds.fit == Fit::kOutside) {
    return out_of_bounds(tables_, AccessKind::kSwap, access, *buffer->logical);
  }
  selected_shape(axes_, target_);
  value_shape(range.dims, *buffer->logical, value_shape_);
  if (!is_permutation(range.permutation, target_.size())) {
    return raised(tables_, "ValueError", "axes don't match array", kException);
  }
  if (!range.mask.empty()) return swap_masked(*buffer, access, value, observed);
  if (target_ != value_shape_) {
    return partly_outside_swap_asserts_
               ? raised(tables_, "AssertionError", "", kException)
               : out_of_bounds(tables_, AccessKind::kSwap, access, *buffer->logical);
  }
  const Bounds write_bounds = check_write(range.dims, *buffer->logical, *buffer->content);
  if (write_bounds.fit == Fit::kRaises) return raised(tables_, write_bounds);
  if (raised_unseen(observed)) return observed->error;
  result_.shape = target_;
  take_value(*buffer, range, observed);
  return assign(*buffer, access, value);
}

// REQUIRES: axes_, target_ and value_shape_ are those of the access inside the content.
ErrorId Memory::swap_masked(Allocation& buffer, const Access& access, const Incoming& value,
                            const Outcome* observed) {
  const RangeRow& range = tables_[access.range];
  for (std::size_t i = 0; i < target_.size(); ++i) {
    // Only where a slice ends before it starts and its end wraps, which no ref of JAX does.
    if (target_[i] > value_shape_[i]) return no_broadcast(tables_, target_, value_shape_);
  }
  if (masks_outside(range.mask, value_shape_, target_)) {
    return out_of_bounds(tables_, AccessKind::kSwap, access, *buffer.logical);
  }
  if (raised_unseen(observed)) return observed->error;
  result_.dtype = buffer.dtype;
  result_.shape = value_shape_;
  permute(result_.shape, range.permutation);
  const bool brought = brings(value, buffer.item_size, element_count(result_.shape));
  if (buffer.has_bytes && brought) {
    result_.bytes.assign(value.bytes.begin(), value.bytes.end());
    result_.has_bytes = true;
    exchange(buffer, range, value);
  } else {
    if (buffer.has_bytes) drop_bytes(buffer);
    buffer.known.forget(axes_);
  }
  set_value_id(observed);
  return {};
}

// Where the mask is set, the result gets the buffer's element and the buffer the value's, if inside
// the logical shape.
void Memory::exchange(Allocation& buffer, const RangeRow& range, const Incoming& value) {
  const auto item = static_cast<std::int64_t>(buffer.item_size);
  if (element_count(target_) == 0) return;
  Shape from(result_.shape.size());  // Elements of the value from one index to the next.
  std::int64_t step = 1;
  for (std::size_t i = from.size(); i-- > 0;) {
    from[i] = step;
    step *= result_.shape[i];
  }
  unpermute(from, range.permutation);
  // What is written is a front corner of what is read.
  const bool writes =
      select(range.dims, *buffer.logical, *buffer.logical, *buffer.content, written_axes_).fit ==
      Fit::kFits;
  Shape index(axes_.size());
  for (bool more = true; more;) {
    std::int64_t place = 0;
    std::int64_t element = 0;
    bool written = writes;
    std::size_t dimension = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::int64_t at = axes_[i].start + index[i] * axes_[i].step;
      place += at * buffer.strides[i];
      written = written && index[i] < written_axes_[i].count;
      if (!axes_[i].is_index) element += index[i] * from[dimension++];
    }
    const auto bit = static_cast<std::uint64_t>(element);
    if (bit / 8 < range.mask.size() && (range.mask[bit / 8] >> (bit % 8) & 1) != 0) {
      std::byte* held = buffer.bytes.data() + place;
      std::copy_n(held, item, result_.bytes.data() + element * item);
      if (written) std::copy_n(value.bytes.data() + element * item, item, held);
    }
    more = false;
    for (std::size_t i = axes_.size(); i-- > 0 && !more;) {
      more = ++index[i] < axes_[i].count;
      if (!more) index[i] = 0;
    }
  }
}

ValueId Memory::stored_value(const Op& op, std::span<const std::byte> bytes) {
  if (values_ == ValueLevel::kNone) return {};
  if (const auto* allocate = std::get_if<Allocate>(&op)) {
    const BufferRow& row = tables_[allocate->buffer];
    if (row.kind != AllocationKind::kBuffer) return {};
    return intern(row.dtype, tables_[row.content_shape], bytes);
  }
  const auto* write = std::get_if<Write>(&op);
  const auto* exchanged = std::get_if<Swap>(&op);
  if (write == nullptr && exchanged == nullptr) return {};
  const std::optional<BufferId> buffer = buffer_at(write != nullptr ? write->key : exchanged->key);
  if (!buffer) return {};
  const BufferRow& row = tables_[*buffer];
  const RangeRow& range = tables_[write != nullptr ? write->range : exchanged->range];
  value_shape(range.dims, tables_[row.logical_shape], value_shape_);
  if (is_permutation(range.permutation, value_shape_.size())) {
    permute(value_shape_, range.permutation);
  }
  return intern(row.dtype, value_shape_, bytes);
}

}  // namespace replait
