// The second half of the chunk decoder: one event from its columns.
#include <fmt/format.h>

#include "trace/chunk_decoder.h"
#include "trace/columns.h"
#include "trace/wire_ops.h"

namespace replait {

void ChunkDecoder::thread_event(Thread& thread) {
  if (thread.at == thread.ops.size()) return fail("a thread has fewer events than the schedule");
  const auto byte = static_cast<std::uint8_t>(thread.ops[thread.at++]);
  const std::uint8_t flags = byte & (kHasExtra | kHasCount);
  const std::optional<OpAndDetail> op = thread_op(byte & ~(kHasExtra | kHasCount));
  if (!op) return fail(fmt::format("no op has the code {}", byte & ~(kHasExtra | kHasCount)));

  const std::uint32_t source =
      reference(thread.last, RowKind::kSource, take(thread.rows[index_of(RowKind::kSource)]));
  OpFields fields = operands(thread, op->op, op->detail, source);
  if (failed()) return;
  Outcome outcome;
  const bool has_result = kOpSchemas[op->op].result;
  std::uint32_t result = 0;
  if (has_result) result = reference(thread.last, RowKind::kValue, take(thread.results));
  if ((flags & kHasExtra) != 0) {
    const std::uint32_t extra = take(thread.extras);
    if (has_result && extra != 0) fail("a read with a second result");
    if (!has_result) result = reference(thread.last, RowKind::kValue, extra);
    const std::uint32_t error = reference(thread.last, RowKind::kError, take(thread.errors));
    outcome.error = from_index<ErrorId>(id(RowKind::kError, error));
    if (error == 0 && (has_result || result == 0)) fail("an entry in `extra` that says nothing");
  }
  outcome.value = from_index<ValueId>(id(RowKind::kValue, result));
  outcome.count = expected_count(fields);
  if ((flags & kHasCount) != 0) {
    const std::int64_t difference = take(thread.counts);
    if (difference == 0) fail("an entry in `count` that says nothing");
    outcome.count += static_cast<std::uint64_t>(difference);
  }
  observe_count(fields, outcome.count);
  // Operands as ids, once the model has seen them by local number.
  const OpSchema& schema = kOpSchemas[fields.op];
  if (schema.first) fields.first = id(*schema.first, fields.first);
  if (schema.second) fields.second = id(*schema.second, fields.second);
  fields.value = id(RowKind::kValue, fields.value);
  put(thread.agent, source, fields, outcome);
}

OpFields ChunkDecoder::operands(Thread& thread, std::uint8_t op, std::uint8_t detail,
                                std::uint32_t source) {
  OpFields fields;
  fields.op = op;
  fields.detail = detail;
  const OpSchema& schema = kOpSchemas[op];
  const auto row = [&](RowKind kind) {
    return reference(thread.last, kind, take(thread.rows[index_of(kind)]));
  };
  if (schema.first) {
    fields.first = *schema.first == RowKind::kAgent ? issue(thread, source) : row(*schema.first);
  }
  if (schema.second) fields.second = row(*schema.second);
  if (schema.value) fields.value = row(RowKind::kValue);
  if (schema.number) fields.number = number(thread, op);
  if (op == op_index<Refuse>()) {
    const std::uint64_t what = number(thread, op);
    if (what >= details_of(op)) fail(fmt::format("no op that is refused has the code {}", what));
    fields.detail = static_cast<std::uint8_t>(what);
  }
  if (op == op_index<Choose>() && (fields.number == 0 || fields.number > 0xffffffff)) {
    fail(fmt::format("a choice among {}", fields.number));
  }
  return fields;
}

std::uint64_t ChunkDecoder::number(Thread& thread, std::uint8_t op) {
  return thread.last_number[op] += static_cast<std::uint64_t>(take(thread.numbers));
}

std::uint32_t ChunkDecoder::issue(const Thread& thread, std::uint32_t source) {
  const std::uint32_t local = next_[index_of(RowKind::kAgent)];
  const std::vector<std::uint32_t>& agents = rows_.ids[index_of(RowKind::kAgent)];
  const bool is_copy = local < agents.size() && copy_at_[local] != kNone &&
                       copies_[copy_at_[local]].phase == ChunkRows::kNoPhase &&
                       rows_.next_phase[local] == ChunkRows::kNoPhase;
  if (!is_copy ||
      tables_[AgentId{agents[local]}].issuer != AgentId{id(RowKind::kAgent, thread.agent)}) {
    fail("a thread issues a copy that is not its own");
    return 0;
  }
  enter(RowKind::kAgent, local);
  Copy& copy = copies_[copy_at_[local]];
  copy.phase = static_cast<std::uint8_t>(CopyPhase::kReadSource);
  copy.source = source;
  file_copy(copy) = {.next_phase = copy.phase, .source = id(RowKind::kSource, source)};
  in_flight_.insert(copy_at_[local]);
  return local;
}

std::uint64_t ChunkDecoder::expected_count(const OpFields& fields) {
  const std::optional<RowKind> kind = kOpSchemas[fields.op].first;
  if (kind == RowKind::kSemaphore) {
    return model_.expect_semaphore(fields.op, fields.first, fields.number);
  }
  if (kind == RowKind::kBarrier) {
    const BarrierRow& row = tables_[BarrierId{id(RowKind::kBarrier, fields.first)}];
    return model_.expect_barrier(fields.op, fields.first, row.arrivals);
  }
  if (fields.op != op_index<Choose>()) return 0;
  const std::uint32_t choice = take(choices_);
  if (choice >= fields.number) fail(fmt::format("choice {} of {}", choice, fields.number));
  return choice;
}

void ChunkDecoder::observe_count(const OpFields& fields, std::uint64_t count) {
  const std::optional<RowKind> kind = kOpSchemas[fields.op].first;
  if (kind == RowKind::kSemaphore) model_.observe_semaphore(fields.first, count);
  if (kind == RowKind::kBarrier) model_.observe_barrier(fields.first, count);
  if (fields.op == op_index<Choose>() && count >= fields.number) {
    fail(fmt::format("choice {} of {}", count, fields.number));
  }
}

void ChunkDecoder::copy_event(Copy& copy, CopyPhase phase, std::uint64_t partial_bytes) {
  if (copy.phase == ChunkRows::kNoPhase) return fail("a copy steps after its last phase");
  const AgentRow& row = tables_[AgentId{id(RowKind::kAgent, copy.agent)}];
  const bool has_send = row.copy.send_semaphore.has_value();
  if (phase == CopyPhase::kSignalSend && !has_send) return fail("a copy without a send semaphore");
  if (phase != CopyPhase::kPartialReceive) {
    const std::optional<CopyPhase> after = phase_after(phase, has_send);
    copy.phase = after ? static_cast<std::uint8_t>(*after) : ChunkRows::kNoPhase;
    file_copy(copy).next_phase = copy.phase;
  }
  OpFields fields;
  fields.op = op_index<CopyStep>();
  fields.detail = static_cast<std::uint8_t>(phase);
  fields.number = partial_bytes;
  const std::uint32_t source_code = take(copy_sources_);
  const std::uint32_t source =
      source_code == 0 ? copy.source : reference(copy_last_, RowKind::kSource, source_code - 1);
  if (source_code != 0 && source == copy.source) fail("an entry in `source` that says nothing");
  const std::uint32_t value = copy_value(copy, phase);
  fields.value = id(RowKind::kValue, value);
  const std::uint32_t code = take(copy_results_);
  const std::uint32_t result = code == 0 ? value : reference(copy_last_, RowKind::kValue, code - 1);
  if (code != 0 && result == value) fail("an entry in `result` that says nothing");
  const std::uint32_t error = reference(copy_last_, RowKind::kError, take(copy_errors_));
  if (failed()) return;
  Outcome outcome;
  outcome.value = from_index<ValueId>(id(RowKind::kValue, result));
  outcome.error = from_index<ErrorId>(id(RowKind::kError, error));
  outcome.count = copy_count(row.copy, phase, partial_bytes);
  put(copy.agent, source, fields, outcome);
}

std::uint32_t ChunkDecoder::copy_value(Copy& copy, CopyPhase phase) {
  if (phase != CopyPhase::kReadSource && phase != CopyPhase::kWriteDestination) return 0;
  std::uint32_t& last = copy_last_[index_of(RowKind::kValue)];
  if (phase == CopyPhase::kWriteDestination && copy.last_value != 0) last = copy.last_value;
  const std::uint32_t value = reference(copy_last_, RowKind::kValue, take(copy_values_));
  if (phase == CopyPhase::kReadSource && value != 0) copy.last_value = value;
  return value;
}

std::uint64_t ChunkDecoder::copy_count(const CopyRow& row, CopyPhase phase, std::uint64_t bytes) {
  const auto difference = static_cast<std::uint64_t>(take(copy_counts_));
  const auto local = [this](SemaphoreId semaphore) {
    return file_.marks.local(RowKind::kSemaphore, to_index(semaphore));
  };
  switch (phase) {
    case CopyPhase::kReadSource:
    case CopyPhase::kWriteDestination:
      return difference;
    case CopyPhase::kPartialReceive: {
      const std::uint32_t semaphore = local(row.receive_semaphore);
      const std::uint64_t count =
          model_.expect_semaphore(op_index<Signal>(), semaphore, bytes) + difference;
      model_.observe_semaphore(semaphore, count);
      return count;
    }
    case CopyPhase::kSignalSend:
    case CopyPhase::kSignalReceive: {
      const std::uint32_t semaphore =
          local(phase == CopyPhase::kSignalSend ? *row.send_semaphore : row.receive_semaphore);
      const std::uint64_t count = model_.expect_copy_signal(semaphore) + difference;
      model_.observe_copy_signal(semaphore, count);
      return count;
    }
  }
  return 0;
}

}  // namespace replait
