// The one random generator: xoshiro256** seeded by SplitMix64 [Blackman, Vigna 2018].
//
// A fixed algorithm with fixed draws, so a seed means the same schedule on every compiler and
// machine; the standard library's distributions differ between implementations and are banned
// (tests/tidy).
#pragma once

#include <array>
#include <cstdint>

namespace replait {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();

  // Uniform over 0 .. bound-1, without modulo bias (rejection). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace replait
