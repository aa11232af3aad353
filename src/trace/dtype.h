// Element types: all of JAX's, ml_dtypes included. The order is part of the trace format; new ones
// go to the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace replait {

enum class DType : std::uint8_t {
  kBool,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3B11FNUZ,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kI1,
  kU1,
  kF6E2M3FN,
  kF6E3M2FN,
};
constexpr DType kLastDType = DType::kF6E3M2FN;

// Bytes an element in memory; sub-byte types take one byte each, as in numpy.
std::uint32_t item_bytes(DType dtype);

// As numpy and ml_dtypes spell it: "float32", "bfloat16", "int4".
std::string_view dtype_name(DType dtype);

// As JAX prints it in types: "f32", "bf16", "i4".
std::string_view short_name(DType dtype);

// From either spelling; nullopt for an unknown name.
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace replait
