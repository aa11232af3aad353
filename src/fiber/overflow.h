// A fiber that runs off its stack: said by name, instead of a bare segmentation fault.
//
// The fault is taken on an alternate signal stack (the fiber's own is used up) and its address
// compared with the guard of the fiber that runs on this OS thread. Every other fault goes on to
// the handler that was there before.
#pragma once

#include "fiber/stack_pool.h"

namespace replait {

// What the handler may look at: plain data of the running fiber.
struct RunningStack {
  Stack stack;
  const char* fiber_name = nullptr;
  const char* enlarge_hint = nullptr;
};

// The fiber's stack that this OS thread runs on; null for its own. Set at each switch.
extern constinit thread_local const RunningStack* running_stack;

// Installs the handler once a process and an alternate stack once an OS thread.
void watch_for_overflow();

}  // namespace replait
