// The race detector: all pairs of overlapping accesses, one of them a write, that nothing orders in
// this run.
//
// Each access is compared with what was done to its buffer before, so every racing pair is found,
// not only the first a location; pairs are counted, not kept, and grouped by buffer, source lines
// and kind. A copy's read and its write are accesses of the copy itself, with the line that issued
// it. Buffers of different launches never meet; a key that is freed and allocated anew is another
// buffer.
//
// Limits: judges this run only (the observed relation). An access that raised touched nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "race/access_history.h"
#include "race/happens_before.h"
#include "race/race.h"
#include "race/sync_log.h"
#include "trace/event_sink.h"

namespace replait {

struct RaceDetectorOptions {
  // A buffer's records are looked through for droppable ones from this many on.
  std::size_t records_min = 256;
};

class RaceDetector : public EventSink {
 public:
  explicit RaceDetector(const RaceDetectorOptions& options = {}) : options_(options) {}

  void begin(const Header& header, const Tables& tables) override;
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd& end) override;

  // The relation that it judges by, for whoever needs the clocks or their hash.
  const HappensBefore& happens_before() const { return happens_before_; }

  // In order of their witnesses. Complete, with their explanations, after finish().
  const std::vector<Race>& races() const { return races_; }
  std::uint64_t accesses() const { return accesses_; }

 private:
  struct Allocation {
    std::optional<BufferId> buffer;
    std::uint64_t references = 0;
    std::unique_ptr<AccessHistory> history;
  };
  using Group = std::tuple<KeyId, SourceId, SourceId, RaceKind>;

  void see(const Applied& event, const HappensBefore::Stamp& stamp);
  void allocate(const Allocate& op);
  void free(KeyId key);
  void access(KeyId key, const MemoryAccess& access, const HappensBefore::Stamp& stamp);
  void add_pairs(KeyId key, const AccessRecord& earlier, const MemoryAccess& later);
  void drop_finished(LaunchId launch);
  Allocation& allocation(KeyId key);

  RaceDetectorOptions options_;
  const Tables* tables_ = nullptr;
  HappensBefore happens_before_;
  SyncLog log_;
  std::vector<Allocation> allocations_;                 // By key.
  std::map<LaunchId, std::vector<KeyId>> keys_in_use_;  // With a history.
  std::vector<SourceId> issued_at_;                     // By copy agent.
  std::map<Group, std::size_t> groups_;
  std::vector<Race> races_;
  std::uint64_t accesses_ = 0;
};

}  // namespace replait
