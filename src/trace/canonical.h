// The canonical stream: what an execution did, in numbers that no library version changes.
//
// Rows get file numbers in order of the first event that uses them; each row is written where it is
// first used, then the event. Run id and chunk hashes are XXH3 of this stream, the trace's columns
// are another form of the same records. docs/trace-format.md has the encoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_buffer.h"
#include "trace/event_sink.h"
#include "trace/hash.h"
#include "trace/op_fields.h"
#include "trace/tables.h"
#include "trace/trace_writer.h"

namespace replait {

// One event in file numbers.
struct Record {
  std::uint8_t op = 0;
  std::uint8_t detail = 0;
  std::uint32_t agent = 0;
  std::uint32_t source = 0;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t value = 0;
  std::uint32_t result = 0;
  std::uint32_t error = 0;
  std::uint64_t number = 0;
  std::uint64_t count = 0;
};

class Canonical {
 public:
  // `tables` must outlive this.
  explicit Canonical(const Tables& tables);

  // Adds the rows that the event is the first to use, and the event.
  Record append(const Applied& event);

  struct Pending {
    Record record;
    std::uint64_t has = 0;
    std::uint64_t needs = 0;
  };
  // Adds the end. No event may follow.
  std::vector<Pending> append_end(const ExecutionEnd& end);

  // XXH3-64 of what was added since the last call.
  std::uint64_t take_hash();
  // XXH3-128 of everything that was added. REQUIRES: take_hash() was called last.
  RunId run_id() const { return run_.digest128(); }

  // The execution's id of a row, by its file number.
  std::uint32_t id(RowKind kind, std::uint32_t number) const {
    return numberings_[index_of(kind)].ids[number];
  }
  // The file number of a row that has one.
  std::uint32_t number(RowKind kind, std::uint32_t id) const {
    return numberings_[index_of(kind)].numbers[id];
  }
  std::uint32_t rows(RowKind kind) const {
    return static_cast<std::uint32_t>(numberings_[index_of(kind)].ids.size());
  }

  // The first row that cannot be stored, as row_problem() says it; empty if there was none.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::uint32_t kNoNumber = 0xffffffff;
  struct Numbering {
    std::vector<std::uint32_t> numbers;  // By id.
    std::vector<std::uint32_t> ids;      // By number.
  };

  std::uint32_t enter(RowKind kind, std::uint32_t id) {
    const std::vector<std::uint32_t>& numbers = numberings_[index_of(kind)].numbers;
    if (id < numbers.size() && numbers[id] != kNoNumber) [[likely]] {
      return numbers[id];
    }
    return enter_new(kind, id);
  }
  std::uint32_t enter_new(RowKind kind, std::uint32_t id);
  Record to_record(AgentId agent, SourceId source, const Op& op, const Outcome& outcome);
  void put_record(const Record& record);
  void put_row(RowKind kind, std::uint32_t id);
  void put_launch(const LaunchRow& row);
  void put_agent(const AgentRow& row);
  void put_key(const KeyRow& row);
  void put_buffer(const BufferRow& row);
  void put_range(const RangeRow& row);
  void put_semaphore(const SemaphoreRow& row);
  void put_barrier(const BarrierRow& row);
  void put_source(const SourceRow& row);
  void put_error(const ErrorRow& row);
  void put_all(const std::vector<std::int64_t>& numbers);
  void put(std::uint64_t number);
  void put(std::string_view text);
  std::uint32_t ref(RowKind kind, std::uint32_t id) const { return number(kind, id); }

  const Tables& tables_;
  std::array<Numbering, kRowKinds> numberings_;
  ByteBuffer pending_;  // Since the last take_hash().
  Hasher run_;
  std::set<std::uint32_t> launch_numbers_;
  std::string problem_;
};

}  // namespace replait
