// Counting semaphores, in JAX's two spaces.
//
// Internal ids belong to a launch, fixed ids (barrier semaphores) to none; an id in both is an
// error when it is used. One id has one count a core. Counts are numpy's 32-bit integers: an
// increment that does not fit raises, a sum that does not fit wraps.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "trace/tables.h"

namespace replait {

class Semaphores {
 public:
  explicit Semaphores(Tables& tables) : tables_(tables) {}

  using Place = std::pair<std::uint32_t, std::uint32_t>;  // Device, core.

  // All cores' counts of one id.
  struct Group {
    bool exists = false;
    std::map<Place, std::int32_t> counts;
  };

  void create(SemaphoreId semaphore);

  // The group that an op of `launch` on `semaphore` uses. Returns the error, or 0.
  ErrorId find(SemaphoreId semaphore, LaunchId launch, Group*& group);

  // As an op of `launch`, on a found group. The increment is a signed number, as the demand is.
  Outcome signal(Group& group, SemaphoreId semaphore, LaunchId launch, std::uint64_t increment);
  // REQUIRES: readiness() says ready.
  Outcome wait(SemaphoreId semaphore, LaunchId launch, std::uint64_t demand);
  Outcome read(SemaphoreId semaphore, LaunchId launch);

  // What a wait for `demand` has and needs; ready where it would raise.
  Readiness readiness(SemaphoreId semaphore, LaunchId launch, std::uint64_t demand);

  // 0 where the semaphore does not exist.
  std::uint64_t count(SemaphoreId semaphore) const;

  // JAX's check of one device at the end of a launch. It prints the first non-zero count that it
  // finds in a set of both spaces, whose order is that of addresses: where `observed` names one
  // that is not zero either, that one is taken; else the smallest id, internal ones first.
  ErrorId check(LaunchId launch, std::uint32_t device, const Outcome* observed);

  // JAX drops all semaphores with the launch, fixed ones too.
  void end_launch(LaunchId launch);

 private:
  struct Name {
    SemaphoreKind kind;
    LaunchId launch;  // 0 for a fixed one.
    std::int64_t id;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  struct Resolved {
    Group* group = nullptr;
    std::int32_t* count = nullptr;
  };

  Name name_of(const SemaphoreRow& row) const;
  Group& group_of(SemaphoreId semaphore);
  Resolved& resolved(SemaphoreId semaphore);
  // The count on the semaphore's core; null with an error where the launch has no such core.
  ErrorId count_at(Group& group, SemaphoreId semaphore, LaunchId launch, std::int32_t*& count);
  ErrorId nonzero(const Name& name, const Place& place, std::int32_t count, LaunchId launch);

  Tables& tables_;
  std::map<Name, Group> groups_;
  std::set<std::pair<LaunchId, std::int64_t>> in_both_;  // Ids that a launch finds in both spaces.
  std::vector<Resolved> resolved_;                       // By semaphore.
};

}  // namespace replait
