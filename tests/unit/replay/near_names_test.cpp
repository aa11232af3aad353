#include "replay/near_names.h"

#include <gtest/gtest.h>

namespace replait {
namespace {

const std::vector<std::string> kKnown{"ring-all-gather", "ring-shared-semaphore", "deadlock",
                                      "message-passing"};

TEST(NearNames, ASlipOfAFewLettersFindsTheName) {
  EXPECT_EQ(near_names("deadlok", kKnown), std::vector<std::string>{"deadlock"});
  EXPECT_EQ(near_names("mesage-pasing", kKnown), std::vector<std::string>{"message-passing"});
}

TEST(NearNames, APartOfANameFindsAllThatHoldIt) {
  EXPECT_EQ(near_names("ring", kKnown),
            (std::vector<std::string>{"ring-all-gather", "ring-shared-semaphore"}));
}

TEST(NearNames, SomethingElseFindsNothing) {
  EXPECT_TRUE(near_names("zzzzzzzz", kKnown).empty());
  EXPECT_TRUE(near_names("", kKnown).empty());
  EXPECT_EQ(nearest_hint("zzzzzzzz", kKnown), "");
}

TEST(NearNames, TheHintJoinsThem) {
  EXPECT_EQ(nearest_hint("ring", kKnown),
            "did you mean 'ring-all-gather' or 'ring-shared-semaphore'?");
  EXPECT_EQ(nearest_hint("deadlok", kKnown), "did you mean 'deadlock'?");
}

}  // namespace
}  // namespace replait
