// Memory spaces, keys and element types.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace replait {

// HBM and ANY are shared by the cores of a device; VMEM and SMEM belong to one core.
enum class MemorySpace : std::uint8_t { kAny, kHbm, kVmem, kSmem };

// A key of the memory map, as JAX prints it: ('vmem', 102, 0, 0).
struct MemoryKey {
  MemorySpace space = MemorySpace::kVmem;
  std::int64_t buffer = 0;  // JAX's allocators count from 100 on each core.
  std::uint32_t device = 0;
  std::uint32_t core = 0;  // 0 in HBM and ANY.
};

// A block of the grid, for the texts of JAX's errors.
struct GridBlock {
  std::string operand = {};  // The name of the input or output.
  std::vector<std::int64_t> indices = {};
  std::vector<std::int64_t> iteration = {};  // The grid point.
};

// What a buffer's elements are: any arithmetic type of at most 8 bytes.
struct ElementType {
  enum class Kind : std::uint8_t { kBool, kSigned, kUnsigned, kFloat };
  Kind kind = Kind::kFloat;
  std::uint8_t bytes = 4;
};

template <typename T>
constexpr ElementType element_type() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "buffers hold bool, integers, float and double");
  using Kind = ElementType::Kind;
  const Kind kind = std::is_same_v<T, bool>       ? Kind::kBool
                    : std::is_floating_point_v<T> ? Kind::kFloat
                    : std::is_signed_v<T>         ? Kind::kSigned
                                                  : Kind::kUnsigned;
  return {.kind = kind, .bytes = sizeof(T)};
}

}  // namespace replait
