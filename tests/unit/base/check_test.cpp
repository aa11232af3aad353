// A failed check says what and where, flushes once, and ends with exit code 70, or throws where the
// process is not ours to end.
#include "base/check.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace replait {
namespace {

void fail_with_message() {
  const int answer = 41;
  REPLAIT_CHECK(answer == 42, "the answer was " + std::to_string(answer));
}

TEST(Check, ThatHoldsDoesNothing) {
  int evaluated = 0;
  REPLAIT_CHECK(++evaluated == 1, "never built");
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, EndsWithCode70AndNamesConditionPlaceAndMessage) {
  EXPECT_EXIT(fail_with_message(), testing::ExitedWithCode(70),
              "replait: internal error: .*check_test.cpp:[0-9]+: answer == 42: the answer was 41\n"
              ".*Please report it");
}

TEST(CheckDeathTest, NeedsNoMessage) {
  EXPECT_EXIT(REPLAIT_CHECK(1 > 2), testing::ExitedWithCode(70), "check_test.cpp:[0-9]+: 1 > 2\n");
}

TEST(CheckDeathTest, RunsTheFlushHookBeforeItEnds) {
  EXPECT_EXIT(
      {
        set_flush_hook([] { std::fputs("trace flushed\n", stderr); });
        fail_with_message();
      },
      testing::ExitedWithCode(70), "internal error(.|\n)*trace flushed");
}

TEST(CheckDeathTest, ThatFailsWhileFlushingStillEnds) {
  EXPECT_EXIT(
      {
        set_flush_hook([] { REPLAIT_CHECK(false, "while flushing"); });
        fail_with_message();
      },
      testing::ExitedWithCode(70), "the answer was 41(.|\n)*while flushing");
}

TEST(CheckDeathTest, RunsNoHookThatWasUnset) {
  EXPECT_EXIT(
      {
        set_flush_hook([] { std::_Exit(1); });
        set_flush_hook(nullptr);
        fail_with_message();
      },
      testing::ExitedWithCode(70), "the answer was 41");
}

class CheckThrowing : public testing::Test {
 protected:
  void SetUp() override { throw_on_failed_check(true); }
  void TearDown() override {
    throw_on_failed_check(false);
    set_flush_hook(nullptr);
  }
};

TEST_F(CheckThrowing, GivesTheSameTextAsAnInternalError) {
  try {
    fail_with_message();
    FAIL() << "the check did not throw";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("check_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("answer == 42: the answer was 41"), std::string::npos) << text;
  }
}

TEST_F(CheckThrowing, LeavesTheFlushHookToTheHost) {
  set_flush_hook([] { std::_Exit(1); });
  EXPECT_THROW(fail_with_message(), InternalError);
}

TEST_F(CheckThrowing, CanBeSwitchedOffAgain) {
  throw_on_failed_check(false);
  EXPECT_EXIT(fail_with_message(), testing::ExitedWithCode(70), "the answer was 41");
}

}  // namespace
}  // namespace replait
