#include "trace/file_trace_reader.h"

#include <fmt/format.h>

#include "trace/trace.pb.h"

namespace replait {
namespace {

// Tables and values may take half of the memory; frames, their parsed form and events the rest.
constexpr std::uint64_t kRowsShare = 2;

}  // namespace

FileTraceReader::FileTraceReader(const std::string& path, std::shared_ptr<const FileSource> source,
                                 const TraceReaderOptions& options, bool recovering)
    : name_(path == "-" ? "standard input" : path),
      options_(options),
      recovering_(recovering),
      frames_(std::move(source), options.max_memory_bytes),
      budget_(options.max_memory_bytes / kRowsShare),
      canonical_(tables_),
      index_(tables_, canonical_) {}

FileTraceReader::~FileTraceReader() = default;

Result<std::unique_ptr<FileTraceReader>> FileTraceReader::open(const std::string& path,
                                                               const TraceReaderOptions& options,
                                                               bool recovering) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open(path, options.max_memory_bytes);
  if (!source) return source.failure();
  return begin(std::unique_ptr<FileTraceReader>(
      new FileTraceReader(path, std::move(source).value(), options, recovering)));
}

Result<std::unique_ptr<FileTraceReader>> FileTraceReader::of_bytes(
    std::string bytes, const TraceReaderOptions& options, bool recovering) {
  return begin(std::unique_ptr<FileTraceReader>(new FileTraceReader(
      "trace in memory", FileSource::of_bytes(std::move(bytes)), options, recovering)));
}

Result<std::unique_ptr<FileTraceReader>> FileTraceReader::reopen() const {
  return begin(std::unique_ptr<FileTraceReader>(
      new FileTraceReader(name_, frames_.source(), options_, recovering_)));
}

Result<std::unique_ptr<FileTraceReader>> FileTraceReader::begin(
    std::unique_ptr<FileTraceReader> reader) {
  const Result<void> begun = reader->begin();
  if (!begun) return begun.failure();
  return reader;
}

Failure FileTraceReader::failure(const std::string& problem) const {
  Failure failure{.kind = FailureKind::kUnreadable,
                  .message = fmt::format("{}: frame {} at byte {}, event {}: {}", name_,
                                         frame_number_, frame_.offset, state_.events, problem),
                  .remedy = {}};
  if (events() > 0) {
    failure.remedy = fmt::format("'replait recover' keeps the {} events before it", events());
  }
  return failure;
}

Result<void> FileTraceReader::begin() {
  if (!recovering_) {
    std::string problem;
    seek_table_ = frames_.seek_table(problem);
    if (!problem.empty()) {
      frame_.offset = frames_.file_bytes();
      Failure damaged = failure(problem);
      damaged.remedy = "'replait recover' keeps the whole frames";
      return damaged;
    }
  }
  Trace trace;
  const Result<bool> first = next_frame(trace);
  if (!first) return first.failure();
  if (!*first) return failure("the file ends within its header");
  frame_number_ = 0;  // Whose place messages name.
  if (trace.packet_size() != 1 || !trace.packet(0).has_header()) {
    return failure("no replait trace: its first packet is no header");
  }
  Result<Header> header = decode_header(trace.packet(0).header());
  if (!header) {
    Failure refused = failure(header.failure().message);
    refused.remedy = header.failure().remedy;
    return refused;
  }
  header_ = std::move(header).value();
  usable_frames_.push_back(frame_);
  frame_number_ = 1;
  pending_ = std::make_unique<Trace>();
  const Result<bool> second = next_frame(*pending_);
  if (!second) failed_ = second.failure();
  if (!second || !*second) {
    pending_.reset();
  } else if (pending_->packet_size() == 1 && pending_->packet(0).has_environment()) {
    for (const NamedText& entry : pending_->packet(0).environment().entry()) {
      environment_.emplace_back(entry.name(), entry.value());
    }
    pending_.reset();
    usable_frames_.push_back(frame_);
  }
  return {};
}

