#include "sim/op_values.h"

#include "base/check.h"

namespace replait {

namespace {

DType by_bytes(std::uint8_t bytes, DType one, DType two, DType four, DType eight) {
  REPLAIT_CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
  return bytes == 1 ? one : bytes == 2 ? two : bytes == 4 ? four : eight;
}

}  // namespace

DType to_dtype(ElementType type) {
  switch (type.kind) {
    case ElementType::Kind::kBool:
      return DType::kBool;
    case ElementType::Kind::kSigned:
      return by_bytes(type.bytes, DType::kI8, DType::kI16, DType::kI32, DType::kI64);
    case ElementType::Kind::kUnsigned:
      return by_bytes(type.bytes, DType::kU8, DType::kU16, DType::kU32, DType::kU64);
    case ElementType::Kind::kFloat:
      return type.bytes == 4 ? DType::kF32 : DType::kF64;
  }
  return DType::kF32;
}

std::string_view space_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::kAny:
      return "any";
    case MemorySpace::kHbm:
      return "hbm";
    case MemorySpace::kVmem:
      return "vmem";
    case MemorySpace::kSmem:
      return "smem";
  }
  return "";
}

std::string shape_text(const Shape& shape) {
  return python_repr(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end()));
}

void perform_allocate(SimulatedThread& thread, KeyId key, std::uint32_t references,
                      const detail::Allocation& allocation, const Location& where) {
  SimulationState& state = thread.state();
  BufferRow row;
  row.kind = allocation.is_buffer ? AllocationKind::kBuffer : AllocationKind::kOther;
  row.dtype = to_dtype(allocation.type);
  row.content_shape = state.tables.shape(allocation.content_shape.dims());
  row.logical_shape = state.tables.shape(allocation.logical_shape.dims());
  row.references = references;
  row.name = allocation.name;
  const BufferId buffer = state.tables.buffer(row);
  thread.perform(Allocate{.key = key, .buffer = buffer, .value = {}}, where, allocation.initial);
}

}  // namespace replait
