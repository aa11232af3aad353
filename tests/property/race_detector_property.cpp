// The race detector against the oracle, on random executions.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "race/race_detector.h"
#include "race_oracle.h"
#include "race_random_execution.h"

namespace replait {
namespace {

std::vector<std::uint16_t> tape(std::size_t length) {
  return *rc::gen::container<std::vector<std::uint16_t>>(length,
                                                         rc::gen::inRange<std::uint16_t>(0, 65535));
}

// For a counterexample: one line a group.
std::string to_text(const OracleRaces& races) {
  std::string text;
  for (const auto& [group, race] : races) {
    const auto& [key, low, high, both_write] = group;
    text += "key " + std::to_string(to_index(key)) + " lines " + std::to_string(to_index(low)) +
            " " + std::to_string(to_index(high)) + (both_write ? " ww" : " rw") + ": " +
            std::to_string(race.pairs) + " pairs, " + std::to_string(race.first) + " and " +
            std::to_string(race.second) + "\n";
  }
  return text;
}

OracleRaces as_oracle(const std::vector<Race>& races) {
  OracleRaces result;
  for (const Race& race : races) {
    const auto [low, high] = std::minmax(race.first.source, race.second.source);
    result[{race.key, low, high, race.kind == RaceKind::kWriteWrite}] = {
        race.pairs, race.first.event, race.second.event};
  }
  return result;
}

RC_GTEST_PROP(RaceDetector, FindsExactlyTheRacesOfTheOracle, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(20, 600);
  const RandomExecution execution(tape(length));
  // Small, so that what can no longer race is dropped all the time.
  RaceDetector detector({.records_min = *rc::gen::inRange<std::size_t>(1, 6)});
  execution.builder.feed(detector);
  const OracleRaces expected =
      RaceOracle(execution.builder.tables, execution.builder.events).races();
  RC_ASSERT(to_text(as_oracle(detector.races())) == to_text(expected));
  RC_CLASSIFY(expected.empty(), "race-free");
  for (const Race& race : detector.races()) {
    RC_ASSERT(!race.nearest.empty());
    RC_ASSERT(!race.missing.empty());
  }
}

RC_GTEST_PROP(HappensBefore, OrdersExactlyThePairsOfTheOracle, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(20, 300);
  const RandomExecution execution(tape(length));
  const std::vector<Applied>& events = execution.builder.events;
  const RaceOracle oracle(execution.builder.tables, events);
  HappensBefore relation;
  relation.begin(Header{}, execution.builder.tables);
  std::vector<std::pair<SlotId, Epoch>> at;
  for (std::size_t b = 0; b < events.size(); ++b) {
    const HappensBefore::Stamp stamp = relation.apply(events[b]);
    for (std::size_t a = 0; a < b; ++a) {
      if (events[a].agent == events[b].agent) continue;
      RC_ASSERT(stamp.clock->covers(at[a].first, at[a].second) == oracle.ordered(a, b));
    }
    at.emplace_back(stamp.slot, stamp.epoch);
  }
}

}  // namespace
}  // namespace replait
