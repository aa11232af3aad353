// The synchronisation of one execution, kept to say why two accesses are unordered.
//
// Only what moves clocks is kept, 48 bytes an op, by semaphore and by agent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/event_sink.h"

namespace replait {

enum class SyncKind : std::uint8_t {
  kSignal,         // By a thread.
  kSignalSend,     // By a copy, after its read.
  kSignalReceive,  // By a copy, after its write.
  kSignalPart,     // By a copy, early.
  kWait,
  kIssue,
  kArrive,
  kAwait,
  kEnter,
  kExit,
};

struct SyncOp {
  std::uint64_t event = 0;
  std::uint64_t amount = 0;  // Added or taken; kAwait: the phase.
  AgentId agent{};
  SourceId source{};
  std::uint32_t object = 0;  // The semaphore, the barrier, or the copy issued.
  SyncKind kind = SyncKind::kSignal;
};

// Whether it gives others what its agent knows.
bool releases(SyncKind kind);
bool acquires(SyncKind kind);
bool is_on_semaphore(SyncKind kind);

class SyncLog {
 public:
  void begin(const Tables& tables) { tables_ = &tables; }
  void add(const Applied& event);

  // In order of events.
  std::span<const std::uint32_t> of_semaphore(SemaphoreId id) const;
  std::span<const std::uint32_t> of_agent(AgentId id) const;
  const SyncOp& operator[](std::uint32_t index) const { return ops_[index]; }

  // When and where the copy was issued; nullopt if it never was.
  std::optional<SyncOp> issue_of(AgentId copy) const;

 private:
  void append(const Applied& event, SyncKind kind, std::uint32_t object, std::uint64_t amount);
  void signal(const Applied& event, SyncKind kind, SemaphoreId semaphore);
  void copy_step(const Applied& event, const CopyStep& step);

  const Tables* tables_ = nullptr;
  std::vector<SyncOp> ops_;
  std::vector<std::vector<std::uint32_t>> by_semaphore_;
  std::vector<std::vector<std::uint32_t>> by_agent_;
  std::vector<std::uint32_t> issue_;   // By copy: 1 + the place of its issue; 0: none.
  std::vector<std::uint64_t> counts_;  // By semaphore, after its last op.
};

}  // namespace replait
