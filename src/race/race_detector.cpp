#include "race/race_detector.h"

#include <algorithm>

#include "race/explain.h"

namespace replait {

std::string_view to_string(MemoryAccessKind kind) {
  switch (kind) {
    case MemoryAccessKind::kRead:
      return "read";
    case MemoryAccessKind::kWrite:
      return "write";
    case MemoryAccessKind::kSwap:
      return "swap";
    case MemoryAccessKind::kCopyRead:
      return "copy's read";
    case MemoryAccessKind::kCopyWrite:
      return "copy's write";
  }
  return {};
}

std::string_view rule_of(RaceKind kind) {
  switch (kind) {
    case RaceKind::kWriteWrite:
      return "race.write-write";
    case RaceKind::kReadWrite:
      return "race.read-write";
  }
  return {};
}

void RaceDetector::begin(const Header& header, const Tables& tables) {
  tables_ = &tables;
  log_.begin(tables);
  happens_before_.begin(header, tables);
}

void RaceDetector::consume(std::span<const Applied> events) {
  for (const Applied& event : events) {
    const HappensBefore::Stamp stamp = happens_before_.apply(event);
    const bool raised = to_index(event.outcome.error) != 0 &&
                        (*tables_)[event.outcome.error].kind == ErrorKind::kRaised;
    if (raised) continue;
    log_.add(event);
    see(event, stamp);
  }
}

void RaceDetector::see(const Applied& event, const HappensBefore::Stamp& stamp) {
  const auto touch = [&](KeyId key, RangeId range, MemoryAccessKind kind) {
    access(key, {event.index, event.agent, event.source, kind, range}, stamp);
  };
  const auto touch_by_copy = [&](const CopyStep& step) {
    const AgentRow& row = (*tables_)[event.agent];
    if (!row.is_copy()) return;
    const std::size_t index = to_index(event.agent);
    const SourceId source = index < issued_at_.size() ? issued_at_[index] : SourceId{};
    const CopyRow& copy = row.copy;
    if (step.phase == CopyPhase::kReadSource) {
      access(copy.source_key,
             {event.index, event.agent, source, MemoryAccessKind::kCopyRead, copy.source_range},
             stamp);
    } else if (step.phase == CopyPhase::kWriteDestination) {
      access(
          copy.destination_key,
          {event.index, event.agent, source, MemoryAccessKind::kCopyWrite, copy.destination_range},
          stamp);
    } else if (step.phase == CopyPhase::kSignalReceive) {
      drop_finished(row.launch);
    }
  };
  std::visit(Overloaded{
                 [&](const Allocate& op) { allocate(op); },
                 [&](const Free& op) { free(op.key); },
                 [&](const Read& op) { touch(op.key, op.range, MemoryAccessKind::kRead); },
                 [&](const Write& op) { touch(op.key, op.range, MemoryAccessKind::kWrite); },
                 [&](const Swap& op) { touch(op.key, op.range, MemoryAccessKind::kSwap); },
                 [&](const IssueCopy& op) {
                   if (to_index(op.copy) >= issued_at_.size()) issued_at_.resize(tables_->agents());
                   issued_at_[to_index(op.copy)] = event.source;
                 },
                 touch_by_copy,
                 [&](const Exit&) { drop_finished((*tables_)[event.agent].launch); },
                 [](const Enter&) {},
                 [](const GridStep&) {},
                 [](const CreateSemaphore&) {},
                 [](const Signal&) {},
                 [](const Wait&) {},
                 [](const ReadCount&) {},
                 [](const Arrive&) {},
                 [](const AwaitBarrier&) {},
                 [](const CheckSemaphores&) {},
                 [](const Refuse&) {},
                 [](const Raise&) {},
                 [](const Choose&) {},
                 [](const Yield&) {},
             },
             event.op);
}

RaceDetector::Allocation& RaceDetector::allocation(KeyId key) {
  if (to_index(key) >= allocations_.size()) allocations_.resize(tables_->keys());
  return allocations_[to_index(key)];
}

// Only the first allocation of a key takes effect, as in JAX.
void RaceDetector::allocate(const Allocate& op) {
  Allocation& held = allocation(op.key);
  if (held.references != 0) return;
  held.buffer = op.buffer;
  held.references = std::max((*tables_)[op.buffer].references, 1u);
  held.history.reset();
}

void RaceDetector::free(KeyId key) {
  Allocation& held = allocation(key);
  if (held.references == 0 || --held.references != 0) return;
  held.history.reset();
}

void RaceDetector::access(KeyId key, const MemoryAccess& access,
                          const HappensBefore::Stamp& stamp) {
  ++accesses_;
  Allocation& held = allocation(key);
  const LaunchId launch = (*tables_)[key].launch;
  if (held.history == nullptr) {
    const BufferRow* buffer = held.buffer ? &(*tables_)[*held.buffer] : nullptr;
    held.history = std::make_unique<AccessHistory>(*tables_, buffer, options_.records_min);
    keys_in_use_[launch].push_back(key);
  }
  held.history->add(access, stamp.slot, stamp.epoch, *stamp.clock,
                    [&](const AccessRecord& earlier) { add_pairs(key, earlier, access); });
  if (held.history->is_full()) {
    held.history->drop_known(
        [&](SlotId slot) { return happens_before_.known_to_all(launch, slot); });
  }
}

void RaceDetector::add_pairs(KeyId key, const AccessRecord& earlier, const MemoryAccess& later) {
  const RaceKind kind = writes(earlier.access.kind) && writes(later.kind) ? RaceKind::kWriteWrite
                                                                          : RaceKind::kReadWrite;
  const auto [low, high] = std::minmax(earlier.access.source, later.source);
  const auto [group, is_new] = groups_.try_emplace({key, low, high, kind}, races_.size());
  if (is_new) {
    races_.emplace_back();
    races_.back().kind = kind;
    races_.back().key = key;
    races_.back().buffer = allocation(key).buffer;
  }
  Race& race = races_[group->second];
  race.pairs += earlier.count;
  const bool first_witness =
      is_new || (race.second.event == later.event && earlier.access.event < race.first.event);
  if (!first_witness) return;
  race.first = earlier.access;
  race.second = later;
  race.knowing.clear();
  for (const AgentId thread : happens_before_.running_threads()) {
    if (happens_before_.clock(thread).covers(earlier.slot, earlier.epoch))
      race.knowing.push_back(thread);
  }
}

// Nothing can touch a launch's buffers once its threads have left and its copies are complete.
void RaceDetector::drop_finished(LaunchId launch) {
  if (!happens_before_.is_over(launch)) return;
  for (const KeyId key : keys_in_use_[launch]) allocation(key).history.reset();
  keys_in_use_.erase(launch);
}

void RaceDetector::finish(const ExecutionEnd& end) {
  happens_before_.finish(end);
  std::stable_sort(races_.begin(), races_.end(), [](const Race& a, const Race& b) {
    return std::tie(a.second.event, a.first.event) < std::tie(b.second.event, b.first.event);
  });
  groups_.clear();
  const Explainer explainer(*tables_, log_);
  for (Race& race : races_) explainer.explain(race);
}

}  // namespace replait
