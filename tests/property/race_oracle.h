// The race oracle: what the race detector must find, by the slowest way there is.
//
// One clock entry an agent, a clock for every event, every pair of accesses, element by element.
// Shares no code with src/race: it reads the same events and nothing else.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "trace/event_sink.h"

namespace replait {

struct OracleRace {
  std::uint64_t pairs = 0;
  std::uint64_t first = 0;  // Events of the witness.
  std::uint64_t second = 0;
  friend auto operator<=>(const OracleRace&, const OracleRace&) = default;
};
// Key, lower and higher source, whether both write.
using OracleGroup = std::tuple<KeyId, SourceId, SourceId, bool>;
using OracleRaces = std::map<OracleGroup, OracleRace>;

class RaceOracle {
 public:
  RaceOracle(const Tables& tables, std::span<const Applied> events);

  OracleRaces races() const;

  // Whether event a is before event b in happens-before. REQUIRES: a < b.
  bool ordered(std::uint64_t a, std::uint64_t b) const;

 private:
  using Clock = std::map<AgentId, std::uint64_t>;  // Events of each agent that are known.
  using Element = std::vector<std::int64_t>;
  struct Touch {
    std::uint64_t event;
    AgentId agent;
    SourceId source;
    KeyId key;
    std::set<Element> elements;
    bool reads;
    bool writes;
  };

  static void join(Clock& into, const Clock& from);
  void acquire(const Applied& event, Clock& clock);
  void release(const Applied& event, const Clock& clock);
  void access(const Applied& event);
  void touch(const Applied& event, SourceId source, KeyId key, RangeId range, bool reads,
             bool writes);
  std::set<Element> elements(RangeId range, KeyId key) const;

  const Tables& tables_;
  std::vector<AgentId> agents_;  // By event.
  std::vector<Clock> clocks_;    // By event, with the event itself.
  std::map<AgentId, Clock> now_;
  std::map<SemaphoreId, Clock> semaphores_;
  std::map<std::pair<BarrierId, std::uint64_t>, Clock> phases_;
  std::map<BarrierId, std::uint64_t> arrivals_;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, Clock>> exits_;  // Launch, device.
  std::map<AgentId, SourceId> issued_at_;
  std::map<KeyId, BufferId> buffers_;
  std::vector<Touch> touches_;
};

}  // namespace replait
