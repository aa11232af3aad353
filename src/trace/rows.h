// What the ids of an execution's events stand for: one struct a kind of row.
//
// Rows are plain data and name one another by id. Equal content is one row (tables.h), so whatever
// stands here is part of what two runs are compared by, except where a comment says otherwise.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/dtype.h"
#include "trace/event.h"

namespace replait {

// What the launch packet of a trace carries.
struct LaunchRow {
  std::uint32_t number =
      0;  // From 0, in order of first event; part of the identity of everything in the launch.
  std::string kernel;  // The kernel's name.
  SourceId source{};   // Where the kernel is defined or called.
  std::uint32_t devices = 1;
  std::uint32_t cores_per_device = 1;
  bool gated =
      true;  // Copies take their two steps whole; false in recordings of free-running threads.
  // The options of JAX's interpret mode that change what an op does.
  bool out_of_bounds_reads_raise = true;  // else they return uninitialised values
  bool uninitialized_nan = true;          // else zero
  bool eager_copies = false;              // dma_execution_mode
  std::uint32_t vector_clock_size = 0;    // 0: JAX's default, twice the threads
  friend bool operator==(const LaunchRow&, const LaunchRow&) = default;
};

// An async copy's parameters.
struct CopyRow {
  KeyId source_key{};
  RangeId source_range{};
  KeyId destination_key{};
  RangeId destination_range{};
  std::optional<SemaphoreId> send_semaphore;  // At the source core.
  SemaphoreId receive_semaphore{};            // At the destination core.
  bool pipeline = false;  // A window fetch or write-back of the grid, not of the user.
  friend bool operator==(const CopyRow&, const CopyRow&) = default;
};

struct AgentRow {
  LaunchId launch{};
  std::uint32_t device = 0;  // A copy has the place of its issuer.
  std::uint32_t core = 0;
  std::optional<AgentId> issuer;  // Set iff this is a copy.
  std::uint64_t issue = 0;        // A copy: its number among the issuer's copies, from 0.
  CopyRow copy;                   // Only where issuer is set.

