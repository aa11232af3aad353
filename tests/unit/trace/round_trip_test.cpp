// What was written is what is read, whatever the chunks, and writing it again gives the same bytes.
#include <gtest/gtest.h>
#include <unistd.h>

#include "trace/chunk_model.h"
#include "trace_file.h"

namespace replait::test {
namespace {

// Events counted and nothing else, so a hash names the event after which it was taken.
class CountingClocks : public EventSink, public ClockHasher {
 public:
  void begin(const Header&, const Tables&) override {}
  void consume(std::span<const Applied> events) override { events_ += events.size(); }
  void finish(const ExecutionEnd&) override { finished_ = true; }
  std::uint64_t clock_hash() const override { return 1000 + events_; }
  bool finished() const { return finished_; }

 private:
  std::uint64_t events_ = 0;
  bool finished_ = false;
};

class RoundTrip : public ::testing::TestWithParam<ValueLevel> {};

TEST_P(RoundTrip, KeepsEveryFieldOfEveryEvent) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Execution execution =
        random_execution({.seed = seed, .events = 1000, .values = GetParam()});
    const TemporaryFolder folder;
    const std::string path = folder.path("t.replait");
    const RunId run_id = write_trace(execution, path);
    const Reading reading = read_trace(path);
    ASSERT_FALSE(reading.failure) << reading.failure->message << " seed " << seed;
    const std::vector<std::string> expected = describe(*execution.tables, execution.events);
    ASSERT_EQ(reading.events.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(reading.events[i], expected[i]);
    EXPECT_EQ(reading.end, describe(*execution.tables, execution.end));
    EXPECT_EQ(reading.run_id, run_id);
  }
}

INSTANTIATE_TEST_SUITE_P(ValueLevels, RoundTrip,
                         ::testing::Values(ValueLevel::kNone, ValueLevel::kHash,
                                           ValueLevel::kFull));

TEST(TraceWriter, KeepsTheHeader) {
  Execution execution = random_execution({.seed = 1, .events = 10});
  execution.header.seed = ~std::uint64_t{0};
  execution.header.program = "caf\xe9, which is not UTF-8";
  const Reading reading = read_bytes(trace_bytes(execution));
  EXPECT_EQ(reading.header.scheduler, execution.header.scheduler);
  EXPECT_EQ(reading.header.seed, execution.header.seed);
  EXPECT_EQ(reading.header.program, execution.header.program);
  EXPECT_EQ(reading.header.program_hash, execution.header.program_hash);
  EXPECT_EQ(reading.header.inputs_hash, execution.header.inputs_hash);
  EXPECT_EQ(reading.header.jax_version, execution.header.jax_version);
  EXPECT_EQ(reading.header.values, execution.header.values);
  EXPECT_EQ(reading.header.options, execution.header.options);
}

TEST(TraceWriter, WritesTheSameBytesTwice) {
  const RandomOptions options{.seed = 5, .events = 3000};
  EXPECT_EQ(trace_bytes(random_execution(options)), trace_bytes(random_execution(options)));
}

TEST(TraceWriter, WritesTheSameBytesWhateverTheSpans) {
  const Execution execution = random_execution({.seed = 5, .events = 3000});
  EXPECT_EQ(trace_bytes(execution), trace_bytes(execution, {.writer = {}, .span = 1000}));
}

TEST(TraceWriter, WritesTheSameBytesWhateverElseIsInTheTables) {
  const RandomOptions options{.seed = 6, .events = 900, .launches = 1};
  const Execution plain = random_execution(options);
  // The same events over tables in which every id is another.
  Execution padded = random_execution(options);
  Tables& tables = *padded.tables;
  tables.shape(std::vector<std::int64_t>{9, 9, 9});
  tables.range({.dims = {{.start = 7, .stop = 8}}, .permutation = {}, .mask = {}});
  EXPECT_EQ(trace_bytes(plain), trace_bytes(padded));
}

TEST(TraceWriter, RenumbersRowsInOrderOfFirstUse) {
  Execution execution;
  Tables& tables = *execution.tables;
  const LaunchId unused = tables.add_launch({});
  const LaunchId launch = tables.add_launch({});
  tables.thread(unused, 0, 0);
  const AgentId thread = tables.thread(launch, 0, 0);
  tables.shape(std::vector<std::int64_t>{1});
  const ShapeId late = tables.shape(std::vector<std::int64_t>{2});
  const ShapeId early = tables.shape(std::vector<std::int64_t>{3});
  for (const ShapeId shape : {early, late}) {
    execution.events.push_back({.index = execution.events.size(),
                                .agent = thread,
                                .source = {},
                                .op = GridStep{shape},
                                .outcome = {}});
  }
  const TemporaryFolder folder;
  write_trace(execution, folder.path("t"));
  Result<std::unique_ptr<TraceReader>> reader = TraceReader::open(folder.path("t"));
  ASSERT_TRUE(reader);
  const std::vector<Applied> events = (*reader)->next_chunk().value();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].agent, AgentId{0});
  EXPECT_EQ(std::get<GridStep>(events[0].op).point, ShapeId{0});
  EXPECT_EQ(std::get<GridStep>(events[1].op).point, ShapeId{1});
  EXPECT_EQ((*reader)->tables()[ShapeId{0}], std::vector<std::int64_t>{3});
  EXPECT_EQ((*reader)->tables().launches(), 1u);
}

