// A race, as data: two accesses that nothing orders, and what is known of why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/tables.h"

namespace replait {

enum class MemoryAccessKind : std::uint8_t {
  kRead,
  kWrite,
  kSwap,       // Reads and writes.
  kCopyRead,   // A copy reads its source.
  kCopyWrite,  // A copy writes its destination.
};
inline bool writes(MemoryAccessKind kind) {
  return kind != MemoryAccessKind::kRead && kind != MemoryAccessKind::kCopyRead;
}
std::string_view to_string(MemoryAccessKind kind);  // "read", "write", "swap", "copy's read", ...

enum class RaceKind : std::uint8_t { kWriteWrite, kReadWrite };
std::string_view rule_of(RaceKind kind);  // "race.write-write"

struct MemoryAccess {
  std::uint64_t event = 0;
  AgentId agent{};
  SourceId source{};  // Of a copy: where it was issued.
  MemoryAccessKind kind = MemoryAccessKind::kRead;
  RangeId range{};
};

// All racing pairs of one buffer, one pair of source lines and one kind.
struct Race {
  RaceKind kind = RaceKind::kReadWrite;
  KeyId key{};
  std::optional<BufferId> buffer;  // What the key held; absent: no allocation was recorded.
  // The witness: the pair whose later access comes first, and of those the one whose earlier
  // access does.
  MemoryAccess first;
  MemoryAccess second;
  std::uint64_t pairs = 0;
  std::vector<AgentId> knowing;  // Running threads that `first` happens before, at `second`.

  std::vector<std::string>
      nearest;          // The synchronisation between the two, and why it is not enough.
  std::string missing;  // An edge that would order them.
};

}  // namespace replait
