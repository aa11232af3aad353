#include "sim/resource.h"

namespace replait {

namespace {

Resource semaphore(SemaphoreId id) {
  return {.kind = Resource::Kind::kSemaphore, .id = to_index(id)};
}
Resource barrier(BarrierId id) { return {.kind = Resource::Kind::kBarrier, .id = to_index(id)}; }

Resource changed_by_phase(CopyPhase phase, const CopyRow& copy) {
  switch (phase) {
    case CopyPhase::kReadSource:
    case CopyPhase::kWriteDestination:
      return {};
    case CopyPhase::kSignalSend:
      return copy.send_semaphore ? semaphore(*copy.send_semaphore) : Resource{};
    case CopyPhase::kPartialReceive:
    case CopyPhase::kSignalReceive:
      return semaphore(copy.receive_semaphore);
  }
  return {};
}

}  // namespace

Resource waits_for(const Op& op) {
  if (const auto* wait = std::get_if<Wait>(&op)) return semaphore(wait->semaphore);
  if (const auto* await = std::get_if<AwaitBarrier>(&op)) return barrier(await->barrier);
  return {};
}

Resource changes(const Op& op, AgentId agent, const Tables& tables) {
  return std::visit(
      Overloaded{
          [](const Enter&) { return Resource{}; },
          [](const Exit&) { return Resource{}; },
          [](const GridStep&) { return Resource{}; },
          [](const Allocate&) { return Resource{}; },
          [](const Free&) { return Resource{}; },
          [](const Read&) { return Resource{}; },
          [](const Write&) { return Resource{}; },
          [](const Swap&) { return Resource{}; },
          [](const CreateSemaphore&) { return Resource{}; },
          [](const Signal& o) { return semaphore(o.semaphore); },
          [](const Wait& o) { return semaphore(o.semaphore); },
          [](const ReadCount&) { return Resource{}; },
          [](const IssueCopy&) { return Resource{}; },
          [&](const CopyStep& o) { return changed_by_phase(o.phase, tables[agent].copy); },
          [](const Arrive& o) { return barrier(o.barrier); },
          [](const AwaitBarrier&) { return Resource{}; },
          [](const CheckSemaphores&) { return Resource{}; },
          [](const Refuse&) { return Resource{}; },
          [](const Raise&) { return Resource{}; },
          [](const Choose&) { return Resource{}; },
          [](const Yield&) { return Resource{}; },
      },
      op);
}

}  // namespace replait
