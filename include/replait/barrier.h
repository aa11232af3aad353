// Barriers: phase p is over once all its arrivals are there, and then each waiter has seen them.
#pragma once

#include <cstdint>
#include <string>

#include "replait/detail.h"
#include "replait/location.h"

namespace replait {

struct BarrierOptions {
  std::uint32_t number = 0;    // Tells the kernel's barriers apart: the same on all its threads.
  std::uint32_t arrivals = 1;  // That complete a phase. At least 1.
  std::string name = {};
};

class Barrier {
 public:
  Barrier(SimulatedThread& thread, BarrierId id) : thread_(&thread), id_(id) {}

  void arrive(Location where = Location::current()) const { detail::arrive(*thread_, id_, where); }
  // Blocks until the next phase that this thread has not waited for is complete.
  void wait(Location where = Location::current()) const {
    detail::await_barrier(*thread_, id_, where);
  }
  void arrive_and_wait(Location where = Location::current()) const {
    arrive(where);
    wait(where);
  }

 private:
  SimulatedThread* thread_;
  BarrierId id_;
};

}  // namespace replait
