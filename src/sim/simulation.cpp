#include "sim/simulation.h"

#include <fmt/format.h>

#include <memory>

#include "sim/execution.h"

namespace replait {

namespace {

// Far above any machine; below it the limit is the memory map's, with an error of its own.
constexpr std::uint64_t kThreadsMax = 1'000'000;

// Stacks are kept between executions, which are often short and many.
StackPool& stack_pool(std::size_t usable_bytes) {
  thread_local std::unique_ptr<StackPool> pool;
  if (pool == nullptr || pool->options().usable_bytes != usable_bytes) {
    pool = std::make_unique<StackPool>(
        StackOptions{.usable_bytes = usable_bytes,
                     .enlarge_hint = "set LaunchOptions::stack_bytes of the kernel higher"});
  }
  return *pool;
}

Result<void> check_launch(const Kernel& kernel) {
  const std::uint64_t devices = kernel.launch.devices;
  const std::uint64_t threads = devices * kernel.launch.cores_per_device;
  if (threads >= 1 && threads <= kThreadsMax) return {};
  return Failure{.kind = FailureKind::kUsage,
                 .message = fmt::format(
                     "kernel '{}': expected 1 to {} threads, got {} devices with {} cores each",
                     kernel.name, kThreadsMax, devices, kernel.launch.cores_per_device),
                 .remedy = "set LaunchOptions::devices and cores_per_device"};
}

}  // namespace

Result<ExecutionEnd> simulate(const Kernel& kernel, Scheduler& scheduler, std::uint64_t execution,
                              const Header& header, Tables& tables,
                              std::span<EventSink* const> sinks, const SimulationOptions& options) {
  const Result<void> possible = check_launch(kernel);
  if (!possible) return possible.failure();
  if (!scheduler.begin(execution)) {
    return Failure{
        .kind = FailureKind::kNothing,
        .message = fmt::format("scheduler {} has no execution {}", scheduler.name(), execution),
        .remedy = {}};
  }
  Execution loop(kernel, scheduler, tables, sinks, options);
  const Result<void> started = loop.start(stack_pool(kernel.launch.stack_bytes));
  if (!started) return started.failure();
  for (EventSink* sink : sinks) sink->begin(header, tables);
  ExecutionEnd end = loop.run();
  scheduler.end(end);
  for (EventSink* sink : sinks) sink->finish(end);
  return end;
}

}  // namespace replait
