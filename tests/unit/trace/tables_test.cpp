// Equal rows are one row, ids are dense, and references to rows stay valid.
#include "trace/tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace replait {
namespace {

std::array<std::uint64_t, 2> hash(std::uint64_t low, std::uint64_t high) { return {low, high}; }

TEST(Tables, RowZeroOfSourcesValuesAndErrorsIsNone) {
  Tables tables;
  EXPECT_EQ(tables.sources(), 1u);
  EXPECT_EQ(tables.values(), 1u);
  EXPECT_EQ(tables.errors(), 1u);
  EXPECT_EQ(tables.source({}), SourceId{0});
  EXPECT_EQ(tables.value({}), ValueId{0});
  EXPECT_EQ(tables.error({}), ErrorId{0});
}

TEST(Tables, EqualRowsHaveOneId) {
  Tables tables;
  const LaunchId launch = tables.add_launch({});
  const KeyRow key{.launch = launch, .space = "vmem", .buffer = 100, .device = 0, .core = 1};
  EXPECT_EQ(tables.key(key), tables.key(key));
  KeyRow other = key;
  other.core = 0;
  EXPECT_NE(tables.key(key), tables.key(other));
  EXPECT_EQ(tables.keys(), 2u);

  RangeRow range;
  range.dims = {{.start = 1, .stop = 5, .stride = 2}};
  EXPECT_EQ(tables.range(range), tables.range(range));
  range.mask = {3};
  EXPECT_EQ(to_index(tables.range(range)), 1u);

  EXPECT_EQ(tables.shape(std::vector<std::int64_t>{2, 3}),
            tables.shape(std::vector<std::int64_t>{2, 3}));
  EXPECT_NE(tables.shape(std::vector<std::int64_t>{2, 3}),
            tables.shape(std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(tables.thread(launch, 2, 1), tables.thread(launch, 2, 1));
  EXPECT_NE(tables.thread(launch, 2, 1), tables.thread(launch, 1, 2));
}

TEST(Tables, LaunchesAreNeverMerged) {
  Tables tables;
  EXPECT_NE(tables.add_launch({}), tables.add_launch({}));
}

TEST(Tables, SemaphoreIsTheSameUnderAnotherName) {
  Tables tables;
  SemaphoreRow row;
  row.id = 2000;
  row.name = "first";
  const SemaphoreId id = tables.semaphore(row);
  row.name = "second";
  row.dma = true;
  EXPECT_EQ(tables.semaphore(row), id);
  EXPECT_EQ(tables[id].name, "first");
  row.kind = SemaphoreKind::kFixed;
  EXPECT_NE(tables.semaphore(row), id);
}

TEST(Tables, CopyIsKnownByIssuerAndIssue) {
  Tables tables;
  LaunchRow row;
  row.number = 3;
  const LaunchId launch = tables.add_launch(row);
  const AgentId thread = tables.thread(launch, 1, 0);
  const AgentId first = tables.copy(thread, 0, {});
  const AgentId second = tables.copy(thread, 1, {});
  EXPECT_NE(first, second);
  EXPECT_EQ(tables.copy(thread, 1, {}), second);
  const AgentIdentity expected{.launch = 3, .device = 1, .core = 0, .is_copy = true, .issue = 1};
  EXPECT_EQ(tables.identity(second), expected);
  EXPECT_FALSE(tables.identity(thread).is_copy);
}

TEST(Tables, ValueIsTheSameWhereTheHighHalfIsUnknown) {
  Tables tables;
  const ValueId short_hash = tables.value({.hash = hash(7, 0), .bytes = {}});
  EXPECT_EQ(tables.value({.hash = hash(7, 9), .bytes = {std::byte{1}}}), short_hash);
  EXPECT_EQ(tables[short_hash].hash[1], 9u);
  EXPECT_EQ(tables[short_hash].bytes.size(), 1u);
  EXPECT_NE(tables.value({.hash = hash(7, 10), .bytes = {}}), short_hash);
  EXPECT_EQ(tables.value({.hash = hash(7, 0), .bytes = {}}), short_hash);
}

TEST(Tables, SourceTextIsNoPartOfTheRow) {
  Tables tables;
  const SourceRow row{.file = "k.py", .line = 4, .column = 0, .function = "f", .caller = {}};
  const SourceId id = tables.source(row, {.line_text = "x = 1", .file_hash = 5});
  EXPECT_EQ(tables.source(row), id);
  EXPECT_EQ(tables.text(id).line_text, "x = 1");
}

TEST(Tables, ManyRowsAreFoundAgainAndStayInPlace) {
  Tables tables;
  constexpr std::uint32_t kRows = 300000;
  const std::vector<std::int64_t>* early = nullptr;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(to_index(tables.shape(std::vector<std::int64_t>{i, 1})), i);
    ASSERT_EQ(to_index(tables.value({.hash = hash(i + 1, i), .bytes = {}})), i + 1);
    if (i == 10) early = &tables[ShapeId{10}];
  }
  EXPECT_EQ(early, &tables[ShapeId{10}]);
  for (std::uint32_t i = 0; i < kRows; i += 77) {
    ASSERT_EQ(to_index(tables.shape(std::vector<std::int64_t>{i, 1})), i);
    ASSERT_EQ(to_index(tables.value({.hash = hash(i + 1, i), .bytes = {}})), i + 1);
  }
  EXPECT_EQ(tables.shapes(), kRows);
}

TEST(Dim, SizeCountsItsIndices) {
  EXPECT_EQ((Dim{.start = 0, .stop = 8, .stride = 1}).size(), 8);
  EXPECT_EQ((Dim{.start = 1, .stop = 8, .stride = 3}).size(), 3);
  EXPECT_EQ((Dim{.start = 5, .stop = 5}).size(), 0);
  EXPECT_EQ((Dim{.start = 6, .stop = 5}).size(), 0);
  EXPECT_EQ((Dim{.start = 6, .stop = 7, .stride = 1, .is_index = true}).size(), 1);
}

}  // namespace
}  // namespace replait
