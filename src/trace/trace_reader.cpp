// The reader's second half: the end, the index, and the list of chunks.
#include "trace/trace_reader.h"

#include <fmt/format.h>

#include <set>

#include "trace/file_trace_reader.h"
#include "trace/trace.pb.h"
#include "trace/wire_ops.h"

namespace replait {
namespace {

// A pending op from its local numbers; nullopt where it names what the end does not state.
std::optional<PendingOp> decode_pending(const PendingColumns& in, const ChunkRows& rows,
                                        const Tables& tables) {
  const auto id = [&rows](RowKind kind, std::uint32_t local) -> std::optional<std::uint32_t> {
    const std::vector<std::uint32_t>& ids = rows.ids[index_of(kind)];
    if (local >= ids.size()) return std::nullopt;
    return ids[local];
  };
  const std::optional<OpAndDetail> op =
      in.op() < 0 || in.op() > 0x3f ? std::nullopt : thread_op(static_cast<std::uint8_t>(in.op()));
  if (!op) return std::nullopt;
  OpFields fields;
  fields.op = op->op;
  fields.detail = op->detail;
  if (in.detail() != 0) {
    if (op->op != op_index<Refuse>() || in.detail() >= details_of(op->op)) return std::nullopt;
    fields.detail = static_cast<std::uint8_t>(in.detail());
  }
  const OpSchema& schema = kOpSchemas[op->op];
  const auto first = schema.first ? id(*schema.first, in.first()) : 0;
  const auto second = schema.second ? id(*schema.second, in.second()) : 0;
  const auto value = id(RowKind::kValue, in.value());
  const auto agent = id(RowKind::kAgent, in.agent());
  const auto source = id(RowKind::kSource, in.source());
  if (!first || !second || !value || !agent || !source) return std::nullopt;
  if (tables[from_index<AgentId>(*agent)].is_copy()) return std::nullopt;
  if (op->op == op_index<IssueCopy>() &&
      tables[from_index<AgentId>(*first)].issuer != from_index<AgentId>(*agent)) {
    return std::nullopt;
  }
  if (op->op == op_index<Choose>() && (in.number() == 0 || in.number() > 0xffffffff)) {
    return std::nullopt;
  }
  fields.first = *first;
  fields.second = *second;
  fields.value = *value;
  fields.number = in.number();
  PendingOp pending;
  pending.agent = from_index<AgentId>(*agent);
  pending.source = from_index<SourceId>(*source);
  pending.op = op_of(fields);
  pending.has = in.has();
  pending.needs = in.needs();
  return pending;
}

std::optional<Finding> decode_finding(const FindingColumns& in, std::uint64_t events) {
  if (in.severity() > static_cast<std::uint32_t>(Severity::kNote) || in.found_at() > events) {
    return std::nullopt;
  }
  Finding finding{.rule = in.rule(),
                  .severity = static_cast<Severity>(in.severity()),
                  .message = in.message(),
                  .details = {in.detail().begin(), in.detail().end()},
                  .events = {in.event().begin(), in.event().end()},
                  .event = std::nullopt};
  if (in.found_at() > 0) finding.event = in.found_at() - 1;
  for (const std::uint64_t event : finding.events) {
    if (event >= events) return std::nullopt;
  }
  return finding;
}

}  // namespace

Result<void> FileTraceReader::take_end(const EndPacket& packet,
                                       const std::vector<const LaunchPacket*>& launches) {
  TraceEnd end;
  end.events = packet.events();
  end.run_id = {packet.run_id_low_xxh3(), packet.run_id_high_xxh3()};
  if (!EndKindCode_IsValid(packet.kind()) || !packet.finished()) {
    return failure("an end that is none");
  }
  if (end.events != state_.events) {
    return failure(fmt::format("the end counts {} events", end.events));
  }
  end.execution.kind = static_cast<EndKind>(packet.kind());
  ChunkRows rows;
  const std::string problem =
      TableDecoder(tables_, rows_, budget_).decode(packet.tables(), launches, rows);
  if (!problem.empty()) return failure(problem);
  for (const PendingColumns& columns : packet.pending()) {
    const std::optional<PendingOp> pending = decode_pending(columns, rows, tables_);
    if (!pending) return failure("a pending op that is none");
    end.execution.pending.push_back(*pending);
  }
  for (const FindingColumns& columns : packet.finding()) {
    std::optional<Finding> finding = decode_finding(columns, end.events);
    if (!finding) return failure("a finding that is none");
    end.execution.findings.push_back(std::move(*finding));
  }
  canonical_.append_end(end.execution);
  canonical_.take_hash();
  end.changed = canonical_.run_id() != end.run_id;
  if (end.changed && !options_.accept_changed) return failure("the run id is another");
  end_packet_ = std::move(end);
  usable_frames_.insert(usable_frames_.end(), value_frames_.begin(), value_frames_.end());
  usable_frames_.push_back(frame_);
  return {};
}

Result<void> FileTraceReader::take_index(const IndexPacket& packet) {
  if (recovering_) return {};
  Trace rebuilt;
  rebuilt.ParseFromString(index_.encode(end_packet_->execution.findings));
  // A newer writer may say more.
  IndexPacket known = packet;
  known.DiscardUnknownFields();
  if (rebuilt.packet(0).index().SerializeAsString() != known.SerializeAsString()) {
    return failure("the index does not fit the chunks");
  }
  return {};
}

Result<std::vector<ChunkInfo>> FileTraceReader::chunks() {
  return seek_table_ ? chunks_from_index() : chunks_by_scanning();
}

Result<std::vector<ChunkInfo>> FileTraceReader::chunks_from_index() {
  std::vector<FrameReader::Frame> all;
  std::uint64_t offset = 0;
  for (const FrameWriter::Frame& frame : *seek_table_) {
    all.push_back({.offset = offset,
                   .compressed_bytes = frame.compressed_bytes,
                   .content_bytes = frame.content_bytes});
    offset += frame.compressed_bytes;
  }
  const auto read = [this](const FrameReader::Frame& frame, Trace& trace) {
    FrameReader::Frame measured;
    std::string content;
    return frames_.measure(frame.offset, measured) == FrameReader::Status::kFrame &&
           measured.compressed_bytes == frame.compressed_bytes &&
           frames_.decompress(measured, content) && trace.ParseFromString(content) &&
           trace.packet_size() > 0;
  };
  Trace last;
  if (all.empty() || !read(all.back(), last) || !last.packet(0).has_index()) {
    return failure("the last frame is no index");
  }
  const IndexPacket& index = last.packet(0).index();
  const bool has_clocks = index.clock_hash_xxh3_size() > 0;
  if (index.events_size() != index.offset_bytes_size() ||
      (has_clocks && index.clock_hash_xxh3_size() != index.events_size())) {
    return failure("columns of unequal length in the index");
  }
  std::vector<ChunkInfo> chunks;
  std::size_t at = 0;
  for (Trace trace; at < all.size() && index.events_size() > 0; ++at) {
    if (!read(all[at], trace)) return failure("a frame of the seek table that is none");
    if (trace.packet(trace.packet_size() - 1).has_chunk()) break;
  }
  std::uint64_t expected = at < all.size() ? all[at].offset : 0;
  std::uint64_t first_event = 0;
  for (int i = 0; i < index.events_size(); ++i) {
    expected += index.offset_bytes(i);
    while (at < all.size() && all[at].offset < expected) ++at;
    if (at >= all.size() || all[at].offset != expected || index.events(i) == 0) {
      return failure("the index names a chunk where no frame is");
    }
    chunks.push_back({.file_offset = expected,
                      .first_event = first_event,
                      .events = index.events(i),
                      .clock_hash = has_clocks ? index.clock_hash_xxh3(i) : 0});
    first_event += index.events(i);
    ++at;
  }
  return chunks;
}

Result<std::vector<ChunkInfo>> FileTraceReader::chunks_by_scanning() {
  std::vector<ChunkInfo> chunks;
  FrameReader::Frame frame;
  std::uint64_t first_event = 0;
  for (std::uint64_t offset = 0;; offset += frame.compressed_bytes) {
    const FrameReader::Status status = frames_.measure(offset, frame);
    if (status == FrameReader::Status::kDamaged) return failure(frames_.problem());
    if (status != FrameReader::Status::kFrame) return chunks;
    std::string content;
    Trace trace;
    if (!frames_.decompress(frame, content)) return failure(frames_.problem());
    if (!trace.ParseFromString(content) || trace.packet_size() == 0) {
      return failure("a frame without packets");
    }
    const Packet& packet = trace.packet(trace.packet_size() - 1);
    if (!packet.has_chunk()) continue;
    chunks.push_back({.file_offset = offset,
                      .first_event = first_event,
                      .events = packet.chunk().events(),
                      .clock_hash = packet.chunk().clock_hash_xxh3()});
    first_event += packet.chunk().events();
  }
}

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path,
                                                       const TraceReaderOptions& options) {
  Result<std::unique_ptr<FileTraceReader>> reader = FileTraceReader::open(path, options, false);
  if (!reader) return reader.failure();
  return std::unique_ptr<TraceReader>(std::move(reader).value());
}

}  // namespace replait
