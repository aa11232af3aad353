// The list that schedulers pick from stays sorted and counted.
#include "sim/candidate_list.h"

#include <gtest/gtest.h>

namespace replait {
namespace {

const Op kOp = Yield{};

AgentIdentity thread(std::uint32_t core) { return {.core = core}; }
AgentIdentity copy(std::uint32_t core, std::uint64_t issue) {
  return {.core = core, .is_copy = true, .issue = issue};
}

std::vector<std::uint32_t> slots(const CandidateList& list) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < list.all().size(); ++i) result.push_back(list.slot(i));
  return result;
}

TEST(CandidateList, KeepsTheOrderOfIdentities) {
  CandidateList list;
  list.insert({.agent = thread(1), .next = &kOp, .enabled = true}, 1);
  list.insert({.agent = thread(0), .next = &kOp, .enabled = true}, 0);
  list.insert({.agent = copy(0, 1), .next = &kOp, .enabled = true}, 11);
  list.insert({.agent = copy(1, 0), .next = &kOp, .enabled = true}, 20);
  list.insert({.agent = copy(0, 0), .next = &kOp, .enabled = true}, 10);
  EXPECT_EQ(slots(list), (std::vector<std::uint32_t>{0, 10, 11, 1, 20}));
  list.erase(list.find(copy(0, 0)));
  EXPECT_EQ(slots(list), (std::vector<std::uint32_t>{0, 11, 1, 20}));
  EXPECT_EQ(list.slot(list.find(thread(1))), 1U);
  EXPECT_EQ(list.slot(list.find(copy(1, 0))), 20U);
}

TEST(CandidateList, CountsWhoIsEnabled) {
  CandidateList list;
  list.insert({.agent = thread(0), .next = &kOp, .enabled = true}, 0);
  list.insert({.agent = thread(1), .next = &kOp, .enabled = false}, 1);
  EXPECT_EQ(list.enabled(), 1U);
  list.set_enabled(1, true);
  list.set_enabled(1, true);
  EXPECT_EQ(list.enabled(), 2U);
  list.set_enabled(0, false);
  EXPECT_EQ(list.enabled(), 1U);
  list.erase(0);
  EXPECT_EQ(list.enabled(), 1U);
  list.erase(0);
  EXPECT_EQ(list.enabled(), 0U);
}

TEST(CandidateListDeathTest, AnAgentThatIsNotInItIsAFault) {
  CandidateList list;
  list.insert({.agent = thread(0), .next = &kOp, .enabled = true}, 0);
  EXPECT_EXIT(list.find(thread(1)), testing::ExitedWithCode(70), "without a next op");
}

}  // namespace
}  // namespace replait
