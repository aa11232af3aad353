#include "sched/describe.h"

#include <fmt/format.h>

namespace replait {

std::string to_string(const AgentIdentity& agent) {
  std::string text = fmt::format("device {}, core {}", agent.device, agent.core);
  if (agent.is_copy) text = fmt::format("copy {} of {}", agent.issue, text);
  if (agent.launch > 0) text = fmt::format("launch {}, {}", agent.launch, text);
  return text;
}

namespace {

std::uint64_t number(std::uint64_t field) { return field; }
template <typename Id>
requires std::is_enum_v<Id> std::uint64_t number(Id field) {
  return static_cast<std::uint64_t>(field);
}

template <typename... Fields>
std::uint64_t mixed(Fields... fields) {
  std::uint64_t fingerprint = 0;
  ((fingerprint = mix(fingerprint, number(fields))), ...);
  return fingerprint;
}

}  // namespace

std::uint64_t op_fingerprint(const Op& op) {
  const std::uint64_t fields =
      std::visit(Overloaded{
                     [](const Enter&) { return mixed(); },
                     [](const Exit&) { return mixed(); },
                     [](const GridStep& o) { return mixed(o.point); },
                     [](const Allocate& o) { return mixed(o.key, o.buffer, o.value); },
                     [](const Free& o) { return mixed(o.key); },
                     [](const Read& o) { return mixed(o.key, o.range, o.proxy); },
                     [](const Write& o) { return mixed(o.key, o.range, o.value, o.proxy); },
                     [](const Swap& o) { return mixed(o.key, o.range, o.value, o.proxy); },
                     [](const CreateSemaphore& o) { return mixed(o.semaphore); },
                     [](const Signal& o) { return mixed(o.semaphore, o.increment); },
                     [](const Wait& o) { return mixed(o.semaphore, o.demand); },
                     [](const ReadCount& o) { return mixed(o.semaphore); },
                     [](const IssueCopy& o) { return mixed(o.copy); },
                     [](const CopyStep& o) { return mixed(o.phase, o.value, o.bytes); },
                     [](const Arrive& o) { return mixed(o.barrier); },
                     [](const AwaitBarrier& o) { return mixed(o.barrier, o.phase); },
                     [](const CheckSemaphores&) { return mixed(); },
                     [](const Refuse& o) { return mixed(o.what); },
                     [](const Raise&) { return mixed(); },
                     [](const Choose& o) { return mixed(o.n); },
                     [](const Yield&) { return mixed(); },
                 },
                 op);
  return mix(fields, op.index());
}

}  // namespace replait
