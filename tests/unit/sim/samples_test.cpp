// Every sample does what it says, in one schedule and in many.
#include "samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "event_log.h"

namespace replait {
namespace {

class Sample : public testing::TestWithParam<Kernel> {};

TEST_P(Sample, EndsAsExpectedUnderEveryScheduler) {
  const Kernel& kernel = GetParam();
  for (const std::string scheduler : {"round-robin", "random", "pct"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto result = run(kernel, {.scheduler = scheduler, .seed = seed});
      if (kernel.expected == "sync.deadlock") {
        EXPECT_EQ(result->end.kind, EndKind::kDeadlocked);
      } else if (kernel.expected.find(' ') != std::string::npos) {
        EXPECT_EQ(result->end.kind, EndKind::kFailed);
        ASSERT_EQ(result->log.errors.size(), 1U);
        const ErrorRow& error = result->log.errors.front();
        EXPECT_EQ(error.rule + " " + error.type, kernel.expected) << error.text;
      } else {
        EXPECT_EQ(result->end.kind, EndKind::kFinished) << result->text();
        const bool printed = !result->log.errors.empty();
        // What is not waited for leaves its bytes behind.
        const bool leaves_counts =
            kernel.expected == "sync.semaphore-nonzero" || kernel.name == "ring-no-receive-wait";
        EXPECT_EQ(printed, leaves_counts) << result->text();
      }
    }
  }
}

TEST_P(Sample, SameSeedGivesTheSameEventsAndValues) {
  const RunOptions options{
      .scheduler = "random", .seed = 42, .simulation = {.machine = {.values = ValueLevel::kHash}}};
  EXPECT_EQ(run(GetParam(), options)->text(), run(GetParam(), options)->text());
}

TEST_P(Sample, EveryOpOfTheKernelHasItsLine) {
  const auto result = run(GetParam());
  for (std::size_t i = 1; i < result->tables.sources(); ++i) {
    const auto id = from_index<SourceId>(i);
    EXPECT_EQ(result->tables[id].file.substr(0, 13), "examples/cpp/");
    EXPECT_FALSE(result->tables.text(id).line_text.empty());
    EXPECT_NE(result->tables.text(id).file_hash, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sample, testing::ValuesIn(sample_kernels()),
                         [](const testing::TestParamInfo<Kernel>& sample) {
                           std::string name = sample.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Samples, HaveDifferentNamesAndOneLineSummaries) {
  std::set<std::string> names;
  for (const Kernel& kernel : sample_kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_FALSE(kernel.summary.empty());
    EXPECT_EQ(kernel.summary.find('\n'), std::string::npos);
  }
}

TEST(RingAllGather, EveryDeviceEndsWithEveryShard) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto ring =
        run(sample_kernels().front(), {.scheduler = "random",
                                       .seed = seed,
                                       .simulation = {.machine = {.values = ValueLevel::kFull}}});
    std::vector<float> expected;
    for (int device = 0; device < 4; ++device)
      expected.insert(expected.end(), 16, static_cast<float>(device));
    const auto bytes = std::as_bytes(std::span(expected));
    int devices = 0;
    for (std::size_t i = 1; i < ring->tables.values(); ++i) {
      const ValueRow& row = ring->tables[from_index<ValueId>(i)];
      devices += std::equal(bytes.begin(), bytes.end(), row.bytes.begin(), row.bytes.end());
    }
    EXPECT_EQ(devices, 1) << "the outputs are equal, and so one value";
  }
}

}  // namespace
}  // namespace replait
