#include "sim/candidate_list.h"

#include <algorithm>

#include "base/check.h"

namespace replait {

namespace {

// The order of AgentIdentity in two or three comparisons instead of five: this runs at every pick.
bool before(const AgentIdentity& a, const AgentIdentity& b) {
  const std::uint64_t a_device = std::uint64_t{a.launch} << 32 | a.device;
  const std::uint64_t b_device = std::uint64_t{b.launch} << 32 | b.device;
  if (a_device != b_device) return a_device < b_device;
  const std::uint64_t a_core = std::uint64_t{a.core} << 1 | (a.is_copy ? 1U : 0U);
  const std::uint64_t b_core = std::uint64_t{b.core} << 1 | (b.is_copy ? 1U : 0U);
  return a_core != b_core ? a_core < b_core : a.issue < b.issue;
}

}  // namespace

std::size_t CandidateList::lower_bound(const AgentIdentity& agent) const {
  const auto found = std::lower_bound(candidates_.begin(), candidates_.end(), agent,
                                      [](const Candidate& candidate, const AgentIdentity& id) {
                                        return before(candidate.agent, id);
                                      });
  return static_cast<std::size_t>(found - candidates_.begin());
}

void CandidateList::insert(const Candidate& candidate, std::uint32_t slot) {
  const auto position = static_cast<std::ptrdiff_t>(lower_bound(candidate.agent));
  candidates_.insert(candidates_.begin() + position, candidate);
  slots_.insert(slots_.begin() + position, slot);
  if (candidate.enabled) ++enabled_;
}

void CandidateList::erase(std::size_t position) {
  if (candidates_[position].enabled) --enabled_;
  candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(position));
  slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(position));
}

void CandidateList::set_enabled(std::size_t position, bool enabled) {
  bool& now = candidates_[position].enabled;
  if (now == enabled) return;
  now = enabled;
  enabled_ += enabled ? std::size_t{1} : ~std::size_t{0};
}

std::size_t CandidateList::find(const AgentIdentity& agent) {
  if (last_found_ >= candidates_.size() || candidates_[last_found_].agent != agent) {
    last_found_ = lower_bound(agent);
    REPLAIT_CHECK(last_found_ < candidates_.size() && candidates_[last_found_].agent == agent,
                  "an agent without a next op was picked");
  }
  return last_found_;
}

}  // namespace replait
