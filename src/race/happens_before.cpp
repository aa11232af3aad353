#include "race/happens_before.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "trace/hash.h"

namespace replait {
namespace {

template <typename Row, typename Id>
Row& grown(std::vector<Row>& rows, Id id) {
  if (to_index(id) >= rows.size()) rows.resize(to_index(id) + 1);
  return rows[to_index(id)];
}

}  // namespace

void HappensBefore::begin(const Header&, const Tables& tables) { tables_ = &tables; }

void HappensBefore::consume(std::span<const Applied> events) {
  for (const Applied& event : events) apply(event);
}

void HappensBefore::finish(const ExecutionEnd&) {}

HappensBefore::Stamp HappensBefore::apply(const Applied& event) {
  REPLAIT_CHECK(tables_ != nullptr);
  if (completed_) agents_[to_index(*completed_)].clock = VectorClock();
  completed_.reset();
  AgentState& state = agent_state(event.agent);
  if (state.released) {
    state.released = false;
    ++state.epoch;
    state.clock.raise(state.slot, state.epoch);
  }
  const bool raised = to_index(event.outcome.error) != 0 &&
                      (*tables_)[event.outcome.error].kind == ErrorKind::kRaised;
  const bool enters = std::holds_alternative<Enter>(event.op);
  if (enters && !raised) {
    enter(event.agent, state);
  } else if (state.epoch == 0) {
    start(event.agent, state);
  }
  if (!raised) act(event, state);
  return {state.slot, state.epoch, &state.clock};
}

void HappensBefore::act(const Applied& event, AgentState& state) {
  std::visit(Overloaded{
                 [&](const Exit&) { exit(event.agent, state); },
                 [&](const Signal& op) { signal(op.semaphore, event.agent, state); },
                 [&](const Wait& op) { wait(op.semaphore, event.agent, state); },
                 [&](const IssueCopy& op) { issue(op.copy, state); },
                 [&](const CopyStep& op) { step_copy(event.agent, op.phase, state); },
                 [&](const Arrive& op) { arrive(op.barrier, state); },
                 [&](const AwaitBarrier& op) { await(op, state); },
                 [](const Enter&) {},  // Done before: an agent has no slot until it enters.
                 [](const GridStep&) {},
                 [](const Allocate&) {},
                 [](const Free&) {},
                 [](const Read&) {},
                 [](const Write&) {},
                 [](const Swap&) {},
                 [](const CreateSemaphore&) {},
                 [](const ReadCount&) {},
                 [](const CheckSemaphores&) {},
                 [](const Refuse&) {},
                 [](const Raise&) {},
                 [](const Choose&) {},
                 [](const Yield&) {},
             },
             event.op);
}

void HappensBefore::signal(SemaphoreId id, AgentId agent, AgentState& state) {
  if (state.clock.is_small()) return release_to(grown(semaphores_, id), state);
  VectorClock& before = released_[{(*tables_)[agent].issuer.value_or(agent), id}];
  grown(semaphores_, id).join_since(state.clock, before);
  before = state.clock;
  state.released = true;
}

void HappensBefore::wait(SemaphoreId id, AgentId agent, AgentState& state) {
  const VectorClock& signals = grown(semaphores_, id);
  if (signals.is_small()) return state.clock.join(signals);
  VectorClock& before = acquired_[{agent, id}];
  state.clock.join_since(signals, before);
  before = signals;
}

void HappensBefore::release_to(VectorClock& object, AgentState& state) {
  object.join(state.clock);
  state.released = true;
}

// A device's next launch acquires what its threads knew when they left the launches before it.
void HappensBefore::enter(AgentId agent, AgentState& state) {
  const AgentIdentity identity = tables_->identity(agent);
  const LaunchRow& launch = (*tables_)[(*tables_)[agent].launch];
  DeviceState& device = devices_[identity.device];
  for (const auto& [number, exits] : device.exits) {
    if (number < identity.launch) state.clock.join(exits);
  }
  // Once all cores are inside, whoever enters later asks for all earlier exits at once.
  if (++device.entered[identity.launch] >= launch.cores_per_device && identity.launch > 0) {
    VectorClock earlier;
    while (!device.exits.empty() && device.exits.begin()->first < identity.launch) {
      earlier.join(device.exits.begin()->second);
      device.exits.erase(device.exits.begin());
    }
    device.exits[identity.launch - 1] = std::move(earlier);
    device.entered.erase(device.entered.begin(), device.entered.upper_bound(identity.launch));
  }
  if (state.epoch == 0) start(agent, state);
  LaunchState& of_launch = grown(launches_, (*tables_)[agent].launch);
  of_launch.running.emplace(identity, agent);
  ++of_launch.entered;
}

// A thread goes on in the slot of its place's last thread if it is ordered after all of that.
void HappensBefore::start(AgentId agent, AgentState& state) {
  const AgentRow& row = (*tables_)[agent];
  if (row.is_copy()) {
    state.slot = slots_.open();  // Never issued: no Machine does that.
    state.epoch = 1;
  } else {
    PlaceState& place = place_state({row.device, row.core});
    if (place.slots.empty() || place.running ||
        !state.clock.covers(place.slots.back(), place.last)) {
      place.slots.push_back(slots_.open());
    }
    place.running = agent;
    state.slot = place.slots.back();
    state.epoch = ++place.last;
  }
  state.clock.raise(state.slot, state.epoch);
}

HappensBefore::PlaceState& HappensBefore::place_state(const Place& place) {
  const auto [found, is_new] = places_.try_emplace(place);
  if (is_new) found->second.queue = from_index<SlotQueue>(places_.size() - 1);
  return found->second;
}

void HappensBefore::exit(AgentId agent, AgentState& state) {
  const AgentIdentity identity = tables_->identity(agent);
  release_to(devices_[identity.device].exits[identity.launch], state);
  PlaceState& place = place_state({identity.device, identity.core});
  if (place.running == agent) {
    place.running.reset();
    place.last = state.epoch;
  }
  grown(launches_, (*tables_)[agent].launch).running.erase(identity);
  for (auto* joined : {&released_, &acquired_}) {
    joined->erase(joined->lower_bound({agent, SemaphoreId{}}),
                  joined->upper_bound({agent, SemaphoreId{0xFFFFFFFF}}));
  }
}

void HappensBefore::issue(AgentId copy, AgentState& issuer) {
  const AgentRow& row = (*tables_)[copy];
  // The issuer's reference outlives this: agent_state() made room for every agent of the tables.
  AgentState& state = agent_state(copy);
  if (!row.is_copy() || state.epoch != 0) return;  // No Machine does that.
  const ChainSlots::Start start =
      slots_.take(issuer.clock, place_state({row.device, row.core}).queue);
  state.slot = start.slot;
  state.epoch = start.first;
  state.clock = issuer.clock;
  state.clock.raise(state.slot, state.epoch);
  issuer.released = true;
  grown(launches_, row.launch).in_flight.insert(copy);
}

void HappensBefore::step_copy(AgentId copy, CopyPhase phase, AgentState& state) {
  const AgentRow& row = (*tables_)[copy];
  if (!row.is_copy()) return;
  switch (phase) {
    case CopyPhase::kReadSource:
    case CopyPhase::kWriteDestination:
      return;
    case CopyPhase::kSignalSend:
      if (row.copy.send_semaphore.has_value()) {
        signal(*row.copy.send_semaphore, copy, state);
      }
      return;
    case CopyPhase::kPartialReceive:
      signal(row.copy.receive_semaphore, copy, state);
      return;
    case CopyPhase::kSignalReceive:
      signal(row.copy.receive_semaphore, copy, state);
      complete(copy, row, state);
      return;
  }
}

// Both who issued the copy and who receives it may come to know that it is complete.
void HappensBefore::complete(AgentId copy, const AgentRow& row, AgentState& state) {
  if (grown(launches_, row.launch).in_flight.erase(copy) == 0) return;
  completed_ = copy;
  const SemaphoreRow& receive = (*tables_)[row.copy.receive_semaphore];
  const SlotQueue issuer = place_state({row.device, row.core}).queue;
  const SlotQueue receiver = place_state({receive.device, receive.core}).queue;
  const std::array<SlotQueue, 2> queues{issuer, receiver};
  slots_.retire(state.slot, state.epoch,
                std::span<const SlotQueue>(queues).first(issuer == receiver ? 1 : 2));
}

void HappensBefore::arrive(BarrierId id, AgentState& state) {
  const BarrierRow& row = (*tables_)[id];
  if (row.interpreter_only) return;
  BarrierState& barrier = grown(barriers_, id);
  const std::uint64_t phase = barrier.arrivals++ / std::max(row.arrivals, 1u);
  release_to(barrier.phases[phase], state);
}

void HappensBefore::await(const AwaitBarrier& op, AgentState& state) {
  if ((*tables_)[op.barrier].interpreter_only) return;
  const BarrierState& barrier = grown(barriers_, op.barrier);
  const auto phase = barrier.phases.find(op.phase);
  if (phase != barrier.phases.end()) state.clock.join(phase->second);
}

// Room for every agent that the tables hold, so that references last through one event.
HappensBefore::AgentState& HappensBefore::agent_state(AgentId agent) {
  // For all at once, also those that a live recording added since: references stay valid.
  if (agents_.size() < tables_->agents()) agents_.resize(tables_->agents());
  return agents_[to_index(agent)];
}

std::uint64_t HappensBefore::clock_hash() const {
  Hasher hasher;
  for (const AgentId agent : running_threads()) {
    const AgentIdentity identity = tables_->identity(agent);
    hasher.add(identity.launch);
    hasher.add(identity.device);
    hasher.add(identity.core);
    hasher.add(places_.size());
    for (const auto& [place, place_state] : places_) {
      Epoch newest = 0;
      for (const SlotId slot : place_state.slots) {
        newest = std::max(newest, clock(agent).epoch(slot));
      }
      hasher.add(newest);
    }
  }
  return hasher.digest64();
}

const VectorClock& HappensBefore::clock(AgentId agent) const {
  static const VectorClock empty;
  return to_index(agent) < agents_.size() ? agents_[to_index(agent)].clock : empty;
}

Epoch HappensBefore::epoch(AgentId agent) const {
  return to_index(agent) < agents_.size() ? agents_[to_index(agent)].epoch : 0;
}

std::vector<AgentId> HappensBefore::running_threads() const {
  std::map<AgentIdentity, AgentId> running;
  for (const LaunchState& launch : launches_) {
    running.insert(launch.running.begin(), launch.running.end());
  }
  std::vector<AgentId> agents;
  for (const auto& [identity, agent] : running) agents.push_back(agent);
  return agents;
}

Epoch HappensBefore::known_to_all(LaunchId id, SlotId slot) const {
  if (to_index(id) >= launches_.size()) return 0;
  const LaunchState& launch = launches_[to_index(id)];
  if (launch.entered < launch_threads(id)) return 0;
  Epoch least = std::numeric_limits<Epoch>::max();
  for (const auto& [identity, agent] : launch.running) {
    least = std::min(least, clock(agent).epoch(slot));
  }
  for (const AgentId copy : launch.in_flight) least = std::min(least, clock(copy).epoch(slot));
  return least;
}

bool HappensBefore::is_over(LaunchId id) const {
  if (to_index(id) >= launches_.size()) return false;
  const LaunchState& launch = launches_[to_index(id)];
  return launch.entered >= launch_threads(id) && launch.running.empty() && launch.in_flight.empty();
}

std::uint64_t HappensBefore::launch_threads(LaunchId id) const {
  const LaunchRow& row = (*tables_)[id];
  return std::uint64_t{row.devices} * row.cores_per_device;
}

}  // namespace replait
