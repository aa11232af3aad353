#include "trace/op_fields.h"

#include "base/check.h"

namespace replait {
namespace {

constexpr std::array<OpSchema, kOps> make_schemas() {
  using enum RowKind;
  std::array<OpSchema, kOps> schemas{};
  schemas[op_index<GridStep>()] = {.first = kShape};
  schemas[op_index<Allocate>()] = {.first = kKey, .second = kBuffer, .value = true};
  schemas[op_index<Free>()] = {.first = kKey};
  schemas[op_index<Read>()] = {.first = kKey, .second = kRange, .result = true};
  schemas[op_index<Write>()] = {.first = kKey, .second = kRange, .value = true};
  schemas[op_index<Swap>()] = {.first = kKey, .second = kRange, .value = true, .result = true};
  schemas[op_index<CreateSemaphore>()] = {.first = kSemaphore};
  schemas[op_index<Signal>()] = {.first = kSemaphore, .number = true};
  schemas[op_index<Wait>()] = {.first = kSemaphore, .number = true};
  schemas[op_index<ReadCount>()] = {.first = kSemaphore};
  schemas[op_index<IssueCopy>()] = {.first = kAgent};
  schemas[op_index<CopyStep>()] = {.value = true, .result = true, .number = true};
  schemas[op_index<Arrive>()] = {.first = kBarrier};
  schemas[op_index<AwaitBarrier>()] = {.first = kBarrier, .number = true};
  schemas[op_index<Choose>()] = {.number = true};
  return schemas;
}

}  // namespace

const std::array<OpSchema, kOps> kOpSchemas = make_schemas();

OpFields fields_of(const Op& op) {
  OpFields fields;
  fields.op = static_cast<std::uint8_t>(op.index());
  const auto access = [&](const auto& o) {
    fields.first = to_index(o.key);
    fields.second = to_index(o.range);
    fields.detail = static_cast<std::uint8_t>(o.proxy);
  };
  std::visit(Overloaded{
                 [](const Enter&) {},
                 [](const Exit&) {},
                 [&](const GridStep& o) { fields.first = to_index(o.point); },
                 [&](const Allocate& o) {
                   fields.first = to_index(o.key);
                   fields.second = to_index(o.buffer);
                   fields.value = to_index(o.value);
                 },
                 [&](const Free& o) { fields.first = to_index(o.key); },
                 [&](const Read& o) { access(o); },
                 [&](const Write& o) {
                   access(o);
                   fields.value = to_index(o.value);
                 },
                 [&](const Swap& o) {
                   access(o);
                   fields.value = to_index(o.value);
                 },
                 [&](const CreateSemaphore& o) { fields.first = to_index(o.semaphore); },
                 [&](const Signal& o) {
                   fields.first = to_index(o.semaphore);
                   fields.number = o.increment;
                 },
                 [&](const Wait& o) {
                   fields.first = to_index(o.semaphore);
                   fields.number = o.demand;
                 },
                 [&](const ReadCount& o) { fields.first = to_index(o.semaphore); },
                 [&](const IssueCopy& o) { fields.first = to_index(o.copy); },
                 [&](const CopyStep& o) {
                   fields.detail = static_cast<std::uint8_t>(o.phase);
                   fields.value = to_index(o.value);
                   fields.number = o.bytes;
                 },
                 [&](const Arrive& o) { fields.first = to_index(o.barrier); },
                 [&](const AwaitBarrier& o) {
                   fields.first = to_index(o.barrier);
                   fields.number = o.phase;
                 },
                 [](const CheckSemaphores&) {},
                 [&](const Refuse& o) { fields.detail = static_cast<std::uint8_t>(o.what); },
                 [](const Raise&) {},
                 [&](const Choose& o) { fields.number = o.n; },
                 [](const Yield&) {},
             },
             op);
  return fields;
}

Op op_of(const OpFields& f) {
  const auto key = from_index<KeyId>(f.first);
  const auto range = from_index<RangeId>(f.second);
  const auto semaphore = from_index<SemaphoreId>(f.first);
  const auto barrier = from_index<BarrierId>(f.first);
  const auto value = from_index<ValueId>(f.value);
  const auto proxy = static_cast<Proxy>(f.detail);
  switch (f.op) {
    case op_index<Enter>():
      return Enter{};
    case op_index<Exit>():
      return Exit{};
    case op_index<GridStep>():
      return GridStep{from_index<ShapeId>(f.first)};
    case op_index<Allocate>():
      return Allocate{key, from_index<BufferId>(f.second), value};
    case op_index<Free>():
      return Free{key};
    case op_index<Read>():
      return Read{key, range, proxy};
    case op_index<Write>():
      return Write{key, range, value, proxy};
    case op_index<Swap>():
      return Swap{key, range, value, proxy};
    case op_index<CreateSemaphore>():
      return CreateSemaphore{semaphore};
    case op_index<Signal>():
      return Signal{semaphore, f.number};
    case op_index<Wait>():
      return Wait{semaphore, f.number};
    case op_index<ReadCount>():
      return ReadCount{semaphore};
    case op_index<IssueCopy>():
      return IssueCopy{from_index<AgentId>(f.first)};
    case op_index<CopyStep>():
      return CopyStep{static_cast<CopyPhase>(f.detail), value, f.number};
    case op_index<Arrive>():
      return Arrive{barrier};
    case op_index<AwaitBarrier>():
      return AwaitBarrier{barrier, f.number};
    case op_index<CheckSemaphores>():
      return CheckSemaphores{};
    case op_index<Refuse>():
      return Refuse{static_cast<RefusedOp>(f.detail)};
    case op_index<Raise>():
      return Raise{};
    case op_index<Choose>():
      return Choose{static_cast<std::uint32_t>(f.number)};
    case op_index<Yield>():
      return Yield{};
  }
  REPLAIT_CHECK(false, "no op has this index");
  return Yield{};
}

std::uint8_t details_of(std::uint8_t op) {
  switch (op) {
    case op_index<Read>():
    case op_index<Write>():
    case op_index<Swap>():
      return static_cast<std::uint8_t>(Proxy::kAsync) + 1;
    case op_index<CopyStep>():
      return static_cast<std::uint8_t>(CopyPhase::kSignalReceive) + 1;
    case op_index<Refuse>():
      return static_cast<std::uint8_t>(RefusedOp::kCollectiveRunScoped) + 1;
  }
  return 1;
}

}  // namespace replait
