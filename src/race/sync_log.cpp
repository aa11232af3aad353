#include "race/sync_log.h"

#include <limits>

#include "base/check.h"

namespace replait {
namespace {

template <typename Row>
Row& grown(std::vector<Row>& rows, std::uint32_t index) {
  if (index >= rows.size()) rows.resize(std::size_t{index} + 1);
  return rows[index];
}

}  // namespace

bool releases(SyncKind kind) {
  switch (kind) {
    case SyncKind::kSignal:
    case SyncKind::kSignalSend:
    case SyncKind::kSignalReceive:
    case SyncKind::kSignalPart:
    case SyncKind::kIssue:
    case SyncKind::kArrive:
    case SyncKind::kExit:
      return true;
    case SyncKind::kWait:
    case SyncKind::kAwait:
    case SyncKind::kEnter:
      return false;
  }
  return false;
}

bool acquires(SyncKind kind) { return !releases(kind); }

bool is_on_semaphore(SyncKind kind) {
  switch (kind) {
    case SyncKind::kSignal:
    case SyncKind::kSignalSend:
    case SyncKind::kSignalReceive:
    case SyncKind::kSignalPart:
    case SyncKind::kWait:
      return true;
    case SyncKind::kIssue:
    case SyncKind::kArrive:
    case SyncKind::kAwait:
    case SyncKind::kEnter:
    case SyncKind::kExit:
      return false;
  }
  return false;
}

void SyncLog::append(const Applied& event, SyncKind kind, std::uint32_t object,
                     std::uint64_t amount) {
  REPLAIT_CHECK(ops_.size() < std::numeric_limits<std::uint32_t>::max());
  const auto index = static_cast<std::uint32_t>(ops_.size());
  ops_.push_back({event.index, amount, event.agent, event.source, object, kind});
  grown(by_agent_, to_index(event.agent)).push_back(index);
  if (is_on_semaphore(kind)) grown(by_semaphore_, object).push_back(index);
}

// What a signal added is the difference that it made, whatever JAX made of the copy's bytes.
void SyncLog::signal(const Applied& event, SyncKind kind, SemaphoreId semaphore) {
  std::uint64_t& count = grown(counts_, to_index(semaphore));
  const std::uint64_t added = event.outcome.count >= count ? event.outcome.count - count : 0;
  count = event.outcome.count;
  append(event, kind, to_index(semaphore), added);
}

void SyncLog::copy_step(const Applied& event, const CopyStep& step) {
  const AgentRow& row = (*tables_)[event.agent];
  if (!row.is_copy()) return;
  switch (step.phase) {
    case CopyPhase::kReadSource:
    case CopyPhase::kWriteDestination:
      return;
    case CopyPhase::kSignalSend:
      if (row.copy.send_semaphore.has_value()) {
        signal(event, SyncKind::kSignalSend, *row.copy.send_semaphore);
      }
      return;
    case CopyPhase::kPartialReceive:
      signal(event, SyncKind::kSignalPart, row.copy.receive_semaphore);
      return;
    case CopyPhase::kSignalReceive:
      signal(event, SyncKind::kSignalReceive, row.copy.receive_semaphore);
      return;
  }
}

void SyncLog::add(const Applied& event) {
  std::visit(Overloaded{
                 [&](const Signal& op) { signal(event, SyncKind::kSignal, op.semaphore); },
                 [&](const Wait& op) {
                   grown(counts_, to_index(op.semaphore)) = event.outcome.count;
                   append(event, SyncKind::kWait, to_index(op.semaphore), op.demand);
                 },
                 [](const ReadCount&) {},
                 [&](const IssueCopy& op) {
                   append(event, SyncKind::kIssue, to_index(op.copy), 0);
                   grown(issue_, to_index(op.copy)) = static_cast<std::uint32_t>(ops_.size());
                 },
                 [&](const CopyStep& step) { copy_step(event, step); },
                 [&](const Arrive& op) {
                   if ((*tables_)[op.barrier].interpreter_only) return;
                   append(event, SyncKind::kArrive, to_index(op.barrier), 0);
                 },
                 [&](const AwaitBarrier& op) {
                   if ((*tables_)[op.barrier].interpreter_only) return;
                   append(event, SyncKind::kAwait, to_index(op.barrier), op.phase);
                 },
                 [&](const Enter&) { append(event, SyncKind::kEnter, 0, 0); },
                 [&](const Exit&) { append(event, SyncKind::kExit, 0, 0); },
                 [](const GridStep&) {},
                 [](const Allocate&) {},
                 [](const Free&) {},
                 [](const Read&) {},
                 [](const Write&) {},
                 [](const Swap&) {},
                 [](const CreateSemaphore&) {},
                 [](const CheckSemaphores&) {},
                 [](const Refuse&) {},
                 [](const Raise&) {},
                 [](const Choose&) {},
                 [](const Yield&) {},
             },
             event.op);
}

std::span<const std::uint32_t> SyncLog::of_semaphore(SemaphoreId id) const {
  if (to_index(id) >= by_semaphore_.size()) return {};
  return by_semaphore_[to_index(id)];
}

std::span<const std::uint32_t> SyncLog::of_agent(AgentId id) const {
  if (to_index(id) >= by_agent_.size()) return {};
  return by_agent_[to_index(id)];
}

std::optional<SyncOp> SyncLog::issue_of(AgentId copy) const {
  if (to_index(copy) >= issue_.size() || issue_[to_index(copy)] == 0) return std::nullopt;
  return ops_[issue_[to_index(copy)] - 1];
}

}  // namespace replait
