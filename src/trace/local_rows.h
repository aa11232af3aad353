// The rows that one chunk uses, numbered anew from its first event on, so that columns hold small
// numbers and a chunk decodes alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/canonical.h"

namespace replait {

class LocalRows {
 public:
  struct Use {
    std::uint32_t local = 0;
    // The first use in the chunk, of the lowest local number that was free. A new source whose
    // callers are new too is not: they come first.
    bool is_next = false;
  };

  LocalRows(const Tables& tables, const Canonical& canonical)
      : tables_(tables), canonical_(canonical) {
    clear();
  }

  // Starts the next chunk.
  void clear() {
    ++chunk_;
    bytes_ = 0;
    for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
      // Local 0 of such a kind is none, and no row of the chunk.
      used_[kind].assign(has_none(static_cast<RowKind>(kind)) ? 1 : 0, 0);
    }
  }

  // The local number of a row, by its file number. REQUIRES: not none.
  Use use(RowKind kind, std::uint32_t number) {
    const std::vector<Mark>& marks = marks_[index_of(kind)];
    if (number < marks.size() && marks[number].chunk == chunk_) [[likely]] {
      return {.local = marks[number].local, .is_next = false};
    }
    const std::size_t next = used_[index_of(kind)].size();
    const std::uint32_t local = use_new(kind, number);
    return {.local = local, .is_next = local == next};
  }

  // Local number of a row that is in use, by the execution's id.
  std::uint32_t local(RowKind kind, std::uint32_t id) const {
    if (has_none(kind) && id == 0) return 0;
    return marks_[index_of(kind)][canonical_.number(kind, id)].local;
  }

  // What the masks and texts of the chunk's rows take.
  std::size_t bytes() const { return bytes_; }

  // File numbers by local number; entry 0 of a kind with none is none.
  const std::vector<std::uint32_t>& used(RowKind kind) const { return used_[index_of(kind)]; }

 private:
  struct Mark {
    std::uint32_t chunk = 0;
    std::uint32_t local = 0;
  };
  std::uint32_t use_new(RowKind kind, std::uint32_t number);

  const Tables& tables_;
  const Canonical& canonical_;
  std::size_t bytes_ = 0;
  std::uint32_t chunk_ = 0;
  std::array<std::vector<Mark>, kRowKinds> marks_;  // By file number.
  std::array<std::vector<std::uint32_t>, kRowKinds> used_;
};

}  // namespace replait
