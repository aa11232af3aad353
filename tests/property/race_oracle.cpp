#include "race_oracle.h"

#include <algorithm>

namespace replait {

RaceOracle::RaceOracle(const Tables& tables, std::span<const Applied> events) : tables_(tables) {
  for (const Applied& event : events) {
    Clock& clock = now_[event.agent];
    acquire(event, clock);
    ++clock[event.agent];
    agents_.push_back(event.agent);
    clocks_.push_back(clock);
    release(event, clock);
    access(event);
  }
}

void RaceOracle::join(Clock& into, const Clock& from) {
  for (const auto& [agent, events] : from) into[agent] = std::max(into[agent], events);
}

void RaceOracle::acquire(const Applied& event, Clock& clock) {
  if (const auto* wait = std::get_if<Wait>(&event.op)) join(clock, semaphores_[wait->semaphore]);
  if (const auto* await = std::get_if<AwaitBarrier>(&event.op)) {
    join(clock, phases_[{await->barrier, await->phase}]);
  }
  if (std::holds_alternative<Enter>(event.op)) {
    const AgentIdentity self = tables_.identity(event.agent);
    for (const auto& [launch, device, exit] : exits_) {
      if (launch < self.launch && device == self.device) join(clock, exit);
    }
  }
}

void RaceOracle::release(const Applied& event, const Clock& clock) {
  const AgentRow& row = tables_[event.agent];
  if (const auto* signal = std::get_if<Signal>(&event.op)) {
    join(semaphores_[signal->semaphore], clock);
  }
  if (const auto* issue = std::get_if<IssueCopy>(&event.op)) {
    now_[issue->copy] = clock;
    issued_at_[issue->copy] = event.source;
  }
  if (const auto* step = std::get_if<CopyStep>(&event.op)) {
    if (step->phase == CopyPhase::kSignalSend) join(semaphores_[*row.copy.send_semaphore], clock);
    if (step->phase == CopyPhase::kSignalReceive || step->phase == CopyPhase::kPartialReceive) {
      join(semaphores_[row.copy.receive_semaphore], clock);
    }
  }
  if (const auto* arrive = std::get_if<Arrive>(&event.op)) {
    const BarrierRow& barrier = tables_[arrive->barrier];
    const std::uint64_t phase = arrivals_[arrive->barrier]++ / barrier.arrivals;
    if (!barrier.interpreter_only) join(phases_[{arrive->barrier, phase}], clock);
  }
  if (std::holds_alternative<Exit>(event.op)) {
    const AgentIdentity self = tables_.identity(event.agent);
    exits_.emplace_back(self.launch, self.device, clock);
  }
}

void RaceOracle::access(const Applied& event) {
  if (const auto* allocate = std::get_if<Allocate>(&event.op)) {
    buffers_.emplace(allocate->key, allocate->buffer);
  }
  if (const auto* read = std::get_if<Read>(&event.op)) {
    touch(event, event.source, read->key, read->range, true, false);
  }
  if (const auto* write = std::get_if<Write>(&event.op)) {
    touch(event, event.source, write->key, write->range, false, true);
  }
  if (const auto* swap = std::get_if<Swap>(&event.op)) {
    touch(event, event.source, swap->key, swap->range, true, true);
  }
  if (const auto* step = std::get_if<CopyStep>(&event.op)) {
    const CopyRow& copy = tables_[event.agent].copy;
    const SourceId source = issued_at_[event.agent];
    if (step->phase == CopyPhase::kReadSource) {
      touch(event, source, copy.source_key, copy.source_range, true, false);
    }
    if (step->phase == CopyPhase::kWriteDestination) {
      touch(event, source, copy.destination_key, copy.destination_range, false, true);
    }
  }
}

void RaceOracle::touch(const Applied& event, SourceId source, KeyId key, RangeId range, bool reads,
                       bool writes) {
  touches_.push_back({event.index, event.agent, source, key, elements(range, key), reads, writes});
}

// Walks the value that the range moves, in row-major order of the value.
std::set<RaceOracle::Element> RaceOracle::elements(RangeId range_id, KeyId key) const {
  const RangeRow& range = tables_[range_id];
  const std::vector<std::int64_t>& shape = tables_[tables_[buffers_.at(key)].content_shape];
  const std::vector<std::int64_t>& logical = tables_[tables_[buffers_.at(key)].logical_shape];
  std::vector<std::vector<std::int64_t>> indices;  // By dimension, as asked.
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    indices.emplace_back();
    const Dim dim = d < range.dims.size() ? range.dims[d] : Dim{0, logical[d], 1, false};
    for (std::int64_t i = dim.start; i < dim.stop; i += dim.stride) indices.back().push_back(i);
    if (!dim.is_index) kept.push_back(d);
  }
  std::vector<std::size_t> order = kept;  // The value's dimensions.
  for (std::size_t i = 0; i < range.permutation.size(); ++i) order[i] = kept[range.permutation[i]];
  std::uint64_t count = 1;
  for (const auto& of_dim : indices) count *= of_dim.size();
  std::set<Element> found;
  for (std::uint64_t n = 0; n < count; ++n) {
    if (!range.mask.empty() && (range.mask[n / 8] >> (n % 8) & 1) == 0) continue;
    Element element;
    for (const auto& of_dim : indices) element.push_back(of_dim[0]);
    std::uint64_t rest = n;
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto& of_dim = indices[order[i]];
      element[order[i]] = of_dim[rest % of_dim.size()];
      rest /= of_dim.size();
    }
    bool inside = true;
    for (std::size_t d = 0; d < shape.size(); ++d) inside &= element[d] < shape[d];
    if (inside) found.insert(element);
  }
  return found;
}

bool RaceOracle::ordered(std::uint64_t a, std::uint64_t b) const {
  const auto known = clocks_[b].find(agents_[a]);
  return known != clocks_[b].end() && known->second >= clocks_[a].at(agents_[a]);
}

OracleRaces RaceOracle::races() const {
  OracleRaces races;
  for (std::size_t j = 0; j < touches_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Touch& a = touches_[i];
      const Touch& b = touches_[j];
      if (a.key != b.key || !(a.writes || b.writes) || ordered(a.event, b.event)) continue;
      const bool common = std::any_of(a.elements.begin(), a.elements.end(),
                                      [&](const Element& e) { return b.elements.contains(e); });
      if (!common) continue;
      const auto [low, high] = std::minmax(a.source, b.source);
      const auto [race, is_new] = races.try_emplace({a.key, low, high, a.writes && b.writes});
      if (is_new) race->second = {0, a.event, b.event};
      ++race->second.pairs;
    }
  }
  return races;
}

}  // namespace replait
