#include "model/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/uninitialized.h"
#include "trace/hash.h"

namespace replait {
namespace {

// Contents that the Machine makes up where no bytes are brought: a kernel (or a hostile trace) that
// asks for more gets numpy's error.
constexpr std::uint64_t kMadeUpBytesMax = std::uint64_t{1} << 30;

// At most 2^64-1.
std::uint64_t byte_count(const Shape& shape, std::uint32_t item_size) {
  std::uint64_t bytes = 0;
  const auto elements = static_cast<std::uint64_t>(element_count(shape));
  return __builtin_mul_overflow(elements, item_size, &bytes) ? ~std::uint64_t{0} : bytes;
}

bool before_0_12(const std::string& version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos || version.substr(0, dot) != "0") return false;
  const std::string minor = version.substr(dot + 1, version.find('.', dot + 1) - dot - 1);
  return minor.size() < 2 || (minor.size() == 2 && minor < "12");
}

bool any_negative(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; });
}

ErrorId out_of_memory(Tables& tables, const Shape& shape, DType dtype, std::uint64_t bytes) {
  return raised(
      tables, "MemoryError",
      fmt::format("Unable to allocate {} bytes for an array with shape {} and data type {}", bytes,
                  python_repr(shape), dtype_name(dtype)),
      kException);
}

}  // namespace

Memory::Memory(Tables& tables, const MachineOptions& options)
    : tables_(tables),
      values_(options.values),
      compute_(options.compute_values),
      partly_outside_swap_asserts_(before_0_12(options.jax_version)) {}

Outcome Memory::allocate(const Allocate& op, std::span<const std::byte> bytes) {
  const std::size_t index = to_index(op.key);
  if (index >= allocations_.size()) allocations_.resize(std::max(index + 1, index * 2));
  Allocation& held = allocations_[index];
  const BufferRow& row = tables_[op.buffer];
  if (held.live) {
    const BufferRow& other = tables_[held.row];
    const bool same = held.kind == row.kind &&
                      (row.kind == AllocationKind::kOther ||
                       (held.dtype == row.dtype && other.content_shape == row.content_shape &&
                        other.logical_shape == row.logical_shape));
    return {.value = {}, .error = {}, .count = same ? kAlreadyHeld : kHeldDifferent};
  }
  Allocation made;
  made.live = true;
  made.row = op.buffer;
  made.kind = row.kind;
  made.references = row.references;
  if (row.kind == AllocationKind::kBuffer) {
    const ErrorId error = make_buffer(op, row, bytes, made);
    if (error != ErrorId{}) return {.value = {}, .error = error, .count = 0};
  }
  held = std::move(made);
  return {};
}

ErrorId Memory::make_buffer(const Allocate& op, const BufferRow& row,
                            std::span<const std::byte> bytes, Allocation& made) {
  made.dtype = row.dtype;
  made.item_size = item_bytes(row.dtype);
  made.content = &tables_[row.content_shape];
  made.logical = &tables_[row.logical_shape];
  const Shape& content = *made.content;
  const Shape& logical = *made.logical;
  if (any_negative(content)) {
    return raised(tables_, "ValueError", "negative dimensions are not allowed", kException);
  }
  for (std::size_t i = 0; i < std::min(content.size(), logical.size()); ++i) {
    if (logical[i] > content[i]) {
      return raised(tables_, "ValueError",
                    fmt::format("Logical shape {} cannot be bigger than content shape {}.",
                                python_repr(logical), python_repr(content)),
                    kException);
    }
  }
  if (content.size() != logical.size()) {
    const bool longer = logical.size() > content.size();
    return raised(
        tables_, "ValueError",
        fmt::format("zip() argument 2 is {} than argument 1", longer ? "longer" : "shorter"),
        kException);
  }
  return fill(op, row, bytes, made);
}

ErrorId Memory::fill(const Allocate& op, const BufferRow& row, std::span<const std::byte> bytes,
                     Allocation& buffer) {
  const std::uint64_t size = byte_count(*buffer.content, buffer.item_size);
  if (compute_ && bytes.size() == size) {
    buffer.bytes.assign(bytes.begin(), bytes.end());
    buffer.has_bytes = true;
  } else if (compute_ && bytes.empty() && op.value == ValueId{}) {
    if (size > kMadeUpBytesMax - made_up_bytes_) {
      return out_of_memory(tables_, *buffer.content, buffer.dtype, size);
    }
    made_up_bytes_ += size;
    buffer.made_up = size;
    buffer.bytes.resize(size);
    buffer.has_bytes = true;
    const bool nan = tables_[tables_[op.key].launch].uninitialized_nan;
    if (const auto element = uninitialized_element(buffer.dtype, nan)) {
      fill_elements(buffer.bytes, *element, buffer.item_size);
    }
  }
  if (buffer.has_bytes) {
    const Shape& content = *buffer.content;
    buffer.strides.assign(content.size(), 0);
    std::int64_t stride = buffer.item_size;
    for (std::size_t i = content.size(); i-- > 0 && size > 0;) {
      buffer.strides[i] = stride;
      stride *= content[i];
    }
  } else if (values_ != ValueLevel::kNone && row.content_shape == row.logical_shape) {
    axes_.clear();
    for (const std::int64_t dim : *buffer.content) axes_.push_back({.start = 0, .count = dim});
    buffer.known.remember(axes_, {}, op.value);
  }
  return {};
}