bool FileTraceReader::fits_seek_table(const FrameReader::Frame& frame) const {
  if (!seek_table_) return true;
  if (frame_number_ >= seek_table_->size()) return false;
  const FrameWriter::Frame& entry = (*seek_table_)[frame_number_];
  return entry.compressed_bytes == frame.compressed_bytes &&
         entry.content_bytes == frame.content_bytes;
}

Result<bool> FileTraceReader::next_frame(Trace& trace) {
  if (pending_ && pending_.get() != &trace) {
    trace = std::move(*pending_);
    pending_.reset();
    return true;
  }
  if (stage_ == Stage::kOver) return false;
  FrameReader::Frame frame;
  const FrameReader::Status status =
      frames_.measure(frame_.offset + frame_.compressed_bytes, frame);
  frame_ = {.offset = frame_.offset + frame_.compressed_bytes,
            .compressed_bytes = frame.compressed_bytes,
            .content_bytes = frame.content_bytes};
  if (status != FrameReader::Status::kFrame) return at_tail(status);
  if (!fits_seek_table(frame_)) return failure("the frame is not the one of the seek table");
  std::string content;
  if (!frames_.decompress(frame_, content)) return failure(frames_.problem());
  if (!trace.ParseFromString(content) || trace.packet_size() == 0) {
    return failure("the frame holds no packets of a trace");
  }
  ++frame_number_;
  return true;
}

Result<bool> FileTraceReader::at_tail(FrameReader::Status status) {
  if (status == FrameReader::Status::kDamaged) return failure(frames_.problem());
  stage_ = stage_ == Stage::kSeekTable && status == FrameReader::Status::kSeekTable && seek_table_
               ? Stage::kOver
               : stage_;
  if (stage_ == Stage::kOver) {
    if (frame_number_ != seek_table_->size()) return failure("the seek table has other frames");
    end_ = end_packet_;
    return false;
  }
  if (status == FrameReader::Status::kSeekTable && !recovering_) {
    return failure("the seek table does not fit the file");
  }
  // A file with a seek table was closed, so it was not cut.
  if (seek_table_) return failure("the frame goes beyond the end of the file");
  stage_ = Stage::kOver;
  return false;
}

Result<std::vector<Applied>> FileTraceReader::next_chunk() {
  debug_clocks_.clear();
  while (!failed_) {
    Trace trace;
    const Result<bool> frame = next_frame(trace);
    if (!frame) {
      failed_ = frame.failure();
      break;
    }
    if (!*frame) return std::vector<Applied>{};
    std::optional<std::vector<Applied>> chunk;
    const Result<void> taken = take_frame(trace, chunk);
    if (!taken) {
      failed_ = taken.failure();
    } else if (chunk) {
      return std::move(*chunk);
    }
  }
  return *failed_;
}

Result<void> FileTraceReader::take_frame(const Trace& trace,
                                         std::optional<std::vector<Applied>>& chunk) {
  if (stage_ == Stage::kSeekTable) return failure("a frame after the index");
  std::vector<const LaunchPacket*> launches;
  for (int i = 0; i < trace.packet_size(); ++i) {
    const Packet& packet = trace.packet(i);
    const bool is_last = i + 1 == trace.packet_size();
    const bool is_alone = is_last && i == 0;
    if (packet.has_launch() && stage_ == Stage::kChunks && !is_last) {
      launches.push_back(&packet.launch());
    } else if (packet.has_value() && stage_ == Stage::kChunks && launches.empty()) {
      const Result<void> taken = take_value(packet.value());
      if (!taken) return taken.failure();
      if (is_last) value_frames_.push_back(frame_);
    } else if (packet.has_chunk() && stage_ == Stage::kChunks && is_last &&
               launches.size() == static_cast<std::size_t>(i)) {
      Result<std::vector<Applied>> events = take_chunk(packet.chunk(), launches);
      if (!events) return events.failure();
      chunk = std::move(events).value();
    } else if (packet.has_end() && stage_ == Stage::kChunks && is_last &&
               launches.size() == static_cast<std::size_t>(i)) {
      const Result<void> taken = take_end(packet.end(), launches);
      if (!taken) return taken.failure();
      stage_ = Stage::kIndex;
    } else if (packet.has_index() && stage_ == Stage::kIndex && is_alone) {
      const Result<void> taken = take_index(packet.index());
      if (!taken) return taken.failure();
      stage_ = Stage::kSeekTable;
    } else if (packet.has_checkpoint()) {
      return failure("checkpoints are not supported by this version");
    } else {
      return failure("a packet that does not belong here");
    }
  }
  return {};
}

