// One simulated thread: a fiber that runs the kernel's body and posts its ops.
//
// `perform` is called on the fiber: it posts the op, gives control back to the loop (execution.h)
// and returns once the loop has applied it. Between two ops only the body's own code runs. The
// first op is Enter; after the body core 0 checks the device's semaphores; the last is Exit. What
// the body throws becomes a Raise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "fiber/fiber.h"
#include "model/machine.h"
#include "replait/kernel.h"
#include "replait/location.h"
#include "sim/location_table.h"
#include "sim/range_table.h"
#include "trace/tables.h"

namespace replait {

// What the threads of an execution share, besides the loop.
struct SimulationState {
  SimulationState(const Kernel& kernel_, Tables& tables_, const MachineOptions& options)
      : kernel(kernel_),
        tables(tables_),
        machine(tables_, options),
        ranges(tables_),
        locations(tables_, kernel_.sources) {}

  const Kernel& kernel;
  Tables& tables;
  Machine machine;
  RangeTable ranges;
  LocationTable locations;
  LaunchId launch{};
};

class SimulatedThread {
 public:
  SimulatedThread(SimulationState& state, std::uint32_t device, std::uint32_t core);

  // For the loop. Failure: no memory for the stack.
  Result<void> start(StackPool& stacks);
  // Runs the body up to its next op, or to its end.
  void resume() { fiber_->resume(); }
  void cancel() { fiber_->cancel(); }
  bool done() const { return fiber_->done(); }

  AgentId agent() const { return agent_; }
  const AgentIdentity& identity() const { return identity_; }

  // The posted op, and what stands with it. Valid until the next resume.
  const Op& op() const { return op_; }
  SourceId source() const { return source_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  ErrorId raised() const { return raised_; }  // Set iff the op is Raise.
  void set_outcome(const Outcome& outcome) { outcome_ = outcome; }
  // What the posted op stores, now that the loop is about to apply it.
  void set_value(ValueId value);

  // For the body. `bytes` is what a write stores. While the fiber is cancelled it does nothing.
  const Outcome& perform(const Op& op, const Location& where,
                         std::span<const std::byte> bytes = {});

  SimulationState& state() { return state_; }
  std::uint32_t device() const { return identity_.device; }
  std::uint32_t core() const { return identity_.core; }
  std::uint64_t take_issue() { return issues_++; }
  // How often this thread awaited the barrier before.
  std::uint64_t take_phase(BarrierId barrier) { return phases_[to_index(barrier)]++; }

 private:
  void run();
  // The body; false if it threw.
  bool run_body();
  void caught(const char* type, const char* text);

  SimulationState& state_;
  AgentId agent_;
  AgentIdentity identity_;
  std::unique_ptr<Fiber> fiber_;
  Op op_;
  SourceId source_{};
  std::span<const std::byte> bytes_;
  ErrorId raised_{};
  Outcome outcome_;
  std::uint64_t issues_ = 0;
  std::map<std::uint32_t, std::uint64_t> phases_;
};

}  // namespace replait
