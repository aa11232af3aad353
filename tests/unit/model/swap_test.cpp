// Swaps: read and write in one step, masked or not.

#include "machine_fixture.h"

namespace replait {
namespace {

class Swaps : public MachineTest {};

TEST_F(Swaps, ReturnTheOldValueAndStoreTheNew) {
  start();
  allocate(key(), buffer({3}), {1, 2, 3});
  EXPECT_EQ(error(swap(key(), {slice(1, 3)}, {8, 9})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{2, 3}));
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 8, 9}));
}

TEST_F(Swaps, WhollyOutsideRaises) {
  start();
  allocate(key(), buffer({3}));
  const Outcome outcome = swap(key(), {slice(3, 4)}, {8});
  EXPECT_EQ(error(outcome),
            "ValueError: Out-of-bounds swap of (0 0 vmem 100): swapping [(slice(3, 4, 1),)] but "
            "buffer has shape (3,) .");
  EXPECT_EQ(rule(outcome), "memory.out-of-bounds");
}

TEST_F(Swaps, PartlyOutsideIsAnAssertionBeforeJax012) {
  for (const char* version : {"0.10.2", "0.11.1"}) {
    start(MachineOptions{.jax_version = version});
    allocate(key(), buffer({3}));
    EXPECT_EQ(error(swap(key(), {slice(2, 4)}, {8, 9})), "AssertionError: ") << version;
  }
}

TEST_F(Swaps, PartlyOutsideIsOutOfBoundsSinceJax012) {
  for (const char* version : {"0.12.0", "0.12.0.1", "0.13", "1.0"}) {
    start(MachineOptions{.jax_version = version});
    allocate(key(), buffer({3}));
    EXPECT_EQ(error(swap(key(), {slice(2, 4)}, {8, 9})),
              "ValueError: Out-of-bounds swap of (0 0 vmem 100): swapping [(slice(2, 4, 1),)] but "
              "buffer has shape (3,) .")
        << version;
  }
}

TEST_F(Swaps, AMaskChoosesTheElements) {
  start();
  allocate(key(), buffer({4}), {1, 2, 3, 4});
  EXPECT_EQ(error(swap(key(), {}, {5, 6, 7, 8}, {0b1010})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{5, 2, 7, 4}));
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 6, 3, 8}));
}

TEST_F(Swaps, AMaskMaySpareWhatIsOutside) {
  start();
  allocate(key(), buffer({3}), {1, 2, 3});
  EXPECT_EQ(error(swap(key(), {slice(2, 5)}, {7, 8, 9}, {0b001})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{3, 8, 9}));
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 7}));
}

TEST_F(Swaps, AMaskMayNotReachOutside) {
  start();
  allocate(key(), buffer({3}));
  EXPECT_EQ(error(swap(key(), {slice(2, 5)}, {7, 8, 9}, {0b010})),
            "ValueError: Out-of-bounds masked swap of (0 0 vmem 100): swapping "
            "[(slice(2, 5, 1),)] but buffer has shape (3,) . ");
}

// JAX compares the size of every dimension with the index into the first one.
TEST_F(Swaps, AMaskIsJudgedByTheFirstDimensionOnly) {
  start();
  allocate(key(), buffer({3, 2}), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error(swap(key(), {}, {7, 7, 7, 7, 7, 7}, {0b001111})), "");
  EXPECT_NE(error(swap(key(), {}, {8, 8, 8, 8, 8, 8}, {0b010000})), "");
  // Columns outside are not noticed: the result has the value's element there.
  EXPECT_EQ(error(swap(key(), {slice(0, 2), slice(1, 3)}, {1, 2, 3, 4}, {0b0010})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(Swaps, AMaskedSwapKeepsOutOfThePadding) {
  start();
  allocate(key(), buffer_of({3}, {2}), {1, 2, 3});
  EXPECT_EQ(error(swap(key(), {slice(1, 3)}, {8, 9}, {0b11})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{2, 3}));
  read(key(), {slice(0, 3)});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 8, 3}));
}

TEST_F(Swaps, AMaskLongerThanTheValueHasNoEffectThere) {
  start();
  allocate(key(), buffer({2}), {1, 2});
  EXPECT_EQ(error(swap(key(), {}, {8, 9}, {0b11111111, 0xff})), "");
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{8, 9}));
}

}  // namespace
}  // namespace replait
