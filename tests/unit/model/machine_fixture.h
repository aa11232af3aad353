// One launch, its threads, and short words for the ops that the tests apply.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "trace/tables.h"

namespace replait {

inline Dim slice(std::int64_t start, std::int64_t stop, std::int64_t stride = 1) {
  return {.start = start, .stop = stop, .stride = stride, .is_index = false};
}
inline Dim at(std::int64_t index) {
  return {.start = index, .stop = index + 1, .stride = 1, .is_index = true};
}

inline std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// How a test launches.
struct Launching {
  std::uint32_t devices = 2;
  std::uint32_t cores_per_device = 2;
  bool out_of_bounds_reads_raise = true;
  bool uninitialized_nan = true;
  std::uint32_t vector_clock_size = 0;
};

class MachineTest : public testing::Test {
 protected:
  // Called before the first op; again for another launch on a new Machine.
  void start(Launching how = {}, const MachineOptions& options = {}) {
    LaunchRow row;
    row.number = static_cast<std::uint32_t>(tables.launches());
    row.devices = how.devices;
    row.cores_per_device = how.cores_per_device;
    row.out_of_bounds_reads_raise = how.out_of_bounds_reads_raise;
    row.uninitialized_nan = how.uninitialized_nan;
    row.vector_clock_size = how.vector_clock_size;
    launch = tables.add_launch(row);
    machine = std::make_unique<Machine>(tables, options);
  }
  void start(const MachineOptions& options) { start(Launching{}, options); }
  // Another launch on the same Machine.
  void start_another_launch() {
    LaunchRow row = tables[launch];
    row.number = static_cast<std::uint32_t>(tables.launches());
    launch = tables.add_launch(row);
  }

  AgentId thread(std::uint32_t device = 0, std::uint32_t core = 0) {
    return tables.thread(launch, device, core);
  }
  KeyId key(std::int64_t buffer = 100, std::string space = "vmem", std::uint32_t device = 0,
            std::uint32_t core = 0) {
    return tables.key({.launch = launch,
                       .space = std::move(space),
                       .buffer = buffer,
                       .device = device,
                       .core = core});
  }
  RangeId range(std::vector<Dim> dims, std::vector<std::uint8_t> mask = {}) {
    return tables.range({.dims = std::move(dims), .permutation = {}, .mask = std::move(mask)});
  }
  BufferId buffer(std::vector<std::int64_t> content, DType dtype = DType::kI8,
                  std::uint32_t references = 1) {
    return buffer_of(content, content, dtype, references);
  }
  BufferId buffer_of(const std::vector<std::int64_t>& content,
                     const std::vector<std::int64_t>& logical, DType dtype = DType::kI8,
                     std::uint32_t references = 1) {
    return tables.buffer({.kind = AllocationKind::kBuffer,
                          .dtype = dtype,
                          .content_shape = tables.shape(content),
                          .logical_shape = tables.shape(logical),
                          .references = references,
                          .name = ""});
  }
  BufferId no_buffer() {
    return tables.buffer({.kind = AllocationKind::kOther,
                          .dtype = DType::kF32,
                          .content_shape = tables.shape({}),
                          .logical_shape = tables.shape({}),
                          .references = 1,
                          .name = ""});
  }
  SemaphoreId semaphore(std::int64_t id = 2000, std::uint32_t device = 0, std::uint32_t core = 0,
                        SemaphoreKind kind = SemaphoreKind::kInternal) {
    return tables.semaphore({.launch = kind == SemaphoreKind::kFixed ? LaunchId{} : launch,
                             .device = device,
                             .core = core,
                             .id = id,
                             .kind = kind,
                             .dma = false,
                             .name = ""});
  }

  Outcome apply(const Op& op, std::span<const std::byte> bytes = {},
                const Outcome* observed = nullptr) {
    return machine->apply(actor ? *actor : thread(), op, bytes, observed);
  }
  Outcome apply_as(AgentId agent, const Op& op) { return machine->apply(agent, op, {}, nullptr); }
  bool ready(const Op& op) { return machine->readiness(actor ? *actor : thread(), op).ready; }

  Outcome allocate(KeyId where, BufferId what, std::initializer_list<int> content = {}) {
    return apply(Allocate{.key = where, .buffer = what, .value = {}}, bytes_of(content));
  }
  Outcome read(KeyId where, std::vector<Dim> dims) {
    return apply(Read{.key = where, .range = range(std::move(dims)), .proxy = Proxy::kGeneric});
  }
  Outcome write(KeyId where, std::vector<Dim> dims, std::initializer_list<int> content = {}) {
    return apply(
        Write{.key = where, .range = range(std::move(dims)), .value = {}, .proxy = Proxy::kGeneric},
        bytes_of(content));
  }
  Outcome swap(KeyId where, std::vector<Dim> dims, std::initializer_list<int> content = {},
               std::vector<std::uint8_t> mask = {}) {
    return apply(Swap{.key = where,
                      .range = range(std::move(dims), std::move(mask)),
                      .value = {},
                      .proxy = Proxy::kGeneric},
                 bytes_of(content));
  }

  std::vector<int> read_values() const {
    std::vector<int> values;
    for (const std::byte byte : machine->read_bytes()) values.push_back(static_cast<int>(byte));
    return values;
  }
  // "Type: text", or "" where nothing was raised.
  std::string error(const Outcome& outcome) const {
    const ErrorRow& row = tables[outcome.error];
    return outcome.error == ErrorId{} ? "" : row.type + ": " + row.text;
  }
  std::string rule(const Outcome& outcome) const { return tables[outcome.error].rule; }

  Tables tables;
  LaunchId launch{};
  std::unique_ptr<Machine> machine;
  std::optional<AgentId> actor;  // Who applies; else device 0, core 0.
};

}  // namespace replait
