#include "model/copies.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace replait {
namespace {

Outcome failed(ErrorId error) { return {.value = {}, .error = error, .count = 0}; }

std::uint64_t byte_count(const Value& value) {
  std::uint64_t bytes = 0;
  const auto elements = static_cast<std::uint64_t>(element_count(value.shape));
  const bool too_many = __builtin_mul_overflow(elements, item_bytes(value.dtype), &bytes);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return too_many ? kMax : std::min(bytes, kMax);
}

}  // namespace

std::uint32_t Copies::slot(AgentId copy) const {
  return to_index(copy) < slots_.size() ? slots_[to_index(copy)] : kNotIssued;
}

bool Copies::may_issue(AgentId issuer, AgentId copy) const {
  return tables_[copy].issuer == issuer && slot(copy) == kNotIssued;
}

Outcome Copies::issue(AgentId copy) {
  const AgentRow& agent = tables_[copy];
  Copy state;
  if (agent.copy.send_semaphore) {
    const ErrorId error = semaphores_.find(*agent.copy.send_semaphore, agent.launch, state.send);
    if (error != ErrorId{}) return failed(error);
  }
  const ErrorId error = semaphores_.find(agent.copy.receive_semaphore, agent.launch, state.receive);
  if (error != ErrorId{}) return failed(error);

  const std::size_t index = to_index(copy);
  if (index >= slots_.size()) slots_.resize(std::max(index + 1, index * 2), kNotIssued);
  if (free_.empty()) {
    slots_[index] = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    slots_[index] = free_.back();
    free_.pop_back();
  }
  Copy& placed = pool_[slots_[index]];
  placed.next = CopyPhase::kReadSource;
  placed.send = state.send;
  placed.receive = state.receive;
  placed.bytes = 0;
  placed.received = 0;
  const AgentIdentity identity = tables_.identity(copy);
  const auto at =
      std::upper_bound(in_flight_.begin(), in_flight_.end(), identity,
                       [&](const AgentIdentity& a, AgentId b) { return a < tables_.identity(b); });
  in_flight_.insert(at, copy);
  return {};
}

bool Copies::may_step(AgentId copy, const CopyStep& step) const {
  if (!is_in_flight(copy)) return false;
  const Copy& state = pool_[slot(copy)];
  if (step.phase != CopyPhase::kPartialReceive) return step.phase == state.next;
  const bool was_read = state.next != CopyPhase::kReadSource;
  return was_read && step.bytes > 0 && step.bytes <= state.bytes - state.received;
}

std::optional<CopyStep> Copies::next(AgentId copy) const {
  if (!is_in_flight(copy)) return std::nullopt;
  const Copy& state = pool_[slot(copy)];
  const bool writes = state.next == CopyPhase::kWriteDestination;
  return CopyStep{.phase = state.next, .value = writes ? state.data.id : ValueId{}, .bytes = 0};
}

Outcome Copies::step(AgentId agent, const CopyStep& step, const Outcome* observed) {
  REPLAIT_CHECK(may_step(agent, step), "a copy's step was applied out of turn");
  Copy& copy = pool_[slot(agent)];
  Outcome outcome;
  switch (step.phase) {
    case CopyPhase::kReadSource:
      return read_source(agent, step, copy, observed);
    case CopyPhase::kSignalSend:
      outcome = semaphores_.signal(*copy.send, *tables_[agent].copy.send_semaphore,
                                   tables_[agent].launch, copy.bytes);
      if (outcome.error == ErrorId{}) copy.next = CopyPhase::kWriteDestination;
      return outcome;
    case CopyPhase::kWriteDestination:
      return write_destination(agent, copy, observed);
    case CopyPhase::kPartialReceive:
      outcome = signal_receive(agent, copy, step.bytes);
      if (outcome.error == ErrorId{}) copy.received += step.bytes;
      return outcome;
    case CopyPhase::kSignalReceive:
      outcome = signal_receive(agent, copy, copy.bytes - copy.received);
      if (outcome.error == ErrorId{}) retire(agent);
      return outcome;
  }
  return outcome;
}

Outcome Copies::read_source(AgentId agent, const CopyStep& step, Copy& copy,
                            const Outcome* observed) {
  const AgentRow& row = tables_[agent];
  const ErrorId error = memory_.read(
      {.key = row.copy.source_key, .range = row.copy.source_range, .core = row.core}, observed);
  if (error != ErrorId{}) return failed(error);
  copy.data = memory_.last_read();
  if (copy.data.id == ValueId{} && memory_.keeps_values()) copy.data.id = step.value;
  copy.bytes = byte_count(copy.data);
  copy.next = copy.send != nullptr ? CopyPhase::kSignalSend : CopyPhase::kWriteDestination;
  return {.value = copy.data.id, .error = {}, .count = 0};
}

Outcome Copies::write_destination(AgentId agent, Copy& copy, const Outcome* observed) {
  const CopyRow& row = tables_[agent].copy;
  const ErrorId error = memory_.write({.key = row.destination_key,
                                       .range = row.destination_range,
                                       .core = tables_[row.receive_semaphore].core},
                                      {.bytes = copy.data.bytes,
                                       .has_bytes = copy.data.has_bytes,
                                       .id = copy.data.id,
                                       .dtype = copy.data.dtype,
                                       .shape = &copy.data.shape},
                                      observed);
  if (error != ErrorId{}) return failed(error);
  copy.next = CopyPhase::kSignalReceive;
  return {.value = copy.data.id, .error = {}, .count = 0};
}

Outcome Copies::signal_receive(AgentId agent, Copy& copy, std::uint64_t bytes) {
  return semaphores_.signal(*copy.receive, tables_[agent].copy.receive_semaphore,
                            tables_[agent].launch, bytes);
}

void Copies::retire(AgentId copy) {
  const std::uint32_t index = slot(copy);
  pool_[index].data.bytes.clear();
  free_.push_back(index);
  slots_[to_index(copy)] = kComplete;
  const auto at =
      std::lower_bound(in_flight_.begin(), in_flight_.end(), tables_.identity(copy),
                       [&](AgentId a, const AgentIdentity& b) { return tables_.identity(a) < b; });
  in_flight_.erase(at);
}

void Copies::end_launch(LaunchId launch) {
  const std::vector<AgentId> all = in_flight_;
  for (const AgentId copy : all) {
    if (tables_[copy].launch == launch) retire(copy);
  }
}

}  // namespace replait
