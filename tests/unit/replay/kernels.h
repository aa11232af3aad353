// Small kernels of the replay tests, one for each way that a run can end.
#pragma once

#include "replait/replait.h"

namespace replait {

// Two devices: device 0 sends its buffer, device 1 waits for it and reads. Finishes.
inline Kernel message_kernel() {
  return {.name = "message",
          .summary = "",
          .expected = "clean",
          .launch = {.devices = 2},
          .body = [](ThreadContext& context) {
            const std::vector<float> ones(8, 1.0F);
            const auto x =
                context.allocate<float>(MemorySpace::kHbm, {8}, {.name = "x", .initial = ones});
            const auto y = context.allocate<float>(MemorySpace::kHbm, {8}, {.name = "y"});
            const Semaphore send = context.semaphore({.name = "send_sem", .dma = true});
            const Semaphore receive = context.semaphore({.name = "recv_sem", .dma = true});
            context.global_barrier();
            const auto there = y.on_device(1).at({slice(0, 8)});
            if (context.device() == 0) {
              context
                  .start_copy<float>(x.at({slice(0, 8)}), there, {.send = send, .receive = receive})
                  .wait_send();
            } else {
              receive.wait(32);
              y.at({slice(0, 8)}).get();
            }
          }};
}

// Reads beyond the end of a buffer. Fails.
inline Kernel failing_kernel() {
  return {.name = "failing",
          .summary = "",
          .expected = "memory.out-of-bounds",
          .launch = {},
          .body = [](ThreadContext& context) {
            const std::vector<float> ones(8, 1.0F);
            const auto x =
                context.allocate<float>(MemorySpace::kHbm, {8}, {.name = "x", .initial = ones});
            x.at({slice(4, 12)}).get();
          }};
}

// Each of two cores waits for the other's signal before it signals. Deadlocks.
inline Kernel deadlock_kernel() {
  return {.name = "deadlock",
          .summary = "",
          .expected = "sync.deadlock",
          .launch = {.devices = 2},
          .body = [](ThreadContext& context) {
            const Semaphore mine = context.semaphore({.name = "turn"});
            mine.wait(1);
            mine.on_device(1 - context.device()).signal();
          }};
}

}  // namespace replait
