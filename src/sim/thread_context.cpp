#include "replait/thread_context.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/op_values.h"
#include "sim/simulated_thread.h"

namespace replait {

namespace {

// Numbers below are ours; the kernel's own barriers come after them.
constexpr std::uint32_t kGlobalBarrier = 0;
constexpr std::uint32_t kDeviceBarrier = 1;
constexpr std::uint32_t kFirstUserBarrier = 2;

std::uint64_t bytes_of(const detail::Region& region) {
  return static_cast<std::uint64_t>(region.shape.elements()) * region.type.bytes;
}

}  // namespace

std::uint32_t ThreadContext::device() const { return thread_.device(); }
std::uint32_t ThreadContext::core() const { return thread_.core(); }
std::uint32_t ThreadContext::devices() const { return thread_.state().kernel.launch.devices; }
std::uint32_t ThreadContext::cores_per_device() const {
  return thread_.state().kernel.launch.cores_per_device;
}

void ThreadContext::allocate_other_at(const MemoryKey& key, const std::string& name,
                                      Location where) {
  const detail::Allocation allocation{.name = name,
                                      .type = element_type<std::int32_t>(),
                                      .logical_shape = {},
                                      .content_shape = {},
                                      .is_buffer = false,
                                      .initial = {}};
  detail::allocate_at(thread_, key, allocation, where);
}

Semaphore ThreadContext::semaphore(const SemaphoreOptions& options, Location where) {
  return semaphores(1, options, where).front();
}

std::vector<Semaphore> ThreadContext::semaphores(std::uint32_t count,
                                                 const SemaphoreOptions& options, Location where) {
  SimulationState& state = thread_.state();
  const std::int64_t first = state.machine.take_semaphore_ids(thread_.agent(), count);
  std::vector<Semaphore> result;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = options.name;
    if (count > 1 && !name.empty()) name += fmt::format("[{}]", i);
    const SemaphoreId id = state.tables.semaphore({.launch = state.launch,
                                                   .device = device(),
                                                   .core = core(),
                                                   .id = first + i,
                                                   .kind = SemaphoreKind::kInternal,
                                                   .dma = options.dma,
                                                   .name = std::move(name)});
    thread_.perform(CreateSemaphore{.semaphore = id}, where);
    result.emplace_back(thread_, id, device(), core());
  }
  return result;
}

Semaphore ThreadContext::barrier_semaphore(std::int64_t id, Location where) {
  const SemaphoreId semaphore = thread_.state().tables.semaphore({.launch = {},
                                                                  .device = device(),
                                                                  .core = core(),
                                                                  .id = id,
                                                                  .kind = SemaphoreKind::kFixed,
                                                                  .dma = false,
                                                                  .name = "barrier_semaphore"});
  thread_.perform(CreateSemaphore{.semaphore = semaphore}, where);
  return {thread_, semaphore, device(), core()};
}

std::uint64_t ThreadContext::start(const detail::Region& source, const detail::Place& source_place,
                                   const detail::Region& destination,
                                   const detail::Place& destination_place,
                                   const CopySemaphores& semaphores, Location where) {
  if (source.shape.elements() != destination.shape.elements()) {
    throw std::invalid_argument(fmt::format("start_copy: source {} and destination {} differ",
                                            shape_text(source.shape),
                                            shape_text(destination.shape)));
  }
  if (source_place.device != device()) {
    throw std::invalid_argument("start_copy: the source must be on the issuing device");
  }
  const bool remote = destination_place.device != device() || destination_place.core != core();
  if (remote && !semaphores.send) {
    throw std::invalid_argument("start_copy: a remote copy needs a send semaphore");
  }
  detail::Copy copy{
      .source = source,
      .destination = destination,
      .send = std::nullopt,
      .receive = detail::semaphore_at(thread_, semaphores.receive.id(), destination_place.device,
                                      destination_place.core)};
  if (semaphores.send) copy.send = semaphores.send->id();
  detail::start_copy(thread_, copy, where);
  return bytes_of(source);
}

Barrier ThreadContext::barrier_of(std::uint32_t device, std::uint32_t number,
                                  std::uint32_t arrivals, const std::string& name) {
  return {thread_, thread_.state().tables.barrier({.launch = thread_.state().launch,
                                                   .kind = BarrierKind::kUser,
                                                   .device = device,
                                                   .number = number,
                                                   .arrivals = arrivals,
                                                   .interpreter_only = false,
                                                   .name = name})};
}

void ThreadContext::global_barrier(Location where) {
  barrier_of(0, kGlobalBarrier, devices() * cores_per_device(), "global_barrier")
      .arrive_and_wait(where);
}

void ThreadContext::device_barrier(Location where) {
  barrier_of(device(), kDeviceBarrier, cores_per_device(), "device_barrier").arrive_and_wait(where);
}

Barrier ThreadContext::barrier(const BarrierOptions& options) {
  if (options.arrivals == 0) throw std::invalid_argument("a barrier needs at least 1 arrival");
  return barrier_of(0, kFirstUserBarrier + options.number, options.arrivals, options.name);
}

void ThreadContext::grid_step(const Shape& point, Location where) {
  thread_.perform(GridStep{.point = thread_.state().tables.shape(point.dims())}, where);
}

std::uint32_t ThreadContext::choose(std::uint32_t n, Location where) {
  if (n == 0) throw std::invalid_argument("choose: there must be something to choose from");
  return static_cast<std::uint32_t>(thread_.perform(Choose{.n = n}, where).count);
}

void ThreadContext::yield(Location where) { thread_.perform(Yield{}, where); }

void ThreadContext::masked_load(Location where) {
  thread_.perform(Refuse{.what = RefusedOp::kMaskedLoad}, where);
}

void ThreadContext::collective_run_scoped(Location where) {
  thread_.perform(Refuse{.what = RefusedOp::kCollectiveRunScoped}, where);
}

}  // namespace replait
