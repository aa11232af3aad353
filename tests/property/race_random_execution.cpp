#include "race_random_execution.h"

#include <array>

namespace replait {
namespace {

constexpr std::uint32_t kLaunches = 2;

}  // namespace

RandomExecution::RandomExecution(std::vector<std::uint16_t> tape)
    : tape_(std::move(tape)),
      devices_(1 + draw(3)),
      cores_(1 + draw(2)),
      builder(devices_, cores_) {
  make_tables();
  while (at_ < tape_.size()) step();
}

std::uint32_t RandomExecution::draw(std::uint32_t n) {
  return at_ < tape_.size() ? tape_[at_++] % n : 0;
}

void RandomExecution::make_tables() {
  launches_ = {builder.launch, builder.add_launch()};
  const AgentId setup = builder.tables.thread(launches_[0], 0, 0);  // Allocations order nothing.
  for (const LaunchId launch : launches_) {
    builder.launch = launch;
    std::vector<KeyId> keys;
    std::vector<SemaphoreId> semaphores;
    keys.push_back(builder.allocate(setup, 100, {6, 5}));
    keys.push_back(builder.allocate(setup, 101, {7}, "y"));
    for (std::uint32_t device = 0; device < devices_; ++device) {
      for (std::uint32_t core = 0; core < cores_; ++core) {
        semaphores.push_back(builder.semaphore(2000, device, core));
        semaphores.push_back(builder.semaphore(2001, device, core));
      }
    }
    semaphores.push_back(builder.fixed_semaphore(0, 0));
    keys_.push_back(keys);
    semaphores_.push_back(semaphores);
    builder.launch = launch;
    for (const bool interpreter_only : {false, true}) {
      BarrierRow row;
      row.launch = launch;
      row.arrivals = devices_;
      row.number = interpreter_only;
      row.interpreter_only = interpreter_only;
      barriers_.push_back(builder.tables.barrier(row));
    }
  }
  make_ranges();
  launch_of_place_.assign(devices_ * cores_, 0);
  inside_.assign(devices_ * cores_, false);
}

// By the buffer's number: of a 6 x 5 one, and of a 7 one.
void RandomExecution::make_ranges() {
  using B = ExecutionBuilder;
  const std::vector<RangeId> common{
      builder.whole(),
      builder.range({B::slice(0, 6, 2)}),
      builder.range({B::slice(1, 6, 2)}),
      builder.range({B::slice(2, 2)}),
      builder.range({B::index(3)}),
      builder.range({B::slice(0, 20, 3)}),
  };
  RangeRow turned;
  turned.dims = {B::slice(0, 6, 5), B::slice(0, 5, 2)};
  turned.permutation = {1, 0};
  turned.mask = {0b100110};
  ranges_ = {common, common};
  const std::vector<RangeId> of_two{
      builder.range({B::slice(0, 6), B::index(2)}),
      builder.range({B::slice(0, 3), B::slice(0, 5, 2)}),
      builder.range({B::slice(3, 9), B::slice(1, 5, 2)}),
      builder.range({B::index(1), B::slice(2, 4)}),
      builder.range({B::slice(0, 5)}, {0b11011, 0b0, 0b1, 0b0}),
      builder.range({B::slice(4, 8), B::slice(3, 6)}, {0b10111011, 0b1110}),
      builder.tables.range(turned),
  };
  ranges_[0].insert(ranges_[0].end(), of_two.begin(), of_two.end());
  ranges_[1].push_back(builder.range({B::slice(1, 5, 3)}, {0b10}));
  ranges_[1].push_back(builder.range({B::slice(4, 9)}, {0b11010}));
}

RangeId RandomExecution::range_of(std::uint32_t buffer) {
  return ranges_[buffer][draw(static_cast<std::uint32_t>(ranges_[buffer].size()))];
}

void RandomExecution::step() {
  builder.line(1 + draw(4));
  const auto places = static_cast<std::uint32_t>(inside_.size());
  const std::uint32_t who = draw(places + static_cast<std::uint32_t>(flights_.size()));
  if (who < places) {
    step_thread(who);
  } else {
    step_copy(who - places);
  }
}

void RandomExecution::step_copy(std::size_t index) {
  Flight& flight = flights_[index];
  constexpr std::array<CopyPhase, 4> kPhases{CopyPhase::kReadSource, CopyPhase::kSignalSend,
                                             CopyPhase::kWriteDestination,
                                             CopyPhase::kSignalReceive};
  if (flight.next == 1 && !builder.tables[flight.copy].copy.send_semaphore) ++flight.next;
  builder.phase(flight.copy, kPhases[flight.next]);
  if (++flight.next == kPhases.size()) flights_.erase(flights_.begin() + static_cast<long>(index));
}

void RandomExecution::step_thread(std::uint32_t place) {
  if (launch_of_place_[place] == kLaunches) return;
  const std::uint32_t launch = launch_of_place_[place];
  builder.launch = launches_[launch];
  const AgentId agent = builder.thread(place / cores_, place % cores_);
  if (!inside_[place]) {
    builder.apply(agent, Enter{});
    inside_[place] = true;
    return;
  }
  switch (draw(8)) {
    case 0:
    case 1:
    case 2:
      access(agent);
      return;
    case 3:
      issue(agent);
      return;
    case 4:
    case 5:
    case 6:
      synchronise(agent, place / cores_);
      return;
    default:
      // Seldom, or executions end too early.
      if (draw(6) != 0) return;
      builder.apply(agent, Exit{});
      inside_[place] = false;
      ++launch_of_place_[place];
      return;
  }
}

void RandomExecution::access(AgentId agent) {
  const std::uint32_t launch = builder.tables[builder.tables[agent].launch].number;
  const std::uint32_t number = draw(2);
  const KeyId key = keys_[launch][number];
  const RangeId range = range_of(number);
  switch (draw(4)) {
    case 0:
      builder.write(agent, key, range);
      return;
    case 1:
      builder.apply(agent, Swap{key, range, ValueId{}, Proxy::kGeneric});
      return;
    default:
      builder.read(agent, key, range);
      return;
  }
}

void RandomExecution::issue(AgentId agent) {
  const std::uint32_t launch = builder.tables[builder.tables[agent].launch].number;
  const std::vector<SemaphoreId>& semaphores = semaphores_[launch];
  ExecutionBuilder::CopyEnds ends{};
  ends.from = keys_[launch][0];
  const std::uint32_t number = draw(2);
  ends.to = keys_[launch][number];
  ends.from_range = range_of(0);
  ends.to_range = range_of(number);
  if (draw(3) != 0) ends.send = semaphores[draw(static_cast<std::uint32_t>(semaphores.size()))];
  ends.receive = semaphores[draw(static_cast<std::uint32_t>(semaphores.size()))];
  ends.bytes = 1 + draw(2);
  flights_.push_back({builder.issue(agent, ends), 0});
}

void RandomExecution::synchronise(AgentId agent, std::uint32_t device) {
  const std::uint32_t launch = builder.tables[builder.tables[agent].launch].number;
  const std::vector<SemaphoreId>& semaphores = semaphores_[launch];
  const SemaphoreId semaphore = semaphores[draw(static_cast<std::uint32_t>(semaphores.size()))];
  const BarrierId barrier = barriers_[launch * 2 + draw(2)];
  const std::uint64_t complete = arrivals_[barrier] / builder.tables[barrier].arrivals;
  switch (draw(4)) {
    case 0:
      builder.signal(agent, semaphore, 1 + draw(2));
      return;
    case 1: {
      // Any thread waits on any semaphore here: more orders than the TPU has.
      const auto count = static_cast<std::uint32_t>(builder.counts[semaphore]);
      if (count > 0) builder.wait(agent, semaphore, 1 + draw(count));
      return;
    }
    case 2:
      ++arrivals_[barrier];
      builder.apply(agent, Arrive{barrier});
      return;
    default:
      if (complete > 0) {
        builder.apply(agent, AwaitBarrier{barrier, draw(static_cast<std::uint32_t>(complete))});
      } else {
        builder.apply(agent, GridStep{builder.tables.shape(std::vector<std::int64_t>{device})});
      }
      return;
  }
}

}  // namespace replait
