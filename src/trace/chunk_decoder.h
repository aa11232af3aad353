// ChunkPacket of an untrusted trace -> events in schedule order.
//
// Walks the schedule and takes each event from its thread's columns, or from the state of its copy.
// Whatever it takes is checked: that the column has it, that the row is one of the chunk's, that a
// row comes into use in the order of its local number, that a copy is in flight and in which phase.
// So the events form a possible execution, as far as this module knows one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/chunk_model.h"
#include "trace/in_flight.h"
#include "trace/table_decoder.h"

namespace replait {

class ChunkPacket;
class CopyColumns;
class ScheduleColumns;
class ThreadColumns;

// Local numbers of the current chunk by id in Tables.
class RowMarks {
 public:
  void next_chunk() { ++chunk_; }
  // False if the row has a local number already.
  bool set(RowKind kind, std::uint32_t id, std::uint32_t local);
  // REQUIRES: the row has one.
  std::uint32_t local(RowKind kind, std::uint32_t id) const {
    return marks_[index_of(kind)][id].local;
  }

 private:
  struct Mark {
    std::uint32_t chunk = 0;
    std::uint32_t local = 0;
  };
  std::uint32_t chunk_ = 0;
  std::array<std::vector<Mark>, kRowKinds> marks_;
};

// What the reader knows of all chunks before.
struct FileState {
  std::uint64_t events = 0;
  struct Copy {
    std::uint8_t next_phase = ChunkRows::kNoPhase;
    std::uint32_t source = 0;  // Of its issue; id in Tables.
  };
  std::vector<Copy> copies;  // By file number of the agent.
  RowMarks marks;
};

class ChunkDecoder {
 public:
  ChunkDecoder(const Tables& tables, const ChunkRows& rows, FileState& file)
      : tables_(tables), rows_(rows), file_(file) {}

  // Appends the chunk's events. Returns what is wrong; empty if nothing is. `events` holds what
  // came before.
  std::string decode(const ChunkPacket& packet, std::vector<Applied>& events);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A packed column, and how much of it was taken.
  template <typename T>
  struct Cursor {
    const T* data = nullptr;
    int size = 0;
    int at = 0;
    bool zeros = false;  // Left out, since all entries are 0.
  };
  using Column = Cursor<std::uint32_t>;
  using Signed = Cursor<std::int64_t>;
  using Last = std::array<std::uint32_t, kRowKinds>;

  struct Thread {
    std::uint32_t agent = 0;  // Local number.
    std::string_view ops;
    std::size_t at = 0;
    std::array<Column, kRowKinds> rows;
    Column results, errors, extras;
    Signed numbers, counts;
    Last last{};
    std::array<std::uint64_t, kOps> last_number{};
  };
  struct Copy {
    std::uint32_t agent = 0;  // Local number.
    std::uint8_t phase = ChunkRows::kNoPhase;
    std::uint32_t source = 0;  // Of its issue; local number.
    std::uint32_t last_value = 0;
  };

  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  bool failed() const { return !problem_.empty(); }

  template <typename T, typename Repeated>
  static Cursor<T> cursor(const Repeated& column, bool optional = false) {
    return {.data = column.data(), .size = column.size(), .zeros = optional && column.empty()};
  }
  template <typename T>
  T take(Cursor<T>& column) {
    if (column.at < column.size) return column.data[column.at++];
    if (!column.zeros) fail("a column ends before its events");
    return 0;
  }
  template <typename T>
  bool is_consumed(const Cursor<T>& column) const {
    return column.at == column.size;
  }

  void mark_rows();
  void begin_thread(const ThreadColumns& columns);
  void begin_copies(const CopyColumns& columns);
  void begin_schedule(const ScheduleColumns& columns);
  void run_schedule(std::uint32_t total);
  void thread_run(std::uint32_t slot, std::uint32_t length);
  void copy_run(std::uint32_t rank, bool has_length);
  void thread_event(Thread& thread);
  OpFields operands(Thread& thread, std::uint8_t op, std::uint8_t detail, std::uint32_t source);
  std::uint64_t number(Thread& thread, std::uint8_t op);
  std::uint32_t issue(const Thread& thread, std::uint32_t source);
  FileState::Copy& file_copy(const Copy& copy) {
    return file_.copies[rows_.numbers[index_of(RowKind::kAgent)][copy.agent]];
  }
  void copy_event(Copy& copy, CopyPhase phase, std::uint64_t partial_bytes);
  std::uint32_t copy_value(Copy& copy, CopyPhase phase);
  std::uint64_t expected_count(const OpFields& fields);
  void observe_count(const OpFields& fields, std::uint64_t count);
  std::uint64_t copy_count(const CopyRow& row, CopyPhase phase, std::uint64_t bytes);
  void check_consumed();
  void put(std::uint32_t agent, std::uint32_t source, const OpFields& fields,
           const Outcome& outcome);

  // The local number that a reference code stands for; enters a row used for the first time.
  std::uint32_t reference(Last& last, RowKind kind, std::uint32_t code);
  // Notes the first use of a row and of what it refers to: they must come in order.
  void enter(RowKind kind, std::uint32_t local);
  std::uint32_t id(RowKind kind, std::uint32_t local) const {
    return rows_.ids[index_of(kind)][local];
  }

  const Tables& tables_;
  const ChunkRows& rows_;
  FileState& file_;
  std::string problem_;
  std::vector<Applied>* events_ = nullptr;
  CountModel model_;
  std::array<std::uint32_t, kRowKinds> next_{};  // The next local number to come into use.
  std::vector<Thread> threads_;
  std::uint32_t threads_begun_ = 0;
  std::vector<Copy> copies_;            // By order of issue.
  std::vector<std::uint32_t> copy_at_;  // By local agent: index into copies_; kNone.
  InFlight in_flight_{0};
  Column steps_, lengths_, choices_, partial_gaps_;
  Cursor<std::uint64_t> partial_bytes_;
  std::uint32_t gap_left_ = 0;  // Copy steps until the next partial receive; kNone: none comes.
  Column copy_values_, copy_results_, copy_errors_, copy_sources_;
  Signed copy_counts_;
  Last copy_last_{};
};

}  // namespace replait
