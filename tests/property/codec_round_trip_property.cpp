// Any event stream is read as it was written; and what was read, written again, is the same file.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "trace/file_trace_reader.h"
#include "trace_file.h"

namespace replait::test {
namespace {

struct Case {
  RandomOptions execution;
  WriteOptions write;
};

Case any_case() {
  Case result;
  result.execution.seed = *rc::gen::arbitrary<std::uint64_t>();
  result.execution.events = *rc::gen::inRange(1, 1500);
  result.execution.threads = *rc::gen::inRange(1, 12);
  result.execution.launches = *rc::gen::inRange(1, 5);
  result.execution.values =
      *rc::gen::element(ValueLevel::kNone, ValueLevel::kHash, ValueLevel::kFull);
  result.write.span = *rc::gen::inRange<std::size_t>(1, 600);
  if (*rc::gen::arbitrary<bool>()) {
    result.write.writer.environment = {{"python", "3.12.1"}, {"jax", "0.12.0.1"}};
  }
  return result;
}

// The file's execution, over tables that only its reading made.
Execution read_back(const std::string& bytes, std::unique_ptr<FileTraceReader>& reader) {
  Execution execution;
  reader = FileTraceReader::of_bytes(bytes).value();
  for (;;) {
    const Result<std::vector<Applied>> chunk = reader->next_chunk();
    RC_ASSERT(chunk.ok());
    if (chunk->empty()) break;
    execution.events.insert(execution.events.end(), chunk->begin(), chunk->end());
  }
  RC_ASSERT(reader->end().has_value());
  execution.header = reader->header();
  execution.end = reader->end()->execution;
  return execution;
}

RC_GTEST_PROP(Codec, ReadsWhatWasWritten, ()) {
  const Case c = any_case();
  const Execution execution = random_execution(c.execution);
  const Reading reading = read_bytes(trace_bytes(execution, c.write));
  RC_ASSERT(!reading.failure);
  RC_ASSERT(reading.events == describe(*execution.tables, execution.events));
  RC_ASSERT(reading.end == describe(*execution.tables, execution.end));
}

RC_GTEST_PROP(Codec, WritesWhatItReadAsTheSameBytes, ()) {
  const Case c = any_case();
  const std::string bytes = trace_bytes(random_execution(c.execution), c.write);
  std::unique_ptr<FileTraceReader> reader;
  Execution again = read_back(bytes, reader);
  RC_ASSERT(reader->environment() == c.write.writer.environment);
  // The reader owns the tables.
  const TemporaryFolder folder;
  std::unique_ptr<TraceWriter> writer =
      TraceWriter::open(folder.path("t"), {.environment = reader->environment()}).value();
  writer->begin(again.header, reader->tables());
  writer->consume(again.events);
  writer->finish(again.end);
  RC_ASSERT(writer->run_id() == reader->end()->run_id);
  RC_ASSERT(read_file(folder.path("t")) == bytes);
}

RC_GTEST_PROP(Codec, RunIdDoesNotDependOnChunks, ()) {
  const Case c = any_case();
  WriteOptions flushing = c.write;
  flushing.flush_each = *rc::gen::inRange<std::uint64_t>(1, 400);
  const Execution execution = random_execution(c.execution);
  const Reading plain = read_bytes(trace_bytes(execution, c.write));
  const Reading flushed = read_bytes(trace_bytes(execution, flushing));
  RC_ASSERT(!flushed.failure);
  RC_ASSERT(plain == flushed);
}

RC_GTEST_PROP(Codec, RecoversAPrefixOfAnyCut, ()) {
  const Case c = any_case();
  const Execution execution = random_execution(c.execution);
  const std::string bytes = trace_bytes(execution, c.write);
  const Reading whole = read_bytes(bytes);
  const TemporaryFolder folder;
  write_file(folder.path("cut"), bytes.substr(0, *rc::gen::inRange<std::size_t>(0, bytes.size())));
  const Result<std::uint64_t> kept = recover_trace(folder.path("cut"), folder.path("to"));
  if (!kept) return;
  const Reading recovered = read_trace(folder.path("to"));
  RC_ASSERT(!recovered.failure);
  RC_ASSERT(recovered.events.size() == *kept);
  RC_ASSERT(*kept <= whole.events.size());
  RC_ASSERT(std::equal(recovered.events.begin(), recovered.events.end(), whole.events.begin()));
}

}  // namespace
}  // namespace replait::test
