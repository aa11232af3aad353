#include "trace/dtype.h"

#include <array>
#include <cstddef>

#include "base/check.h"

namespace replait {
namespace {

struct Names {
  DType dtype;
  std::string_view numpy;
  std::string_view jax;  // numpy's name with float -> f, uint -> u, int -> i, complex -> c.
  std::uint32_t bytes;
};

// In the order of the enumeration.
constexpr std::array kNames = {
    Names{DType::kBool, "bool", "bool", 1},
    Names{DType::kI2, "int2", "i2", 1},
    Names{DType::kI4, "int4", "i4", 1},
    Names{DType::kI8, "int8", "i8", 1},
    Names{DType::kI16, "int16", "i16", 2},
    Names{DType::kI32, "int32", "i32", 4},
    Names{DType::kI64, "int64", "i64", 8},
    Names{DType::kU2, "uint2", "u2", 1},
    Names{DType::kU4, "uint4", "u4", 1},
    Names{DType::kU8, "uint8", "u8", 1},
    Names{DType::kU16, "uint16", "u16", 2},
    Names{DType::kU32, "uint32", "u32", 4},
    Names{DType::kU64, "uint64", "u64", 8},
    Names{DType::kF4E2M1FN, "float4_e2m1fn", "f4_e2m1fn", 1},
    Names{DType::kF8E3M4, "float8_e3m4", "f8_e3m4", 1},
    Names{DType::kF8E4M3, "float8_e4m3", "f8_e4m3", 1},
    Names{DType::kF8E4M3B11FNUZ, "float8_e4m3b11fnuz", "f8_e4m3b11fnuz", 1},
    Names{DType::kF8E4M3FN, "float8_e4m3fn", "f8_e4m3fn", 1},
    Names{DType::kF8E4M3FNUZ, "float8_e4m3fnuz", "f8_e4m3fnuz", 1},
    Names{DType::kF8E5M2, "float8_e5m2", "f8_e5m2", 1},
    Names{DType::kF8E5M2FNUZ, "float8_e5m2fnuz", "f8_e5m2fnuz", 1},
    Names{DType::kF8E8M0FNU, "float8_e8m0fnu", "f8_e8m0fnu", 1},
    Names{DType::kBF16, "bfloat16", "bf16", 2},
    Names{DType::kF16, "float16", "f16", 2},
    Names{DType::kF32, "float32", "f32", 4},
    Names{DType::kF64, "float64", "f64", 8},
    Names{DType::kC64, "complex64", "c64", 8},
    Names{DType::kC128, "complex128", "c128", 16},
    Names{DType::kI1, "int1", "i1", 1},
    Names{DType::kU1, "uint1", "u1", 1},
    Names{DType::kF6E2M3FN, "float6_e2m3fn", "f6_e2m3fn", 1},
    Names{DType::kF6E3M2FN, "float6_e3m2fn", "f6_e3m2fn", 1},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (static_cast<std::size_t>(kNames[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_order() && kNames.back().dtype == kLastDType);

const Names& names_of(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  REPLAIT_CHECK(index < kNames.size());
  return kNames[index];
}

}  // namespace

std::uint32_t item_bytes(DType dtype) { return names_of(dtype).bytes; }

std::string_view dtype_name(DType dtype) { return names_of(dtype).numpy; }

std::string_view short_name(DType dtype) { return names_of(dtype).jax; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Names& names : kNames) {
    if (name == names.numpy || name == names.jax) return names.dtype;
  }
  return std::nullopt;
}

}  // namespace replait
