// Events of one chunk -> its columns (ChunkPacket of trace.proto), with the launches they belong
// to.
//
// Threads' columns are written as the events come. The schedule is kept as runs until the chunk is
// complete, since the rank of a copy depends on which copies the chunk moves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/canonical.h"
#include "trace/chunk_model.h"
#include "trace/columns.h"
#include "trace/local_rows.h"
#include "trace/table_encoder.h"

namespace replait {

// What a chunk says besides its events.
struct ChunkTrailer {
  std::uint64_t first_index = 0;
  std::uint64_t content_hash = 0;
  std::uint64_t clock_hash = 0;
  std::vector<std::uint64_t> debug_clocks;
};

class ChunkEncoder {
 public:
  // How many events a thread had in the chunk; by file number.
  struct ThreadCount {
    std::uint32_t agent = 0;
    std::uint32_t events = 0;
  };

  explicit ChunkEncoder(const TableSource& source);

  // REQUIRES: a copy steps only from its issue on, its phases in order.
  void add(const Record& record);
  std::uint32_t events() const { return events_; }
  // What the chunk's big rows take, at least: masks and texts.
  std::size_t bytes() const { return rows_.bytes(); }

  std::vector<ThreadCount> thread_counts() const;
  LocalRows& rows() { return rows_; }
  // How many rows the file holds without this chunk.
  const KnownRows& known() const { return known_; }

  // The chunk and its launches as one serialised Trace. Then the next chunk may begin.
  std::string finish(const ChunkTrailer& trailer);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint8_t kFinished = 0xff;
  using Phase = std::uint8_t;  // A CopyPhase, or kFinished.

  struct Thread {
    std::uint32_t agent = 0;  // Local number.
    ByteBuffer ops;
    std::array<Column, kRowKinds> rows;  // Operands and sources, by kind; kValue: what ops store.
    Column results, numbers, errors, extras, counts;
    std::array<std::uint32_t, kRowKinds> last{};
    std::array<std::uint64_t, kOps> last_number{};
  };
  struct Run {
    std::uint32_t agent = 0;  // Local number.
    std::uint32_t length = 0;
    bool partial = false;  // One partial receive of a copy.
  };
  // A copy of this chunk.
  struct Copy {
    std::uint32_t agent = 0;       // Local number.
    Phase phase = 0;               // At the start of the chunk, or of the copy.
    std::uint32_t issued_run = 0;  // Index of the run that issues it; kNone: issued before.
    std::uint32_t last_value = 0;  // What its read moved, by local number.
  };

  struct CopyState {
    Phase next = kFinished;
    std::uint32_t source = 0;  // Of its issue; file number.
  };

  Thread& thread_of(std::uint32_t agent);
  void add_run(std::uint32_t agent, bool partial);
  std::uint64_t code(std::array<std::uint32_t, kRowKinds>& last, RowKind kind,
                     std::uint32_t number);
  void add_thread_event(const Record& record, std::uint32_t agent);
  void add_operand(Thread& thread, const Record& record, RowKind kind, std::uint32_t number);
  void add_outcome(Thread& thread, const Record& record, std::uint64_t expected);
  std::uint64_t expected_count(const Record& record);
  void issue(const Record& record);
  void add_copy_step(const Record& record, std::uint32_t agent);
  std::uint64_t copy_value_code(Copy& copy, CopyPhase phase, std::uint32_t number);
  std::uint64_t expected_copy_count(const Record& record, CopyPhase phase,
                                    std::uint32_t& semaphore);
  const CopyRow& copy_row(std::uint32_t local_agent) const;
  std::uint32_t number_of(const Copy& copy) const {
    return rows_.used(RowKind::kAgent)[copy.agent];
  }
  std::uint32_t local_source(std::uint32_t number) {
    return number == 0 ? 0 : rows_.use(RowKind::kSource, number).local;
  }

  std::string encode_threads() const;
  std::string encode_copies() const;
  std::string encode_schedule();
  void encode_copy_run(const Run& run, std::uint32_t rank, Copy& copy, Column& steps,
                       Column& lengths) const;
  void clear();

  const Tables& tables_;
  const Canonical& canonical_;
  const TableSource source_;
  LocalRows rows_;
  CountModel model_;
  std::vector<CopyState> copy_states_;  // By file number of the agent.
  KnownRows known_{};

  std::uint32_t events_ = 0;
  std::vector<Thread> threads_;  // The first thread_count_ are in use.
  std::uint32_t thread_count_ = 0;
  std::vector<std::uint32_t> slots_;  // By local agent: index into threads_ or copies_.
  std::vector<Copy> copies_;
  std::vector<Run> runs_;
  std::array<std::uint32_t, kRowKinds> copy_last_{};
  Column copy_values_, copy_results_, copy_errors_, copy_counts_, copy_sources_;
  Column choices_, partial_gaps_, partial_bytes_;
  std::uint32_t partial_gap_ = 0;
};

}  // namespace replait
