// The untyped operations under the typed views (replait/detail.h): each makes one op and performs
// it on the calling thread.
#include "replait/detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "sim/op_values.h"
#include "sim/simulated_thread.h"

namespace replait::detail {

namespace {

KeyId key_id(SimulatedThread& thread, const MemoryKey& key) {
  return thread.state().tables.key({.launch = thread.state().launch,
                                    .space = std::string(space_name(key.space)),
                                    .buffer = key.buffer,
                                    .device = key.device,
                                    .core = key.core});
}

bool is_shared(MemorySpace space) { return is_shared_space(space_name(space)); }

// Copies what the last op read; less where the execution was cancelled meanwhile.
void take_read_bytes(SimulatedThread& thread, std::span<std::byte> out) {
  const std::span<const std::byte> bytes = thread.state().machine.read_bytes();
  std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
}

void read_range(SimulatedThread& thread, KeyId key, RangeId range, std::span<std::byte> out,
                const Location& where) {
  thread.perform(Read{.key = key, .range = range, .proxy = Proxy::kGeneric}, where);
  take_read_bytes(thread, out);
}

// The loop adds the value, which depends on the buffer that is there by then.
void write_range(SimulatedThread& thread, KeyId key, RangeId range,
                 std::span<const std::byte> bytes, const Location& where) {
  thread.perform(Write{.key = key, .range = range, .value = {}, .proxy = Proxy::kGeneric}, where,
                 bytes);
}

RangeId range_of(SimulatedThread& thread, const Region& region, const GridBlock* block) {
  RangeTable& ranges = thread.state().ranges;
  return block == nullptr ? ranges.id(region.slices) : ranges.id(region.slices, {}, block);
}

}  // namespace

Place place(SimulatedThread& thread, MemorySpace space, std::int64_t buffer, std::uint32_t device,
            std::uint32_t core) {
  const MemoryKey key{
      .space = space, .buffer = buffer, .device = device, .core = is_shared(space) ? 0 : core};
  return {
      .key = key_id(thread, key), .space = space, .buffer = buffer, .device = device, .core = core};
}

Place allocate(SimulatedThread& thread, MemorySpace space, const Allocation& allocation,
               Location where) {
  const std::int64_t buffer = thread.state().machine.take_buffer_id(thread.agent());
  const Place at = place(thread, space, buffer, thread.device(), thread.core());
  const std::uint32_t cores = thread.state().kernel.launch.cores_per_device;
  perform_allocate(thread, at.key, is_shared(space) ? cores : 1, allocation, where);
  return at;
}

Place allocate_at(SimulatedThread& thread, const MemoryKey& key, const Allocation& allocation,
                  Location where) {
  const KeyId id = key_id(thread, key);
  perform_allocate(thread, id, 1, allocation, where);
  return {
      .key = id, .space = key.space, .buffer = key.buffer, .device = key.device, .core = key.core};
}

void free(SimulatedThread& thread, KeyId key, Location where) {
  thread.perform(Free{.key = key}, where);
}

void read_element(SimulatedThread& thread, KeyId key, const Index& index,
                  std::span<std::byte> out) {
  read_range(thread, key, thread.state().ranges.id(index), out, index.where);
}

void write_element(SimulatedThread& thread, KeyId key, const Index& index,
                   std::span<const std::byte> bytes) {
  write_range(thread, key, thread.state().ranges.id(index), bytes, index.where);
}

void read(SimulatedThread& thread, const Region& region, std::span<std::byte> out,
          const GridBlock* block, Location where) {
  read_range(thread, region.key, range_of(thread, region, block), out, where);
}

void write(SimulatedThread& thread, const Region& region, std::span<const std::byte> bytes,
           const GridBlock* block, Location where) {
  const RangeId range = range_of(thread, region, block);
  write_range(thread, region.key, range, bytes, where);
}

void swap(SimulatedThread& thread, const Region& region, std::span<const std::byte> bytes,
          std::span<const bool> mask, std::span<std::byte> out, Location where) {
  const RangeId range = thread.state().ranges.id(region.slices, mask, nullptr);
  thread.perform(Swap{.key = region.key, .range = range, .value = {}, .proxy = Proxy::kGeneric},
                 where, bytes);
  take_read_bytes(thread, out);
}

void wrong_size(const Shape& shape, std::size_t values, const char* what) {
  throw std::invalid_argument(fmt::format("{}: {} values or dimensions do not fit the shape {}",
                                          what, values, shape_text(shape)));
}

SemaphoreId semaphore_at(SimulatedThread& thread, SemaphoreId semaphore, std::uint32_t device,
                         std::uint32_t core) {
  Tables& tables = thread.state().tables;
  SemaphoreRow row = tables[semaphore];
  row.device = device;
  row.core = core;
  return tables.semaphore(row);
}

void signal(SimulatedThread& thread, SemaphoreId semaphore, std::uint64_t increment,
            Location where) {
  thread.perform(Signal{.semaphore = semaphore, .increment = increment}, where);
}

void wait(SimulatedThread& thread, SemaphoreId semaphore, std::uint64_t demand, Location where) {
  const SemaphoreRow& row = thread.state().tables[semaphore];
  if (row.device != thread.device() || row.core != thread.core()) {
    throw std::invalid_argument(
        fmt::format("a core waits for its own semaphores only: device {}, core {} cannot wait for "
                    "that of device {}, core {}",
                    thread.device(), thread.core(), row.device, row.core));
  }
  thread.perform(Wait{.semaphore = semaphore, .demand = demand}, where);
}

std::uint64_t read_count(SimulatedThread& thread, SemaphoreId semaphore, Location where) {
  return thread.perform(ReadCount{.semaphore = semaphore}, where).count;
}

void start_copy(SimulatedThread& thread, const Copy& copy, Location where) {
  SimulationState& state = thread.state();
  CopyRow row;
  row.source_key = copy.source.key;
  row.source_range = state.ranges.id(copy.source.slices);
  row.destination_key = copy.destination.key;
  row.destination_range = state.ranges.id(copy.destination.slices);
  row.send_semaphore = copy.send;
  row.receive_semaphore = copy.receive;
  const AgentId agent = state.tables.copy(thread.agent(), thread.take_issue(), row);
  thread.perform(IssueCopy{.copy = agent}, where);
}

void arrive(SimulatedThread& thread, BarrierId barrier, Location where) {
  thread.perform(Arrive{.barrier = barrier}, where);
}

void await_barrier(SimulatedThread& thread, BarrierId barrier, Location where) {
  thread.perform(AwaitBarrier{.barrier = barrier, .phase = thread.take_phase(barrier)}, where);
}

}  // namespace replait::detail
