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

// Each op is taken apart by name, so a field added to it does not compile until it is put here.
class ToFields {
 public:
  explicit ToFields(OpFields& out) : out_(out) {}

  void operator()(const Enter&) const {}
  void operator()(const Exit&) const {}
  void operator()(const CheckSemaphores&) const {}
  void operator()(const Raise&) const {}
  void operator()(const Yield&) const {}
  void operator()(const GridStep& op) const {
    const auto [point] = op;
    rows(point);
  }
  void operator()(const Allocate& op) const {
    const auto [key, buffer, value] = op;
    rows(key, buffer);
    out_.value = to_index(value);
  }
  void operator()(const Free& op) const {
    const auto [key] = op;
    rows(key);
  }
  void operator()(const Read& op) const {
    const auto [key, range, proxy] = op;
    rows(key, range);
    out_.detail = static_cast<std::uint8_t>(proxy);
  }
  void operator()(const Write& op) const {
    const auto [key, range, value, proxy] = op;
    rows(key, range);
    out_.value = to_index(value);
    out_.detail = static_cast<std::uint8_t>(proxy);
  }
  void operator()(const Swap& op) const {
    const auto [key, range, value, proxy] = op;
    rows(key, range);
    out_.value = to_index(value);
    out_.detail = static_cast<std::uint8_t>(proxy);
  }
  void operator()(const CreateSemaphore& op) const {
    const auto [semaphore] = op;
    rows(semaphore);
  }
  void operator()(const Signal& op) const {
    const auto [semaphore, increment] = op;
    rows(semaphore);
    out_.number = increment;
  }
  void operator()(const Wait& op) const {
    const auto [semaphore, demand] = op;
    rows(semaphore);
    out_.number = demand;
  }
  void operator()(const ReadCount& op) const {
    const auto [semaphore] = op;
    rows(semaphore);
  }
  void operator()(const IssueCopy& op) const {
    const auto [copy] = op;
    rows(copy);
  }
  void operator()(const CopyStep& op) const {
    const auto [phase, value, bytes] = op;
    out_.detail = static_cast<std::uint8_t>(phase);
    out_.value = to_index(value);
    out_.number = bytes;
  }
  void operator()(const Arrive& op) const {
    const auto [barrier] = op;
    rows(barrier);
  }
  void operator()(const AwaitBarrier& op) const {
    const auto [barrier, phase] = op;
    rows(barrier);
    out_.number = phase;
  }
  void operator()(const Refuse& op) const {
    const auto [what] = op;
    out_.detail = static_cast<std::uint8_t>(what);
  }
  void operator()(const Choose& op) const {
    const auto [n] = op;
    out_.number = n;
  }

 private:
  template <typename First>
  void rows(First first) const {
    out_.first = to_index(first);
  }
  template <typename First, typename Second>
  void rows(First first, Second second) const {
    out_.first = to_index(first);
    out_.second = to_index(second);
  }

  OpFields& out_;
};

}  // namespace

const std::array<OpSchema, kOps> kOpSchemas = make_schemas();

OpFields fields_of(const Op& op) {
  OpFields fields;
  fields.op = static_cast<std::uint8_t>(op.index());
  std::visit(ToFields(fields), op);
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
