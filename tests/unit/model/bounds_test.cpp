// Where an access ends out of bounds, and what JAX says then.

#include <limits>

#include "machine_fixture.h"

namespace replait {
namespace {

class Bounds : public MachineTest {
 protected:
  void start_with(std::vector<std::int64_t> content, std::vector<std::int64_t> logical,
                  const std::string& jax_version = "0.12.0.1") {
    start(MachineOptions{.jax_version = jax_version});
    allocate(key(), buffer_of(content, logical, DType::kI8));
  }
};

TEST_F(Bounds, TheLastElementMayBeRead) {
  start_with({4, 8}, {4, 8});
  EXPECT_EQ(error(read(key(), {slice(0, 4), slice(4, 8)})), "");
  EXPECT_EQ(error(read(key(), {at(3), at(7)})), "");
}

TEST_F(Bounds, OneElementTooFarIsNotRead) {
  start_with({4, 8}, {4, 8});
  const Outcome partly = read(key(), {slice(0, 4), slice(4, 9)});
  EXPECT_EQ(error(partly),
            "IndexError: Out-of-bounds read of (0 0 vmem 100): reading "
            "[(slice(0, 4, 1), slice(4, 9, 1))] but buffer has shape (4, 8).");
  EXPECT_EQ(rule(partly), "memory.out-of-bounds");
  EXPECT_EQ(error(read(key(), {at(4)})),
            "IndexError: Out-of-bounds read of (0 0 vmem 100): reading [(4,)] but buffer has "
            "shape (4, 8).");
  EXPECT_TRUE(read_values().empty());
}

TEST_F(Bounds, SharedMemoryNamesTheAccessingCore) {
  start();
  const KeyId shared = key(100, "hbm", 1);
  allocate(shared, buffer({4}));
  actor = thread(1, 1);
  EXPECT_EQ(error(read(shared, {slice(0, 5)})),
            "IndexError: Out-of-bounds read of (1 1 hbm 100): reading [(slice(0, 5, 1),)] but "
            "buffer has shape (4,).");
}

TEST_F(Bounds, AStepMayOvershootWithItsStopOnly) {
  start_with({7}, {7});
  EXPECT_EQ(error(read(key(), {slice(0, 8, 2)})), "");
  EXPECT_EQ(error(write(key(), {slice(0, 8, 2)}, {1, 2, 3, 4})), "");
  EXPECT_NE(error(write(key(), {slice(1, 9, 2)}, {1, 2, 3, 4})), "");
}

TEST_F(Bounds, NegativeIndicesWrapInReads) {
  start_with({4}, {4});
  write(key(), {}, {1, 2, 3, 4});
  EXPECT_EQ(error(read(key(), {at(-1)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{4}));
  EXPECT_EQ(error(read(key(), {slice(-3, -1)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{2, 3}));
  EXPECT_NE(error(read(key(), {slice(-2, 0)})), "");
  EXPECT_NE(error(read(key(), {at(-5)})), "");
}

TEST_F(Bounds, NegativeIndicesAreAnAssertionInWrites) {
  start_with({4}, {4});
  EXPECT_EQ(error(write(key(), {at(-1)}, {1})), "AssertionError: ");
  EXPECT_EQ(error(write(key(), {slice(-1, 0)}, {1})), "AssertionError: ");
}

TEST_F(Bounds, AnEmptyDimensionCannotBeReadButBeWritten) {
  start_with({0, 4}, {0, 4});
  EXPECT_EQ(error(read(key(), {})),
            "IndexError: Out-of-bounds read of (0 0 vmem 100): reading [()] but buffer has shape "
            "(0, 4).");
  EXPECT_EQ(error(write(key(), {})), "");
}

TEST_F(Bounds, MoreDimensionsThanTheBufferHas) {
  start_with({4}, {4});
  EXPECT_EQ(error(read(key(), {slice(0, 4), at(0)})),
            "ValueError: zip() argument 2 is shorter than argument 1");
  EXPECT_EQ(error(read(key(), {at(4), at(0)})), "AssertionError: ");
  EXPECT_EQ(error(write(key(), {at(3), at(0)}, {1})),
            "ValueError: zip() argument 2 is longer than argument 1");
  EXPECT_EQ(error(write(key(), {at(4), at(0)}, {1})),
            "ValueError: Out-of-bounds write of (0 0 vmem 100): writing [(4, 0)] but buffer has "
            "shape (4,) .");
}

TEST_F(Bounds, PaddingMayBeReadAndIsNotWritten) {
  start_with({4}, {2});
  write(key(), {}, {1, 2});
  EXPECT_EQ(error(write(key(), {slice(0, 4)}, {3, 4, 5, 6})), "");
  EXPECT_EQ(error(read(key(), {slice(0, 4)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{3, 4, 0x7f, 0x7f}));
  EXPECT_EQ(error(write(key(), {slice(2, 4)}, {7, 8})), "");
  read(key(), {slice(2, 4)});
  EXPECT_EQ(read_values(), (std::vector<int>{0x7f, 0x7f}));
  EXPECT_EQ(error(read(key(), {slice(0, 5)})),
            "IndexError: Out-of-bounds read of (0 0 vmem 100): reading [(slice(0, 5, 1),)] but "
            "buffer has shape (2,).");
}

TEST_F(Bounds, UninitializedModeFillsWhatIsOutside) {
  start(Launching{.out_of_bounds_reads_raise = false});
  allocate(key(), buffer({2, 2}), {1, 2, 3, 4});
  EXPECT_EQ(error(read(key(), {slice(1, 3), slice(0, 3)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{3, 4, 0x7f, 0x7f, 0x7f, 0x7f}));
  EXPECT_EQ(error(read(key(), {at(9)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{0x7f, 0x7f}));
}

TEST_F(Bounds, UninitializedModeHasNoComplexNumber) {
  start(Launching{.out_of_bounds_reads_raise = false});
  allocate(key(), buffer({2}, DType::kC64));
  EXPECT_EQ(error(read(key(), {at(9)})), "NotImplementedError: nan + complex64");
}

TEST_F(Bounds, ABlockNamesOperandAndIteration) {
  start();
  const KeyId shared = key(100, "hbm");
  allocate(shared, buffer({4}));
  actor = thread(0, 1);
  const RangeId block =
      tables.range({.dims = {slice(4, 8)},
                    .permutation = {},
                    .mask = {},
                    .window = WindowBlock{.name = "x_ref", .indices = {1}, .iteration = {0, 2}}});
  EXPECT_EQ(error(apply(Read{.key = shared, .range = block, .proxy = Proxy::kGeneric})),
            "IndexError: Out-of-bounds block index (1,) for input \"x_ref\" in iteration (0, 2) "
            "on device 0 (core 1): reading [(slice(4, 8, 1),)] but input has shape (4,).");
  EXPECT_EQ(
      error(apply(Write{.key = shared, .range = block, .value = {}, .proxy = Proxy::kGeneric})),
      "IndexError: Out-of-bounds block index (1,) for output \"x_ref\" in iteration (0, 2) "
      "on device 0 (core 1): reading [(slice(4, 8, 1),)] but output has shape (4,).");
}

TEST_F(Bounds, WhatJaxRaisedOfOperandsNotSeenIsTakenOver) {
  start_with({4}, {4});
  const Outcome observed{.value = {},
                         .error = tables.error({.kind = ErrorKind::kRaised,
                                                .type = "AssertionError",
                                                .text = "",
                                                .rule = "exec.exception"}),
                         .count = 0};
  const Op op = Write{.key = key(), .range = range({}), .value = {}, .proxy = Proxy::kGeneric};
  EXPECT_EQ(apply(op, bytes_of({1, 2, 3, 4}), &observed).error, observed.error);
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{0x7f, 0x7f, 0x7f, 0x7f}));
}

TEST_F(Bounds, NumbersAtTheEndOfTheirRangeOverflowNowhere) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  start(MachineOptions{.jax_version = "0.12.0.1", .values = {}, .compute_values = false});
  allocate(key(100), buffer({kMax, kMax}, DType::kF64));
  allocate(key(101), buffer({3}));
  for (const std::int64_t start :
       {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, kMax - 1, kMax}) {
    for (const std::int64_t stop : {kMin, std::int64_t{0}, kMax}) {
      for (const std::int64_t step :
           {kMin, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, kMax}) {
        for (const KeyId where : {key(100), key(101)}) {
          const bool index = stop == 0;
          const Dim dim{.start = start, .stop = stop, .stride = step, .is_index = index};
          read(where, {dim});
          write(where, {dim});
          swap(where, {dim});
          swap(where, {dim}, {}, {0xff});
        }
      }
    }
  }
  EXPECT_EQ(error(read(key(100), {slice(0, 2)})), "");
}

}  // namespace
}  // namespace replait
