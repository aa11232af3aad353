// The trace reader: from an untrusted file to events, or a Failure with frame, byte offset and
// event index.
//
// Trusts no length or count before checking it against the frame and against `max_memory_bytes`.
// Reads through the index where there is one, else scans the frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/event_sink.h"
#include "trace/trace_writer.h"

namespace replait {

struct TraceReaderOptions {
  std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;
  // Gives also events that are sound but not those of their hash, and says so in ChunkInfo and
  // TraceEnd. For replay, which finds where they leave what was recorded; else kUnreadable.
  bool accept_changed = false;
};

// What stands in the end packet; a trace without one was cut.
struct TraceEnd {
  ExecutionEnd execution;
  std::uint64_t events = 0;
  RunId run_id{};
  bool changed = false;  // The run id is that of other events.
};

struct ChunkInfo {
  std::uint64_t file_offset = 0;
  std::uint64_t first_event = 0;
  std::uint64_t events = 0;
  std::uint64_t clock_hash = 0;  // Of all observed clocks after the chunk's last event.
  bool changed = false;          // The content hash is that of other events.
};

class TraceReader {
 public:
  // "-" reads standard input. Failure: kUsage where the file cannot be opened, kUnreadable where it
  // is no trace, damaged or too new.
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path,
                                                   const TraceReaderOptions& options = {});
  virtual ~TraceReader() = default;

  virtual const Header& header() const = 0;
  virtual const std::vector<std::pair<std::string, std::string>>& environment()
      const = 0;  // Empty: none recorded.

  // Grows as chunks are read; ids are the file's own numbers. Non-const for the Machine, which adds
  // errors and values.
  virtual Tables& tables() = 0;

  // The next chunk's events, in schedule order; an empty vector at the end. Call until empty before
  // end().
  virtual Result<std::vector<Applied>> next_chunk() = 0;
  virtual const ChunkInfo& last_chunk() const = 0;
  // The clock hash after each event of the last chunk; empty unless recorded with debug clocks.
  virtual const std::vector<std::uint64_t>& debug_clocks() const = 0;

  // REQUIRES: next_chunk() came to the end. nullopt: the recording ended abnormally.
  virtual const std::optional<TraceEnd>& end() const = 0;

  // From the index, or by scanning: chunks in order.
  virtual Result<std::vector<ChunkInfo>> chunks() = 0;
};

// Writes a finished trace from the whole frames of a broken one. Returns the events kept.
Result<std::uint64_t> recover_trace(const std::string& from, const std::string& to,
                                    const TraceReaderOptions& options = {});

}  // namespace replait
