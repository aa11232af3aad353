#include "model/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "model/barriers.h"
#include "model/copies.h"
#include "model/fault.h"
#include "model/memory.h"
#include "model/semaphores.h"

namespace replait {
namespace {

constexpr std::int64_t kFirstBufferId = 100;
constexpr std::int64_t kFirstSemaphoreId = 2000;

Outcome failed(ErrorId error) { return {.value = {}, .error = error, .count = 0}; }

Incoming incoming(std::span<const std::byte> bytes, ValueId value) {
  return {.bytes = bytes, .has_bytes = !bytes.empty(), .id = value};
}

}  // namespace

struct Machine::State {
  State(Tables& all, const MachineOptions& options)
      : tables(all),
        memory(all, options),
        semaphores(all),
        barriers(all),
        copies(all, memory, semaphores) {}

  Outcome enter(LaunchId launch);
  Outcome refuse(RefusedOp what);
  Outcome read(const AgentRow& agent, const Read& op, const Outcome* observed);
  Outcome write(const AgentRow& agent, const Write& op, std::span<const std::byte> bytes,
                const Outcome* observed);
  Outcome swap(const AgentRow& agent, const Swap& op, std::span<const std::byte> bytes,
               const Outcome* observed);
  Outcome signal(LaunchId launch, const Signal& op);
  Outcome arrive(BarrierId barrier);

