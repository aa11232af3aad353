#include "race/overlap.h"

#include <gtest/gtest.h>

#include <limits>

namespace replait {
namespace {

constexpr std::int64_t kBig = std::int64_t{1} << 60;

Dim slice(std::int64_t start, std::int64_t stop, std::int64_t stride = 1) {
  return {start, stop, stride, false};
}
Dim index(std::int64_t at) { return {at, at + 1, 1, true}; }

RangeRow range(std::vector<Dim> dims, std::vector<std::uint8_t> mask = {},
               std::vector<std::uint32_t> permutation = {}) {
  RangeRow row;
  row.dims = std::move(dims);
  row.mask = std::move(mask);
  row.permutation = std::move(permutation);
  return row;
}

// Whether two ranges of one buffer overlap, asked both ways.
bool overlap(const RangeRow& a, const RangeRow& b, const std::vector<std::int64_t>& shape) {
  const Footprint first(a, &shape, &shape);
  const Footprint second(b, &shape, &shape);
  EXPECT_EQ(first.overlaps(second), second.overlaps(first));
  return first.overlaps(second);
}

TEST(Overlap, StridesThatNeverMeetDoNot) {
  EXPECT_FALSE(overlap(range({slice(0, 100, 2)}), range({slice(1, 100, 2)}), {100}));
  EXPECT_FALSE(overlap(range({slice(0, 100, 6)}), range({slice(3, 100, 4)}), {100}));
}

TEST(Overlap, StridesThatMeetOnceDoOnlyWithinBothEnds) {
  // 0, 7, 14, 21, ... and 1, 6, 11, 16, 21, ...: the first common element is 21.
  EXPECT_TRUE(overlap(range({slice(0, 22, 7)}), range({slice(1, 22, 5)}), {100}));
  EXPECT_FALSE(overlap(range({slice(0, 21, 7)}), range({slice(1, 22, 5)}), {100}));
  EXPECT_FALSE(overlap(range({slice(0, 22, 7)}), range({slice(1, 22, 5)}), {21}));
}

TEST(Overlap, OneDimensionApartIsEnough) {
  EXPECT_FALSE(overlap(range({slice(0, 8), index(1)}), range({slice(0, 8), index(2)}), {8, 8}));
  EXPECT_TRUE(overlap(range({slice(0, 8), index(1)}), range({index(7), slice(0, 2)}), {8, 8}));
}

TEST(Overlap, MissingDimensionsAreWhole) {
  EXPECT_TRUE(overlap(range({index(3)}), range({slice(0, 8), index(7)}), {8, 8}));
  EXPECT_FALSE(overlap(range({index(3)}), range({index(4), index(7)}), {8, 8}));
  EXPECT_TRUE(overlap(range({}), range({index(7), index(7)}), {8, 8}));
}

TEST(Overlap, AScalarOverlapsItself) { EXPECT_TRUE(overlap(range({}), range({}), {})); }

TEST(Overlap, AnEmptyRangeTouchesNothing) {
  const std::vector<std::int64_t> shape{8};
  for (const RangeRow& row : {range({slice(3, 3)}), range({slice(5, 2)}), range({slice(8, 12)}),
                              range({index(8)}), range({slice(0, 4)}, {0})}) {
    EXPECT_TRUE(Footprint(row, &shape, &shape).empty());
    EXPECT_FALSE(overlap(row, range({}), shape));
  }
  const std::vector<std::int64_t> none{0, 8};
  EXPECT_TRUE(Footprint(range({}), &none, &none).empty());
}

TEST(Overlap, WhatLiesOutsideTheContentIsNotTouched) {
  EXPECT_FALSE(overlap(range({slice(6, 20)}), range({slice(8, 30)}), {8}));
  EXPECT_TRUE(overlap(range({slice(6, 20)}), range({slice(7, 30)}), {8}));
}

TEST(Overlap, NegativeIndicesCountFromTheEnd) {
  EXPECT_TRUE(overlap(range({index(-1)}), range({index(7)}), {8}));
  EXPECT_FALSE(overlap(range({index(-1)}), range({slice(0, 7)}), {8}));
  EXPECT_TRUE(overlap(range({slice(-2, 8)}), range({index(6)}), {8}));
  EXPECT_FALSE(overlap(range({slice(-2, 8)}), range({index(5)}), {8}));
}

TEST(Overlap, PaddingBehindTheLogicalShapeIsTouchedByExplicitRangesOnly) {
  const std::vector<std::int64_t> logical{6};
  const std::vector<std::int64_t> content{8};
  const RangeRow whole = range({});
  const RangeRow padding = range({slice(6, 8)});
  const RangeRow beyond = range({slice(0, 8)});
  const Footprint of_whole(whole, &logical, &content);
  const Footprint of_padding(padding, &logical, &content);
  EXPECT_FALSE(of_whole.overlaps(of_padding));
  EXPECT_TRUE(Footprint(beyond, &logical, &content).overlaps(of_padding));
}

TEST(Overlap, MasksDecideElementByElement) {
  EXPECT_FALSE(overlap(range({slice(0, 4)}, {0b0101}), range({slice(0, 4)}, {0b1010}), {8}));
  EXPECT_TRUE(overlap(range({slice(0, 4)}, {0b0101}), range({slice(2, 6)}, {0b0001}), {8}));
  EXPECT_FALSE(overlap(range({slice(0, 4)}, {0b0101}), range({index(1)}), {8}));
  EXPECT_TRUE(overlap(range({slice(0, 8, 2)}, {0b0100}), range({index(4)}), {8}));
}

TEST(Overlap, AMaskFollowsThePermutationOfItsValue) {
  // A 2 x 3 range whose value is 3 x 2: the value's element (2, 0) is the buffer's (0, 2).
  const RangeRow turned = range({slice(0, 2), slice(0, 3)}, {0b010000}, {1, 0});
  EXPECT_TRUE(overlap(turned, range({index(0), index(2)}), {2, 3}));
  EXPECT_FALSE(overlap(turned, range({index(1)}), {2, 3}));
}

TEST(Overlap, HugeNumbersDoNotOverflow) {
  EXPECT_TRUE(meet({0, 4 * (kBig - 1), kBig - 1}, {1, 1 + 3 * kBig, kBig}) ==
              meet({1, 1 + 3 * kBig, kBig}, {0, 4 * (kBig - 1), kBig - 1}));
  // x = 0 (mod 2^60) and x = 1 (mod 2^60 - 1): the least solution is 2^60.
  EXPECT_TRUE(meet({0, 4 * kBig, kBig}, {1, 1 + 4 * (kBig - 1), kBig - 1}));
  EXPECT_FALSE(meet({0, kBig - 1, kBig - 1}, {1, 1 + kBig, kBig}));
  const std::vector<std::int64_t> shape{kBig, kBig, kBig};
  EXPECT_TRUE(overlap(range({slice(0, kBig, 3)}), range({slice(kBig - 3, kBig, 2)}), shape));
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(overlap(range({slice(kMin, kMax, kMax)}), range({}), {8}));
  const RangeRow all = range({slice(kMin, kMax)});
  EXPECT_TRUE(Footprint(all, nullptr, nullptr).overlaps(Footprint(all, nullptr, nullptr)));
}

TEST(Overlap, WithoutAShapeOnlyTheGivenDimensionsDecide) {
  const RangeRow row = range({index(3)});
  const RangeRow cell = range({slice(0, 5), index(9)});
  const RangeRow other = range({index(4), index(9)});
  EXPECT_TRUE(Footprint(row, nullptr, nullptr).overlaps(Footprint(cell, nullptr, nullptr)));
  EXPECT_FALSE(Footprint(row, nullptr, nullptr).overlaps(Footprint(other, nullptr, nullptr)));
}

TEST(Overlap, TheHullHoldsTheFirstAndTheLastElement) {
  const std::vector<std::int64_t> shape{4, 10};
  const RangeRow row = range({slice(1, 3), slice(2, 9, 3)});
  EXPECT_EQ(Footprint(row, &shape, &shape).hull(),
            (std::pair<std::uint64_t, std::uint64_t>(12, 28)));
}

}  // namespace
}  // namespace replait
