// A double-buffered pipeline: the copy of block i + 1 runs while block i is summed.
//
// Two slots need two semaphores. On one, the wait for block i counts bytes of any copy, so block
// i + 1, which runs at the same time, may end it while block i is still on its way.
#include <numeric>
#include <vector>

#include "replait/replait.h"
#include "samples.h"

namespace replait {

namespace {

constexpr std::int64_t kBlocks = 6;
constexpr std::int64_t kBlockSize = 32;

void pipeline(ThreadContext& context, bool two_semaphores) {
  std::vector<float> values(kBlocks * kBlockSize);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto input = context.allocate<float>(MemorySpace::kHbm, {kBlocks, kBlockSize},
                                             {.name = "input", .initial = values});
  const auto sums = context.allocate<float>(MemorySpace::kSmem, {kBlocks}, {.name = "sums"});
  const auto slots =
      context.allocate<float>(MemorySpace::kVmem, {2, kBlockSize}, {.name = "slots"});
  const std::vector<Semaphore> sems = context.semaphores(2, {.name = "copy_sem", .dma = true});

  const auto fetch = [&](std::int64_t block) {
    const std::int64_t slot = block % 2;
    const Semaphore sem = sems[two_semaphores ? static_cast<std::size_t>(slot) : 0];
    return context.start_copy(input.at({block}), slots.at({slot}), {.receive = sem});
  };
  AsyncCopy current = fetch(0);
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const AsyncCopy next = block + 1 < kBlocks ? fetch(block + 1) : current;
    current.wait();
    const std::vector<float> slot = slots.at({block % 2}).get();
    sums[block] = std::accumulate(slot.begin(), slot.end(), 0.0F);
    current = next;
  }
}

}  // namespace

Kernels pipeline_kernels() {
  return {
      {.name = "pipeline-two-semaphores",
       .summary = "double-buffered copies, a semaphore for each slot",
       .expected = "clean",
       .body = [](ThreadContext& context) { pipeline(context, true); }},
      {.name = "pipeline-one-semaphore",
       .summary = "double-buffered copies on one semaphore: the wrong copy may end a wait",
       .expected = "race.read-write",
       .body = [](ThreadContext& context) { pipeline(context, false); }},
  };
}

}  // namespace replait
