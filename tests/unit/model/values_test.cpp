// Value ids: computed where buffers hold bytes, known or taken over where they do not.

#include "machine_fixture.h"
#include "trace/hash.h"

namespace replait {
namespace {

class Values : public MachineTest {
 protected:
  void start_hashed(bool bytes) {
    start(MachineOptions{
        .jax_version = "0.12.0.1", .values = ValueLevel::kHash, .compute_values = bytes});
  }
  ValueId value(std::uint64_t low) { return tables.value({.hash = {low, low}, .bytes = {}}); }
  Outcome write_value(std::vector<Dim> dims, ValueId stored, std::vector<std::uint8_t> mask = {}) {
    return apply(Write{.key = key(),
                       .range = range(std::move(dims), std::move(mask)),
                       .value = stored,
                       .proxy = Proxy::kGeneric});
  }
  // What a read returns when the recording says `observed`.
  ValueId read_value(std::vector<Dim> dims, ValueId seen = {}) {
    const Outcome observed{.value = seen, .error = {}, .count = 0};
    return apply(Read{.key = key(), .range = range(std::move(dims)), .proxy = Proxy::kGeneric}, {},
                 &observed)
        .value;
  }
};

TEST_F(Values, AreHashesOfTypeShapeAndBytes) {
  start_hashed(true);
  allocate(key(), buffer({2, 2}), {1, 2, 3, 4});
  const Outcome row = read(key(), {at(1)});
  EXPECT_EQ(tables[row.value].hash,
            value_hash(DType::kI8, std::vector<std::int64_t>{2}, bytes_of({3, 4})));
  EXPECT_TRUE(tables[row.value].bytes.empty());
  EXPECT_NE(read(key(), {slice(1, 2)}).value, row.value);  // Another shape.
}

TEST_F(Values, KeepTheirBytesInFull) {
  start(MachineOptions{.jax_version = "0.12.0.1", .values = ValueLevel::kFull});
  allocate(key(), buffer({2}), {1, 2});
  EXPECT_EQ(tables[read(key(), {}).value].bytes, bytes_of({1, 2}));
}

TEST_F(Values, AreZeroWhereTheyAreOff) {
  start(MachineOptions{.jax_version = "0.12.0.1", .values = ValueLevel::kNone});
  allocate(key(), buffer({2}), {1, 2});
  EXPECT_EQ(read(key(), {}).value, ValueId{});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2}));
}

TEST_F(Values, AWritesValueIsWhatAReadOfItsRangeReturns) {
  start_hashed(true);
  allocate(key(), buffer({4}), {1, 2, 3, 4});
  const Op op = Write{.key = key(), .range = range({slice(1, 3)}), .value = {}, .proxy = {}};
  const ValueId stored = machine->stored_value(op, bytes_of({8, 9}));
  apply(op, bytes_of({8, 9}));
  EXPECT_EQ(read(key(), {slice(1, 3)}).value, stored);
  const Op all = Allocate{.key = key(101), .buffer = buffer({2}), .value = {}};
  EXPECT_EQ(machine->stored_value(all, bytes_of({8, 9})), stored);
}

TEST_F(Values, WithoutBytesAReadOfTheLastWritesRangeIsKnown) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({4, 4}), .value = value(1)});
  EXPECT_EQ(read_value({}, value(9)), value(1));
  write_value({slice(0, 2)}, value(2));
  EXPECT_EQ(read_value({slice(0, 2)}, value(9)), value(2));
  EXPECT_EQ(read_value({slice(0, 2), slice(0, 4)}, value(9)), value(2));  // The same, in full.
}

TEST_F(Values, WithoutBytesOtherReadsAreTakenOver) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({4, 4}), .value = value(1)});
  EXPECT_EQ(read_value({slice(0, 2)}, value(9)), value(9));
  write_value({slice(0, 2)}, value(2));
  EXPECT_EQ(read_value({}, value(9)), value(9));             // Partly overwritten.
  EXPECT_EQ(read_value({slice(0, 1)}, value(9)), value(9));  // A part.
  EXPECT_EQ(read_value({slice(0, 2), slice(0, 3)}, value(9)), value(9));
  write_value({at(3)}, value(3));
  EXPECT_EQ(read_value({slice(3, 4)}, value(9)), value(9));  // Another shape.
}