Outcome Memory::free(KeyId key) {
  if (to_index(key) >= allocations_.size() || !allocations_[to_index(key)].live) {
    return {.value = {}, .error = missing_key(key), .count = 0};
  }
  Allocation& held = allocations_[to_index(key)];
  if (held.kind == AllocationKind::kOther) {
    const ErrorId error = raised(
        tables_, "ValueError",
        fmt::format("Attempting to deallocate allocation with key `{}` that is not a `Buffer`.",
                    python_repr(tables_[key])),
        kNotABuffer);
    return {.value = {}, .error = error, .count = 0};
  }
  if (held.references == 0) {
    return {.value = {}, .error = raised(tables_, "AssertionError", "", kException), .count = 0};
  }
  const std::uint64_t left = --held.references;
  if (left == 0) release(held);
  return {.value = {}, .error = {}, .count = left};
}

ErrorId Memory::missing_key(KeyId key) {
  return raised(tables_, "KeyError", python_repr(tables_[key]), kMissingKey);
}

ErrorId Memory::find(AccessKind kind, KeyId key, Allocation*& found) {
  const std::size_t index = to_index(key);
  if (index >= allocations_.size() || !allocations_[index].live) return missing_key(key);
  found = &allocations_[index];
  return found->kind == AllocationKind::kBuffer ? ErrorId{} : not_a_buffer(tables_, kind, key);
}

void Memory::drop_bytes(Allocation& buffer) {
  made_up_bytes_ -= buffer.made_up;
  buffer.made_up = 0;
  buffer.has_bytes = false;
  buffer.bytes = {};
  buffer.known.clear();
}

void Memory::release(Allocation& allocation) {
  drop_bytes(allocation);
  allocation = Allocation{};
}

void Memory::end_launch(LaunchId launch) {
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    if (allocations_[i].live && tables_[from_index<KeyId>(i)].launch == launch) {
      release(allocations_[i]);
    }
  }
}

std::optional<BufferId> Memory::buffer_at(KeyId key) const {
  const std::size_t index = to_index(key);
  if (index >= allocations_.size()) return std::nullopt;
  const Allocation& held = allocations_[index];
  if (!held.live || held.kind != AllocationKind::kBuffer) return std::nullopt;
  return held.row;
}

ValueId Memory::intern(DType dtype, std::span<const std::int64_t> shape,
                       std::span<const std::byte> bytes) {
  ValueRow row;
  row.hash = value_hash(dtype, shape, bytes);
  if (values_ == ValueLevel::kFull) row.bytes.assign(bytes.begin(), bytes.end());
  return tables_.value(std::move(row));
}

bool Memory::raised_unseen(const Outcome* observed) const {
  if (observed == nullptr || observed->error == ErrorId{}) return false;
  const ErrorRow& error = tables_[observed->error];
  return error.kind == ErrorKind::kRaised && error.rule == kException;
}

void Memory::clear_last_read() {
  result_.bytes.clear();
  result_.shape.clear();
  result_.has_bytes = false;
  result_.id = {};
}

ErrorId Memory::read(const Access& access, const Outcome* observed) {
  clear_last_read();
  Allocation* buffer = nullptr;
  if (const ErrorId error = find(AccessKind::kRead, access.key, buffer); error != ErrorId{}) {
    return error;
  }
  const RangeRow& range = tables_[access.range];
  const Bounds bounds =
      select(range.dims, *buffer->logical, *buffer->content, *buffer->content, axes_);
  if (bounds.fit == Fit::kRaises) return raised(tables_, bounds);
  result_.dtype = buffer->dtype;
  expected_shape(range.dims, *buffer->logical, result_.shape);
  selected_shape(axes_, target_);
  if (bounds.fit == Fit::kOutside || target_ != result_.shape) {
    return read_outside(*buffer, access, bounds.fit == Fit::kFits, observed);
  }
  if (!is_permutation(range.permutation, result_.shape.size())) {
    return raised(tables_, "ValueError", "axes don't match array", kException);
  }
  if (raised_unseen(observed)) return observed->error;
  take_value(*buffer, range, observed);
  return {};
}

