// Ring all-gather: each device ends with the shards of all.
//
// In each step a device sends the shard that it got last to its right neighbour, and gets one from
// its left neighbour. The receive semaphore must be another one in each step: a fast neighbour's
// next shard may arrive before the current one, and on a shared semaphore its bytes would end the
// wait for a shard that is still on its way.
#include <vector>

#include "replait/replait.h"
#include "samples.h"

namespace replait {

namespace {

constexpr std::uint32_t kDevices = 4;
constexpr std::int64_t kShardSize = 16;
constexpr std::int64_t kCollectiveId = 0;

struct RingOptions {
  bool one_receive_semaphore = false;
  bool wait_receive = true;
};

// No neighbour may be sent to before it has entered the kernel and allocated its output.
void wait_for_neighbours(ThreadContext& context, std::uint32_t left, std::uint32_t right) {
  const Semaphore barrier = context.barrier_semaphore(kCollectiveId);
  barrier.on_device(left).signal();
  barrier.on_device(right).signal();
  barrier.wait(2);
}

void ring_all_gather(ThreadContext& context, const RingOptions& options) {
  const std::uint32_t devices = context.devices();
  const std::uint32_t me = context.device();
  const std::uint32_t left = (me + devices - 1) % devices;
  const std::uint32_t right = (me + 1) % devices;

  const std::vector<float> mine(kShardSize, static_cast<float>(me));
  const auto shard =
      context.allocate<float>(MemorySpace::kHbm, {kShardSize}, {.name = "shard", .initial = mine});
  const auto output =
      context.allocate<float>(MemorySpace::kHbm, {devices, kShardSize}, {.name = "output"});
  const Semaphore local_sem = context.semaphore({.name = "local_sem", .dma = true});
  const Semaphore send_sem = context.semaphore({.name = "send_sem", .dma = true});
  const std::vector<Semaphore> receive_sems =
      context.semaphores(devices - 1, {.name = "receive_sem", .dma = true});

  context.start_copy<float>(shard, output.at({me}), {.receive = local_sem}).wait();
  wait_for_neighbours(context, left, right);

  const auto right_output = output.on_device(right);
  for (std::uint32_t step = 0; step + 1 < devices; ++step) {
    const std::uint32_t slot = (me + devices - step) % devices;
    const Semaphore receive_sem = receive_sems[options.one_receive_semaphore ? 0 : step];
    const AsyncCopy copy = context.start_copy(output.at({slot}), right_output.at({slot}),
                                              {.send = send_sem, .receive = receive_sem});
    copy.wait_send();
    if (options.wait_receive) copy.wait_receive();
  }
  output.get();
}

}  // namespace

Kernels ring_kernels() {
  return {
      {.name = "ring-all-gather",
       .summary = "all-gather round a ring of 4 devices, a receive semaphore for each step",
       .expected = "clean",
       .launch = {.devices = kDevices},
       .body = [](ThreadContext& context) { ring_all_gather(context, {}); }},
      {.name = "ring-shared-semaphore",
       .summary = "the same with one receive semaphore: a later shard's bytes end the wait",
       .expected = "race.read-write",
       .launch = {.devices = kDevices},
       .body =
           [](ThreadContext& context) {
             ring_all_gather(context, {.one_receive_semaphore = true});
           }},
      {.name = "ring-no-receive-wait",
       .summary = "the same without waiting for what arrives: sends on what is not there yet",
       .expected = "race.read-write",
       .launch = {.devices = kDevices},
       .body = [](ThreadContext& context) { ring_all_gather(context, {.wait_receive = false}); }},
  };
}

}  // namespace replait
