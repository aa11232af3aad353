// What stands beside the events: index, environment, unknown fields; and traces of unusual form.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/file_trace_reader.h"
#include "trace/header_codec.h"
#include "trace/trace.pb.h"
#include "trace_file.h"

namespace replait::test {
namespace {

IndexPacket index_of(const std::string& bytes) {
  Trace trace;
  EXPECT_TRUE(trace.ParseFromString(frame_contents(bytes).back()));
  return trace.packet(0).index();
}

TEST(Index, NamesLaunchesWithTheirEvents) {
  Execution execution = random_execution({.seed = 2, .events = 700, .launches = 3});
  const Tables& tables = *execution.tables;
  const IndexPacket index = index_of(trace_bytes(execution));
  ASSERT_EQ(index.launch_size(), 3);
  for (const IndexedLaunch& launch : index.launch()) {
    std::uint64_t first = execution.events.size();
    std::uint64_t last = 0;
    bool failed = false;
    for (const Applied& event : execution.events) {
      if (tables[tables[event.agent].launch].number != launch.number()) continue;
      first = std::min(first, event.index);
      last = event.index;
      failed = failed || (event.outcome.error != ErrorId{} &&
                          tables[event.outcome.error].kind == ErrorKind::kRaised);
    }
    EXPECT_EQ(launch.first_event(), first);
    EXPECT_EQ(launch.last_event(), last);
    EXPECT_EQ(launch.failed(), failed);
  }
}

TEST(Index, CountsTheEventsOfEachThreadInEachChunk) {
  const Execution execution = random_execution({.seed = 4, .events = 2000});
  const IndexPacket index = index_of(trace_bytes(execution));
  int at = 0;
  std::uint64_t of_threads = 0;
  for (const std::uint32_t threads : index.threads()) {
    for (std::uint32_t i = 0; i < threads; ++i) of_threads += index.thread_events(at++);
  }
  EXPECT_EQ(at, index.thread_size());
  std::uint64_t expected = 0;
  for (const Applied& event : execution.events) {
    if (!std::holds_alternative<CopyStep>(event.op)) ++expected;
  }
  EXPECT_EQ(of_threads, expected);
}

TEST(Index, OfAnotherTraceIsRefused) {
  std::vector<std::string> frames =
      frame_contents(trace_bytes(random_execution({.seed = 4, .events = 600})));
  frames.back() = frame_contents(trace_bytes(random_execution({.seed = 5, .events = 600}))).back();
  const Reading reading = read_bytes(of_frames(frames));
  ASSERT_TRUE(reading.failure);
  EXPECT_NE(reading.failure->message.find("the index does not fit the chunks"), std::string::npos);
}

TEST(TraceReader, GivesTheEnvironment) {
  WriteOptions options;
  options.writer.environment = {{"jax", "0.12.0.1"}, {"python", "3.12.1"}};
  const std::string bytes = trace_bytes(random_execution({.seed = 1, .events = 10}), options);
  EXPECT_EQ(FileTraceReader::of_bytes(bytes).value()->environment(), options.writer.environment);
}

TEST(TraceReader, IgnoresFieldsItDoesNotKnowAndRecoverKeepsThem) {
  std::vector<std::string> frames =
      frame_contents(trace_bytes(random_execution({.seed = 1, .events = 300})));
  Trace trace;
  ASSERT_TRUE(trace.ParseFromString(frames[0]));
  HeaderPacket& header = *trace.mutable_packet(0)->mutable_header();
  header.GetReflection()->MutableUnknownFields(&header)->AddVarint(1000, 77);
  frames[0] = trace.SerializeAsString();
  const std::string bytes = of_frames(frames);
  EXPECT_FALSE(read_bytes(bytes).failure);
  const TemporaryFolder folder;
  write_file(folder.path("cut"), bytes.substr(0, bytes.size() - 20));
  ASSERT_TRUE(recover_trace(folder.path("cut"), folder.path("to")));
  EXPECT_EQ(frame_contents(read_file(folder.path("to")))[0], frames[0]);
}

TEST(TraceReader, ReadsCopiesThatNeverEnd) {
  Execution execution;
  Tables& tables = *execution.tables;
  const LaunchId launch = tables.add_launch({});
  const AgentId thread = tables.thread(launch, 0, 0);
  CopyRow row;
  row.source_key = row.destination_key =
      tables.key({.launch = launch, .space = "any", .buffer = 100, .device = 0, .core = 0});
  row.source_range = row.destination_range = tables.range({});
  row.receive_semaphore = tables.semaphore({});
  std::vector<AgentId> copies;
  const auto put = [&execution](AgentId agent, const Op& op) {
    execution.events.push_back(
        {.index = execution.events.size(), .agent = agent, .source = {}, .op = op, .outcome = {}});
  };
  for (std::uint64_t i = 0; i < 5000; ++i) {
    copies.push_back(tables.copy(thread, i, row));
    put(thread, IssueCopy{copies.back()});
  }
  // The newest first, so ranks are as great as they get.
  for (std::size_t i = copies.size(); i > 0; i -= 2) {
    put(copies[i - 1], CopyStep{.phase = CopyPhase::kReadSource, .value = {}, .bytes = 0});
  }
  const Reading reading = read_bytes(trace_bytes(execution));
  ASSERT_FALSE(reading.failure) << reading.failure->message;
  EXPECT_EQ(reading.events, describe(tables, execution.events));
}

// A writer buffers nothing but the events of its chunk, so to be dropped is to be killed.
TEST(TraceWriter, KilledRunLeavesItsWholeChunksTheSameEveryTime) {
  const Execution execution = random_execution({.seed = 12, .events = 1000});
  const std::span<const Applied> events(execution.events);
  const TemporaryFolder folder;
  for (const std::size_t killed_at : {0u, 255u, 256u, 900u}) {
    for (const char* name : {"a", "b"}) {
      std::unique_ptr<TraceWriter> writer = TraceWriter::open(folder.path(name), {}).value();
      writer->begin(execution.header, *execution.tables);
      writer->consume(events.first(killed_at));
    }
    const std::string partial = read_file(folder.path("a.partial"));
    EXPECT_EQ(partial, read_file(folder.path("b.partial")));
    const Result<std::uint64_t> kept = recover_trace(folder.path("a.partial"), folder.path("c"));
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, killed_at / 256 * 256);
    const Reading reading = read_trace(folder.path("c"));
    ASSERT_FALSE(reading.failure);
    const std::vector<std::string> expected = describe(*execution.tables, execution.events);
    EXPECT_TRUE(std::equal(reading.events.begin(), reading.events.end(), expected.begin()));
  }
}

TEST(TraceWriter, CutsABigValueIntoParts) {
  Execution execution;
  execution.header.values = ValueLevel::kFull;
  Tables& tables = *execution.tables;
  const LaunchId launch = tables.add_launch({});
  ValueRow value;
  value.bytes.resize(kValuePartBytes * 2 + 5);
  for (std::size_t i = 0; i < value.bytes.size(); i += 1000) {
    value.bytes[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  }
  value.hash = {7, 8};
  const std::vector<std::byte> bytes = value.bytes;
  const KeyId key =
      tables.key({.launch = launch, .space = "any", .buffer = 100, .device = 0, .core = 0});
  const Write write{key, tables.range({}), tables.value(value), Proxy::kGeneric};
  execution.events.push_back(
      {.index = 0, .agent = tables.thread(launch, 0, 0), .source = {}, .op = write, .outcome = {}});
  const std::string file = trace_bytes(execution);
  // Header, three parts, chunk, end, index.
  EXPECT_EQ(frame_contents(file).size(), 7u);
  std::unique_ptr<FileTraceReader> reader = FileTraceReader::of_bytes(file).value();
  const std::vector<Applied> events = reader->next_chunk().value();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(reader->tables()[std::get<Write>(events[0].op).value].bytes, bytes);
}

TEST(TraceReader, RefusesTwoLaunchesWithOneNumber) {
  Execution execution = random_execution({.seed = 1, .events = 300, .launches = 2});
  std::vector<std::string> frames = frame_contents(trace_bytes(execution));
  for (std::string& frame : frames) {
    Trace trace;
    ASSERT_TRUE(trace.ParseFromString(frame));
    for (Packet& packet : *trace.mutable_packet()) {
      if (packet.has_launch()) packet.mutable_launch()->set_number(0);
    }
    frame = trace.SerializeAsString();
  }
  const Reading reading = read_bytes(of_frames(frames));
  ASSERT_TRUE(reading.failure);
  EXPECT_NE(reading.failure->message.find("two launches with one number"), std::string::npos)
      << reading.failure->message;
}

}  // namespace
}  // namespace replait::test
