#include "trace/canonical.h"

#include <bit>
#include <cstring>

#include "base/check.h"
#include "trace/row_limits.h"

namespace replait {
namespace {

// First number of a row or of the end; an event's starts with its op, which is less.
constexpr std::uint64_t kRowTag = 0x80;
constexpr std::uint64_t kEndTag = 0xff;

std::uint64_t little_endian(std::uint64_t number) {
  static_assert(std::endian::native == std::endian::little ||
                std::endian::native == std::endian::big);
  if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
  return number;
}

std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

Canonical::Canonical(const Tables& tables) : tables_(tables) {
  for (const RowKind kind : {RowKind::kSource, RowKind::kValue, RowKind::kError}) {
    numberings_[index_of(kind)] = {.numbers = {0}, .ids = {0}};
  }
}

void Canonical::put(std::uint64_t number) {
  number = little_endian(number);
  const std::size_t at = pending_.size();
  pending_.resize(at + sizeof number);
  std::memcpy(pending_.data() + at, &number, sizeof number);
}

void Canonical::put(std::string_view text) {
  put(text.size());
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

std::uint32_t Canonical::enter_new(RowKind kind, std::uint32_t id) {
  const auto known = [this](RowKind k, std::uint32_t i) {
    const std::vector<std::uint32_t>& numbers = numberings_[index_of(k)].numbers;
    return i < numbers.size() && numbers[i] != kNoNumber;
  };
  enter_row(tables_, kind, id, known, [this](RowKind k, std::uint32_t i) {
    if (problem_.empty()) problem_ = row_problem(tables_, k, i);
    Numbering& numbering = numberings_[index_of(k)];
    if (i >= numbering.numbers.size()) {
      numbering.numbers.resize(std::max<std::size_t>(i + 1, numbering.numbers.size() * 2),
                               kNoNumber);
    }
    numbering.numbers[i] = static_cast<std::uint32_t>(numbering.ids.size());
    numbering.ids.push_back(i);
    put_row(k, i);
  });
  return number(kind, id);
}

Record Canonical::to_record(AgentId agent, SourceId source, const Op& op, const Outcome& outcome) {
  const OpFields fields = fields_of(op);
  const OpSchema& schema = kOpSchemas[fields.op];
  Record record;
  record.op = fields.op;
  record.detail = fields.detail;
  record.agent = enter(RowKind::kAgent, to_index(agent));
  record.source = enter(RowKind::kSource, to_index(source));
  if (schema.first) record.first = enter(*schema.first, fields.first);
  if (schema.second) record.second = enter(*schema.second, fields.second);
  record.value = enter(RowKind::kValue, fields.value);
  record.result = enter(RowKind::kValue, to_index(outcome.value));
  record.error = enter(RowKind::kError, to_index(outcome.error));
  record.number = fields.number;
  record.count = outcome.count;
  return record;
}

void Canonical::put_record(const Record& r) {
  const std::uint64_t words[] = {
      little_endian(pair(r.op | std::uint32_t{r.detail} << 8, r.agent)),
      little_endian(pair(r.source, r.error)),
      little_endian(pair(r.first, r.second)),
      little_endian(pair(r.value, r.result)),
      little_endian(r.number),
      little_endian(r.count),
  };
  const std::size_t at = pending_.size();
  pending_.resize(at + sizeof words);
  std::memcpy(pending_.data() + at, words, sizeof words);
}

Record Canonical::append(const Applied& event) {
  const Record record = to_record(event.agent, event.source, event.op, event.outcome);
  put_record(record);
  return record;
}

std::vector<Canonical::Pending> Canonical::append_end(const ExecutionEnd& end) {
  std::vector<Pending> pending;
  for (const PendingOp& op : end.pending) {
    pending.push_back(
        {.record = to_record(op.agent, op.source, op.op, {}), .has = op.has, .needs = op.needs});
  }
  put(kEndTag);
  put(static_cast<std::uint64_t>(end.kind));
  put(pending.size());
  for (const Pending& op : pending) {
    put_record(op.record);
    put(op.has);
    put(op.needs);
  }
  return pending;
}

std::uint64_t Canonical::take_hash() {
  run_.add_bytes(pending_);
  const std::uint64_t hash = hash64(pending_);
  pending_.clear();
  return hash;
}

void Canonical::put_launch(const LaunchRow& row) {
  put(row.number);
  put(row.kernel);
  put(ref(RowKind::kSource, to_index(row.source)));
  put(pair(row.devices, row.cores_per_device));
  put(std::uint64_t{row.gated} | std::uint64_t{row.out_of_bounds_reads_raise} << 1 |
      std::uint64_t{row.uninitialized_nan} << 2 | std::uint64_t{row.eager_copies} << 3);
  put(row.vector_clock_size);
}

void Canonical::put_barrier(const BarrierRow& row) {
  put(ref(RowKind::kLaunch, to_index(row.launch)));
  put(pair(static_cast<std::uint32_t>(row.kind), row.device));
  put(pair(row.number, row.arrivals));
  put(row.interpreter_only);
  put(row.name);
}

void Canonical::put_agent(const AgentRow& row) {
  put(row.is_copy());
  if (!row.is_copy()) {
    put(ref(RowKind::kLaunch, to_index(row.launch)));
    put(pair(row.device, row.core));
    return;
  }
  const CopyRow& copy = row.copy;
  put(ref(RowKind::kAgent, to_index(*row.issuer)));
  put(row.issue);
  put(pair(ref(RowKind::kKey, to_index(copy.source_key)),
           ref(RowKind::kRange, to_index(copy.source_range))));
  put(pair(ref(RowKind::kKey, to_index(copy.destination_key)),
           ref(RowKind::kRange, to_index(copy.destination_range))));
  put(copy.send_semaphore
          ? std::uint64_t{1} + ref(RowKind::kSemaphore, to_index(*copy.send_semaphore))
          : 0);
  put(ref(RowKind::kSemaphore, to_index(copy.receive_semaphore)));
  put(copy.pipeline);
}

void Canonical::put_range(const RangeRow& row) {
  put(row.dims.size());
  for (const Dim& dim : row.dims) {
    put(static_cast<std::uint64_t>(dim.start));
    put(static_cast<std::uint64_t>(dim.stop));
    put(static_cast<std::uint64_t>(dim.stride));
    put(dim.is_index);
  }
  put(row.permutation.size());
  for (const std::uint32_t place : row.permutation) put(place);
  put(std::string_view(reinterpret_cast<const char*>(row.mask.data()), row.mask.size()));
}

void Canonical::put_row(RowKind kind, std::uint32_t id) {
  put(kRowTag + static_cast<std::uint64_t>(kind));
  switch (kind) {
    case RowKind::kLaunch:
      put_launch(tables_[LaunchId{id}]);
      return;
    case RowKind::kAgent:
      put_agent(tables_[AgentId{id}]);
      return;
    case RowKind::kKey: {
      const KeyRow& row = tables_[KeyId{id}];
      put(ref(RowKind::kLaunch, to_index(row.launch)));
      put(row.space);
      put(static_cast<std::uint64_t>(row.buffer));
      put(pair(row.device, row.core));
      return;
    }
    case RowKind::kBuffer: {
      const BufferRow& row = tables_[BufferId{id}];
      put(pair(static_cast<std::uint32_t>(row.kind), static_cast<std::uint32_t>(row.dtype)));
      put(pair(ref(RowKind::kShape, to_index(row.content_shape)),
               ref(RowKind::kShape, to_index(row.logical_shape))));
      put(row.references);
      put(row.name);
      return;
    }
    case RowKind::kShape: {
      const std::vector<std::int64_t>& row = tables_[ShapeId{id}];
      put(row.size());
      for (const std::int64_t size : row) put(static_cast<std::uint64_t>(size));
      return;
    }
    case RowKind::kRange:
      put_range(tables_[RangeId{id}]);
      return;
    case RowKind::kSemaphore: {
      const SemaphoreRow& row = tables_[SemaphoreId{id}];
      const bool fixed = row.kind == SemaphoreKind::kFixed;
      put(fixed ? 0 : std::uint64_t{1} + ref(RowKind::kLaunch, to_index(row.launch)));
      put(pair(row.device, row.core));
      put(static_cast<std::uint64_t>(row.id));
      put(row.dma);
      put(row.name);
      return;
    }
    case RowKind::kBarrier:
      put_barrier(tables_[BarrierId{id}]);
      return;
    case RowKind::kSource: {
      const SourceRow& row = tables_[SourceId{id}];
      put(row.file);
      put(pair(row.line, row.column));
      put(row.function);
      put(ref(RowKind::kSource, to_index(row.caller)));
      return;
    }
    case RowKind::kValue:
      put(tables_[ValueId{id}].hash[0]);
      return;
    case RowKind::kError: {
      const ErrorRow& row = tables_[ErrorId{id}];
      put(static_cast<std::uint64_t>(row.kind));
      put(row.type);
      put(row.text);
      put(row.rule);
      return;
    }
  }
}

}  // namespace replait