TEST_F(Values, WithoutBytesAWriteElsewhereForgetsNothing) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({8}), .value = value(1)});
  write_value({slice(0, 8, 2)}, value(2));
  write_value({slice(1, 9, 2)}, value(3));
  EXPECT_EQ(read_value({slice(0, 8, 2)}, value(9)), value(2));
  EXPECT_EQ(read_value({slice(1, 9, 2)}, value(9)), value(3));
  write_value({at(3)}, value(4));
  EXPECT_EQ(read_value({slice(0, 8, 2)}, value(9)), value(2));
  EXPECT_EQ(read_value({slice(1, 9, 2)}, value(9)), value(9));
}

TEST_F(Values, WithoutBytesAMaskedSwapForgetsItsRange) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({8}), .value = value(1)});
  write_value({slice(0, 4)}, value(2));
  write_value({slice(4, 8)}, value(3));
  apply(Swap{.key = key(), .range = range({slice(0, 4)}, {1}), .value = value(4), .proxy = {}});
  EXPECT_EQ(read_value({slice(0, 4)}, value(9)), value(9));
  EXPECT_EQ(read_value({slice(4, 8)}, value(9)), value(3));
}

TEST_F(Values, WithoutBytesASwapIsAReadAndAWrite) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({4}), .value = value(1)});
  const Outcome observed{.value = value(9), .error = {}, .count = 0};
  const Op op = Swap{.key = key(), .range = range({}), .value = value(2), .proxy = {}};
  EXPECT_EQ(apply(op, {}, &observed).value, value(1));
  EXPECT_EQ(read_value({}, value(9)), value(2));
}

TEST_F(Values, WithoutBytesOnlyTheLatestRangesAreKept) {
  start_hashed(false);
  apply(Allocate{.key = key(), .buffer = buffer({100}), .value = value(1)});
  for (int i = 0; i < 100; ++i) write_value({at(i)}, value(static_cast<std::uint64_t>(10 + i)));
  EXPECT_EQ(read_value({at(99)}, value(9)), value(109));
  EXPECT_EQ(read_value({at(0)}, value(9)), value(9));
}

TEST_F(Values, BytesThatAreMissingOnceAreNeverMadeUp) {
  start_hashed(true);
  allocate(key(), buffer({2}), {1, 2});
  write_value({at(0)}, value(5));
  EXPECT_EQ(read_value({at(0)}, value(9)), value(5));
  EXPECT_EQ(read_value({at(1)}, value(9)), value(9));
  EXPECT_TRUE(read_values().empty());
}

TEST_F(Values, BytesOfAnotherLengthAreNoBytes) {
  start_hashed(true);
  apply(Allocate{.key = key(), .buffer = buffer({2}), .value = value(3)}, bytes_of({1, 2, 3}));
  EXPECT_EQ(read_value({}, value(9)), value(3));
  allocate(key(101), buffer({2}), {1, 2});
  write(key(101), {}, {1});
  read(key(101), {});
  EXPECT_TRUE(read_values().empty());
}

TEST_F(Values, MoreMemoryThanAnyMachineHasIsNumpysError) {
  start_hashed(true);
  const std::int64_t huge = std::int64_t{1} << 60;
  EXPECT_EQ(error(allocate(key(), buffer({huge, huge}))).substr(0, 30),
            "MemoryError: Unable to allocat");
  EXPECT_EQ(error(allocate(key(), buffer({huge, 0, huge}))), "");
  EXPECT_EQ(error(allocate(key(101), buffer({-1}))),
            "ValueError: negative dimensions are not allowed");
}

}  // namespace
}  // namespace replait
