// Buffers: typed views that read and write like arrays and record every access.
//
//   x[{i, j}] = 2 * x[{i, j}];                  one element: a read, a write
//   std::vector<float> row = x.at({i}).get();   a block
//   y.at({slice(0, 8, 2), j}).set(column);      a strided block
//   x.on_device(1)                              the same buffer of another device
//
// Each access is one op, at which another thread may run first. An element is read when it is
// turned into its type: `float v = x[i]` reads, `auto v = x[i]` does not. A view has value
// semantics and may be kept; the buffer may be freed meanwhile, then an access raises as in JAX.
//
// Accesses outside the buffer raise JAX's errors and end the execution. A wrong number of values
// throws std::invalid_argument.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "replait/detail.h"
#include "replait/element.h"
#include "replait/location.h"
#include "replait/memory.h"
#include "replait/shape.h"

namespace replait {

// A part of a buffer: what get and set move. Copies take views as source and destination.
template <typename T>
class View {
 public:
  View(SimulatedThread& thread, const detail::Place& place, std::span<const Slice> slices,
       const Shape& shape)
      : thread_(&thread), place_(place), rank_(slices.size()), shape_(shape) {
    std::copy(slices.begin(), slices.end(), slices_.begin());
  }

  // Of the values, so without the dimensions that were indexed.
  const Shape& shape() const { return shape_; }

  std::vector<T> get(Location where = Location::current()) const {
    return get_block(nullptr, where);
  }
  // Without allocating. `out` holds as many elements as the view.
  void get(std::span<T> out, Location where = Location::current()) const {
    check_size(out.size(), "get");
    detail::read(*thread_, region(), std::as_writable_bytes(out), nullptr, where);
  }
  void set(std::span<const T> values, Location where = Location::current()) const {
    check_size(values.size(), "set");
    detail::write(*thread_, region(), std::as_bytes(values), nullptr, where);
  }
  void set(std::initializer_list<T> values, Location where = Location::current()) const {
    set(std::span<const T>(values.begin(), values.size()), where);
  }

  // Writes and returns what was there, in one step. With a mask (one entry an element) only where
  // it is true; what it leaves out is returned as it was given.
  std::vector<T> swap(std::span<const T> values, Location where = Location::current()) const {
    return masked_swap(values, {}, where);
  }
  std::vector<T> masked_swap(std::span<const T> values, std::span<const bool> mask,
                             Location where = Location::current()) const {
    check_size(values.size(), "swap");
    if (!mask.empty()) check_size(mask.size(), "mask");
    return collect([&](std::span<std::byte> out) {
      detail::swap(*thread_, region(), std::as_bytes(values), mask, out, where);
    });
  }

  // The same as a window of the grid pipeline: a fetch of an input's block and a write-back of an
  // output's. Out of bounds they raise JAX's error for blocks, which names operand and iteration.
  std::vector<T> fetch(const GridBlock& block, Location where = Location::current()) const {
    return get_block(&block, where);
  }
  void write_back(std::span<const T> values, const GridBlock& block,
                  Location where = Location::current()) const {
    check_size(values.size(), "write_back");
    detail::write(*thread_, region(), std::as_bytes(values), &block, where);
  }

  // The same part of the same buffer of another device, or of another core (VMEM, SMEM).
  View on_device(std::uint32_t device) const { return moved(device, place_.core); }
  View on_core(std::uint32_t core) const { return moved(place_.device, core); }

  const detail::Place& place() const { return place_; }
  // Valid while this view is.
  detail::Region region() const {
    return {.key = place_.key,
            .type = element_type<T>(),
            .slices = std::span(slices_.data(), rank_),
            .shape = shape_};
  }

 protected:
  View moved(std::uint32_t device, std::uint32_t core) const {
    View view = *this;
    view.place_ = detail::place(*thread_, place_.space, place_.buffer, device, core);
    return view;
  }
  void check_size(std::size_t values, const char* what) const {
    if (static_cast<std::int64_t>(values) != shape_.elements()) {
      detail::wrong_size(shape_, values, what);
    }
  }
  // std::vector<bool> has no array of bool inside.
  template <typename Fill>
  std::vector<T> collect(Fill fill) const {
    const auto elements = static_cast<std::size_t>(shape_.elements());
    const std::unique_ptr<T[]> values(new T[elements]());
    fill(std::as_writable_bytes(std::span(values.get(), elements)));
    return std::vector<T>(values.get(), values.get() + elements);
  }
  std::vector<T> get_block(const GridBlock* block, Location where) const {
    return collect(
        [&](std::span<std::byte> out) { detail::read(*thread_, region(), out, block, where); });
  }

  SimulatedThread* thread_;
  detail::Place place_;
  std::size_t rank_;
  Shape shape_;
  std::array<Slice, kRankMax> slices_;
};

// A whole buffer.
template <typename T>
class Buffer : public View<T> {
 public:
  Buffer(SimulatedThread& thread, const detail::Place& place, const Shape& shape)
      : View<T>(thread, place, {}, shape) {}

  // One element: x[3], x[{1, 2}]. Fewer indices than dimensions name more than one: use at().
  Element<T> operator[](const Index& index) const {
    if (index.rank != this->shape_.rank()) detail::wrong_size(this->shape_, index.rank, "index");
    return Element<T>(*this->thread_, this->place_.key, index);
  }
  // A part: x.at({2}), x.at({slice(0, 4), all(), 3}). Dimensions that are not named are whole.
  View<T> at(std::initializer_list<Slice> slices) const {
    const Shape& shape = this->shape_;
    if (slices.size() > shape.rank()) detail::wrong_size(shape, slices.size(), "region");
    std::array<Slice, kRankMax> part;
    std::array<std::int64_t, kRankMax> left{};
    std::size_t rank = 0;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      const Slice given = i < slices.size() ? slices.begin()[i] : all();
      part[i] = given.is_all ? slice(0, shape[i]) : given;
      if (!given.is_index) left[rank++] = given.size(shape[i]);
    }
    return View<T>(*this->thread_, this->place_, std::span(part.data(), slices.size()),
                   Shape(std::span<const std::int64_t>(left.data(), rank)));
  }

  Buffer on_device(std::uint32_t device) const { return whole(View<T>::on_device(device)); }
  Buffer on_core(std::uint32_t core) const { return whole(View<T>::on_core(core)); }

 private:
  Buffer whole(const View<T>& view) const {
    return Buffer(*this->thread_, view.place(), view.shape());
  }
};

}  // namespace replait
