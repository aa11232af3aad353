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
  std::memcpy(pending_.extend(sizeof number), &number, sizeof number);
}

void Canonical::put(std::string_view text) {
  put(text.size());
  pending_.append(text);
}

std::uint32_t Canonical::enter_new(RowKind kind, std::uint32_t id) {
  const auto known = [this](RowKind k, std::uint32_t i) {
    const std::vector<std::uint32_t>& numbers = numberings_[index_of(k)].numbers;
    return i < numbers.size() && numbers[i] != kNoNumber;
  };
  enter_row(tables_, kind, id, known, [this](RowKind k, std::uint32_t i) {
    if (problem_.empty()) problem_ = row_problem(tables_, k, i);
    if (k == RowKind::kLaunch && !launch_numbers_.insert(tables_[LaunchId{i}].number).second) {
      if (problem_.empty()) problem_ = "two launches with one number";
    }
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
  std::memcpy(pending_.extend(sizeof words), words, sizeof words);
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
  const std::string_view bytes = pending_.view();
  run_.add_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())));
  const std::uint64_t hash = hash64(bytes);
  pending_.clear();
  return hash;
}

// Each row is taken apart by name, so a field added to it does not compile until it is put here.

void Canonical::put_launch(const LaunchRow& row) {
  const auto& [number, kernel, source, devices, cores_per_device, gated, reads_raise, nan, eager,
               clock_size] = row;
  put(number);
  put(kernel);
  put(ref(RowKind::kSource, to_index(source)));
  put(pair(devices, cores_per_device));
  put(std::uint64_t{gated} | std::uint64_t{reads_raise} << 1 | std::uint64_t{nan} << 2 |
      std::uint64_t{eager} << 3);
  put(clock_size);
}

void Canonical::put_agent(const AgentRow& row) {
  const auto& [launch, device, core, issuer, issue, copy] = row;
  put(issuer.has_value());
  if (!issuer) {
    put(ref(RowKind::kLaunch, to_index(launch)));
    put(pair(device, core));
    return;
  }
  const auto& [source_key, source_range, destination_key, destination_range, send, receive,
               pipeline] = copy;
  put(ref(RowKind::kAgent, to_index(*issuer)));
  put(issue);
  put(pair(ref(RowKind::kKey, to_index(source_key)), ref(RowKind::kRange, to_index(source_range))));
  put(pair(ref(RowKind::kKey, to_index(destination_key)),
           ref(RowKind::kRange, to_index(destination_range))));
  put(send ? std::uint64_t{1} + ref(RowKind::kSemaphore, to_index(*send)) : 0);
  put(ref(RowKind::kSemaphore, to_index(receive)));
  put(pipeline);
}

void Canonical::put_key(const KeyRow& row) {
  const auto& [launch, space, buffer, device, core] = row;
  put(ref(RowKind::kLaunch, to_index(launch)));
  put(space);
  put(static_cast<std::uint64_t>(buffer));
  put(pair(device, core));
}

void Canonical::put_buffer(const BufferRow& row) {
  const auto& [kind, dtype, content_shape, logical_shape, references, name] = row;
  put(pair(static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(dtype)));
  put(pair(ref(RowKind::kShape, to_index(content_shape)),
           ref(RowKind::kShape, to_index(logical_shape))));
  put(references);
  put(name);
}

void Canonical::put_all(const std::vector<std::int64_t>& numbers) {
  put(numbers.size());
  for (const std::int64_t number : numbers) put(static_cast<std::uint64_t>(number));
}

void Canonical::put_range(const RangeRow& row) {
  const auto& [dims, permutation, mask, window] = row;
  put(dims.size());
  for (const auto& [start, stop, stride, is_index] : dims) {
    put(static_cast<std::uint64_t>(start));
    put(static_cast<std::uint64_t>(stop));
    put(static_cast<std::uint64_t>(stride));
    put(is_index);
  }
  put(permutation.size());
  for (const std::uint32_t place : permutation) put(place);
  put(std::string_view(reinterpret_cast<const char*>(mask.data()), mask.size()));
  put(window.has_value());
  if (!window) return;
  const auto& [name, indices, iteration] = *window;
  put(name);
  put_all(indices);
  put_all(iteration);
}

void Canonical::put_semaphore(const SemaphoreRow& row) {
  const auto& [launch, device, core, id, kind, dma, name] = row;
  const bool fixed = kind == SemaphoreKind::kFixed;
  put(fixed ? 0 : std::uint64_t{1} + ref(RowKind::kLaunch, to_index(launch)));
  put(pair(device, core));
  put(static_cast<std::uint64_t>(id));
  put(dma);
  put(name);
}

void Canonical::put_barrier(const BarrierRow& row) {
  const auto& [launch, kind, device, number, arrivals, interpreter_only, name] = row;
  put(ref(RowKind::kLaunch, to_index(launch)));
  put(pair(static_cast<std::uint32_t>(kind), device));
  put(pair(number, arrivals));
  put(interpreter_only);
  put(name);
}

void Canonical::put_source(const SourceRow& row) {
  const auto& [file, line, column, function, caller] = row;
  put(file);
  put(pair(line, column));
  put(function);
  put(ref(RowKind::kSource, to_index(caller)));
}

void Canonical::put_error(const ErrorRow& row) {
  const auto& [kind, type, text, rule] = row;
  put(static_cast<std::uint64_t>(kind));
  put(type);
  put(text);
  put(rule);
}

void Canonical::put_row(RowKind kind, std::uint32_t id) {
  put(kRowTag + static_cast<std::uint64_t>(kind));
  switch (kind) {
    case RowKind::kLaunch:
      return put_launch(tables_[LaunchId{id}]);
    case RowKind::kAgent:
      return put_agent(tables_[AgentId{id}]);
    case RowKind::kKey:
      return put_key(tables_[KeyId{id}]);
    case RowKind::kBuffer:
      return put_buffer(tables_[BufferId{id}]);
    case RowKind::kShape:
      return put_all(tables_[ShapeId{id}]);
    case RowKind::kRange:
      return put_range(tables_[RangeId{id}]);
    case RowKind::kSemaphore:
      return put_semaphore(tables_[SemaphoreId{id}]);
    case RowKind::kBarrier:
      return put_barrier(tables_[BarrierId{id}]);
    case RowKind::kSource:
      return put_source(tables_[SourceId{id}]);
    case RowKind::kValue:
      return put(tables_[ValueId{id}].hash[0]);
    case RowKind::kError:
      return put_error(tables_[ErrorId{id}]);
  }
}

}  // namespace replait
