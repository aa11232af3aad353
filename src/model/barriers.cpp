#include "model/barriers.h"

#include <algorithm>

namespace replait {

std::uint64_t Barriers::needed(BarrierId barrier) const {
  return std::max<std::uint64_t>(1, tables_[barrier].arrivals);
}

std::uint64_t Barriers::arrived(BarrierId barrier) const {
  return to_index(barrier) < arrivals_.size() ? arrivals_[to_index(barrier)] : 0;
}

std::uint64_t Barriers::phases(BarrierId barrier) const {
  return arrived(barrier) / needed(barrier);
}

bool Barriers::arrive(BarrierId barrier) {
  const std::size_t index = to_index(barrier);
  if (index >= arrivals_.size()) arrivals_.resize(index + 1);
  return ++arrivals_[index] % needed(barrier) == 0;
}

Readiness Barriers::readiness(BarrierId barrier, std::uint64_t phase) const {
  const std::uint64_t complete = phases(barrier);
  const std::uint64_t needs = needed(barrier);
  Readiness readiness{.ready = complete > phase, .legal = true, .has = needs, .needs = needs};
  if (complete == phase) readiness.has = arrived(barrier) % needs;
  if (complete < phase) readiness.has = 0;
  return readiness;
}

}  // namespace replait
