// Executions by hand: rows and events in the order in which a test names them, with semaphore
// counts kept as the Machine would, so a test states a schedule and asks what follows from it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/event_sink.h"
#include "trace/tables.h"

namespace replait {

class ExecutionBuilder {
 public:
  explicit ExecutionBuilder(std::uint32_t devices = 2, std::uint32_t cores = 1)
      : devices_(devices), cores_(cores) {
    add_launch();
  }

  Tables tables;
  std::vector<Applied> events;

  LaunchId add_launch() {
    const auto number = static_cast<std::uint32_t>(tables.launches());
    launch = tables.add_launch(
        {.number = number, .kernel = "kernel", .devices = devices_, .cores_per_device = cores_});
    return launch;
  }
  LaunchId launch{};  // The one that thread(), key() and semaphore() speak of.

  AgentId thread(std::uint32_t device, std::uint32_t core = 0) {
    return tables.thread(launch, device, core);
  }
  // A thread that has entered.
  AgentId start(std::uint32_t device, std::uint32_t core = 0) {
    const AgentId agent = thread(device, core);
    apply(agent, Enter{});
    return agent;
  }
  KeyId key(std::int64_t buffer, std::uint32_t device = 0, std::uint32_t core = 0) {
    return tables.key({launch, "vmem", buffer, device, core});
  }
  // Allocated by `agent` with the shape.
  KeyId allocate(AgentId agent, std::int64_t buffer, const std::vector<std::int64_t>& shape,
                 const std::string& name = "x", std::uint32_t device = 0) {
    const KeyId id = key(buffer, device);
    BufferRow row;
    row.content_shape = row.logical_shape = tables.shape(shape);
    row.name = name;
    apply(agent, Allocate{id, tables.buffer(row), ValueId{}});
    return id;
  }
  SemaphoreId semaphore(std::int64_t id, std::uint32_t device, std::uint32_t core = 0,
                        const std::string& name = "") {
    return tables.semaphore({launch, device, core, id, SemaphoreKind::kInternal, true, name});
  }
  SemaphoreId fixed_semaphore(std::int64_t id, std::uint32_t device) {
    return tables.semaphore({LaunchId{}, device, 0, id, SemaphoreKind::kFixed, false, ""});
  }
  RangeId range(std::vector<Dim> dims, std::vector<std::uint8_t> mask = {}) {
    RangeRow row;
    row.dims = std::move(dims);
    row.mask = std::move(mask);
    return tables.range(row);
  }
  RangeId whole() { return range({}); }
  static Dim slice(std::int64_t start, std::int64_t stop, std::int64_t stride = 1) {
    return {start, stop, stride, false};
  }
  static Dim index(std::int64_t at) { return {at, at + 1, 1, true}; }

  SourceId source{};  // Of later events.
  // Later events come from this line of kernel.cpp.
  ExecutionBuilder& line(std::uint32_t number) {
    source = tables.source({"kernel.cpp", number, 0, "body", SourceId{}},
                           {"line " + std::to_string(number), 0});
    return *this;
  }

  std::uint64_t apply(AgentId agent, const Op& op, Outcome outcome = {}) {
    const std::uint64_t index = events.size();
    events.push_back({index, agent, source, op, outcome});
    return index;
  }
  std::uint64_t read(AgentId agent, KeyId key_id, RangeId range_id) {
    return apply(agent, Read{key_id, range_id, Proxy::kGeneric});
  }
  std::uint64_t write(AgentId agent, KeyId key_id, RangeId range_id) {
    return apply(agent, Write{key_id, range_id, ValueId{}, Proxy::kGeneric});
  }
  std::uint64_t signal(AgentId agent, SemaphoreId id, std::uint64_t increment = 1) {
    counts[id] += increment;
    return apply(agent, Signal{id, increment}, {.count = counts[id]});
  }
  std::uint64_t wait(AgentId agent, SemaphoreId id, std::uint64_t demand = 1) {
    EXPECT_GE(counts[id], demand) << "this wait would block";
    counts[id] -= demand;
    return apply(agent, Wait{id, demand}, {.count = counts[id]});
  }
  std::map<SemaphoreId, std::uint64_t> counts;

  struct CopyEnds {
    KeyId from;
    RangeId from_range;
    KeyId to;
    RangeId to_range;
    std::optional<SemaphoreId> send;
    SemaphoreId receive;
    std::uint64_t bytes = 4096;
  };
  AgentId issue(AgentId issuer, const CopyEnds& ends) {
    const AgentId copy =
        tables.copy(issuer, issued_[issuer]++,
                    {ends.from, ends.from_range, ends.to, ends.to_range, ends.send, ends.receive});
    bytes_[copy] = ends.bytes;
    apply(issuer, IssueCopy{copy});
    return copy;
  }
  // The copy's next step or steps, up to and with `phase`.
  void phase(AgentId copy, CopyPhase phase) {
    const CopyRow& row = tables[copy].copy;
    Outcome outcome;
    if (phase == CopyPhase::kSignalSend)
      outcome.count = counts[*row.send_semaphore] += bytes_[copy];
    if (phase == CopyPhase::kSignalReceive) {
      outcome.count = counts[row.receive_semaphore] += bytes_[copy];
    }
    apply(copy, CopyStep{phase, ValueId{}, 0}, outcome);
  }
  void read_step(AgentId copy) {
    phase(copy, CopyPhase::kReadSource);
    if (tables[copy].copy.send_semaphore) phase(copy, CopyPhase::kSignalSend);
  }
  void write_step(AgentId copy) {
    phase(copy, CopyPhase::kWriteDestination);
    phase(copy, CopyPhase::kSignalReceive);
  }
  void run(AgentId copy) {
    read_step(copy);
    write_step(copy);
  }

  // Hands the events to a sink, all at once.
  template <typename Sink>
  Sink& feed(Sink& sink, const ExecutionEnd& end = {}) const {
    sink.begin(Header{}, tables);
    sink.consume(events);
    sink.finish(end);
    return sink;
  }

 private:
  std::uint32_t devices_;
  std::uint32_t cores_;
  std::map<AgentId, std::uint64_t> issued_;
  std::map<AgentId, std::uint64_t> bytes_;
};

}  // namespace replait
