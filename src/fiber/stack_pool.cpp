#include "fiber/stack_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/check.h"
#include "fiber/sanitizers.h"

namespace replait {
namespace {

constexpr std::size_t kUsableBytesMin = std::size_t{16} << 10;

// More than a page: libraries that were not built with -fstack-clash-protection may skip some.
constexpr std::size_t kGuardBytesMin = std::size_t{64} << 10;

std::size_t round_up_to_pages(std::size_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

StackPool::StackPool(const StackOptions& options)
    : options_(options), guard_bytes_(round_up_to_pages(kGuardBytesMin)) {
  // The cap keeps the rounding and the mapping's size from wrapping; mmap refuses it, being more
  // than a process can address.
  const std::size_t bytes_max = std::size_t{1} << 48;
  options_.usable_bytes =
      round_up_to_pages(std::clamp(options_.usable_bytes, kUsableBytesMin, bytes_max));
}

StackPool::~StackPool() {
  REPLAIT_CHECK(in_use_ == 0, "a stack pool ended before its fibers");
  for (const Stack& stack : free_) {
    munmap(stack.guard_begin, static_cast<std::size_t>(stack.end - stack.guard_begin));
  }
}

Result<Stack> StackPool::acquire() {
  if (!free_.empty()) {
    const Stack stack = free_.back();
    free_.pop_back();
    ++in_use_;
    return stack;
  }
  const std::size_t bytes = guard_bytes_ + options_.usable_bytes;
  void* const mapping = mmap(nullptr, bytes, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) return map_failure("mmap", errno);
  Stack stack;
  stack.guard_begin = static_cast<std::byte*>(mapping);
  stack.usable_begin = stack.guard_begin + guard_bytes_;
  stack.end = stack.guard_begin + bytes;
  if (mprotect(stack.usable_begin, options_.usable_bytes, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(mapping, bytes);
    return map_failure("mprotect", error);
  }
  ++in_use_;
  return stack;
}

void StackPool::release(const Stack& stack) {
  REPLAIT_CHECK(in_use_ > 0);
  --in_use_;
  // A finished fiber may leave poisoned frames behind; the next one starts clean.
  unpoison_memory(stack.usable_begin, static_cast<std::size_t>(stack.end - stack.usable_begin));
  free_.push_back(stack);
}

Failure StackPool::map_failure(const char* call, int error) const {
  Failure failure;
  failure.kind = FailureKind::kUsage;
  failure.message = "no memory for the stack of fiber number " + std::to_string(in_use_ + 1) +
                    " (" + std::to_string(options_.usable_bytes >> 10) + " KiB): " + call + ": " +
                    std::generic_category().message(error);
  failure.remedy =
      "use fewer simulated threads, or raise the limits: each fiber takes two entries of the "
      "memory map (sysctl -w vm.max_map_count=262144; the default is 65530) and address space "
      "(ulimit -v)";
  return failure;
}

}  // namespace replait
