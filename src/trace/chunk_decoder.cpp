#include "trace/chunk_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/columns.h"
#include "trace/trace.pb.h"
#include "trace/wire_ops.h"

namespace replait {

bool RowMarks::set(RowKind kind, std::uint32_t id, std::uint32_t local) {
  std::vector<Mark>& marks = marks_[index_of(kind)];
  if (id >= marks.size())
    marks.resize(std::max<std::size_t>(id + std::size_t{1}, marks.size() * 2));
  if (marks[id].chunk == chunk_) return false;
  marks[id] = {.chunk = chunk_, .local = local};
  return true;
}

std::string ChunkDecoder::decode(const ChunkPacket& packet, std::vector<Applied>& events) {
  events_ = &events;
  if (packet.events() == 0 || packet.events() > kChunkEventsMax) {
    return fmt::format("a chunk of {} events, it has 1 to {}", packet.events(), kChunkEventsMax);
  }
  events.reserve(events.size() + packet.events());
  mark_rows();
  for (const ThreadColumns& columns : packet.thread()) begin_thread(columns);
  begin_copies(packet.copies());
  begin_schedule(packet.schedule());
  if (!failed()) run_schedule(packet.events());
  if (!failed()) check_consumed();
  return problem_;
}

void ChunkDecoder::mark_rows() {
  file_.marks.next_chunk();
  for (std::size_t k = 0; k < kRowKinds; ++k) {
    const auto kind = static_cast<RowKind>(k);
    const std::vector<std::uint32_t>& ids = rows_.ids[k];
    next_[k] = has_none(kind) ? 1 : 0;
    for (std::uint32_t local = 0; local < ids.size(); ++local) {
      if (!file_.marks.set(kind, ids[local], local)) fail("a row stands twice in a chunk");
    }
  }
}

void ChunkDecoder::begin_thread(const ThreadColumns& c) {
  Thread thread;
  thread.agent = c.agent();
  thread.ops = c.op();
  const std::vector<std::uint32_t>& agents = rows_.ids[index_of(RowKind::kAgent)];
  if (thread.agent >= agents.size() || tables_[AgentId{agents[thread.agent]}].is_copy()) {
    return fail(fmt::format("agent {} of the chunk is no thread", thread.agent));
  }
  const auto rows = [&thread](RowKind kind) -> Column& { return thread.rows[index_of(kind)]; };
  rows(RowKind::kSource) = cursor<std::uint32_t>(c.source(), true);
  rows(RowKind::kShape) = cursor<std::uint32_t>(c.shape());
  rows(RowKind::kKey) = cursor<std::uint32_t>(c.key());
  rows(RowKind::kBuffer) = cursor<std::uint32_t>(c.buffer());
  rows(RowKind::kRange) = cursor<std::uint32_t>(c.range());
  rows(RowKind::kSemaphore) = cursor<std::uint32_t>(c.semaphore());
  rows(RowKind::kBarrier) = cursor<std::uint32_t>(c.barrier());
  rows(RowKind::kValue) = cursor<std::uint32_t>(c.value(), true);
  thread.results = cursor<std::uint32_t>(c.result(), true);
  thread.errors = cursor<std::uint32_t>(c.error());
  thread.extras = cursor<std::uint32_t>(c.extra());
  thread.numbers = cursor<std::int64_t>(c.number());
  thread.counts = cursor<std::int64_t>(c.count());
  threads_.push_back(thread);
}

void ChunkDecoder::begin_copies(const CopyColumns& c) {
  copy_values_ = cursor<std::uint32_t>(c.value(), true);
  copy_results_ = cursor<std::uint32_t>(c.result(), true);
  copy_errors_ = cursor<std::uint32_t>(c.error(), true);
  copy_sources_ = cursor<std::uint32_t>(c.source(), true);
  copy_counts_ = cursor<std::int64_t>(c.count(), true);
  // Copies of earlier chunks by order of issue, then those of this one, which come in it.
  const std::vector<std::uint32_t>& numbers = rows_.numbers[index_of(RowKind::kAgent)];
  for (std::uint32_t local = 0; local < numbers.size(); ++local) {
    const AgentRow& row = tables_[AgentId{id(RowKind::kAgent, local)}];
    if (!row.is_copy()) continue;
    const std::uint8_t phase = rows_.next_phase[local];
    const bool is_new = phase == ChunkRows::kNoPhase;
    if (numbers[local] >= file_.copies.size()) {
      file_.copies.resize(std::max(numbers[local] + std::size_t{1}, file_.copies.size() * 2));
    }
    const FileState::Copy& known = file_.copies[numbers[local]];
    const std::uint32_t source = rows_.issue_source[local];
    if (!is_new && (known.next_phase != phase || known.source != id(RowKind::kSource, source))) {
      fail(fmt::format("copy {} is not in phase {}", numbers[local], phase));
    }
    copies_.push_back({.agent = local, .phase = phase, .source = source});
  }
  std::stable_sort(copies_.begin(), copies_.end(), [&numbers](const Copy& a, const Copy& b) {
    return numbers[a.agent] < numbers[b.agent];
  });
  copy_at_.assign(numbers.size(), kNone);
  in_flight_ = InFlight(copies_.size());
  for (std::uint32_t i = 0; i < copies_.size(); ++i) {
    copy_at_[copies_[i].agent] = i;
    if (copies_[i].phase != ChunkRows::kNoPhase) in_flight_.insert(i);
  }
}

void ChunkDecoder::begin_schedule(const ScheduleColumns& c) {
  steps_ = cursor<std::uint32_t>(c.step());
  lengths_ = cursor<std::uint32_t>(c.run_length());
  choices_ = cursor<std::uint32_t>(c.choice());
  partial_gaps_ = cursor<std::uint32_t>(c.partial_gap());
  partial_bytes_ = cursor<std::uint64_t>(c.partial_copy_bytes());
  gap_left_ = partial_gaps_.size > 0 ? take(partial_gaps_) : kNone;
}

void ChunkDecoder::run_schedule(std::uint32_t total) {
  const std::size_t end = events_->size() + total;
  const auto threads = static_cast<std::uint32_t>(threads_.size());
  while (events_->size() < end && !failed()) {
    const std::uint32_t step = take(steps_);
    const std::uint32_t who = step >> 1;
    const bool has_length = (step & 1) != 0;
    if (who < threads) {
      const std::uint64_t length = has_length ? std::uint64_t{take(lengths_)} + 1 : 1;
      if (length > end - events_->size()) return fail("the schedule goes beyond the chunk");
      thread_run(who, static_cast<std::uint32_t>(length));
    } else {
      copy_run(who - threads, has_length);
    }
  }
  if (events_->size() > end) fail("the schedule goes beyond the chunk");
}

void ChunkDecoder::thread_run(std::uint32_t slot, std::uint32_t length) {
  Thread& thread = threads_[slot];
  if (thread.at == 0) {
    if (slot != threads_begun_) return fail("threads are not in order of their first event");
    ++threads_begun_;
    if (thread.agent >= next_[index_of(RowKind::kAgent)]) enter(RowKind::kAgent, thread.agent);
  }
  for (std::uint32_t i = 0; i < length && !failed(); ++i) thread_event(thread);
}

void ChunkDecoder::copy_run(std::uint32_t rank, bool has_length) {
  if (rank >= in_flight_.count()) {
    return fail(fmt::format("copy of rank {} of {} in flight", rank, in_flight_.count()));
  }
  const std::size_t place = in_flight_.at(rank);
  Copy& copy = copies_[place];
  if (copy.agent >= next_[index_of(RowKind::kAgent)]) {
    enter(RowKind::kAgent, copy.agent);
    if (copy.source >= next_[index_of(RowKind::kSource)]) enter(RowKind::kSource, copy.source);
  }
  if (gap_left_ == 0) {
    if (has_length) return fail("a partial receive with a run length");
    gap_left_ = partial_gaps_.at < partial_gaps_.size ? take(partial_gaps_) : kNone;
    return copy_event(copy, CopyPhase::kPartialReceive, take(partial_bytes_));
  }
  const AgentRow& row = tables_[AgentId{id(RowKind::kAgent, copy.agent)}];
  const bool has_send = row.copy.send_semaphore.has_value();
  const bool gated = tables_[row.launch].gated;
  const std::uint32_t natural = natural_length(static_cast<CopyPhase>(copy.phase), has_send, gated);
  const std::uint64_t length = has_length ? std::uint64_t{take(lengths_)} + 1 : natural;
  if (has_length && length >= natural) return fail("a copy's run length that is none");
  for (std::uint64_t i = 0; i < length && !failed(); ++i) {
    if (gap_left_ == 0) return fail("a partial receive within a run");
    if (gap_left_ != kNone) --gap_left_;
    copy_event(copy, static_cast<CopyPhase>(copy.phase), 0);
  }
  if (copy.phase == ChunkRows::kNoPhase) in_flight_.erase(place);
}

void ChunkDecoder::check_consumed() {
  bool consumed = is_consumed(steps_) && is_consumed(lengths_) && is_consumed(choices_) &&
                  is_consumed(partial_gaps_) && is_consumed(partial_bytes_) && gap_left_ == kNone &&
                  is_consumed(copy_values_) && is_consumed(copy_results_) &&
                  is_consumed(copy_errors_) && is_consumed(copy_sources_) &&
                  is_consumed(copy_counts_);
  for (const Thread& thread : threads_) {
    consumed = consumed && thread.at == thread.ops.size() && is_consumed(thread.results) &&
               is_consumed(thread.errors) && is_consumed(thread.extras) &&
               is_consumed(thread.numbers) && is_consumed(thread.counts);
    for (const Column& column : thread.rows) consumed = consumed && is_consumed(column);
  }
  if (!consumed) fail("a column has more entries than events");
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    if (next_[kind] != rows_.ids[kind].size()) fail("a row of the chunk that no event uses");
  }
}

