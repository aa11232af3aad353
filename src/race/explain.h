// Why two accesses of a race are unordered, and what would order them, in words.
//
// Says only what the observed relation shows: which release came after the earlier access, which
// acquire before the later one, and that the one did not reach the other. The missing edge is a
// suggestion: one that would order the two in this run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "race/race.h"
#include "race/sync_log.h"
#include "trace/describe.h"

namespace replait {

class Explainer {
 public:
  // Both must outlive this.
  Explainer(const Tables& tables, const SyncLog& log) : tables_(tables), log_(log), say_(tables) {}

  // Fills in race.nearest and race.missing.
  void explain(Race& race) const;

 private:
  // Who had to know of the earlier access, and by when: the later access's thread, or who issued
  // it.
  struct Learner {
    AgentId thread{};
    std::uint64_t before = 0;  // An event.
    std::string what;          // "its read (ring.cpp:50, event 12)", "its issue of copy #3 ..."
  };
  Learner learner_of(const MemoryAccess& access) const;
  std::string where(SourceId source, std::uint64_t event) const;
  std::string its(const MemoryAccess& access) const;
  std::string amount(SemaphoreId semaphore, std::uint64_t n) const;
  bool owns(AgentId thread, SemaphoreId semaphore) const;
  std::string owner(SemaphoreId semaphore) const;
  SemaphoreId signalled_after(const MemoryAccess& access) const;

  bool is_in_flight(const Race& race) const;
  void explain_copy_first(Race& race) const;
  void explain_in_flight(Race& race) const;
  void explain_thread_first(Race& race) const;
  void tell_release(Race& race, const Learner& learner) const;
  void tell_acquire(Race& race, const Learner& learner) const;
  void tell_wait(Race& race, const SyncOp& wait) const;
  void tell_knowing(Race& race, const Learner& learner) const;

  std::optional<SyncOp> signal_by(AgentId copy, SemaphoreId semaphore) const;
  std::optional<SyncOp> last_wait(AgentId thread, SemaphoreId semaphore, std::uint64_t after,
                                  std::uint64_t before) const;
  bool is_shared(AgentId copy, SemaphoreId semaphore) const;
  std::string wait_for(AgentId copy, SemaphoreId semaphore, const Learner& learner) const;

  const Tables& tables_;
  const SyncLog& log_;
  Describer say_;
};

}  // namespace replait
