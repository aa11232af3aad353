// Strong ids: each kind of id is an enum of its own, so that a key cannot be passed for a range.
//
// An id is an index into a table of one execution. 0 is a valid index for the tables that always
// have rows (agents, keys, ranges, semaphores); the kinds that may be absent (source, value, error)
// keep row 0 for "none".
#pragma once

#include <cstdint>
#include <type_traits>

namespace replait {

template <typename Id>
requires std::is_enum_v<Id>
constexpr std::uint32_t to_index(Id id) { return static_cast<std::uint32_t>(id); }

template <typename Id>
requires std::is_enum_v<Id>
constexpr Id from_index(std::uint64_t index) {
  return static_cast<Id>(static_cast<std::uint32_t>(index));
}

}  // namespace replait
