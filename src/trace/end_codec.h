// End and index packets: how an execution ended, and where a reader finds what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/canonical.h"
#include "trace/chunk_encoder.h"
#include "trace/event_sink.h"
#include "trace/trace_writer.h"

namespace replait {

struct EndContent {
  const ExecutionEnd* execution = nullptr;
  std::vector<Canonical::Pending> pending;
  std::uint64_t events = 0;
  RunId run_id{};
};

// The content of the end's frame. `rows` must be empty: the end has its own local numbers.
std::string encode_end(const TableSource& source, LocalRows& rows, const KnownRows& known,
                       const EndContent& end);

// Gathers what the index says while a trace is written or scanned.
class IndexBuilder {
 public:
  IndexBuilder(const Tables& tables, const Canonical& canonical)
      : tables_(tables), canonical_(canonical) {}

  void add_event(const Record& record) {
    if (record.agent >= launch_of_.size()) add_agents();
    Span& span = launches_[launch_of_[record.agent]];
    if (!span.any) span = {.first = events_, .any = true};
    span.last = events_++;
    if (record.error != 0) note_error(span, record.error);
  }
  void add_chunk(std::uint64_t file_offset, std::uint32_t events, std::uint64_t clock_hash,
                 std::vector<ChunkEncoder::ThreadCount> threads);

  // The content of the index's frame.
  std::string encode(const std::vector<Finding>& findings) const;

 private:
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool any = false;
    bool failed = false;
  };
  struct Chunk {
    std::uint64_t file_offset = 0;
    std::uint32_t events = 0;
    std::uint64_t clock_hash = 0;
    std::uint32_t threads = 0;
  };
  void add_agents();
  void note_error(Span& span, std::uint32_t error);

  const Tables& tables_;
  const Canonical& canonical_;
  std::uint64_t events_ = 0;
  std::vector<std::uint32_t> launch_of_;  // By file number of the agent.
  std::vector<Span> launches_;            // By file number.
  std::vector<Chunk> chunks_;
  std::vector<ChunkEncoder::ThreadCount> threads_;  // Of all chunks.
};

}  // namespace replait
