// Async copies: started by a thread, done by nobody in particular, at any time until waited for.
//
// A copy reads its source and then raises the send semaphore; writes its destination and then
// raises the receive semaphore. The source may be overwritten after wait_send, the destination read
// after wait_receive on the core that it belongs to. A wait is one for bytes on a semaphore, and
// any copy's bytes will do: two copies on one semaphore cannot be told apart.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "replait/detail.h"
#include "replait/location.h"
#include "replait/semaphore.h"

namespace replait {

struct CopySemaphores {
  std::optional<Semaphore> send = std::nullopt;  // On this core; required for a remote copy.
  Semaphore receive;  // As this core names it; the destination core's instance is raised.
};

class AsyncCopy {
 public:
  AsyncCopy(SimulatedThread& thread, const CopySemaphores& semaphores, std::uint64_t copy_bytes)
      : thread_(&thread), semaphores_(semaphores), copy_bytes_(copy_bytes) {}

  // Until the source of as many bytes may be overwritten. Throws std::logic_error without a send
  // semaphore.
  void wait_send(Location where = Location::current()) const {
    if (!semaphores_.send) throw std::logic_error("this copy has no send semaphore");
    detail::wait(*thread_, semaphores_.send->id(), copy_bytes_, where);
  }
  // Until as many bytes have arrived here: for a remote copy, those that another core sent.
  void wait_receive(Location where = Location::current()) const {
    detail::wait(*thread_, semaphores_.receive.id(), copy_bytes_, where);
  }
  // wait_send where there is a send semaphore, and wait_receive.
  void wait(Location where = Location::current()) const {
    if (semaphores_.send) wait_send(where);
    wait_receive(where);
  }

 private:
  SimulatedThread* thread_;
  CopySemaphores semaphores_;
  std::uint64_t copy_bytes_;
};

}  // namespace replait
