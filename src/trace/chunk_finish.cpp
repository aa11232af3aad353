// The second half of the chunk encoder: what can only be written once the chunk is complete.
#include <algorithm>
#include <utility>

#include "trace/chunk_encoder.h"
#include "trace/in_flight.h"
#include "trace/table_encoder.h"
#include "trace/trace.pb.h"

namespace replait {
namespace {

// Places of the chunk's copies in order of issue: those of earlier chunks first.
std::vector<std::uint32_t> places_by_issue(
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_number) {
  std::sort(by_number.begin(), by_number.end());
  std::vector<std::uint32_t> places(by_number.size());
  for (std::size_t i = 0; i < by_number.size(); ++i) {
    places[by_number[i].second] = static_cast<std::uint32_t>(i);
  }
  return places;
}

}  // namespace

std::vector<ChunkEncoder::ThreadCount> ChunkEncoder::thread_counts() const {
  std::vector<ThreadCount> counts;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    counts.push_back({.agent = rows_.used(RowKind::kAgent)[threads_[i].agent],
                      .events = static_cast<std::uint32_t>(threads_[i].ops.size())});
  }
  return counts;
}

std::string ChunkEncoder::encode_threads() const {
  std::string out;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    const auto rows = [&](RowKind kind) -> const Column& { return thread.rows[index_of(kind)]; };
    std::string columns;
    append_field(columns, ThreadColumns::kAgentFieldNumber, std::uint64_t{thread.agent});
    append_field(columns, ThreadColumns::kOpFieldNumber, thread.ops.view());
    rows(RowKind::kSource).append_to(columns, ThreadColumns::kSourceFieldNumber, true);
    rows(RowKind::kShape).append_to(columns, ThreadColumns::kShapeFieldNumber);
    rows(RowKind::kKey).append_to(columns, ThreadColumns::kKeyFieldNumber);
    rows(RowKind::kBuffer).append_to(columns, ThreadColumns::kBufferFieldNumber);
    rows(RowKind::kRange).append_to(columns, ThreadColumns::kRangeFieldNumber);
    rows(RowKind::kSemaphore).append_to(columns, ThreadColumns::kSemaphoreFieldNumber);
    rows(RowKind::kBarrier).append_to(columns, ThreadColumns::kBarrierFieldNumber);
    rows(RowKind::kValue).append_to(columns, ThreadColumns::kValueFieldNumber, true);
    thread.results.append_to(columns, ThreadColumns::kResultFieldNumber, true);
    thread.numbers.append_to(columns, ThreadColumns::kNumberFieldNumber);
    thread.errors.append_to(columns, ThreadColumns::kErrorFieldNumber);
    thread.extras.append_to(columns, ThreadColumns::kExtraFieldNumber);
    thread.counts.append_to(columns, ThreadColumns::kCountFieldNumber);
    append_field(out, ChunkPacket::kThreadFieldNumber, columns);
  }
  return out;
}

std::string ChunkEncoder::encode_copies() const {
  std::string out;
  copy_values_.append_to(out, CopyColumns::kValueFieldNumber, true);
  copy_results_.append_to(out, CopyColumns::kResultFieldNumber, true);
  copy_sources_.append_to(out, CopyColumns::kSourceFieldNumber, true);
  copy_errors_.append_to(out, CopyColumns::kErrorFieldNumber, true);
  copy_counts_.append_to(out, CopyColumns::kCountFieldNumber, true);
  return out;
}

void ChunkEncoder::encode_copy_run(const Run& run, std::uint32_t rank, Copy& copy, Column& steps,
                                   Column& lengths) const {
  const std::uint64_t who = std::uint64_t{thread_count_} + rank;
  if (run.partial) {
    steps.put(who << 1);
    return;
  }
  const AgentRow& row = tables_[AgentId{canonical_.id(RowKind::kAgent, number_of(copy))}];
  const bool has_send = row.copy.send_semaphore.has_value();
  for (std::uint32_t left = run.length; left > 0;) {
    const std::uint32_t natural =
        natural_length(static_cast<CopyPhase>(copy.phase), has_send, tables_[row.launch].gated);
    const std::uint32_t length = std::min(left, natural);
    steps.put(who << 1 | (length < natural ? 1 : 0));
    if (length < natural) lengths.put(length - 1);
    for (std::uint32_t i = 0; i < length; ++i) {
      const auto after = phase_after(static_cast<CopyPhase>(copy.phase), has_send);
      copy.phase = after ? static_cast<Phase>(*after) : kFinished;
    }
    left -= length;
  }
}

