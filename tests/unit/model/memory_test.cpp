// The memory map: allocation, references, and what a key that holds no buffer says.

#include "machine_fixture.h"

namespace replait {
namespace {

class Memory : public MachineTest {};

TEST_F(Memory, ReadsBackWhatWasWritten) {
  start();
  EXPECT_EQ(error(allocate(key(), buffer({2, 3}), {1, 2, 3, 4, 5, 6})), "");
  EXPECT_EQ(error(write(key(), {slice(1, 2), slice(0, 2)}, {7, 8})), "");
  EXPECT_EQ(error(read(key(), {})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 3, 7, 8, 6}));
  EXPECT_EQ(error(read(key(), {slice(0, 2), at(1)})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{2, 8}));
}

TEST_F(Memory, ReadsAndWritesStrides) {
  start();
  allocate(key(), buffer({7}), {0, 1, 2, 3, 4, 5, 6});
  read(key(), {slice(1, 7, 2)});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 3, 5}));
  write(key(), {slice(0, 9, 3)}, {9, 8, 7});
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{9, 1, 2, 8, 4, 5, 7}));
}

TEST_F(Memory, TransposesByThePermutation) {
  start();
  allocate(key(), buffer({2, 3}), {1, 2, 3, 4, 5, 6});
  const RangeId transposed = tables.range({.dims = {}, .permutation = {1, 0}, .mask = {}});
  apply(Read{.key = key(), .range = transposed, .proxy = Proxy::kGeneric});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  apply(Write{.key = key(), .range = transposed, .value = {}, .proxy = Proxy::kGeneric},
        bytes_of({1, 2, 3, 4, 5, 6}));
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 3, 5, 2, 4, 6}));
}

TEST_F(Memory, HoldsAScalar) {
  start();
  allocate(key(), buffer({}), {5});
  EXPECT_EQ(error(read(key(), {})), "");
  EXPECT_EQ(read_values(), (std::vector<int>{5}));
  EXPECT_EQ(error(write(key(), {}, {6})), "");
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{6}));
}

TEST_F(Memory, IsUninitializedAsInJax) {
  start();
  allocate(key(100), buffer({2}, DType::kF32));
  read(key(100), {slice(0, 1)});
  EXPECT_EQ(read_values(), (std::vector<int>{0, 0, 0xc0, 0x7f}));  // NaN
  allocate(key(101), buffer({1}, DType::kI16));
  read(key(101), {});
  EXPECT_EQ(read_values(), (std::vector<int>{0xff, 0x7f}));
  allocate(key(102), buffer({1}, DType::kBool));
  read(key(102), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1}));
}

TEST_F(Memory, IsZeroWhereTheLaunchSaysSo) {
  start(Launching{.uninitialized_nan = false});
  allocate(key(), buffer({1}, DType::kF32));
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{0, 0, 0, 0}));
}

TEST_F(Memory, AllocatingAtAHeldKeyDoesNothing) {
  start();
  EXPECT_EQ(allocate(key(), buffer({1}), {1}).count, kAllocated);
  EXPECT_EQ(allocate(key(), buffer({1}), {2}).count, kAlreadyHeld);
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1}));
}

TEST_F(Memory, TellsAHeldKeyOfAnotherShapeTypeOrKind) {
  start();
  allocate(key(), buffer({1}), {1});
  EXPECT_EQ(allocate(key(), buffer({2})).count, kHeldDifferent);
  EXPECT_EQ(allocate(key(), buffer({1}, DType::kU8)).count, kHeldDifferent);
  EXPECT_EQ(allocate(key(), buffer_of({1}, {0})).count, kHeldDifferent);
  EXPECT_EQ(allocate(key(), no_buffer()).count, kHeldDifferent);
  EXPECT_EQ(allocate(key(), buffer({1}, DType::kI8, 7)).count, kAlreadyHeld);
}

TEST_F(Memory, AHeldKeyHidesAnImpossibleBuffer) {
  start();
  allocate(key(), buffer({1}), {1});
  EXPECT_EQ(error(allocate(key(), buffer_of({1}, {2}))), "");
}

