// A Result is a value or a failure, and asking for the wrong one is our own fault.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/ids.h"

namespace replait {
namespace {

Result<int> parse_digit(char text) {
  if (text < '0' || text > '9') {
    return Failure{FailureKind::kUsage, std::string("expected a digit, found ") + text, "type one"};
  }
  return text - '0';
}

Result<void> require_even(int number) {
  if (number % 2 != 0) return Failure{FailureKind::kDiverged, "odd", ""};
  return {};
}

TEST(Result, HoldsTheValue) {
  const Result<int> result = parse_digit('7');
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), 7);
  EXPECT_EQ(*result, 7);
}

TEST(Result, HoldsTheFailureWithItsRemedy) {
  const Result<int> result = parse_digit('x');
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.failure().kind, FailureKind::kUsage);
  EXPECT_EQ(result.failure().message, "expected a digit, found x");
  EXPECT_EQ(result.failure().remedy, "type one");
}

TEST(Result, GivesUpAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, LetsItsValueBeChangedInPlace) {
  Result<std::string> result(std::string("a"));
  result->push_back('b');
  *result += 'c';
  EXPECT_EQ(result.value(), "abc");
}

TEST(Result, OfVoidIsSuccessOrFailure) {
  EXPECT_TRUE(require_even(2).ok());
  const Result<void> odd = require_even(3);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.failure().message, "odd");
  EXPECT_EQ(odd.failure().kind, FailureKind::kDiverged);
}

TEST(ResultDeathTest, ValueOfAFailureIsOurFault) {
  EXPECT_EXIT(parse_digit('x').value(), testing::ExitedWithCode(70), "internal error.*ok\\(\\)");
}

TEST(ResultDeathTest, FailureOfAValueIsOurFault) {
  EXPECT_EXIT(parse_digit('1').failure(), testing::ExitedWithCode(70), "internal error.*ok\\(\\)");
  EXPECT_EXIT(require_even(2).failure(), testing::ExitedWithCode(70), "internal error.*ok\\(\\)");
}

enum class ShelfId : std::uint32_t {};

TEST(Ids, GoToAnIndexAndBack) {
  constexpr ShelfId kShelf = from_index<ShelfId>(41);
  EXPECT_EQ(to_index(kShelf), 41U);
  EXPECT_EQ(to_index(from_index<ShelfId>(0xffffffff)), 0xffffffffU);
}

}  // namespace
}  // namespace replait
