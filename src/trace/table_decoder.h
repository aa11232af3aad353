// TableColumns and LaunchPackets of an untrusted trace -> rows in Tables.
//
// Every reference is checked against what the chunk states, every row against row_limits.h, and a
// restated row against the row that it restates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/op_fields.h"
#include "trace/tables.h"

namespace replait {

class AgentColumns;
class BarrierColumns;
class BufferColumns;
class ErrorColumns;
class KeyColumns;
class LaunchPacket;
class RangeColumns;
class SemaphoreColumns;
class ShapeColumns;
class SourceColumns;
class TableColumns;
class ValueColumns;

// What a reader holds may take so much, and no more.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit_bytes) : left_(limit_bytes) {}
  // False where too little is left.
  bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::uint64_t left_;
};

// The file's rows so far, and the blobs whose values are still to come.
struct FileRows {
  FileRows();

  std::array<std::vector<std::uint32_t>, kRowKinds> ids;  // In Tables, by file number.
  std::map<std::array<std::uint64_t, 2>, std::vector<std::byte>> blobs;
};

// The rows of one chunk by local number; entry 0 of a kind with none is none.
struct ChunkRows {
  static constexpr std::uint8_t kNoPhase = 0xff;

  std::array<std::vector<std::uint32_t>, kRowKinds> ids;      // In Tables.
  std::array<std::vector<std::uint32_t>, kRowKinds> numbers;  // File numbers.
  std::vector<std::uint8_t> next_phase;     // Of agents; kNoPhase: new, or no copy.
  std::vector<std::uint32_t> issue_source;  // Of agents: of copies that are not new. Local number.
};

class TableDecoder {
 public:
  TableDecoder(Tables& tables, FileRows& file, MemoryBudget& budget)
      : tables_(tables), file_(file), budget_(budget) {}

  // Adds the chunk's new rows to the tables and the file's rows. Returns what is wrong; empty if
  // nothing is.
  std::string decode(const TableColumns& columns, const std::vector<const LaunchPacket*>& launches,
                     ChunkRows& chunk);

 private:
  void texts(const TableColumns& columns);
  void launches(const std::vector<const LaunchPacket*>& packets);
  void shapes(const ShapeColumns& c);
  void keys(const KeyColumns& c);
  void buffers(const BufferColumns& c);
  void ranges(const RangeColumns& c);
  bool range(const RangeColumns& c, int row, RangeRow& out);
  void semaphores(const SemaphoreColumns& c);
  void barriers(const BarrierColumns& c);
  void sources(const SourceColumns& c);
  void agents(const AgentColumns& c);
  void copy(const AgentColumns& c, std::uint32_t local, std::uint32_t form);
  void values(const ValueColumns& c);
  void errors(const ErrorColumns& c);

  bool failed() const { return !problem_.empty(); }
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  // Whether each of the columns has `rows` entries; fails otherwise.
  template <typename... Columns>
  bool have(RowKind kind, int rows, const Columns&... columns) {
    if (((columns.size() == rows) && ...)) return true;
    fail_columns(kind);
    return false;
  }
  void fail_columns(RowKind kind);
  // The next entry of a column that has not one a row; 0 and a failure at its end.
  template <typename Column>
  auto take(const Column& column, int& at) {
    using Entry = std::remove_cvref_t<decltype(column.Get(0))>;
    if (at < column.size()) return Entry{column.Get(at++)};
    fail("a column of a table ends too early");
    return Entry{};
  }
  // Numbers the rows; false if the codes are unsound.
  bool number_rows(RowKind kind, int count, const std::uint32_t* codes);
  std::uint32_t first_local(RowKind kind) const { return has_none(kind) ? 1 : 0; }
  bool is_new(RowKind kind, std::size_t local) const {
    return chunk_->numbers[index_of(kind)][local] >= known_[index_of(kind)];
  }
  // Enters the next row, which has this id in Tables: a restated row must have it already.
  void enter(RowKind kind, std::uint32_t id, std::uint64_t bytes);
  // The id of a row that was entered.
  template <typename Id>
  Id ref(RowKind kind, std::uint64_t local) {
    return from_index<Id>(ref_index(kind, local));
  }
  std::uint32_t ref_index(RowKind kind, std::uint64_t local);
  std::string text(std::uint32_t number);

  Tables& tables_;
  FileRows& file_;
  MemoryBudget& budget_;
  ChunkRows* chunk_ = nullptr;
  std::vector<std::string_view> texts_;
  std::array<std::uint32_t, kRowKinds> known_{};
  std::vector<std::int64_t> starts_, extents_;  // Of the last range that had the dimension.
  // Positions in the columns that have not one entry a row.
  int at_[10] = {};
  std::uint32_t last_copy_[6] = {};
  std::vector<std::uint64_t> next_issue_;
  std::string problem_;
};

}  // namespace replait
