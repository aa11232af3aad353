// Barriers: an arrival never blocks; a phase is complete when all its arrivals are in.
#pragma once

#include <cstdint>
#include <vector>

#include "model/machine.h"
#include "trace/tables.h"

namespace replait {

class Barriers {
 public:
  explicit Barriers(Tables& tables) : tables_(tables) {}

  // Returns whether this arrival completed a phase.
  bool arrive(BarrierId barrier);
  Readiness readiness(BarrierId barrier, std::uint64_t phase) const;
  std::uint64_t phases(BarrierId barrier) const;

 private:
  std::uint64_t needed(BarrierId barrier) const;
  std::uint64_t arrived(BarrierId barrier) const;

  Tables& tables_;
  std::vector<std::uint64_t> arrivals_;  // By barrier.
};

}  // namespace replait
