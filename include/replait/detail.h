// The untyped operations under the typed views. Not for kernels: may change in any version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "replait/location.h"
#include "replait/memory.h"
#include "replait/shape.h"

namespace replait {

// Ids into the execution's tables (src/trace/event.h).
enum class KeyId : std::uint32_t;
enum class SemaphoreId : std::uint32_t;
enum class BarrierId : std::uint32_t;

class SimulatedThread;  // src/sim

namespace detail {

// A part of what is at a key. No slices: all of it.
struct Place {
  KeyId key;
  MemorySpace space;
  std::int64_t buffer;
  std::uint32_t device;
  std::uint32_t core;  // Whose view it is; the key's own core is 0 in HBM.
};
struct Region {
  KeyId key;
  ElementType type;
  std::span<const Slice> slices;
  Shape shape;  // Of the values that are moved.
};
struct Allocation {
  std::string name;
  ElementType type;
  Shape logical_shape;
  Shape content_shape;
  bool is_buffer = true;
  std::span<const std::byte> initial;  // Empty: uninitialised.
};

// A view of the same buffer at another place.
Place place(SimulatedThread& thread, MemorySpace space, std::int64_t buffer, std::uint32_t device,
            std::uint32_t core);
// At the next key of this thread.
Place allocate(SimulatedThread& thread, MemorySpace space, const Allocation& allocation,
               Location where);
Place allocate_at(SimulatedThread& thread, const MemoryKey& key, const Allocation& allocation,
                  Location where);
void free(SimulatedThread& thread, KeyId key, Location where);

void read_element(SimulatedThread& thread, KeyId key, const Index& index, std::span<std::byte> out);
void write_element(SimulatedThread& thread, KeyId key, const Index& index,
                   std::span<const std::byte> bytes);

// Bytes are row-major and exactly as many as the region holds.
void read(SimulatedThread& thread, const Region& region, std::span<std::byte> out,
          const GridBlock* block, Location where);
void write(SimulatedThread& thread, const Region& region, std::span<const std::byte> bytes,
           const GridBlock* block, Location where);
// `mask` is empty or has one entry an element.
void swap(SimulatedThread& thread, const Region& region, std::span<const std::byte> bytes,
          std::span<const bool> mask, std::span<std::byte> out, Location where);
[[noreturn]] void wrong_size(const Shape& shape, std::size_t values, const char* what);

SemaphoreId semaphore_at(SimulatedThread& thread, SemaphoreId semaphore, std::uint32_t device,
                         std::uint32_t core);
void signal(SimulatedThread& thread, SemaphoreId semaphore, std::uint64_t increment,
            Location where);
void wait(SimulatedThread& thread, SemaphoreId semaphore, std::uint64_t demand, Location where);
std::uint64_t read_count(SimulatedThread& thread, SemaphoreId semaphore, Location where);

struct Copy {
  Region source;
  Region destination;
  std::optional<SemaphoreId> send;
  SemaphoreId receive;  // The destination's.
};
void start_copy(SimulatedThread& thread, const Copy& copy, Location where);

void arrive(SimulatedThread& thread, BarrierId barrier, Location where);
void await_barrier(SimulatedThread& thread, BarrierId barrier, Location where);

}  // namespace detail
}  // namespace replait
