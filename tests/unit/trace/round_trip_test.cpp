// What was written is what is read.
#include <gtest/gtest.h>

#include "trace_file.h"

namespace replait::test {
namespace {

class RoundTrip : public ::testing::TestWithParam<ValueLevel> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(RoundTrip, KeepsEveryFieldOfEveryEvent) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Execution execution =
        random_execution({.seed = seed, .events = 1000, .values = GetParam()});
    const std::string path = folder_.path("t.replait");
    const RunId run_id = write_trace(execution, path);
    const Reading reading = read_trace(path);
    ASSERT_FALSE(reading.failure) << reading.failure->message << " seed " << seed;
    const std::vector<std::string> expected = describe(*execution.tables, execution.events);
    ASSERT_EQ(reading.events.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(reading.events[i], expected[i]);
    EXPECT_EQ(reading.end, describe(*execution.tables, execution.end));
    EXPECT_EQ(reading.run_id, run_id);
  }
}

INSTANTIATE_TEST_SUITE_P(ValueLevels, RoundTrip,
                         ::testing::Values(ValueLevel::kNone, ValueLevel::kHash,
                                           ValueLevel::kFull));

}  // namespace
}  // namespace replait::test
