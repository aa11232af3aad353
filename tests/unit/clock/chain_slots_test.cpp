#include "clock/chain_slots.h"

#include <gtest/gtest.h>

#include <array>

namespace replait {
namespace {

constexpr SlotQueue kHere{0};
constexpr SlotQueue kThere{1};
constexpr std::array kOnlyHere{kHere};
constexpr std::array kBoth{kHere, kThere};

TEST(ChainSlots, ASlotIsReusedOnceItsLastEventIsKnown) {
  ChainSlots slots;
  VectorClock issuer;
  const auto first = slots.take(issuer, kHere);
  EXPECT_EQ(first.first, 1u);
  slots.retire(first.slot, 2, kOnlyHere);

  issuer.raise(first.slot, 1);  // Its read is known, its write is not.
  const auto second = slots.take(issuer, kHere);
  EXPECT_NE(second.slot, first.slot);

  issuer.raise(first.slot, 2);
  const auto third = slots.take(issuer, kHere);
  EXPECT_EQ(third.slot, first.slot);
  EXPECT_EQ(third.first, 3u);
}

TEST(ChainSlots, ASlotInFlightIsNotToBeHad) {
  ChainSlots slots;
  VectorClock issuer;
  const auto first = slots.take(issuer, kHere);
  issuer.raise(first.slot, 100);  // Whatever is known of it so far.
  EXPECT_NE(slots.take(issuer, kHere).slot, first.slot);
}

TEST(ChainSlots, ASlotTakenOverIsInFlightAgain) {
  ChainSlots slots;
  VectorClock issuer;
  const auto first = slots.take(issuer, kHere);
  slots.retire(first.slot, 1, kBoth);
  issuer.raise(first.slot, 1);
  EXPECT_EQ(slots.take(issuer, kHere).slot, first.slot);
  // The other queue still has the entry of the first copy.
  EXPECT_NE(slots.take(issuer, kThere).slot, first.slot);
}

TEST(ChainSlots, AnOpenedSlotIsNobodyElses) {
  ChainSlots slots;
  const SlotId thread = slots.open();
  VectorClock issuer;
  issuer.raise(thread, 5);
  EXPECT_NE(slots.take(issuer, kHere).slot, thread);
}

TEST(ChainSlots, SlotsThatNobodyKnowsDoNotHideOnesThatAreKnown) {
  ChainSlots slots;
  VectorClock issuer;
  std::vector<SlotId> unknown;
  for (int i = 0; i < 100; ++i) unknown.push_back(slots.take(issuer, kHere).slot);
  for (const SlotId slot : unknown) slots.retire(slot, 1, kOnlyHere);
  const SlotId known = unknown[50];
  issuer.raise(known, 1);
  bool found = false;
  for (int i = 0; i < 100 && !found; ++i) found = slots.take(issuer, kHere).slot == known;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace replait
