// Semaphores that are left with a count, or named twice.
#include "replait/replait.h"
#include "samples.h"

namespace replait {

Kernels semaphore_kernels() {
  return {
      {.name = "semaphore-nonzero",
       .summary = "two signals and one wait: the kernel ends with a count of 1",
       .expected = "sync.semaphore-nonzero",
       .body =
           [](ThreadContext& context) {
             const Semaphore done = context.semaphore({.name = "done"});
             done.signal(2);
             done.wait(1);
           }},
      {.name = "semaphore-two-spaces",
       .summary = "a collective id that an allocated semaphore has too",
       .expected = "memory.key-collision ValueError",
       .body =
           [](ThreadContext& context) {
             context.barrier_semaphore(2000);
             context.semaphore({.name = "done"}).signal();
           }},
  };
}

}  // namespace replait
