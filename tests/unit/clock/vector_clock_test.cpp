#include "clock/vector_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/rng.h"

namespace replait {
namespace {

SlotId slot(std::uint32_t index) { return from_index<SlotId>(index); }

TEST(VectorClock, KnowsNothingAtFirst) {
  const VectorClock clock;
  EXPECT_EQ(clock.epoch(slot(0)), 0u);
  EXPECT_EQ(clock.epoch(slot(0xFFFFFFFF)), 0u);
  EXPECT_FALSE(clock.covers(slot(3), 1));
  EXPECT_TRUE(clock.covers(slot(3), 0));
}

TEST(VectorClock, JoinTakesTheLaterOfEachComponent) {
  VectorClock a;
  VectorClock b;
  a.raise(slot(0), 5);
  a.raise(slot(1), 1);
  b.raise(slot(1), 4);
  b.raise(slot(1000), 2);
  a.join(b);
  EXPECT_EQ(a.epoch(slot(0)), 5u);
  EXPECT_EQ(a.epoch(slot(1)), 4u);
  EXPECT_EQ(a.epoch(slot(1000)), 2u);
  EXPECT_TRUE(a.covers(b));
  EXPECT_FALSE(b.covers(a));
}

TEST(VectorClock, ACopyDoesNotFollowItsOriginal) {
  VectorClock a;
  a.raise(slot(7), 1);
  a.raise(slot(300), 1);
  const VectorClock before = a;
  a.tick(slot(7));
  a.raise(slot(300), 9);
  a.raise(slot(70000), 1);
  EXPECT_EQ(before.epoch(slot(7)), 1u);
  EXPECT_EQ(before.epoch(slot(300)), 1u);
  EXPECT_EQ(before.epoch(slot(70000)), 0u);
  EXPECT_TRUE(a.covers(before));
  EXPECT_FALSE(before.covers(a));
}

TEST(VectorClock, JoiningItselfOrNothingChangesNothing) {
  VectorClock a;
  a.raise(slot(40), 3);
  const VectorClock same = a;
  a.join(same);
  a.join(VectorClock());
  EXPECT_TRUE(a.covers(same));
  EXPECT_TRUE(same.covers(a));
  VectorClock empty;
  empty.join(a);
  EXPECT_EQ(empty.epoch(slot(40)), 3u);
}

TEST(VectorClock, AssignmentFromItselfKeepsIt) {
  VectorClock a;
  a.raise(slot(20), 3);
  const VectorClock& alias = a;
  a = alias;
  EXPECT_EQ(a.epoch(slot(20)), 3u);
}

TEST(VectorClockDeathTest, AnEpochThatGoesBackIsAFaultOfOurs) {
  VectorClock a;
  a.raise(slot(2), 3);
  EXPECT_EXIT(a.raise(slot(2), 2), testing::ExitedWithCode(70), "internal error");
}

// Many clocks that are copied, joined and raised at random, against a map each: nodes are shared
// between them, so a change that leaks into another clock shows.
TEST(VectorClock, AgreesWithAMapOverRandomSteps) {
  constexpr std::array<std::uint32_t, 10> kSlots{0,   1,   15,     16,     17,
                                                 255, 256, 70'000, 70'001, 0xFFFFFFFF};
  struct Pair {
    VectorClock clock;
    std::map<std::uint32_t, Epoch> model;
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::array<Pair, 5> pairs;
    VectorClock before;
    for (int step = 0; step < 300; ++step) {
      Pair& one = pairs[rng.below(pairs.size())];
      Pair& other = pairs[rng.below(pairs.size())];
      switch (rng.below(5)) {
        case 0:
          one = other;
          break;
        case 1:
          // Joined by what changed since an earlier state, where that is covered already.
          if (one.clock.covers(before)) {
            one.clock.join_since(other.clock, before);
            for (const auto& [index, epoch] : other.model) {
              one.model[index] = std::max(one.model[index], epoch);
            }
          }
          before = other.clock;
          break;
        case 2:
          one.clock.join(other.clock);
          for (const auto& [index, epoch] : other.model) {
            one.model[index] = std::max(one.model[index], epoch);
          }
          break;
        default: {
          const std::uint32_t index = kSlots[rng.below(kSlots.size())];
          one.clock.tick(slot(index));
          ++one.model[index];
          break;
        }
      }
      bool covers = true;
      for (const std::uint32_t index : kSlots) {
        ASSERT_EQ(one.clock.epoch(slot(index)), one.model[index]) << "seed " << seed;
        covers &= one.model[index] >= other.model[index];
      }
      ASSERT_EQ(one.clock.covers(other.clock), covers) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace replait
