// Key collisions: an allocation at a key that already holds something does nothing, silently, as in
// JAX. Threads that run the same allocations meet at one key on purpose; threads whose allocations
// differ meet by accident, and one's buffer is the other's of another shape.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "check/check.h"

namespace replait {

class KeyCheck : public Check {
 protected:
  void see(const Applied& event) override;
  void conclude(const ExecutionEnd&) override {}

 private:
  struct Held {
    BufferId buffer{};
    std::uint64_t references = 0;
    Applied by;
  };
  void meet(const Held& held, const Applied& event, const Allocate& op);

  std::map<KeyId, Held> held_;
  std::set<std::tuple<KeyId, BufferId, SourceId>> told_;
};

}  // namespace replait
