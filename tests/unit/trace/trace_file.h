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

}  // namespace replait::test
