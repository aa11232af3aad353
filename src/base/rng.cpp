#include "base/rng.h"

#include <bit>

#include "base/check.h"

namespace replait {

Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  REPLAIT_CHECK(bound > 0);
  // Draws below 2^64 mod bound are refused, so what is left is a whole multiple of the bound.
  const std::uint64_t refused = -bound % bound;
  for (;;) {
    const std::uint64_t draw = next();
    if (draw >= refused) return draw % bound;
  }
}

}  // namespace replait
