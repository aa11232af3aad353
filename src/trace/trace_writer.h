// The trace writer: an EventSink that stores an execution as NAME.replait (docs/trace-format.md).
//
// Writes NAME.replait.partial frame by frame and renames it at the close, so a killed run loses at
// most the last frame. Numbers agents, keys, ranges and the rest anew, in order of the first
// applied event that uses them: the bytes do not depend on what else was put into the Tables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/event_sink.h"

namespace replait {

using RunId =
    std::array<std::uint64_t, 2>;  // XXH3-128 of the canonical content: [0] low, [1] high half.
std::string to_string(const RunId& id);  // 32 hex digits, high half first.

struct TraceWriterOptions {
  std::vector<std::pair<std::string, std::string>>
      environment;            // From an allow-list; empty: no environment packet.
  bool debug_clocks = false;  // One clock hash an event.
  // Asked at the end of each chunk. Either a sink that gets each span before the writer does, and
  // then no span may go beyond the end of a chunk (one event at a time is always right); or
  // `clock_sink` is the same object, and no one else feeds it: the writer does, and spans may be of
  // any length.
  const ClockHasher* clocks = nullptr;
  EventSink* clock_sink = nullptr;
};

class TraceWriter : public EventSink {
 public:
  // Failure (kUsage) names the path and the system's reason.
  static Result<std::unique_ptr<TraceWriter>> open(const std::string& path,
                                                   const TraceWriterOptions& options);

  // The run id and the events written, once finish() was called.
  virtual RunId run_id() const = 0;
  virtual std::uint64_t bytes_written() const = 0;

  // The first failure to write (a full disk), if any; events after it are dropped.
  virtual Result<void> status() const = 0;

  // Ends the current chunk and flushes it to the file.
  virtual void flush() = 0;
};

}  // namespace replait
