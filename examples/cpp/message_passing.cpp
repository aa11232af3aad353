// Message passing: one core writes a message and signals, the other waits and reads.
//
// A signal lets the waiter see what the signaller did before it, and nothing that comes after.
#include "replait/replait.h"
#include "samples.h"

namespace replait {

namespace {

void message_passing(ThreadContext& context, bool signal_last) {
  const auto message = context.allocate<std::int32_t>(MemorySpace::kHbm, {4}, {.name = "message"});
  const Semaphore ready = context.semaphore({.name = "ready"});
  if (context.core() == 0) {
    const Semaphore reader = ready.on_core(1);
    if (!signal_last) reader.signal();
    message[2] = 42;
    if (signal_last) reader.signal();
  } else {
    ready.wait();
    message.get();
  }
}

}  // namespace

Kernels message_passing_kernels() {
  return {
      {.name = "message-passing",
       .summary = "store, then signal; wait, then load",
       .expected = "clean",
       .launch = {.cores_per_device = 2},
       .body = [](ThreadContext& context) { message_passing(context, true); }},
      {.name = "message-passing-racy",
       .summary = "signal, then store: the signal does not cover the store",
       .expected = "race.read-write",
       .launch = {.cores_per_device = 2},
       .body = [](ThreadContext& context) { message_passing(context, false); }},
  };
}

}  // namespace replait