std::string ChunkEncoder::encode_schedule() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_number;
  for (std::uint32_t i = 0; i < copies_.size(); ++i) {
    by_number.emplace_back(number_of(copies_[i]), i);
  }
  const std::vector<std::uint32_t> places = places_by_issue(std::move(by_number));
  InFlight in_flight(copies_.size());
  std::vector<std::uint32_t> issued;  // In order of issue.
  for (std::uint32_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].issued_run == kNone) {
      in_flight.insert(places[i]);
    } else {
      issued.push_back(i);
    }
  }
  Column steps, lengths;
  std::size_t next_issued = 0;
  for (std::uint32_t at = 0; at < runs_.size(); ++at) {
    const Run& run = runs_[at];
    const std::uint32_t slot = slots_[run.agent];
    const bool is_thread = slot < thread_count_ && threads_[slot].agent == run.agent;
    if (is_thread) {
      steps.put(std::uint64_t{slot} << 1 | (run.length > 1 ? 1 : 0));
      if (run.length > 1) lengths.put(run.length - 1);
    } else {
      encode_copy_run(run, static_cast<std::uint32_t>(in_flight.rank(places[slot])), copies_[slot],
                      steps, lengths);
      if (copies_[slot].phase == kFinished) in_flight.erase(places[slot]);
    }
    for (; next_issued < issued.size() && copies_[issued[next_issued]].issued_run == at;
         ++next_issued) {
      in_flight.insert(places[issued[next_issued]]);
    }
  }
  std::string out;
  steps.append_to(out, ScheduleColumns::kStepFieldNumber);
  lengths.append_to(out, ScheduleColumns::kRunLengthFieldNumber);
  choices_.append_to(out, ScheduleColumns::kChoiceFieldNumber);
  partial_gaps_.append_to(out, ScheduleColumns::kPartialGapFieldNumber);
  partial_bytes_.append_to(out, ScheduleColumns::kPartialCopyBytesFieldNumber);
  return out;
}

std::string ChunkEncoder::finish(const ChunkTrailer& trailer) {
  std::map<std::uint32_t, CarriedCopy> carried;
  for (const Copy& copy : copies_) {
    if (copy.issued_run != kNone) continue;
    carried[copy.agent] = {.next_phase = copy.phase,
                           .issue_source = local_source(copy_states_[number_of(copy)].source)};
  }
  const EncodedTables tables = encode_tables(source_, rows_, known_, carried);
  std::string chunk;
  if (trailer.first_index != 0) {
    append_field(chunk, ChunkPacket::kFirstIndexFieldNumber, trailer.first_index);
  }
  append_field(chunk, ChunkPacket::kEventsFieldNumber, std::uint64_t{events_});
  append_field(chunk, ChunkPacket::kTablesFieldNumber, tables.columns);
  chunk += encode_threads();
  const std::string copies = encode_copies();
  if (!copies.empty()) append_field(chunk, ChunkPacket::kCopiesFieldNumber, copies);
  append_field(chunk, ChunkPacket::kScheduleFieldNumber, encode_schedule());
  append_fixed64_field(chunk, ChunkPacket::kContentXxh3FieldNumber, trailer.content_hash);
  append_fixed64_field(chunk, ChunkPacket::kClockHashXxh3FieldNumber, trailer.clock_hash);
  if (!trailer.debug_clocks.empty()) {
    std::string hashes;
    for (const std::uint64_t hash : trailer.debug_clocks) append_fixed64(hashes, hash);
    append_field(chunk, ChunkPacket::kDebugClockXxh3FieldNumber, hashes);
  }
  std::string packet;
  append_field(packet, Packet::kChunkFieldNumber, chunk);
  std::string trace = tables.launches;
  append_field(trace, Trace::kPacketFieldNumber, packet);
  clear();
  return trace;
}

void ChunkEncoder::clear() {
  rows_.clear();
  model_.clear();
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    known_[kind] = canonical_.rows(static_cast<RowKind>(kind));
  }
  events_ = 0;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[i];
    thread.ops.clear();
    for (Column& column : thread.rows) column.clear();
    for (Column* column :
         {&thread.results, &thread.numbers, &thread.errors, &thread.extras, &thread.counts}) {
      column->clear();
    }
    thread.last = {};
    thread.last_number = {};
  }
  thread_count_ = 0;
  slots_.clear();
  copies_.clear();
  runs_.clear();
  copy_last_ = {};
  for (Column* column : {&copy_values_, &copy_results_, &copy_errors_, &copy_counts_,
                         &copy_sources_, &choices_, &partial_gaps_, &partial_bytes_}) {
    column->clear();
  }
  partial_gap_ = 0;
}

}  // namespace replait
