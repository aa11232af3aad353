#include "trace_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "trace/file_trace_reader.h"
#include "trace/frame_writer.h"
#include "trace/hash.h"

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

namespace {

Reading read_all(Result<std::unique_ptr<TraceReader>> opened) {
  Reading reading;
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

}  // namespace

Reading read_trace(const std::string& path, const TraceReaderOptions& options) {
  return read_all(TraceReader::open(path, options));
}

Reading read_bytes(const std::string& bytes, const TraceReaderOptions& options) {
  Result<std::unique_ptr<FileTraceReader>> reader = FileTraceReader::of_bytes(bytes, options);
  if (!reader) return read_all(reader.failure());
  return read_all(std::unique_ptr<TraceReader>(std::move(reader).value()));
}

std::string trace_bytes(const Execution& execution, const WriteOptions& options) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.replait");
  write_trace(execution, path, options);
  return read_file(path);
}

std::vector<std::string> frame_contents(const std::string& bytes) {
  FrameReader reader(FileSource::of_bytes(bytes), std::uint64_t{4} << 30);
  std::vector<std::string> contents;
  FrameReader::Frame frame;
  for (std::uint64_t at = 0; reader.measure(at, frame) == FrameReader::Status::kFrame;
       at += frame.compressed_bytes) {
    contents.emplace_back();
    EXPECT_TRUE(reader.decompress(frame, contents.back()));
  }
  return contents;
}

std::string of_frames(const std::vector<std::string>& contents) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.replait");
  Result<std::unique_ptr<FrameWriter>> writer = FrameWriter::open(path);
  if (!writer) {
    ADD_FAILURE() << writer.failure().message;
    return {};
  }
  for (const std::string& content : contents) (*writer)->write(content);
  (*writer)->close();
  return read_file(path);
}

std::string summary(const Reading& reading) {
  std::ostringstream out;
  if (reading.failure) return reading.failure->message;
  std::string all;
  for (const std::string& event : reading.events) all += event + "\n";
  out << "program " << reading.header.program << ", seed " << reading.header.seed << "\n"
      << reading.events.size() << " events in " << reading.chunks.size() << " chunks\n"
      << "run id " << (reading.run_id ? to_string(*reading.run_id) : "none") << "\n"
      << "events hash " << std::hex << hash64(all) << "\n"
      << reading.end << "first events:\n";
  for (std::size_t i = 0; i < 8 && i < reading.events.size(); ++i) out << reading.events[i] << "\n";
  return out.str();
}

}  // namespace replait::test
