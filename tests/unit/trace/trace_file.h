// Writing and reading whole traces in tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "random_execution.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

namespace replait::test {

struct WriteOptions {
  TraceWriterOptions writer;
  std::size_t span = 1;          // Events a call of consume().
  std::uint64_t flush_each = 0;  // Events between two flushes; 0: none.
};

// Writes the execution to `path`. Fails the test if it cannot.
RunId write_trace(const Execution& execution, const std::string& path,
                  const WriteOptions& options = {});

// What a reader says of a file, without ids.
struct Reading {
  std::vector<std::string> events;
  std::vector<ChunkInfo> chunks;
  std::string end;  // Empty: cut.
  std::optional<RunId> run_id;
  std::optional<Failure> failure;
  Header header;
  friend bool operator==(const Reading& a, const Reading& b) {
    return a.events == b.events && a.end == b.end && a.run_id == b.run_id &&
           a.failure.has_value() == b.failure.has_value();
  }
};
Reading read_trace(const std::string& path, const TraceReaderOptions& options = {});
Reading read_bytes(const std::string& bytes, const TraceReaderOptions& options = {});

// What a test compares of a long reading: counts, run id, a hash of all events, the end.
std::string summary(const Reading& reading);

// A trace's bytes.
std::string trace_bytes(const Execution& execution, const WriteOptions& options = {});

// The frames of a trace: the content of each, without the seek table; and a trace of such frames,
// with a seek table that fits.
std::vector<std::string> frame_contents(const std::string& bytes);
std::string of_frames(const std::vector<std::string>& contents);

}  // namespace replait::test
