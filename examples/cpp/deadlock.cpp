// A deadlock: two devices that each wait for the other before they signal.
#include "replait/replait.h"
#include "samples.h"

namespace replait {

Kernels deadlock_kernels() {
  return {
      {.name = "deadlock",
       .summary = "two devices each wait for the other's signal before they give their own",
       .expected = "sync.deadlock",
       .launch = {.devices = 2},
       .body =
           [](ThreadContext& context) {
             const Semaphore turn = context.semaphore({.name = "turn"});
             turn.wait();
             turn.on_device(1 - context.device()).signal();
           }},
  };
}

}  // namespace replait
