#include "trace/chunk_encoder.h"

#include <algorithm>

#include "base/check.h"
#include "trace/wire_ops.h"

namespace replait {

ChunkEncoder::ChunkEncoder(const TableSource& source)
    : tables_(source.tables),
      canonical_(source.canonical),
      source_(source),
      rows_(tables_, canonical_) {
  clear();
}

ChunkEncoder::Thread& ChunkEncoder::thread_of(std::uint32_t agent) {
  if (agent >= slots_.size()) slots_.resize(agent + 1, kNone);
  if (slots_[agent] == kNone) {
    slots_[agent] = thread_count_++;
    if (thread_count_ > threads_.size()) threads_.emplace_back();
    threads_[slots_[agent]].agent = agent;
  }
  return threads_[slots_[agent]];
}

const CopyRow& ChunkEncoder::copy_row(std::uint32_t local_agent) const {
  const std::uint32_t number = rows_.used(RowKind::kAgent)[local_agent];
  return tables_[AgentId{canonical_.id(RowKind::kAgent, number)}].copy;
}

void ChunkEncoder::add_run(std::uint32_t agent, bool partial) {
  if (!runs_.empty() && runs_.back().agent == agent && !runs_.back().partial && !partial) {
    ++runs_.back().length;
  } else {
    runs_.push_back({.agent = agent, .length = 1, .partial = partial});
  }
}

std::uint64_t ChunkEncoder::code(std::array<std::uint32_t, kRowKinds>& last, RowKind kind,
                                 std::uint32_t number) {
  if (has_none(kind) && number == 0) return 0;
  const LocalRows::Use use = rows_.use(kind, number);
  const std::uint64_t code = use.is_next ? 1 : reference_code(use.local, last[index_of(kind)]);
  last[index_of(kind)] = use.local;
  return code;
}

void ChunkEncoder::add(const Record& record) {
  const std::uint32_t agent = rows_.use(RowKind::kAgent, record.agent).local;
  ++events_;
  if (record.op == op_index<CopyStep>()) {
    add_copy_step(record, agent);
  } else {
    add_thread_event(record, agent);
  }
}

void ChunkEncoder::add_thread_event(const Record& record, std::uint32_t agent) {
  Thread& thread = thread_of(agent);
  add_run(agent, false);
  thread.rows[index_of(RowKind::kSource)].put(code(thread.last, RowKind::kSource, record.source));
  const OpSchema& schema = kOpSchemas[record.op];
  if (schema.first) add_operand(thread, record, *schema.first, record.first);
  if (schema.second) add_operand(thread, record, *schema.second, record.second);
  if (schema.value) {
    thread.rows[index_of(RowKind::kValue)].put(code(thread.last, RowKind::kValue, record.value));
  }
  if (schema.number || record.op == op_index<Refuse>()) {
    const std::uint64_t number = schema.number ? record.number : record.detail;
    thread.numbers.put_signed(difference(number, thread.last_number[record.op]));
    thread.last_number[record.op] = number;
  }
  if (record.op == op_index<Choose>()) {
    REPLAIT_CHECK(record.count < record.number, "a choice beyond its number");
    choices_.put(record.count);
  }
  add_outcome(thread, record, expected_count(record));
}

void ChunkEncoder::add_operand(Thread& thread, const Record& record, RowKind kind,
                               std::uint32_t number) {
  if (kind == RowKind::kAgent) {
    issue(record);
  } else {
    thread.rows[index_of(kind)].put(code(thread.last, kind, number));
  }
}

void ChunkEncoder::issue(const Record& record) {
  const LocalRows::Use use = rows_.use(RowKind::kAgent, record.first);
  REPLAIT_CHECK(use.is_next, "a copy was issued twice");
  const AgentId id{canonical_.id(RowKind::kAgent, record.first)};
  REPLAIT_CHECK(tables_[id].issuer == AgentId{canonical_.id(RowKind::kAgent, record.agent)},
                "a copy was issued by another thread");
  if (record.first >= copy_states_.size()) {
    copy_states_.resize(std::max<std::size_t>(record.first + 1, copy_states_.size() * 2));
  }
  copy_states_[record.first] = {.next = static_cast<Phase>(CopyPhase::kReadSource),
                                .source = record.source};
  if (use.local >= slots_.size()) slots_.resize(use.local + 1, kNone);
  slots_[use.local] = static_cast<std::uint32_t>(copies_.size());
  copies_.push_back({.agent = use.local,
                     .phase = static_cast<Phase>(CopyPhase::kReadSource),
                     .issued_run = static_cast<std::uint32_t>(runs_.size() - 1)});
}

std::uint64_t ChunkEncoder::expected_count(const Record& record) {
  const std::optional<RowKind> kind = kOpSchemas[record.op].first;
  if (kind == RowKind::kSemaphore) {
    const std::uint32_t semaphore = rows_.use(RowKind::kSemaphore, record.first).local;
    const std::uint64_t expected = model_.expect_semaphore(record.op, semaphore, record.number);
    model_.observe_semaphore(semaphore, record.count);
    return expected;
  }
  if (kind == RowKind::kBarrier) {
    const std::uint32_t barrier = rows_.use(RowKind::kBarrier, record.first).local;
    const BarrierId id{canonical_.id(RowKind::kBarrier, record.first)};
    const std::uint64_t expected = model_.expect_barrier(record.op, barrier, tables_[id].arrivals);
    model_.observe_barrier(barrier, record.count);
    return expected;
  }
  // What was chosen stands in the schedule.
  return record.op == op_index<Choose>() ? record.count : 0;
}

void ChunkEncoder::add_outcome(Thread& thread, const Record& record, std::uint64_t expected) {
  const bool has_result = kOpSchemas[record.op].result;
  if (has_result) thread.results.put(code(thread.last, RowKind::kValue, record.result));
  std::uint8_t op = wire_op(record.op, record.detail);
  if (record.error != 0 || (!has_result && record.result != 0)) {
    op |= kHasExtra;
    thread.extras.put(has_result ? 0 : code(thread.last, RowKind::kValue, record.result));
    thread.errors.put(code(thread.last, RowKind::kError, record.error));
  }
  if (record.count != expected) {
    op |= kHasCount;
    thread.counts.put_signed(difference(record.count, expected));
  }
  thread.ops.push_back(static_cast<char>(op));
}

void ChunkEncoder::add_copy_step(const Record& record, std::uint32_t agent) {
  REPLAIT_CHECK(record.agent < copy_states_.size() && copy_states_[record.agent].next != kFinished,
                "a step of a copy that is not in flight");
  const std::uint32_t issue_source = copy_states_[record.agent].source;
  Phase& next = copy_states_[record.agent].next;
  if (agent >= slots_.size()) slots_.resize(agent + 1, kNone);
  if (slots_[agent] == kNone) {
    slots_[agent] = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back({.agent = agent, .phase = next, .issued_run = kNone});
    local_source(issue_source);  // Comes into use with the copy.
  }
  const auto phase = static_cast<CopyPhase>(record.detail);
  const bool partial = phase == CopyPhase::kPartialReceive;
  REPLAIT_CHECK(partial || record.detail == next, "phases of a copy out of order");
  add_run(agent, partial);
  if (partial) {
    partial_gaps_.put(partial_gap_);
    partial_bytes_.put(record.number);
    partial_gap_ = 0;
  } else {
    REPLAIT_CHECK(record.number == 0, "only a partial receive has bytes");
    ++partial_gap_;
    const auto after = phase_after(phase, copy_row(agent).send_semaphore.has_value());
    next = after ? static_cast<Phase>(*after) : kFinished;
  }
  copy_sources_.put(
      record.source == issue_source ? 0 : 1 + code(copy_last_, RowKind::kSource, record.source));
  const std::uint64_t value = copy_value_code(copies_[slots_[agent]], phase, record.value);
  if (phase == CopyPhase::kReadSource || phase == CopyPhase::kWriteDestination) {
    copy_values_.put(value);
  }
  copy_results_.put(
      record.result == record.value ? 0 : 1 + code(copy_last_, RowKind::kValue, record.result));
  copy_errors_.put(code(copy_last_, RowKind::kError, record.error));
  std::uint32_t semaphore = kNone;
  const std::uint64_t expected = expected_copy_count(record, phase, semaphore);
  copy_counts_.put_signed(difference(record.count, expected));
  if (partial) {
    model_.observe_semaphore(semaphore, record.count);
  } else if (semaphore != kNone) {
    model_.observe_copy_signal(semaphore, record.count);
  }
}

std::uint64_t ChunkEncoder::copy_value_code(Copy& copy, CopyPhase phase, std::uint32_t number) {
  if (phase != CopyPhase::kReadSource && phase != CopyPhase::kWriteDestination) {
    REPLAIT_CHECK(number == 0, "only a read or write phase moves a value");
    return 0;
  }
  if (phase == CopyPhase::kWriteDestination && copy.last_value != 0) {
    copy_last_[index_of(RowKind::kValue)] = copy.last_value;
  }
  const std::uint64_t result = code(copy_last_, RowKind::kValue, number);
  if (phase == CopyPhase::kReadSource && number != 0) {
    copy.last_value = copy_last_[index_of(RowKind::kValue)];
  }
  return result;
}

std::uint64_t ChunkEncoder::expected_copy_count(const Record& record, CopyPhase phase,
                                                std::uint32_t& semaphore) {
  const std::uint32_t agent = rows_.use(RowKind::kAgent, record.agent).local;
  const CopyRow& copy = copy_row(agent);
  switch (phase) {
    case CopyPhase::kReadSource:
    case CopyPhase::kWriteDestination:
      return 0;
    case CopyPhase::kSignalSend:
      semaphore = rows_.local(RowKind::kSemaphore, to_index(*copy.send_semaphore));
      return model_.expect_copy_signal(semaphore);
    case CopyPhase::kPartialReceive:
      semaphore = rows_.local(RowKind::kSemaphore, to_index(copy.receive_semaphore));
      return model_.expect_semaphore(op_index<Signal>(), semaphore, record.number);
    case CopyPhase::kSignalReceive:
      semaphore = rows_.local(RowKind::kSemaphore, to_index(copy.receive_semaphore));
      return model_.expect_copy_signal(semaphore);
  }
  return 0;
}

}  // namespace replait
