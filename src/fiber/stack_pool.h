// Stacks of fibers: mapped once, guarded, and used again.
//
// A stack is one mapping whose lowest part stays without access (the guard), so running off its end
// faults instead of writing over a neighbour. Mapping and unmapping for each fiber costs
// microseconds, taking a stack back from the pool tens of nanoseconds, so a pool keeps what it
// mapped until it ends; untouched pages cost address space only.
//
// Limit: a stack takes two entries of the process's memory map, so Linux's default
// vm.max_map_count of 65530 allows about 32,700 fibers at a time. A pool is not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace replait {

struct StackOptions {
  std::size_t usable_bytes = std::size_t{256} << 10;  // Rounded up to pages; 16 KiB at least.
  std::string enlarge_hint = "set StackOptions::usable_bytes higher";  // Ends the overflow message.
};

// [guard_begin, usable_begin) faults; [usable_begin, end) is the stack, which grows down from end.
struct Stack {
  std::byte* guard_begin = nullptr;
  std::byte* usable_begin = nullptr;
  std::byte* end = nullptr;
};

class StackPool {
 public:
  explicit StackPool(const StackOptions& options = {});
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();  // REQUIRES: every stack was released.

  // Fails when the process may map no more memory.
  Result<Stack> acquire();
  void release(const Stack& stack);

  const StackOptions& options() const { return options_; }

 private:
  Failure map_failure(const char* call, int error) const;

  StackOptions options_;
  std::size_t guard_bytes_;
  std::vector<Stack> free_;
  std::size_t in_use_ = 0;
};

}  // namespace replait