TEST(TraceWriter, ClosesChunksByTheRule) {
  const Execution execution = random_execution({.seed = 7, .events = 9000});
  const Reading reading = read_bytes(trace_bytes(execution));
  ASSERT_FALSE(reading.failure);
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < reading.chunks.size(); ++i) {
    const bool is_last = i + 1 == reading.chunks.size();
    EXPECT_EQ(reading.chunks[i].first_event, events);
    EXPECT_LE(reading.chunks[i].events, std::max<std::uint64_t>(256, events / 16));
    EXPECT_TRUE(is_last || reading.chunks[i].events == chunk_events(events));
    events += reading.chunks[i].events;
  }
  EXPECT_EQ(events, 9000u);
  EXPECT_EQ(chunk_events(std::uint64_t{1} << 40), std::uint64_t{256} << 10);
}

TEST(TraceWriter, GivesTheSameRunIdWhateverTheChunks) {
  const Execution execution = random_execution({.seed = 8, .events = 2000});
  const std::string whole = trace_bytes(execution);
  const std::string flushed = trace_bytes(execution, {.writer = {}, .span = 100, .flush_each = 37});
  EXPECT_NE(whole, flushed);
  const Reading a = read_bytes(whole);
  const Reading b = read_bytes(flushed);
  ASSERT_FALSE(a.failure || b.failure);
  EXPECT_GT(b.chunks.size(), a.chunks.size());
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.run_id, b.run_id);
}

TEST(TraceWriter, GivesTheSameRunIdWhateverTheEnvironmentTextsAndFindings) {
  Execution execution = random_execution({.seed = 9, .events = 300});
  const Reading plain = read_bytes(trace_bytes(execution));
  execution.end.findings.clear();
  WriteOptions options;
  options.writer.environment = {{"python", "3.12.1"}};
  const std::string bytes = trace_bytes(execution, options);
  EXPECT_EQ(read_bytes(bytes).run_id, plain.run_id);
  const std::vector<std::string> frames = frame_contents(bytes);
  EXPECT_EQ(frames[1], frame_contents(bytes)[1]);
  EXPECT_EQ(frames[2], frame_contents(trace_bytes(execution))[1]);
}

TEST(TraceWriter, GivesAnotherRunIdForAnotherOutcome) {
  Execution execution = random_execution({.seed = 9, .events = 300});
  const Reading before = read_bytes(trace_bytes(execution));
  for (Applied& event : execution.events) {
    if (!std::holds_alternative<Signal>(event.op)) continue;
    ++event.outcome.count;
    break;
  }
  EXPECT_NE(read_bytes(trace_bytes(execution)).run_id, before.run_id);
  execution.end.pending.pop_back();
  EXPECT_NE(read_bytes(trace_bytes(execution)).run_id, before.run_id);
}

