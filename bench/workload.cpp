#include "bench/workload.h"

#include "replait/replait.h"

namespace replait::bench {
namespace {

constexpr std::int64_t kElements = 64;
constexpr std::uint64_t kTurnEvents = 5;  // Two writes, a read, a signal, a wait.
constexpr std::uint64_t kCopyEvents = 7;  // An issue, four phases, two waits.
constexpr std::uint64_t kCopyEvery = 8;

void turns(ThreadContext& context, std::uint64_t count) {
  const auto x = context.allocate<float>(MemorySpace::kHbm, {kElements}, {.name = "x"});
  const auto y = context.allocate<float>(MemorySpace::kHbm, {kElements}, {.name = "y"});
  const Semaphore turn = context.semaphore({.name = "turn"});
  const Semaphore send = context.semaphore({.name = "send_sem", .dma = true});
  const Semaphore receive = context.semaphore({.name = "recv_sem", .dma = true});
  context.global_barrier();
  const std::uint32_t right = (context.device() + 1) % context.devices();
  const std::vector<float> block(8, 1.0F);
  std::vector<float> out(8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i % 8) * 8;
    const auto part = x.at({slice(at, at + 8)});
    part.set(block);
    part.get(out);
    x[{at}] = 2.0F;
    turn.on_device(right).signal();
    turn.wait();
    if (i % kCopyEvery == 0) {
      context
          .start_copy<float>(part, y.on_device(right).at({slice(at, at + 8)}),
                             {.send = send, .receive = receive})
          .wait();
    }
  }
}

}  // namespace

Kernel workload(const WorkloadOptions& options) {
  const std::uint64_t per_eight = kCopyEvery * kTurnEvents + kCopyEvents;
  const std::uint64_t count = options.events * kCopyEvery / (per_eight * options.devices) + 1;
  return {.name = "workload",
          .summary = "",
          .expected = "clean",
          .launch = {.devices = options.devices},
          .body = [count](ThreadContext& context) { turns(context, count); }};
}

}  // namespace replait::bench
