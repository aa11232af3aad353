// The kernel's faults, each with the type and the text that JAX raises.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/range.h"
#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

// Rules that more than one fault has.
inline constexpr std::string_view kNotABuffer = "memory.not-a-buffer";
inline constexpr std::string_view kMissingKey = "memory.missing-key";
inline constexpr std::string_view kOutOfBounds = "memory.out-of-bounds";
inline constexpr std::string_view kException = "exec.exception";

ErrorId raised(Tables& tables, std::string_view type, std::string text, std::string_view rule);

// A Python or numpy error that JAX does not word itself.
ErrorId raised(Tables& tables, const Bounds& bounds);

enum class AccessKind : std::uint8_t { kRead, kWrite, kSwap };

// Who accesses what.
struct Access {
  KeyId key{};
  RangeId range{};
  std::uint32_t core = 0;  // The accessing core: texts name it where all cores share the buffer.
};

ErrorId not_a_buffer(Tables& tables, AccessKind kind, KeyId key);
ErrorId out_of_bounds(Tables& tables, AccessKind kind, const Access& access, const Shape& logical);

// numpy's error where one array's shape does not fit another's.
ErrorId no_broadcast(Tables& tables, const Shape& from, const Shape& into);

// `out_of_range` is no number of the array type that JAX counts with.
ErrorId not_an_int32(Tables& tables, std::int64_t out_of_range);

}  // namespace replait