TEST(TraceWriter, AsksForClocksAtTheEndOfEachChunkWhateverTheSpans) {
  const Execution execution = random_execution({.seed = 10, .events = 9000});
  for (const std::size_t span : {1u, 255u, 9000u}) {
    CountingClocks clocks;
    WriteOptions options{.writer = {}, .span = span};
    options.writer.clocks = &clocks;
    options.writer.clock_sink = &clocks;
    const Reading reading = read_bytes(trace_bytes(execution, options));
    ASSERT_FALSE(reading.failure);
    EXPECT_TRUE(clocks.finished());
    for (const ChunkInfo& chunk : reading.chunks) {
      EXPECT_EQ(chunk.clock_hash, 1000 + chunk.first_event + chunk.events);
    }
  }
}

TEST(TraceWriter, KeepsOneClockHashAnEventWithDebugClocks) {
  const Execution execution = random_execution({.seed = 11, .events = 700});
  CountingClocks clocks;
  WriteOptions options{.writer = {}, .span = 300};
  options.writer.clocks = &clocks;
  options.writer.clock_sink = &clocks;
  options.writer.debug_clocks = true;
  const TemporaryFolder folder;
  write_trace(execution, folder.path("t"), options);
  Result<std::unique_ptr<TraceReader>> reader = TraceReader::open(folder.path("t"));
  ASSERT_TRUE(reader);
  std::uint64_t events = 0;
  for (;;) {
    const std::size_t count = (*reader)->next_chunk().value().size();
    if (count == 0) break;
    ASSERT_EQ((*reader)->debug_clocks().size(), count);
    for (const std::uint64_t hash : (*reader)->debug_clocks()) EXPECT_EQ(hash, 1000 + ++events);
  }
  EXPECT_EQ(events, 700u);
}

TEST(TraceWriter, StoresAnExecutionWithoutEvents) {
  Execution execution;
  execution.end.kind = EndKind::kAbandoned;
  const Reading reading = read_bytes(trace_bytes(execution));
  ASSERT_FALSE(reading.failure) << reading.failure->message;
  EXPECT_TRUE(reading.events.empty());
  EXPECT_EQ(reading.end, describe(*execution.tables, execution.end));
}

TEST(TraceWriter, NamesThePathItCannotWrite) {
  const Result<std::unique_ptr<TraceWriter>> writer =
      TraceWriter::open("/no/such/folder/t.replait", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.failure().kind, FailureKind::kUsage);
  EXPECT_EQ(writer.failure().message,
            "cannot write /no/such/folder/t.replait.partial: No such file or directory");
}

TEST(TraceWriter, ReportsAFullDiskAndKeepsThePartialName) {
  // Every write to /dev/full fails; a link gives it the name of a partial file.
  const TemporaryFolder folder;
  ASSERT_EQ(symlink("/dev/full", folder.path("t.partial").c_str()), 0);
  Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::open(folder.path("t"), {});
  ASSERT_TRUE(writer);
  const Execution execution = random_execution({.seed = 1, .events = 600});
  (*writer)->begin(execution.header, *execution.tables);
  (*writer)->consume(execution.events);
  (*writer)->finish(execution.end);
  ASSERT_FALSE((*writer)->status());
  EXPECT_EQ((*writer)->status().failure().message,
            "cannot write " + folder.path("t.partial") + ": No space left on device");
  EXPECT_NE(access(folder.path("t").c_str(), F_OK), 0);
}

TEST(TraceWriter, RefusesARowThatNoReaderWouldTake) {
  Execution execution;
  Tables& tables = *execution.tables;
  const LaunchId launch = tables.add_launch({});
  const KeyId key = tables.key({.launch = launch, .space = "any"});
  RangeRow row;
  row.dims = {{.start = 0, .stop = 4, .stride = 0}};
  const Read read{key, tables.range(row), Proxy::kGeneric};
  const TemporaryFolder folder;
  Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::open(folder.path("t"), {});
  ASSERT_TRUE(writer);
  (*writer)->begin({}, tables);
  const Applied event{
      .index = 0, .agent = tables.thread(launch, 0, 0), .source = {}, .op = read, .outcome = {}};
  (*writer)->consume(std::span(&event, 1));
  ASSERT_FALSE((*writer)->status());
  EXPECT_EQ((*writer)->status().failure().message, "event 0 cannot be stored: range with stride 0");
}

}  // namespace
}  // namespace replait::test
