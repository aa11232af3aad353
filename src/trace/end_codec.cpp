#include "trace/end_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/columns.h"
#include "trace/table_encoder.h"
#include "trace/trace.pb.h"
#include "trace/wire_ops.h"

namespace replait {
namespace {

// More would make the index a frame too big; a reader counts them from the chunks.
constexpr std::size_t kThreadCountsMax = std::size_t{4} << 20;
constexpr std::size_t kLaunchesMax = std::size_t{256} << 10;

std::string frame_of(const Packet& packet) {
  std::string content;
  append_field(content, Trace::kPacketFieldNumber, packet.SerializeAsString());
  return content;
}

std::uint32_t use(LocalRows& rows, RowKind kind, std::uint32_t number) {
  return has_none(kind) && number == 0 ? 0 : rows.use(kind, number).local;
}

std::uint64_t found_at(const Finding& finding, std::uint64_t events) {
  return finding.event && *finding.event < events ? *finding.event + 1 : 0;
}

void encode_pending(PendingColumns& out, const Canonical::Pending& pending, LocalRows& rows) {
  const Record& record = pending.record;
  const OpSchema& schema = kOpSchemas[record.op];
  const std::uint8_t code = wire_op(record.op, record.detail);
  out.set_agent(use(rows, RowKind::kAgent, record.agent));
  out.set_source(use(rows, RowKind::kSource, record.source));
  out.set_op(static_cast<OpCode>(code));
  // The proxy is part of the code.
  if (record.op == op_index<Refuse>()) out.set_detail(record.detail);
  if (schema.first) out.set_first(use(rows, *schema.first, record.first));
  if (schema.second) out.set_second(use(rows, *schema.second, record.second));
  out.set_value(use(rows, RowKind::kValue, record.value));
  out.set_number(record.number);
  out.set_has(pending.has);
  out.set_needs(pending.needs);
}

// `events`: how many the trace has. What a finding says of others is left out.
void encode_finding(FindingColumns& out, const Finding& finding, std::uint64_t events) {
  out.set_rule(finding.rule);
  out.set_severity(static_cast<std::uint32_t>(finding.severity));
  out.set_message(finding.message);
  for (const std::string& detail : finding.details) out.add_detail(detail);
  for (const std::uint64_t event : finding.events) {
    if (event < events) out.add_event(event);
  }
  out.set_found_at(found_at(finding, events));
}

}  // namespace

std::string encode_end(const TableSource& source, LocalRows& rows, const KnownRows& known,
                       const EndContent& end) {
  Packet packet;
  EndPacket& out = *packet.mutable_end();
  out.set_kind(static_cast<EndKindCode>(end.execution->kind));
  for (const Canonical::Pending& pending : end.pending) {
    encode_pending(*out.add_pending(), pending, rows);
  }
  for (const Finding& finding : end.execution->findings) {
    encode_finding(*out.add_finding(), finding, end.events);
  }
  out.set_events(end.events);
  out.set_finished(true);
  out.set_run_id_low_xxh3(end.run_id[0]);
  out.set_run_id_high_xxh3(end.run_id[1]);
  const EncodedTables encoded = encode_tables(source, rows, known, {});
  if (!encoded.columns.empty()) out.mutable_tables()->ParseFromString(encoded.columns);
  return encoded.launches + frame_of(packet);
}

void IndexBuilder::add_agents() {
  for (auto agent = static_cast<std::uint32_t>(launch_of_.size());
       agent < canonical_.rows(RowKind::kAgent); ++agent) {
    const AgentRow& row = tables_[AgentId{canonical_.id(RowKind::kAgent, agent)}];
    launch_of_.push_back(canonical_.number(RowKind::kLaunch, to_index(row.launch)));
  }
  launches_.resize(canonical_.rows(RowKind::kLaunch));
}

void IndexBuilder::note_error(Span& span, std::uint32_t error) {
  const ErrorRow& row = tables_[ErrorId{canonical_.id(RowKind::kError, error)}];
  if (row.kind == ErrorKind::kRaised) span.failed = true;
}

void IndexBuilder::add_chunk(std::uint64_t file_offset, std::uint32_t events,
                             std::uint64_t clock_hash,
                             std::vector<ChunkEncoder::ThreadCount> threads) {
  chunks_.push_back({.file_offset = file_offset,
                     .events = events,
                     .clock_hash = clock_hash,
                     .threads = static_cast<std::uint32_t>(threads.size())});
  if (threads_.size() <= kThreadCountsMax) {
    threads_.insert(threads_.end(), threads.begin(), threads.end());
  }
}

std::string IndexBuilder::encode(const std::vector<Finding>& findings) const {
  Packet packet;
  IndexPacket& out = *packet.mutable_index();
  std::uint64_t last_offset = chunks_.empty() ? 0 : chunks_.front().file_offset;
  bool any_clock = false;
  for (const Chunk& chunk : chunks_) {
    out.add_offset_bytes(chunk.file_offset - last_offset);
    out.add_events(chunk.events);
    out.add_clock_hash_xxh3(chunk.clock_hash);
    any_clock = any_clock || chunk.clock_hash != 0;
    last_offset = chunk.file_offset;
  }
  if (!any_clock) out.clear_clock_hash_xxh3();
  if (threads_.size() <= kThreadCountsMax) {
    for (const Chunk& chunk : chunks_) out.add_threads(chunk.threads);
    for (const ChunkEncoder::ThreadCount& count : threads_) {
      out.add_thread(count.agent);
      out.add_thread_events(count.events);
    }
  }
  const std::size_t launches = std::min(launches_.size(), kLaunchesMax);
  for (std::uint32_t number = 0; number < launches; ++number) {
    const Span& span = launches_[number];
    const LaunchRow& row = tables_[LaunchId{canonical_.id(RowKind::kLaunch, number)}];
    IndexedLaunch& launch = *out.add_launch();
    launch.set_file_number(number);
    launch.set_number(row.number);
    launch.set_kernel(row.kernel);
    if (row.source != SourceId{}) {
      const SourceRow& source = tables_[row.source];
      launch.set_source(fmt::format("{}:{}", source.file, source.line));
    }
    launch.set_devices(row.devices);
    launch.set_first_event(span.first);
    launch.set_last_event(span.last);
    launch.set_failed(span.failed);
  }
  for (const Finding& finding : findings) {
    IndexedFinding& found = *out.add_finding();
    found.set_rule(finding.rule);
    found.set_found_at(found_at(finding, events_));
  }
  return frame_of(packet);
}

}  // namespace replait
