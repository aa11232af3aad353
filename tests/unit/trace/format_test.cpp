// The format as others see it: the page that describes it, and files of every version so far.
#include <gtest/gtest.h>

#include "tiny_execution.h"
#include "trace_file.h"

namespace replait::test {
namespace {

TEST(TraceFormat, IsWhatThePageShows) {
  const std::string page = read_file(TRACE_FORMAT_PAGE);
  const std::string begin = "```text\nframe 0";
  const std::size_t from = page.find(begin);
  ASSERT_NE(from, std::string::npos);
  const std::size_t to = page.find("```\n", from + 3);
  const std::string shown = page.substr(from + 8, to - from - 8);
  EXPECT_EQ(shown, annotated(trace_bytes(tiny_execution())))
      << "print it with: write-tiny annotated";
}

TEST(TraceFormat, Version1StaysReadable) {
  const std::string folder = TRACE_DATA;
  const Reading reading = read_trace(folder + "/format-1.replait");
  EXPECT_EQ(summary(reading), read_file(folder + "/format-1.txt"));
}

}  // namespace
}  // namespace replait::test
