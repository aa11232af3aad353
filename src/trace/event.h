// event.h: one step of one agent, the unit of everything here.
//
// An execution is a sequence of events. Each is one op of one agent: a thread, or an async copy in
// flight. An op is what the agent asks for, an outcome what came of it; both are plain data, ids
// into the execution's Tables (tables.h) and never pointers, so the same event means the same on
// every machine.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "base/ids.h"

namespace replait {

// Ids are private to one execution; the trace writer numbers every kind anew at the first applied
// event that uses a row.
enum class LaunchId : std::uint32_t {};  // One kernel call.
enum class AgentId : std::uint32_t {};   // A thread, or an async copy.
enum class KeyId : std::uint32_t {};     // A memory key of one launch, as JAX prints it.
enum class BufferId : std::uint32_t {
};  // What an allocation asked for: dtype, shapes, reference count.
enum class RangeId : std::uint32_t {};  // An n-d strided range with its optional mask; hash-consed.
enum class ShapeId : std::uint32_t {
};  // A tuple of integers: a shape or a grid point; hash-consed.
enum class SemaphoreId : std::uint32_t {};  // One semaphore on one core.
enum class BarrierId : std::uint32_t {};    // One barrier of one launch.
enum class SourceId : std::uint32_t {};     // File, line, column, caller; 0 where there is none.
enum class ValueId : std::uint32_t {
};  // Hash, and bytes where they are kept; 0 where values are off.
enum class ErrorId : std::uint32_t {
};  // The kernel's fault, with JAX's own text; 0 where there is none.

enum class Proxy : std::uint8_t {
  kGeneric,  // Ordinary loads and stores.
  kAsync,    // TMA, wgmma, tcgen05: see generic accesses only after a fence.
};

// A thread enters or leaves its launch. The first and the last op of each thread that finishes.
struct Enter {};
struct Exit {};

// The thread begins one step of the launch's grid.
struct GridStep {
  ShapeId point;
};

// Allocates at a key. Where the key already holds something it does nothing, silently, as in JAX.
struct Allocate {
  KeyId key;
  BufferId buffer;
  ValueId value;  // The initial content; 0 where values are off.
};
// Takes one reference from the key's allocation, and frees it with the last one.
struct Free {
  KeyId key;
};

struct Read {
  KeyId key;
  RangeId range;
  Proxy proxy;
};
struct Write {
  KeyId key;
  RangeId range;
  ValueId value;
  Proxy proxy;
};
// Reads the range and writes it in one step; a mask stands in the range. The outcome's value is
// what was read.
struct Swap {
  KeyId key;
  RangeId range;
  ValueId value;
  Proxy proxy;
};

// Makes the semaphore exist, on all cores of its launch (all launches for a fixed id); nothing if
// it does already.
struct CreateSemaphore {
  SemaphoreId semaphore;
};
struct Signal {
  SemaphoreId semaphore;
  std::uint64_t increment;  // Bytes for a DMA semaphore.
};
struct Wait {
  SemaphoreId semaphore;
  std::uint64_t demand;
};
// The count without waiting: a relaxed read that orders nothing.
struct ReadCount {
  SemaphoreId semaphore;
};

// Starts an async copy. Its source, destination and semaphores stand in Tables.
struct IssueCopy {
  AgentId copy;
};
enum class CopyPhase : std::uint8_t {
  kReadSource,  // The source may be overwritten once this is known to have happened.
  kSignalSend,  // Adds the copy's bytes to the send semaphore, if it has one; follows the read at
                // once.
  kWriteDestination,  // The destination may be read once this is known to have happened.
  kPartialReceive,    // Adds a part of the bytes early: DMA counts rise while a copy runs. Only in
                      // explored schedules.
  kSignalReceive,     // Adds the (remaining) bytes to the receive semaphore; follows the write at
                      // once.
};
// The only op of a copy agent.
struct CopyStep {
  CopyPhase phase;
  ValueId value;        // kReadSource and kWriteDestination: what was moved.
  std::uint64_t bytes;  // kPartialReceive only.
};

// Arrive never blocks and is a release; AwaitBarrier blocks until `phase` (from 0) is complete and
// acquires its arrivals.
struct Arrive {
  BarrierId barrier;
};
struct AwaitBarrier {
  BarrierId barrier;
  std::uint64_t phase;
};

// JAX's check of a device's semaphores at the end of a launch.
struct CheckSemaphores {};

// An op that JAX's interpreter refuses, with JAX's text.
enum class RefusedOp : std::uint8_t { kMaskedLoad, kCollectiveRunScoped };
struct Refuse {
  RefusedOp what;
};

// The kernel itself raised; the outcome's error says what.
struct Raise {};

// A choice of 0 .. n-1 that the program asks for; the outcome's count is what was chosen.
struct Choose {
  std::uint32_t n;
};

// Only a place where another thread may run.
struct Yield {};

// Closed on purpose: a new op does not compile until every place that must know it does. The order
// is part of the trace format.
using Op = std::variant<Enter, Exit, GridStep, Allocate, Free, Read, Write, Swap, CreateSemaphore,
                        Signal, Wait, ReadCount, IssueCopy, CopyStep, Arrive, AwaitBarrier,
                        CheckSemaphores, Refuse, Raise, Choose, Yield>;

struct Outcome {
  ValueId value{};  // What a read returned; 0 where values are off.
  ErrorId error{};  // The kernel's fault; 0 where there is none.
  // Semaphore count or barrier phase afterwards; what Choose chose; of an Allocate whether the key
  // already held something (model/machine.h).
  std::uint64_t count = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Applied {
  std::uint64_t index = 0;  // Position in the schedule, from 0, without gaps.
  AgentId agent{};
  SourceId source{};
  Op op;
  Outcome outcome;
};

static_assert(std::is_trivially_copyable_v<Applied>);

// For std::visit with one lambda an op.
template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;  // clang 14 needs it.

}  // namespace replait
