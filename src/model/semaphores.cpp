#include "model/semaphores.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "model/fault.h"

namespace replait {
namespace {

constexpr std::int64_t kCountMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();

std::uint64_t widened(std::int32_t count) {
  return static_cast<std::uint64_t>(std::int64_t{count});
}

void add(std::int32_t& count, std::int64_t increment) {
  count = static_cast<std::int32_t>(static_cast<std::uint32_t>(count) +
                                    static_cast<std::uint32_t>(increment));
}

Outcome counted(std::int32_t count) { return {.value = {}, .error = {}, .count = widened(count)}; }

Outcome failed(ErrorId error) { return {.value = {}, .error = error, .count = 0}; }

}  // namespace

Semaphores::Name Semaphores::name_of(const SemaphoreRow& row) const {
  const bool fixed = row.kind == SemaphoreKind::kFixed;
  return {.kind = row.kind, .launch = fixed ? LaunchId{} : row.launch, .id = row.id};
}

Semaphores::Resolved& Semaphores::resolved(SemaphoreId semaphore) {
  const std::size_t index = to_index(semaphore);
  if (index >= resolved_.size()) resolved_.resize(std::max(index + 1, index * 2));
  return resolved_[index];
}

Semaphores::Group& Semaphores::group_of(SemaphoreId semaphore) {
  Resolved& known = resolved(semaphore);
  if (known.group == nullptr) known.group = &groups_[name_of(tables_[semaphore])];
  return *known.group;
}

void Semaphores::create(SemaphoreId semaphore) {
  Group& group = group_of(semaphore);
  if (group.exists) return;
  group.exists = true;
  const SemaphoreRow& row = tables_[semaphore];
  if (row.kind == SemaphoreKind::kInternal) {
    const auto fixed = groups_.find({SemaphoreKind::kFixed, LaunchId{}, row.id});
    if (fixed != groups_.end() && fixed->second.exists) in_both_.insert({row.launch, row.id});
    return;
  }
  for (std::size_t i = 0; i < tables_.launches(); ++i) {
    const auto in = from_index<LaunchId>(i);
    const auto internal = groups_.find({SemaphoreKind::kInternal, in, row.id});
    if (internal != groups_.end() && internal->second.exists) in_both_.insert({in, row.id});
  }
}

ErrorId Semaphores::find(SemaphoreId semaphore, LaunchId launch, Group*& group) {
  group = &group_of(semaphore);
  if (group->exists && in_both_.empty()) return {};
  const SemaphoreRow& row = tables_[semaphore];
  if (in_both_.contains({launch, row.id})) {
    return raised(tables_, "ValueError",
                  fmt::format("Semaphore {} occurs as both fixed-id and internal.", row.id),
                  "memory.key-collision");
  }
  if (group->exists) return {};
  // JAX looks an id up in both spaces, whichever the op meant.
  const bool fixed = row.kind == SemaphoreKind::kFixed;
  const auto other = groups_.find(fixed ? Name{SemaphoreKind::kInternal, launch, row.id}
                                        : Name{SemaphoreKind::kFixed, LaunchId{}, row.id});
  if (other == groups_.end() || !other->second.exists) {
    return raised(tables_, "KeyError", std::to_string(row.id), kMissingKey);
  }
  group = &other->second;
  return {};
}

ErrorId Semaphores::count_at(Group& group, SemaphoreId semaphore, LaunchId launch,
                             std::int32_t*& count) {
  const SemaphoreRow& row = tables_[semaphore];
  const LaunchRow& topology = tables_[launch];
  Resolved& known = resolved(semaphore);
  if (row.core < topology.cores_per_device && row.device < topology.devices) [[likely]] {
    if (known.group != &group) {
      count = &group.counts[{row.device, row.core}];
      return {};
    }
    if (known.count == nullptr) known.count = &group.counts[{row.device, row.core}];
    count = known.count;
    return {};
  }
  // JAX numbers all cores in one row: a core too many is a core of the next device.
  const std::uint64_t core = std::uint64_t{row.device} * topology.cores_per_device + row.core;
  const std::uint64_t cores = std::uint64_t{topology.devices} * topology.cores_per_device;
  if (core >= cores) {
    return raised(tables_, "IndexError",
                  fmt::format("index {} is out of bounds for axis 0 with size {}", core, cores),
                  "memory.bad-device");
  }
  count = &group.counts[{static_cast<std::uint32_t>(core / topology.cores_per_device),
                         static_cast<std::uint32_t>(core % topology.cores_per_device)}];
  return {};
}

Outcome Semaphores::signal(Group& group, SemaphoreId semaphore, LaunchId launch,
                           std::uint64_t increment) {
  std::int32_t* count = nullptr;
  if (const ErrorId error = count_at(group, semaphore, launch, count); error != ErrorId{}) {
    return failed(error);
  }
  const auto amount = static_cast<std::int64_t>(increment);
  if (amount < kCountMin || amount > kCountMax) return failed(not_an_int32(tables_, amount));
  add(*count, amount);
  return counted(*count);
}

Outcome Semaphores::wait(SemaphoreId semaphore, LaunchId launch, std::uint64_t demand) {
  Group* group = nullptr;
  if (const ErrorId error = find(semaphore, launch, group); error != ErrorId{}) {
    return failed(error);
  }
  std::int32_t* count = nullptr;
  if (const ErrorId error = count_at(*group, semaphore, launch, count); error != ErrorId{}) {
    return failed(error);
  }
  const auto amount = static_cast<std::int64_t>(demand);
  REPLAIT_CHECK(*count >= amount, "a wait was applied that is not ready");
  if (amount < kCountMin) return failed(not_an_int32(tables_, amount));
  add(*count, -amount);
  return counted(*count);
}

Outcome Semaphores::read(SemaphoreId semaphore, LaunchId launch) {
  Group* group = nullptr;
  if (const ErrorId error = find(semaphore, launch, group); error != ErrorId{}) {
    return failed(error);
  }
  std::int32_t* count = nullptr;
  if (const ErrorId error = count_at(*group, semaphore, launch, count); error != ErrorId{}) {
    return failed(error);
  }
  return counted(*count);
}

Readiness Semaphores::readiness(SemaphoreId semaphore, LaunchId launch, std::uint64_t demand) {
  Group* group = nullptr;
  std::int32_t* count = nullptr;
  if (find(semaphore, launch, group) != ErrorId{} ||
      count_at(*group, semaphore, launch, count) != ErrorId{}) {
    return {};
  }
  const auto amount = static_cast<std::int64_t>(demand);
  return {.ready = *count >= amount,
          .legal = true,
          .has = *count < 0 ? 0 : widened(*count),
          .needs = amount < 0 ? 0 : demand};
}

std::uint64_t Semaphores::count(SemaphoreId semaphore) const {
  const SemaphoreRow& row = tables_[semaphore];
  const auto group = groups_.find(name_of(row));
  if (group == groups_.end()) return 0;
  const auto found = group->second.counts.find({row.device, row.core});
  return found == group->second.counts.end() ? 0 : widened(found->second);
}

ErrorId Semaphores::nonzero(const Name& name, const Place& place, std::int32_t count,
                            LaunchId launch) {
  const std::uint64_t core =
      std::uint64_t{place.first} * tables_[launch].cores_per_device + place.second;
  return tables_.error(
      {.kind = ErrorKind::kPrinted,
       .type = "",
       .text = fmt::format("Semaphore {} has non-zero count for {} (global core {}) at kernel "
                           "exit: {}",
                           name.id, place.first, core, count),
       .rule = "sync.semaphore-nonzero"});
}

ErrorId Semaphores::check(LaunchId launch, std::uint32_t device, const Outcome* observed) {
  ErrorId first{};
  for (const auto& [name, group] : groups_) {
    if (name.kind == SemaphoreKind::kInternal && name.launch != launch) continue;
    for (auto at = group.counts.lower_bound({device, 0});
         at != group.counts.end() && at->first.first == device; ++at) {
      if (at->second == 0) continue;
      const ErrorId error = nonzero(name, at->first, at->second, launch);
      if (first == ErrorId{}) first = error;
      if (observed == nullptr || observed->error == ErrorId{}) return first;
      if (observed->error == error) return error;
      break;  // JAX names the first core of the semaphore that it finds first.
    }
  }
  return first;
}

void Semaphores::end_launch(LaunchId launch) {
  for (auto& [name, group] : groups_) {
    if (name.kind == SemaphoreKind::kInternal && name.launch != launch) continue;
    group.exists = false;
    for (auto& [place, count] : group.counts) count = 0;
  }
  in_both_.clear();
}

}  // namespace replait