Result<void> FileTraceReader::take_value(const ValuePacket& packet) {
  const std::array<std::uint64_t, 2> hash = {packet.hash_low_xxh3(), packet.hash_high_xxh3()};
  if (header_.values != ValueLevel::kFull) return failure("values in a trace without values");
  if (!partial_value_ && packet.offset_bytes() == 0) {
    partial_value_ = {.hash = hash, .total_bytes = packet.total_bytes(), .bytes = {}};
  }
  const std::uint64_t bytes = packet.data().size();
  if (!partial_value_ || partial_value_->hash != hash ||
      partial_value_->total_bytes != packet.total_bytes() ||
      partial_value_->bytes.size() != packet.offset_bytes() || bytes == 0 ||
      bytes > packet.total_bytes() - packet.offset_bytes()) {
    return failure("the parts of a value do not follow one another");
  }
  if (!budget_.take(bytes)) return failure("its values need more memory than --max-memory allows");
  const auto data = std::as_bytes(std::span(packet.data().data(), packet.data().size()));
  partial_value_->bytes.insert(partial_value_->bytes.end(), data.begin(), data.end());
  if (partial_value_->bytes.size() < partial_value_->total_bytes) return {};
  if (!rows_.blobs.emplace(hash, std::move(partial_value_->bytes)).second) {
    return failure("a value stands twice");
  }
  partial_value_.reset();
  return {};
}

Result<std::vector<Applied>> FileTraceReader::take_chunk(
    const ChunkPacket& packet, const std::vector<const LaunchPacket*>& launches) {
  const std::uint64_t first_event = state_.events;
  if (packet.first_index() != first_event) {
    return failure(fmt::format("the chunk begins with event {}", packet.first_index()));
  }
  ChunkRows rows;
  std::string problem =
      TableDecoder(tables_, rows_, budget_).decode(packet.tables(), launches, rows);
  std::vector<Applied> events;
  if (problem.empty()) {
    problem = ChunkDecoder(tables_, rows, state_).decode(packet, events);
  }
  if (problem.empty() && (!rows_.blobs.empty() || partial_value_)) {
    problem = "a value that no event uses";
  }
  const int clocks = packet.debug_clock_xxh3_size();
  if (problem.empty() && clocks != 0 && static_cast<std::size_t>(clocks) != events.size()) {
    problem = "clock hashes for some of the events only";
  }
  if (!problem.empty()) return failure(problem);
  std::vector<ChunkEncoder::ThreadCount> counts;
  for (const ThreadColumns& thread : packet.thread()) {
    counts.push_back({.agent = rows.numbers[index_of(RowKind::kAgent)][thread.agent()],
                      .events = static_cast<std::uint32_t>(thread.op().size())});
  }
  for (const Applied& event : events) index_.add_event(canonical_.append(event));
  if (!canonical_.problem().empty()) return failure(canonical_.problem());
  const bool changed = canonical_.take_hash() != packet.content_xxh3();
  if (changed && !options_.accept_changed) {
    return failure("the chunk's events are not those of its hash");
  }
  if (last_chunk_.events == 0) first_chunk_offset_ = frame_.offset;
  last_chunk_ = {.file_offset = frame_.offset,
                 .first_event = first_event,
                 .events = events.size(),
                 .clock_hash = packet.clock_hash_xxh3(),
                 .changed = changed};
  index_.add_chunk(frame_.offset, packet.events(), packet.clock_hash_xxh3(), std::move(counts));
  debug_clocks_.assign(packet.debug_clock_xxh3().begin(), packet.debug_clock_xxh3().end());
  usable_frames_.insert(usable_frames_.end(), value_frames_.begin(), value_frames_.end());
  value_frames_.clear();
  usable_frames_.push_back(frame_);
  return events;
}

}  // namespace replait
