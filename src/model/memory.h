// The memory map: from key to allocation, with JAX's allocation rules, faults included.
//
// A buffer holds bytes where the driver brings them; where it does not (a trace that keeps hashes
// only, or no values), errors and bounds are the same and values are what is known of them
// (known_values.h), else what was observed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/fault.h"
#include "model/known_values.h"
#include "model/machine.h"
#include "model/range.h"
#include "model/strided.h"
#include "trace/tables.h"

namespace replait {

// An array: what a read returned, or what a copy carries.
struct Value {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<std::byte> bytes;  // Row-major; empty unless has_bytes.
  bool has_bytes = false;
  ValueId id{};  // 0 where it is not known, or values are off.
};

// What a write or swap stores.
struct Incoming {
  std::span<const std::byte> bytes;
  bool has_bytes = false;
  ValueId id{};
  // Where the array is known apart from the range; else it has the buffer's type and the range's
  // shape.
  std::optional<DType> dtype = std::nullopt;
  const Shape* shape = nullptr;
};

class Memory {
 public:
  Memory(Tables& tables, const MachineOptions& options);

  Outcome allocate(const Allocate& op, std::span<const std::byte> bytes);
  Outcome free(KeyId key);

  // Each returns the error, or 0. What a read or swap returned is in last_read().
  ErrorId read(const Access& access, const Outcome* observed);
  ErrorId write(const Access& access, const Incoming& value, const Outcome* observed);
  ErrorId swap(const Access& access, const Incoming& value, const Outcome* observed);
  const Value& last_read() const { return result_; }
  void clear_last_read();
  bool keeps_values() const { return values_ != ValueLevel::kNone; }

  std::optional<BufferId> buffer_at(KeyId key) const;
  ValueId stored_value(const Op& op, std::span<const std::byte> bytes);

  // JAX drops a launch's memory when it ends.
  void end_launch(LaunchId launch);

 private:
  struct Allocation {
    bool live = false;
    bool has_bytes = false;
    BufferId row{};
    AllocationKind kind = AllocationKind::kBuffer;
    DType dtype = DType::kF32;
    std::uint32_t item_size = 0;
    std::uint32_t references = 0;
    std::uint64_t made_up = 0;  // Bytes that no driver brought.
    const Shape* content = nullptr;
    const Shape* logical = nullptr;
    std::vector<std::int64_t> strides;  // In bytes, of the content; set iff has_bytes.
    std::vector<std::byte> bytes;
    KnownValues known;
  };

  // Maps.
  ErrorId find(AccessKind kind, KeyId key, Allocation*& found);
  ErrorId missing_key(KeyId key);
  ErrorId make_buffer(const Allocate& op, const BufferRow& row, std::span<const std::byte> bytes,
                      Allocation& made);
  ErrorId fill(const Allocate& op, const BufferRow& row, std::span<const std::byte> bytes,
               Allocation& buffer);
  void drop_bytes(Allocation& buffer);
  void release(Allocation& allocation);

  // Reads; axes_ is the selection.
  ErrorId read_outside(const Allocation& buffer, const Access& access, bool partly,
                       const Outcome* observed);
  void take_value(const Allocation& buffer, const RangeRow& range, const Outcome* observed);
  void gather(const Allocation& buffer, const RangeRow& range);
  void set_value_id(const Outcome* observed);
  ValueId intern(DType dtype, std::span<const std::int64_t> shape,
                 std::span<const std::byte> bytes);

  // Writes.
  ErrorId assign(Allocation& buffer, const Access& access, const Incoming& value);
  ErrorId fit_value(const Access& access, const Shape& logical, const Incoming& value);
  void scatter(Allocation& buffer, std::span<const std::byte> bytes);
  ErrorId swap_masked(Allocation& buffer, const Access& access, const Incoming& value,
                      const Outcome* observed);
  void exchange(Allocation& buffer, const RangeRow& range, const Incoming& value);

  // JAX raised something that comes of operands which the Machine does not see.
  bool raised_unseen(const Outcome* observed) const;

  Tables& tables_;
  const ValueLevel values_;
  const bool compute_;
  const bool partly_outside_swap_asserts_;  // Before JAX 0.12.
  std::vector<Allocation> allocations_;     // By key.
  std::uint64_t made_up_bytes_ = 0;         // Of contents that no driver brought.
  Value result_;

  // Scratch, so that an access allocates nothing.
  std::vector<Axis> axes_;
  std::vector<Axis> written_axes_;
  Shape target_;       // What a write fills, in the buffer's order.
  Shape value_shape_;  // What it brings, likewise,
  Shape value_from_;   // with the elements from one index to the next of each dimension.
  std::vector<StridedDim> moves_;
};

}  // namespace replait
