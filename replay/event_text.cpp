#include "replay/event_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "model/machine.h"
#include "sched/describe.h"

namespace replait {
namespace {

std::string phase_word(CopyPhase phase) {
  switch (phase) {
    case CopyPhase::kReadSource:
      return "read source";
    case CopyPhase::kSignalSend:
      return "signal send";
    case CopyPhase::kWriteDestination:
      return "write destination";
    case CopyPhase::kPartialReceive:
      return "partial receive";
    case CopyPhase::kSignalReceive:
      return "signal receive";
  }
  REPLAIT_CHECK(false, "unknown phase of a copy");
}

std::string range_text(const RangeRow& range) {
  std::string text;
  for (const Dim& dim : range.dims) {
    if (!text.empty()) text += ", ";
    if (dim.is_index)
      text += fmt::format("{}", dim.start);
    else if (dim.stride == 1)
      text += fmt::format("{}:{}", dim.start, dim.stop);
    else
      text += fmt::format("{}:{}:{}", dim.start, dim.stop, dim.stride);
  }
  return fmt::format("[{}]{}", text.empty() ? "..." : text, range.mask.empty() ? "" : " masked");
}

std::string key_text(const Tables& tables, const Machine& machine, KeyId key) {
  const auto buffer = machine.buffer_at(key);
  if (buffer && !tables[*buffer].name.empty()) return tables[*buffer].name;
  return python_repr(tables[key]);
}

std::string barrier_text(const Tables& tables, BarrierId id) {
  const BarrierRow& row = tables[id];
  if (!row.name.empty()) return row.name;
  switch (row.kind) {
    case BarrierKind::kLaunchStart:
      return "launch start";
    case BarrierKind::kLaunchEnd:
      return "launch end";
    case BarrierKind::kCoresStart:
      return fmt::format("start of device {}'s cores", row.device);
    case BarrierKind::kCoresEnd:
      return fmt::format("end of device {}'s cores", row.device);
    case BarrierKind::kUser:
      return fmt::format("barrier {}", row.number);
  }
  REPLAIT_CHECK(false, "unknown kind of barrier");
}

std::string refused_text(RefusedOp what) {
  switch (what) {
    case RefusedOp::kMaskedLoad:
      return "masked load";
    case RefusedOp::kCollectiveRunScoped:
      return "run_scoped with collective axes";
  }
  REPLAIT_CHECK(false, "unknown refused op");
}

}  // namespace

std::string op_word(const Op& op) {
  if (const auto* step = std::get_if<CopyStep>(&op)) return phase_word(step->phase);
  return std::string(op_name(op));
}

std::string agent_text(const Tables& tables, AgentId agent) {
  return to_string(tables.identity(agent));
}

std::string semaphore_text(const Tables& tables, SemaphoreId id) {
  const SemaphoreRow& row = tables[id];
  const std::string name = row.name.empty() ? fmt::format("semaphore {}", row.id) : row.name;
  return fmt::format("{} of device {} core {}", name, row.device, row.core);
}

std::string operands_text(const Tables& tables, const Machine& machine, const Op& op) {
  const auto access = [&](KeyId key, RangeId range) {
    return key_text(tables, machine, key) + range_text(tables[range]);
  };
  const auto copy = [&](AgentId id) {
    const AgentRow& row = tables[id];
    if (!row.is_copy()) return std::string("no copy");
    return fmt::format("copy {}: {} -> {}", row.issue,
                       access(row.copy.source_key, row.copy.source_range),
                       access(row.copy.destination_key, row.copy.destination_range));
  };
  return std::visit(
      Overloaded{
          [](const Enter&) { return std::string(); },
          [](const Exit&) { return std::string(); },
          [&](const GridStep& o) { return python_repr(tables[o.point]); },
          [&](const Allocate& o) {
            const BufferRow& row = tables[o.buffer];
            return fmt::format("{} {}{}{}{}", python_repr(tables[o.key]), dtype_name(row.dtype),
                               python_repr(tables[row.content_shape]), row.name.empty() ? "" : " ",
                               row.name);
          },
          [&](const Free& o) { return key_text(tables, machine, o.key); },
          [&](const Read& o) { return access(o.key, o.range); },
          [&](const Write& o) { return access(o.key, o.range); },
          [&](const Swap& o) { return access(o.key, o.range); },
          [&](const CreateSemaphore& o) { return semaphore_text(tables, o.semaphore); },
          [&](const Signal& o) {
            return fmt::format("{} {}", semaphore_text(tables, o.semaphore), o.increment);
          },
          [&](const Wait& o) {
            return fmt::format("{} {}", semaphore_text(tables, o.semaphore), o.demand);
          },
          [&](const ReadCount& o) { return semaphore_text(tables, o.semaphore); },
          [&](const IssueCopy& o) { return copy(o.copy); },
          [](const CopyStep& o) { return o.bytes == 0 ? "" : fmt::format("{} bytes", o.bytes); },
          [&](const Arrive& o) { return barrier_text(tables, o.barrier); },
          [&](const AwaitBarrier& o) {
            return fmt::format("{} phase {}", barrier_text(tables, o.barrier), o.phase);
          },
          [](const CheckSemaphores&) { return std::string(); },
          [](const Refuse& o) { return refused_text(o.what); },
          [](const Raise&) { return std::string(); },
          [](const Choose& o) { return fmt::format("of {}", o.n); },
          [](const Yield&) { return std::string(); },
      },
      op);
}

std::string source_text(const Tables& tables, SourceId id) {
  if (to_index(id) == 0) return "";
  const SourceRow& row = tables[id];
  return fmt::format("{}:{}", row.file, row.line);
}

std::string event_text(const Tables& tables, const Machine& machine, AgentId agent, SourceId source,
                       const Op& op) {
  std::string line =
      fmt::format("{:<17} {:<16}  {:<30}  {}", op_word(op), agent_text(tables, agent),
                  operands_text(tables, machine, op), source_text(tables, source));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string outcome_text(const Tables& tables, const Outcome& outcome) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (to_index(outcome.error) != 0) {
    const ErrorRow& error = tables[outcome.error];
    add(error.type.empty() ? "printed: " + error.text : error.type + ": " + error.text);
  }
  if (to_index(outcome.value) != 0) {
    const auto& hash = tables[outcome.value].hash;
    add(fmt::format("value {:016x}", hash[0]));
  }
  if (outcome.count != 0) add(fmt::format("count {}", outcome.count));
  return text.empty() ? "nothing" : text;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace replait
