// Semaphores: counters that threads and copies raise and their own core waits for.
//
// A regular semaphore counts signals, a DMA semaphore bytes, a barrier semaphore has an id that
// means the same on every device and exists before and after the launch. A handle names the
// instance of one core; on_device and on_core name another's.
#pragma once

#include <cstdint>
#include <string>

#include "replait/detail.h"
#include "replait/location.h"

namespace replait {

struct SemaphoreOptions {
  std::string name = {};  // As reports call it: "recv_sem".
  bool dma = false;       // Counts bytes of copies.
};

class Semaphore {
 public:
  Semaphore(SimulatedThread& thread, SemaphoreId id, std::uint32_t device, std::uint32_t core)
      : thread_(&thread), id_(id), device_(device), core_(core) {}

  // Adds to the count, and lets whoever waits for it see what this thread did before.
  void signal(std::uint64_t increment = 1, Location where = Location::current()) const {
    detail::signal(*thread_, id_, increment, where);
  }
  // Blocks until the count is at least `demand`, then takes it off. Only the own core's instance:
  // waiting for another's throws std::invalid_argument.
  void wait(std::uint64_t demand = 1, Location where = Location::current()) const {
    detail::wait(*thread_, id_, demand, where);
  }
  // The count now. Orders nothing. A loop that reads until the count changes must yield in between.
  std::uint64_t read(Location where = Location::current()) const {
    return detail::read_count(*thread_, id_, where);
  }

  Semaphore on_device(std::uint32_t device) const { return moved(device, core_); }
  Semaphore on_core(std::uint32_t core) const { return moved(device_, core); }

  SemaphoreId id() const { return id_; }

 private:
  Semaphore moved(std::uint32_t device, std::uint32_t core) const {
    return {*thread_, detail::semaphore_at(*thread_, id_, device, core), device, core};
  }

  SimulatedThread* thread_;
  SemaphoreId id_;
  std::uint32_t device_;
  std::uint32_t core_;
};

}  // namespace replait