// REQUIRES: result_.shape is what `get` expects, and, if `partly`, target_ what is inside.
ErrorId Memory::read_outside(const Allocation& buffer, const Access& access, bool partly,
                             const Outcome* observed) {
  const RangeRow& range = tables_[access.range];
  if (range.dims.size() > buffer.content->size()) {
    return raised(tables_, "AssertionError", "", kException);
  }
  for (const Dim& dim : range.dims) {
    if (!dim.is_index && dim.stride == 0) {
      return raised(tables_, "ZeroDivisionError", "integer division or modulo by zero", kException);
    }
  }
  const LaunchRow& launch = tables_[tables_[access.key].launch];
  if (launch.out_of_bounds_reads_raise) {
    return out_of_bounds(tables_, AccessKind::kRead, access, *buffer.logical);
  }
  const auto element = uninitialized_element(buffer.dtype, launch.uninitialized_nan);
  if (!element) {
    return raised(tables_, "NotImplementedError", fmt::format("nan + {}", dtype_name(buffer.dtype)),
                  kException);
  }
  if (any_negative(result_.shape)) {
    return raised(tables_, "ValueError", "negative dimensions are not allowed", kException);
  }
  if (partly) {
    value_shape_ = target_;
    for (std::size_t i = 0; i < target_.size(); ++i) {
      value_shape_[i] = std::min(target_[i], result_.shape[i]);
      if (value_shape_[i] != target_[i] && target_[i] != 1) {
        // Only with a step that does not divide the range's length.
        for (std::size_t j = i; j < target_.size(); ++j) {
          value_shape_[j] = std::min(target_[j], result_.shape[j]);
        }
        return no_broadcast(tables_, target_, value_shape_);
      }
    }
  }
  if (!is_permutation(range.permutation, result_.shape.size())) {
    return raised(tables_, "ValueError", "axes don't match array", kException);
  }
  if (raised_unseen(observed)) return observed->error;
  permute(result_.shape, range.permutation);
  if (buffer.has_bytes) {
    const std::uint64_t size = byte_count(result_.shape, buffer.item_size);
    if (size > kMadeUpBytesMax) return out_of_memory(tables_, result_.shape, buffer.dtype, size);
    result_.bytes.resize(size);
    result_.has_bytes = true;
    fill_elements(result_.bytes, *element, buffer.item_size);
    if (partly) gather(buffer, range);
  }
  set_value_id(observed);
  return {};
}

void Memory::take_value(const Allocation& buffer, const RangeRow& range, const Outcome* observed) {
  result_.dtype = buffer.dtype;
  permute(result_.shape, range.permutation);
  if (buffer.has_bytes) {
    result_.bytes.resize(byte_count(result_.shape, buffer.item_size));
    result_.has_bytes = true;
    gather(buffer, range);
  } else if (values_ != ValueLevel::kNone) {
    result_.id = buffer.known.find(axes_, range.permutation);
  }
  set_value_id(observed);
}

void Memory::set_value_id(const Outcome* observed) {
  if (values_ == ValueLevel::kNone) return;
  if (result_.has_bytes) {
    result_.id = intern(result_.dtype, result_.shape, result_.bytes);
  } else if (result_.id == ValueId{} && observed != nullptr) {
    result_.id = observed->value;
  }
}

// Copies the selection axes_ to the front corner of result_, whose shape is in the value's order.
void Memory::gather(const Allocation& buffer, const RangeRow& range) {
  if (result_.bytes.empty()) return;
  const std::byte* from = buffer.bytes.data();
  moves_.clear();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].count == 0) return;
    from += axes_[i].start * buffer.strides[i];
    if (axes_[i].is_index) continue;
    moves_.push_back({.count = axes_[i].count, .to = 0, .from = axes_[i].step * buffer.strides[i]});
  }
  if (!range.permutation.empty()) {
    const std::vector<StridedDim> original = moves_;
    for (std::size_t i = 0; i < moves_.size(); ++i) moves_[i] = original[range.permutation[i]];
  }
  std::int64_t stride = buffer.item_size;
  for (std::size_t i = moves_.size(); i-- > 0;) {
    moves_[i].to = stride;
    moves_[i].count = std::min(moves_[i].count, result_.shape[i]);
    stride *= result_.shape[i];
  }
  move_elements(result_.bytes.data(), from, moves_, buffer.item_size);
}

}  // namespace replait
