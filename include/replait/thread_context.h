// What a kernel's body gets: the view of one simulated thread, which is one core of one device.
//
// Every member that is an op takes the place of the call as its last argument; leave it out. An op
// blocks only its own simulated thread. Errors that JAX's interpret mode would raise end the
// execution; misuse of this interface throws std::invalid_argument, which is recorded as the
// kernel's own exception.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replait/barrier.h"
#include "replait/buffer.h"
#include "replait/copy.h"
#include "replait/detail.h"
#include "replait/semaphore.h"

namespace replait {

template <typename T>
struct BufferOptions {
  std::string name = {};                    // As reports call it: "x_vmem".
  std::span<const T> initial = {};          // Row-major; empty: uninitialised.
  std::optional<Shape> content_shape = {};  // Where padded: at least the shape.
};

class ThreadContext {
 public:
  explicit ThreadContext(SimulatedThread& thread) : thread_(thread) {}
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;

  // Where this thread is.
  std::uint32_t device() const;
  std::uint32_t core() const;
  std::uint32_t devices() const;
  std::uint32_t cores_per_device() const;

  // A buffer at the next key of this core, by JAX's rules: in HBM the cores of a device that run
  // the same sequence of allocations share it, and the first one's initial content counts.
  template <typename T>
  Buffer<T> allocate(MemorySpace space, const Shape& shape, const BufferOptions<T>& options = {},
                     Location where = Location::current()) {
    const detail::Allocation allocation = describe(shape, options);
    return Buffer<T>(thread_, detail::allocate(thread_, space, allocation, where), shape);
  }
  // At a key of the caller's choosing. Where it holds something already nothing happens, silently.
  template <typename T>
  Buffer<T> allocate_at(const MemoryKey& key, const Shape& shape,
                        const BufferOptions<T>& options = {},
                        Location where = Location::current()) {
    const detail::Allocation allocation = describe(shape, options);
    return Buffer<T>(thread_, detail::allocate_at(thread_, key, allocation, where), shape);
  }
  // Something that is not a buffer, as a custom primitive may leave it.
  void allocate_other_at(const MemoryKey& key, const std::string& name,
                         Location where = Location::current());
  // Names a key without an op, whatever it holds.
  template <typename T>
  Buffer<T> buffer_at(const MemoryKey& key, const Shape& shape) {
    return Buffer<T>(thread_, detail::place(thread_, key.space, key.buffer, key.device, key.core),
                     shape);
  }
  // Takes one reference; the last one frees the buffer. Scratch need not be freed.
  template <typename T>
  void free(const Buffer<T>& buffer, Location where = Location::current()) {
    detail::free(thread_, buffer.place().key, where);
  }

  // The next semaphore of this core. Equal sequences of calls on all cores give equal semaphores.
  Semaphore semaphore(const SemaphoreOptions& options, Location where = Location::current());
  std::vector<Semaphore> semaphores(std::uint32_t count, const SemaphoreOptions& options,
                                    Location where = Location::current());
  // With a fixed id (JAX's collective_id): exists before and after the launch, on every core.
  Semaphore barrier_semaphore(std::int64_t id, Location where = Location::current());

  // Starts a copy. The source is on this device; the views have equal element counts.
  template <typename T>
  AsyncCopy start_copy(const View<T>& source, const View<T>& destination,
                       const CopySemaphores& semaphores, Location where = Location::current()) {
    const std::uint64_t copy_bytes = start(source.region(), source.place(), destination.region(),
                                           destination.place(), semaphores, where);
    return AsyncCopy(thread_, semaphores, copy_bytes);
  }

  // All threads of the launch; all cores of this device; `options.arrivals` of anyone.
  void global_barrier(Location where = Location::current());
  void device_barrier(Location where = Location::current());
  Barrier barrier(const BarrierOptions& options);

  // Begins one step of the launch's grid.
  void grid_step(const Shape& point, Location where = Location::current());
  // 0 .. n-1, picked by the scheduler and recorded. REQUIRES: n > 0.
  std::uint32_t choose(std::uint32_t n, Location where = Location::current());
  // A place where another thread may run. For loops that wait without blocking.
  void yield(Location where = Location::current());

  // Ops that JAX's interpret mode refuses: raise with its text.
  void masked_load(Location where = Location::current());
  void collective_run_scoped(Location where = Location::current());

 private:
  template <typename T>
  static detail::Allocation describe(const Shape& shape, const BufferOptions<T>& options) {
    const Shape content = options.content_shape.value_or(shape);
    if (!options.initial.empty() &&
        static_cast<std::int64_t>(options.initial.size()) != content.elements()) {
      detail::wrong_size(content, options.initial.size(), "initial");
    }
    return {.name = options.name,
            .type = element_type<T>(),
            .logical_shape = shape,
            .content_shape = content,
            .is_buffer = true,
            .initial = std::as_bytes(options.initial)};
  }
  std::uint64_t start(const detail::Region& source, const detail::Place& source_place,
                      const detail::Region& destination, const detail::Place& destination_place,
                      const CopySemaphores& semaphores, Location where);
  Barrier barrier_of(std::uint32_t device, std::uint32_t number, std::uint32_t arrivals,
                     const std::string& name);

  SimulatedThread& thread_;
};

}  // namespace replait
