#include "trace_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace replait::test {

RunId write_trace(const Execution& execution, const std::string& path,
                  const WriteOptions& options) {
  Result<std::unique_ptr<TraceWriter>> opened = TraceWriter::open(path, options.writer);
  if (!opened) {
    ADD_FAILURE() << opened.failure().message;
    return {};
  }
  TraceWriter& writer = **opened;
  writer.begin(execution.header, *execution.tables);
  const std::span<const Applied> events(execution.events);
  for (std::size_t at = 0; at < events.size();) {
    std::size_t count = std::min(options.span, events.size() - at);
    if (options.flush_each != 0) {
      count = std::min(count, options.flush_each - at % options.flush_each);
    }
    writer.consume(events.subspan(at, count));
    at += count;
    if (options.flush_each != 0 && at % options.flush_each == 0) writer.flush();
  }
  writer.finish(execution.end);
  EXPECT_TRUE(writer.status().ok())
      << (writer.status().ok() ? "" : writer.status().failure().message);
  return writer.run_id();
}

Reading read_trace(const std::string& path, const TraceReaderOptions& options) {
  Reading reading;
  Result<std::unique_ptr<TraceReader>> opened = TraceReader::open(path, options);
  if (!opened) {
    reading.failure = opened.failure();
    return reading;
  }
  TraceReader& reader = **opened;
  reading.header = reader.header();
  for (;;) {
    const Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk) {
      reading.failure = chunk.failure();
      return reading;
    }
    if (chunk->empty()) break;
    reading.chunks.push_back(reader.last_chunk());
    for (std::string& event : describe(reader.tables(), *chunk)) {
      reading.events.push_back(std::move(event));
    }
  }
  if (reader.end()) {
    reading.end = describe(reader.tables(), reader.end()->execution);
    reading.run_id = reader.end()->run_id;
  }
  return reading;
}

}  // namespace replait::test
