#include "model/uninitialized.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace replait {
namespace {

// The bits of the nan-mode element, as numpy makes them of NaN, iinfo(dtype).max or True. Types
// without a NaN get what their conversion from one gives. nullopt: JAX has none.
std::optional<std::uint64_t> nan_bits(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 1;
    case DType::kI1:
      return 0;
    case DType::kU1:
      return 1;
    case DType::kI2:
      return 1;
    case DType::kU2:
      return 3;
    case DType::kI4:
      return 7;
    case DType::kU4:
      return 0xf;
    case DType::kI8:
      return 0x7f;
    case DType::kU8:
      return 0xff;
    case DType::kI16:
      return 0x7fff;
    case DType::kU16:
      return 0xffff;
    case DType::kI32:
      return 0x7fffffff;
    case DType::kU32:
      return 0xffffffff;
    case DType::kI64:
      return 0x7fffffffffffffff;
    case DType::kU64:
      return 0xffffffffffffffff;
    case DType::kF4E2M1FN:
      return 0x08;
    case DType::kF6E2M3FN:
      return 0x20;
    case DType::kF6E3M2FN:
      return 0x20;
    case DType::kF8E3M4:
      return 0x78;
    case DType::kF8E4M3:
      return 0x7c;
    case DType::kF8E4M3B11FNUZ:
      return 0x80;
    case DType::kF8E4M3FN:
      return 0x7f;
    case DType::kF8E4M3FNUZ:
      return 0x80;
    case DType::kF8E5M2:
      return 0x7e;
    case DType::kF8E5M2FNUZ:
      return 0x80;
    case DType::kF8E8M0FNU:
      return 0xff;
    case DType::kBF16:
      return 0x7fc0;
    case DType::kF16:
      return 0x7e00;
    case DType::kF32:
      return 0x7fc00000;
    case DType::kF64:
      return 0x7ff8000000000000;
    case DType::kC64:
    case DType::kC128:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::array<std::byte, 16>> uninitialized_element(DType dtype, bool nan) {
  std::array<std::byte, 16> element{};
  // This type has no zero: what numpy makes of one is its NaN.
  const bool no_zero = dtype == DType::kF8E8M0FNU;
  if (!nan && !no_zero) return element;
  const std::optional<std::uint64_t> bits = nan_bits(dtype);
  if (!bits) return std::nullopt;
  for (std::size_t i = 0; i < 8; ++i) {
    element[i] = static_cast<std::byte>(*bits >> (8 * i) & 0xff);
  }
  return element;
}

void fill_elements(std::span<std::byte> bytes, const std::array<std::byte, 16>& element,
                   std::size_t size) {
  if (bytes.size() < size) return;
  std::memcpy(bytes.data(), element.data(), size);
  // Doubles the filled part: few large moves in place of one an element.
  std::size_t filled = size;
  const std::size_t whole = bytes.size() - bytes.size() % size;
  while (filled < whole) {
    const std::size_t more = std::min(filled, whole - filled);
    std::memcpy(bytes.data() + filled, bytes.data(), more);
    filled += more;
  }
}

}  // namespace replait
