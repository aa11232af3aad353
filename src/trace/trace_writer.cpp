#include "trace/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "trace/canonical.h"
#include "trace/chunk_encoder.h"
#include "trace/end_codec.h"
#include "trace/frame_writer.h"
#include "trace/header_codec.h"

namespace replait {
namespace {

// A chunk that takes more is closed early: its frame must stay below kFrameBytesMax.
constexpr std::size_t kChunkBytesMax = std::size_t{16} << 20;

class FileTraceWriter final : public TraceWriter {
 public:
  FileTraceWriter(std::unique_ptr<FrameWriter> file, TraceWriterOptions options)
      : file_(std::move(file)), options_(std::move(options)) {}

  void begin(const Header& header, const Tables& tables) override {
    REPLAIT_CHECK(!execution_, "a trace holds one execution");
    execution_ = std::make_unique<Execution>(tables, header.values == ValueLevel::kFull);
    if (options_.clock_sink != nullptr) options_.clock_sink->begin(header, tables);
    file_->write(encode_header(header));
    if (!options_.environment.empty()) file_->write(encode_environment(options_.environment));
  }

  void consume(std::span<const Applied> events) override {
    REPLAIT_CHECK(execution_ && !finished_, "events before the begin or after the end");
    consuming_ = true;
    std::size_t fed = 0;  // To the clocks.
    const auto feed_clocks = [&](std::size_t until) {
      if (options_.clock_sink != nullptr && fed < until) {
        options_.clock_sink->consume(events.subspan(fed, until - fed));
      } else if (options_.clock_sink == nullptr && options_.clocks != nullptr) {
        REPLAIT_CHECK(until == events.size(), "clocks are asked for within a span");
      }
      fed = until;
    };
    for (std::size_t i = 0; i < events.size() && file_->status().ok(); ++i) {
      add(events[i]);
      if (options_.debug_clocks) {
        feed_clocks(i + 1);
        debug_clocks_.push_back(clock_hash());
      }
      ChunkEncoder& chunk = execution_->chunk;
      if (chunk.events() >= chunk_events(chunk_start_) || chunk.bytes() > kChunkBytesMax) {
        feed_clocks(i + 1);
        close_chunk();
      }
    }
    if (options_.clock_sink != nullptr) feed_clocks(events.size());
    consuming_ = false;
  }

  void finish(const ExecutionEnd& end) override {
    REPLAIT_CHECK(execution_ && !finished_, "an end before the begin or a second one");
    flush();
    finished_ = true;
    if (options_.clock_sink != nullptr) options_.clock_sink->finish(end);
    Execution& e = *execution_;
    EndContent content{
        .execution = &end, .pending = e.canonical.append_end(end), .events = events_};
    check_rows();
    e.canonical.take_hash();
    content.run_id = run_id_ = e.canonical.run_id();
    write_values();
    file_->write(encode_end(e.source, e.chunk.rows(), e.chunk.known(), content));
    file_->write(e.index.encode(end.findings));
    file_->close();
  }

  // From a fault within consume() (ours, or of the clocks) nothing sound can be written.
  void flush() override {
    if (execution_ && !finished_ && !consuming_ && execution_->chunk.events() > 0) close_chunk();
  }

  RunId run_id() const override { return run_id_; }
  std::uint64_t bytes_written() const override { return file_->bytes(); }
  Result<void> status() const override { return file_->status(); }

 private:
  struct Execution {
    Execution(const Tables& t, bool with_bytes)
        : tables(t),
          canonical(t),
          source{.tables = t, .canonical = canonical, .with_bytes = with_bytes},
          chunk(source),
          index(t, canonical) {}

    const Tables& tables;
    Canonical canonical;
    TableSource source;
    ChunkEncoder chunk;
    IndexBuilder index;
  };

  std::uint64_t clock_hash() const {
    return options_.clocks == nullptr ? 0 : options_.clocks->clock_hash();
  }

  void check_rows() {
    const std::string& problem = execution_->canonical.problem();
    if (problem.empty()) return;
    file_->fail({.kind = FailureKind::kUsage,
                 .message = fmt::format("event {} cannot be stored: {}", events_, problem),
                 .remedy = {}});
  }

  void add(const Applied& event) {
    REPLAIT_CHECK(event.index == events_, "events must come in order, without gaps");
    Execution& e = *execution_;
    const Record record = e.canonical.append(event);
    e.chunk.add(record);
    e.index.add_event(record);
    check_rows();
    ++events_;
  }

  void close_chunk() {
    Execution& e = *execution_;
    if (!file_->status().ok()) return;
    write_values();
    const ChunkTrailer trailer{.first_index = chunk_start_,
                               .content_hash = e.canonical.take_hash(),
                               .clock_hash = clock_hash(),
                               .debug_clocks = std::exchange(debug_clocks_, {})};
    e.index.add_chunk(file_->bytes(), e.chunk.events(), trailer.clock_hash,
                      e.chunk.thread_counts());
    file_->write(e.chunk.finish(trailer));
    chunk_start_ = events_;
  }

  // The bytes of the values that are new in this chunk, before the chunk.
  void write_values() {
    const Execution& e = *execution_;
    if (!e.source.with_bytes) return;
    std::string content;
    for (std::uint32_t number = e.chunk.known()[index_of(RowKind::kValue)];
         number < e.canonical.rows(RowKind::kValue); ++number) {
      const ValueRow& row = e.tables[ValueId{e.canonical.id(RowKind::kValue, number)}];
      for (std::size_t offset = 0; offset < row.bytes.size(); offset += kValuePartBytes) {
        content += encode_value_part(row, offset);
        if (content.size() >= kValuePartBytes) file_->write(std::exchange(content, {}));
      }
    }
    if (!content.empty()) file_->write(content);
  }

  std::unique_ptr<FrameWriter> file_;
  TraceWriterOptions options_;
  std::unique_ptr<Execution> execution_;
  std::vector<std::uint64_t> debug_clocks_;
  std::uint64_t events_ = 0;
  std::uint64_t chunk_start_ = 0;
  bool consuming_ = false;
  bool finished_ = false;
  RunId run_id_{};
};

}  // namespace

std::string to_string(const RunId& id) { return fmt::format("{:016x}{:016x}", id[1], id[0]); }

Result<std::unique_ptr<TraceWriter>> TraceWriter::open(const std::string& path,
                                                       const TraceWriterOptions& options) {
  Result<std::unique_ptr<FrameWriter>> file = FrameWriter::open(path);
  if (!file) return file.failure();
  return std::unique_ptr<TraceWriter>(
      std::make_unique<FileTraceWriter>(std::move(file).value(), options));
}

}  // namespace replait