void ChunkDecoder::enter(RowKind kind, std::uint32_t local) {
  const auto known = [this](RowKind k, std::uint32_t row) {
    return file_.marks.local(k, row) < next_[index_of(k)];
  };
  enter_row(tables_, kind, id(kind, local), known, [this](RowKind k, std::uint32_t row) {
    if (file_.marks.local(k, row) == next_[index_of(k)]) {
      ++next_[index_of(k)];
    } else {
      fail("rows do not come in the order of their numbers");
    }
  });
}

std::uint32_t ChunkDecoder::reference(Last& last, RowKind kind, std::uint32_t code) {
  std::uint32_t& before = last[index_of(kind)];
  const std::uint32_t first = has_none(kind) ? 1 : 0;
  if (code == 0) {
    if (first == 0) fail("an operand is missing");
    return 0;
  }
  const std::int64_t local =
      code == 1 ? std::int64_t{next_[index_of(kind)]} : std::int64_t{before} + unzigzag(code - 2);
  if (local < first || local >= std::ssize(rows_.ids[index_of(kind)])) {
    fail("a reference to a row that the chunk does not state");
    return 0;
  }
  before = static_cast<std::uint32_t>(local);
  if (local >= next_[index_of(kind)]) enter(kind, before);
  return before;
}

void ChunkDecoder::put(std::uint32_t agent, std::uint32_t source, const OpFields& fields,
                       const Outcome& outcome) {
  if (failed()) return;
  Applied event;
  event.index = file_.events++;
  event.agent = from_index<AgentId>(id(RowKind::kAgent, agent));
  event.source = from_index<SourceId>(id(RowKind::kSource, source));
  event.op = op_of(fields);
  event.outcome = outcome;
  events_->push_back(event);
}

}  // namespace replait