TEST_F(Memory, FreesWithTheLastReference) {
  start();
  const KeyId shared = key(100, "hbm");
  allocate(shared, buffer({1}, DType::kI8, 2), {1});
  EXPECT_EQ(apply(Free{.key = shared}).count, 1u);
  EXPECT_TRUE(machine->buffer_at(shared).has_value());
  EXPECT_EQ(apply(Free{.key = shared}).count, 0u);
  EXPECT_FALSE(machine->buffer_at(shared).has_value());
  const Outcome again = apply(Free{.key = shared});
  EXPECT_EQ(error(again), "KeyError: ('hbm', 100, 0, 0)");
  EXPECT_EQ(rule(again), "memory.missing-key");
}

TEST_F(Memory, AllocatesAnewAfterTheFree) {
  start();
  allocate(key(), buffer({1}), {1});
  apply(Free{.key = key()});
  EXPECT_EQ(allocate(key(), buffer({2}), {3, 4}).count, kAllocated);
  read(key(), {});
  EXPECT_EQ(read_values(), (std::vector<int>{3, 4}));
}

TEST_F(Memory, NoReferenceToTakeIsAnAssertion) {
  start();
  allocate(key(), buffer({1}, DType::kI8, 0), {1});
  EXPECT_EQ(error(apply(Free{.key = key()})), "AssertionError: ");
}

TEST_F(Memory, KeysOfTwoLaunchesAreTwo) {
  start();
  allocate(key(), buffer({1}), {1});
  start_another_launch();
  EXPECT_EQ(error(read(key(), {})), "KeyError: ('vmem', 100, 0, 0)");
}

TEST_F(Memory, MissingKeysRaiseTheirRepr) {
  start();
  const KeyId missing = key(103, "smem", 1, 1);
  for (const Outcome& outcome : {read(missing, {}), write(missing, {}, {1}), swap(missing, {}, {1}),
                                 apply(Free{.key = missing})}) {
    EXPECT_EQ(error(outcome), "KeyError: ('smem', 103, 1, 1)");
    EXPECT_EQ(rule(outcome), "memory.missing-key");
  }
}

TEST_F(Memory, WhatIsNoBufferIsRefusedInJaxsWords) {
  start();
  EXPECT_EQ(error(allocate(key(), no_buffer())), "");
  const std::string name = "('vmem', 100, 0, 0)";
  const Outcome got = read(key(), {});
  EXPECT_EQ(error(got), "ValueError: Attempting to get contents of allocation with key `" + name +
                            "` that is not a `Buffer`.");
  EXPECT_EQ(rule(got), "memory.not-a-buffer");
  EXPECT_EQ(error(write(key(), {}, {1})),
            "ValueError: Attempting to store into allocation with key `" + name +
                "` that is not a `Buffer`.");
  EXPECT_EQ(error(swap(key(), {}, {1})),
            "ValueError: Attempting to swap into allocation with `key` " + name +
                " that is not a `Buffer`.");
  EXPECT_EQ(error(apply(Free{.key = key()})),
            "ValueError: Attempting to deallocate allocation with key `" + name +
                "` that is not a `Buffer`.");
  EXPECT_FALSE(machine->buffer_at(key()).has_value());
}

TEST_F(Memory, TheLogicalShapeMustFitTheContent) {
  start();
  EXPECT_EQ(error(allocate(key(), buffer_of({4, 8}, {4, 9}))),
            "ValueError: Logical shape (4, 9) cannot be bigger than content shape (4, 8).");
  EXPECT_EQ(error(read(key(), {})), "KeyError: ('vmem', 100, 0, 0)");
  EXPECT_EQ(error(allocate(key(), buffer_of({4, 8}, {4}))),
            "ValueError: zip() argument 2 is shorter than argument 1");
  EXPECT_EQ(error(allocate(key(), buffer_of({4}, {4, 8}))),
            "ValueError: zip() argument 2 is longer than argument 1");
  EXPECT_EQ(error(allocate(key(), buffer_of({4}, {5, 8}))),
            "ValueError: Logical shape (5, 8) cannot be bigger than content shape (4,).");
}

TEST_F(Memory, BufferIdsCountFrom100AThread) {
  start();
  EXPECT_EQ(machine->take_buffer_id(thread(0, 0)), 100);
  EXPECT_EQ(machine->take_buffer_id(thread(0, 0)), 101);
  EXPECT_EQ(machine->take_buffer_id(thread(1, 0)), 100);
}

}  // namespace
}  // namespace replait