  bool is_copy() const { return issuer.has_value(); }
};

// A TPU key, printed as JAX does: ('vmem', 102, 0, 0).
struct KeyRow {
  LaunchId launch{};
  std::string space;  // 'any', 'hbm', 'vmem', 'smem', ...
  std::int64_t buffer = 0;
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  friend auto operator<=>(const KeyRow&, const KeyRow&) = default;
};

// What a key can hold. Anything but a buffer comes only from custom primitives and direct calls on
// the TPU.
enum class AllocationKind : std::uint8_t { kBuffer, kOther };

struct BufferRow {
  AllocationKind kind = AllocationKind::kBuffer;
  DType dtype = DType::kF32;
  ShapeId content_shape{};
  ShapeId logical_shape{};  // Never larger than the content's, in no dimension: else JAX's error.
  std::uint32_t references = 1;
  std::string name;  // The user's name of the reference; may be empty.
  friend auto operator<=>(const BufferRow&, const BufferRow&) = default;
};

// One dimension of a range: size indices start, start + stride, ...; or one integer index, which
// drops the dimension. Counted in elements, as the user gave them: nothing is clamped here.
struct Dim {
  std::int64_t start = 0;
  std::int64_t stop = 0;    // As Python's slice: exclusive. start + 1 for an index.
  std::int64_t stride = 1;  // At least 1.
  bool is_index = false;
  std::int64_t size() const { return stop <= start ? 0 : (stop - start - 1) / stride + 1; }
  friend auto operator<=>(const Dim&, const Dim&) = default;
};

// The block that a window fetch (a read) or a write-back (a write) of the grid moves. Only the text
// of its out-of-bounds error needs it.
struct WindowBlock {
  std::string name;  // The operand's name in the kernel's signature.
  std::vector<std::int64_t> indices;
  std::vector<std::int64_t> iteration;  // The grid point.
  friend auto operator<=>(const WindowBlock&, const WindowBlock&) = default;
};

struct RangeRow {
  std::vector<Dim> dims;  // May be fewer than the buffer's: the rest is taken whole.
  std::vector<std::uint32_t> permutation;  // Of the dimensions that are left; empty: none.
  std::vector<std::uint8_t>
      mask;  // One bit an element of the value, row-major, low bit first; empty: none.
  std::optional<WindowBlock> window = std::nullopt;  // Set iff this is such a block's access.
  friend auto operator<=>(const RangeRow&, const RangeRow&) = default;
};

enum class SemaphoreKind : std::uint8_t {
  kInternal,  // From a kernel's scratch or scope; ids from 2000.
  kFixed,     // Barrier semaphore: exists before and after every launch.
};
struct SemaphoreRow {
  LaunchId launch{};  // 0 for a fixed id: it outlives launches.
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  std::int64_t id = 0;
  SemaphoreKind kind = SemaphoreKind::kInternal;
  bool dma = false;  // Counts bytes. Display only.
  std::string name;  // The user's name; may be empty. No part of the identity.
  friend auto operator<=>(const SemaphoreRow&, const SemaphoreRow&) = default;
};

enum class BarrierKind : std::uint8_t {
  kLaunchStart,  // All devices, at the start of a kernel.
  kLaunchEnd,    // All devices, at the end: of JAX's interpreter only.
  kCoresStart,   // Fork: one arrival by the device's core 0, awaited by each core.
  kCoresEnd,     // Join: one arrival a core, awaited by core 0.
  kUser,         // Of a C++ kernel.
};
struct BarrierRow {
  LaunchId launch{};
  BarrierKind kind = BarrierKind::kUser;
  std::uint32_t device = 0;       // kCores*: which device; else 0.
  std::uint32_t number = 0;       // Tells a launch's barriers of one kind apart.
  std::uint32_t arrivals = 1;     // That complete a phase. At least 1.
  bool interpreter_only = false;  // Does not exist on hardware: no edge.
  std::string name;
  friend auto operator<=>(const BarrierRow&, const BarrierRow&) = default;
};

struct SourceRow {
  std::string file;  // Relative to the project or to site-packages; never absolute. "cell[n]" in a
                     // notebook.
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // 0: unknown.
  std::string function;      // May be empty.
  SourceId caller{};         // 0: outermost.
  friend auto operator<=>(const SourceRow&, const SourceRow&) = default;
};
// Kept beside the row, no part of its identity nor of the run id.
struct SourceText {
  std::string line_text;
  std::uint64_t file_hash = 0;  // XXH3-64 of the file; 0: unknown.
};

struct ValueRow {
  std::array<std::uint64_t, 2>
      hash{};  // XXH3-128 of dtype, shape, bytes; [0] is its low half, which stands in chunks.
  std::vector<std::byte> bytes;  // Empty unless values are kept in full.
};

// How the program learns of an error.
enum class ErrorKind : std::uint8_t {
  kRaised,   // A Python exception: the execution fails.
  kPrinted,  // A message only; the execution goes on.
};
struct ErrorRow {
  ErrorKind kind = ErrorKind::kRaised;
  std::string type;  // Python's exception type: "ValueError"; empty for kPrinted.
  std::string text;  // JAX's own words.
  std::string rule;  // Finding rule: "memory.not-a-buffer".
  friend auto operator<=>(const ErrorRow&, const ErrorRow&) = default;
};

// The identity of an agent in every schedule; the order of threads by (launch, place), each
// thread's copies by issue.
struct AgentIdentity {
  std::uint32_t launch = 0;
  std::uint32_t device = 0;
  std::uint32_t core = 0;
  bool is_copy = false;
  std::uint64_t issue = 0;
  friend auto operator<=>(const AgentIdentity&, const AgentIdentity&) = default;
};

}  // namespace replait