  Tables& tables;
  Memory memory;
  Semaphores semaphores;
  Barriers barriers;
  Copies copies;
  // Both by thread.
  std::vector<std::int64_t> buffer_ids;
  std::vector<std::int64_t> semaphore_ids;
};

Outcome Machine::State::enter(LaunchId launch) {
  const LaunchRow& row = tables[launch];
  const std::uint64_t threads = std::uint64_t{row.devices} * row.cores_per_device;
  if (row.vector_clock_size == 0 || threads < row.vector_clock_size) return {};
  return failed(raised(tables, "ValueError",
                       fmt::format("Vector clock size ({}) must be greater than the total number "
                                   "of cores/threads ({}).",
                                   row.vector_clock_size, threads),
                       kException));
}

Outcome Machine::State::refuse(RefusedOp what) {
  const char* text = "";
  switch (what) {
    case RefusedOp::kMaskedLoad:
      text = "masked load_p";
      break;
    case RefusedOp::kCollectiveRunScoped:
      text = "run_scoped_p with collective axes is not supported";
      break;
  }
  return failed(raised(tables, "NotImplementedError", text, kException));
}

Outcome Machine::State::read(const AgentRow& agent, const Read& op, const Outcome* observed) {
  const ErrorId error =
      memory.read({.key = op.key, .range = op.range, .core = agent.core}, observed);
  if (error != ErrorId{}) return failed(error);
  return {.value = memory.last_read().id, .error = {}, .count = 0};
}

Outcome Machine::State::write(const AgentRow& agent, const Write& op,
                              std::span<const std::byte> bytes, const Outcome* observed) {
  return failed(memory.write({.key = op.key, .range = op.range, .core = agent.core},
                             incoming(bytes, op.value), observed));
}

Outcome Machine::State::swap(const AgentRow& agent, const Swap& op,
                             std::span<const std::byte> bytes, const Outcome* observed) {
  const ErrorId error = memory.swap({.key = op.key, .range = op.range, .core = agent.core},
                                    incoming(bytes, op.value), observed);
  if (error != ErrorId{}) return failed(error);
  return {.value = memory.last_read().id, .error = {}, .count = 0};
}

Outcome Machine::State::signal(LaunchId launch, const Signal& op) {
  Semaphores::Group* group = nullptr;
  const ErrorId error = semaphores.find(op.semaphore, launch, group);
  if (error != ErrorId{}) return failed(error);
  return semaphores.signal(*group, op.semaphore, launch, op.increment);
}

Outcome Machine::State::arrive(BarrierId barrier) {
  const bool completed = barriers.arrive(barrier);
  const BarrierRow& row = tables[barrier];
  // JAX's interpreter drops memory and semaphores when all devices are at the end of the launch;
  // hardware has no such barrier.
  if (completed && row.kind == BarrierKind::kLaunchEnd && row.interpreter_only) {
    copies.end_launch(row.launch);
    memory.end_launch(row.launch);
    semaphores.end_launch(row.launch);
  }
  return {.value = {}, .error = {}, .count = barriers.phases(barrier)};
}

Machine::Machine(Tables& tables, const MachineOptions& options)
    : state_(std::make_unique<State>(tables, options)) {}

Machine::~Machine() = default;

Readiness Machine::readiness(AgentId agent, const Op& op) const {
  constexpr Readiness kIllegal{.ready = false, .legal = false, .has = 0, .needs = 0};
  const AgentRow& row = state_->tables[agent];
  const auto* step = std::get_if<CopyStep>(&op);
  if (row.is_copy() != (step != nullptr)) return kIllegal;
  if (step != nullptr) return state_->copies.may_step(agent, *step) ? Readiness{} : kIllegal;
  if (const auto* wait = std::get_if<Wait>(&op)) {
    return state_->semaphores.readiness(wait->semaphore, row.launch, wait->demand);
  }
  if (const auto* await = std::get_if<AwaitBarrier>(&op)) {
    return state_->barriers.readiness(await->barrier, await->phase);
  }
  if (const auto* issue = std::get_if<IssueCopy>(&op)) {
    return state_->copies.may_issue(agent, issue->copy) ? Readiness{} : kIllegal;
  }
  return {};
}

Outcome Machine::apply(AgentId agent, const Op& op, std::span<const std::byte> bytes,
                       const Outcome* observed) {
  State& state = *state_;
  const AgentRow& row = state.tables[agent];
  const LaunchId launch = row.launch;
  return std::visit(
      Overloaded{
          [&](const Enter&) { return state.enter(launch); },
          [](const Exit&) { return Outcome{}; },
          [](const GridStep&) { return Outcome{}; },
          [&](const Allocate& o) { return state.memory.allocate(o, bytes); },
          [&](const Free& o) { return state.memory.free(o.key); },
          [&](const Read& o) { return state.read(row, o, observed); },
          [&](const Write& o) { return state.write(row, o, bytes, observed); },
          [&](const Swap& o) { return state.swap(row, o, bytes, observed); },
          [&](const CreateSemaphore& o) {
            state.semaphores.create(o.semaphore);
            return Outcome{};
          },
          [&](const Signal& o) { return state.signal(launch, o); },
          [&](const Wait& o) { return state.semaphores.wait(o.semaphore, launch, o.demand); },
          [&](const ReadCount& o) { return state.semaphores.read(o.semaphore, launch); },
          [&](const IssueCopy& o) {
            REPLAIT_CHECK(state.copies.may_issue(agent, o.copy), "a copy was issued out of turn");
            return state.copies.issue(o.copy);
          },
          [&](const CopyStep& o) { return state.copies.step(agent, o, observed); },
          [&](const Arrive& o) { return state.arrive(o.barrier); },
          [&](const AwaitBarrier& o) {
            return Outcome{.value = {}, .error = {}, .count = state.barriers.phases(o.barrier)};
          },
          [&](const CheckSemaphores&) {
            return failed(state.semaphores.check(launch, row.device, observed));
          },
          [&](const Refuse& o) { return state.refuse(o.what); },
          [&](const Raise&) { return failed(observed != nullptr ? observed->error : ErrorId{}); },
          [&](const Choose&) {
            return Outcome{
                .value = {}, .error = {}, .count = observed != nullptr ? observed->count : 0};
          },
          [](const Yield&) { return Outcome{}; },
      },
      op);
}

std::span<const std::byte> Machine::read_bytes() const { return state_->memory.last_read().bytes; }

std::optional<Op> Machine::next_phase(AgentId copy) const {
  const std::optional<CopyStep> step = state_->copies.next(copy);
  if (!step) return std::nullopt;
  return Op{*step};
}

const std::vector<AgentId>& Machine::copies_in_flight() const { return state_->copies.in_flight(); }

ValueId Machine::stored_value(const Op& op, std::span<const std::byte> bytes) {
  return state_->memory.stored_value(op, bytes);
}

std::int64_t Machine::take_buffer_id(AgentId thread) {
  std::vector<std::int64_t>& next = state_->buffer_ids;
  const std::size_t index = to_index(thread);
  if (index >= next.size()) next.resize(index + 1, kFirstBufferId);
  return next[index]++;
}

std::int64_t Machine::take_semaphore_ids(AgentId thread, std::int64_t count) {
  REPLAIT_CHECK(count >= 0, "a negative number of semaphores");
  std::vector<std::int64_t>& next = state_->semaphore_ids;
  const std::size_t index = to_index(thread);
  if (index >= next.size()) next.resize(index + 1, kFirstSemaphoreId);
  return std::exchange(next[index], next[index] + count);
}

std::optional<BufferId> Machine::buffer_at(KeyId key) const {
  return state_->memory.buffer_at(key);
}

std::uint64_t Machine::semaphore_count(SemaphoreId semaphore) const {
  return state_->semaphores.count(semaphore);
}

bool is_shared_space(std::string_view space) { return space == "any" || space == "hbm"; }

}  // namespace replait
