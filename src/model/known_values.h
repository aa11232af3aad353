// Which values a buffer without bytes is known to hold.
//
// A replay of a trace that keeps hashes only cannot compute what a read returns, but a read of
// exactly the range of an earlier write, with nothing that overlaps written since, must return that
// write's value. Only the latest ranges are kept: a forgotten one means a value taken over from the
// recording, never a wrong one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/range.h"
#include "trace/event.h"

namespace replait {

class KnownValues {
 public:
  void clear() { entries_.clear(); }

  // Something unknown was written to `axes`.
  void forget(const std::vector<Axis>& axes);

  // `value` was written to exactly `axes`, its dimensions in the order of `permutation`.
  void remember(const std::vector<Axis>& axes, const std::vector<std::uint32_t>& permutation,
                ValueId value);

  // 0 where it is not known.
  ValueId find(const std::vector<Axis>& axes, const std::vector<std::uint32_t>& permutation) const;

 private:
  static constexpr std::size_t kEntriesMax = 16;
  struct Entry {
    std::vector<Axis> axes;
    std::vector<std::uint32_t> permutation;
    ValueId value{};
  };
  std::vector<Entry> entries_;  // Oldest first.
};

}  // namespace replait
