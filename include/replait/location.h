// Where in the source an op stands: file and line of the call.
//
// Column and function are left out: compilers disagree on them, and a recording must not depend on
// the compiler. Where a call spreads over several lines they agree if its first line holds the
// object and the function's name.
#pragma once

#include <cstdint>

namespace replait {

struct Location {
  const char* file = "";
  std::uint32_t line = 0;

  // As a default argument: the place of the call. (std::source_location is missing in clang 14.)
  static constexpr Location current(const char* file = __builtin_FILE(),
                                    std::uint32_t line = __builtin_LINE()) {
    return {.file = file, .line = line};
  }
};

}  // namespace replait
