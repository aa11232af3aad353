#include "trace/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace replait {

std::string Describer::place(std::uint32_t device, std::uint32_t core) const {
  return fmt::format("device {}, core {}", device, core);
}

std::string Describer::agent(AgentId id) const {
  const AgentRow& row = tables_[id];
  std::string text;
  if (tables_.launches() > 1) text = fmt::format("launch {}, ", tables_[row.launch].number);
  if (!row.is_copy()) return text + place(row.device, row.core);
  text += fmt::format("copy #{}", row.issue);
  const SemaphoreRow& to = tables_[row.copy.receive_semaphore];  // On the core that receives.
  const bool cores = tables_[row.launch].cores_per_device > 1;
  const std::string start =
      cores ? place(row.device, row.core) : fmt::format("device {}", row.device);
  if (row.copy.pipeline) return text + fmt::format(" (grid pipeline of {})", start);
  if (to.device == row.device && (!cores || to.core == row.core)) {
    return text + fmt::format(" ({})", start);
  }
  return text +
         fmt::format(" ({} -> {})", start,
                     cores ? place(to.device, to.core) : fmt::format("device {}", to.device));
}

std::string Describer::key(KeyId id) const {
  const KeyRow& row = tables_[id];
  return fmt::format("('{}', {}, {}, {})", printable(row.space), row.buffer, row.device, row.core);
}

std::string Describer::buffer(KeyId key_id, std::optional<BufferId> buffer) const {
  const bool named = buffer.has_value() && !tables_[*buffer].name.empty();
  return (named ? printable(tables_[*buffer].name) : "buffer") + " " + key(key_id);
}

std::string Describer::type(BufferId id) const {
  const BufferRow& row = tables_[id];
  if (row.kind != AllocationKind::kBuffer) return "no buffer";
  return fmt::format("{}[{}]", short_name(row.dtype), fmt::join(tables_[row.logical_shape], ","));
}

std::string Describer::range(RangeId id) const {
  const RangeRow& row = tables_[id];
  if (row.dims.empty() && row.mask.empty()) return "[...]";
  std::string text = "[";
  for (const Dim& dim : row.dims) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("{}", dim.start);
    if (dim.is_index) continue;
    text += fmt::format(":{}", dim.stop);
    if (dim.stride != 1) text += fmt::format(":{}", dim.stride);
  }
  text += row.dims.empty() ? "...]" : "]";
  if (row.mask.empty()) return text;
  std::uint64_t elements = 0;
  for (const std::uint8_t byte : row.mask) elements += static_cast<unsigned>(std::popcount(byte));
  return text + fmt::format(" where masked ({} elements)", elements);
}

std::string Describer::semaphore(SemaphoreId id) const {
  const SemaphoreRow& row = tables_[id];
  const bool fixed = row.kind == SemaphoreKind::kFixed;
  const std::string name = !row.name.empty() ? printable(row.name)
                           : fixed           ? "barrier semaphore"
                                             : "semaphore";
  return fmt::format("{} [{}{} on {}]", name, fixed ? "id " : "", row.id,
                     place(row.device, row.core));
}

std::string Describer::barrier(BarrierId id) const {
  const BarrierRow& row = tables_[id];
  const std::string name = row.name.empty() ? "" : " " + printable(row.name);
  switch (row.kind) {
    case BarrierKind::kLaunchStart:
      return "the barrier at the start of the launch";
    case BarrierKind::kLaunchEnd:
      return "the interpreter's barrier at the end of the launch";
    case BarrierKind::kCoresStart:
      return fmt::format("the start of the cores of device {}", row.device);
    case BarrierKind::kCoresEnd:
      return fmt::format("the end of the cores of device {}", row.device);
    case BarrierKind::kUser:
      return fmt::format("barrier{} [{}]", name, row.number);
  }
  return {};
}

std::string Describer::source(SourceId id) const {
  if (to_index(id) == 0) return "an unknown line";
  const SourceRow& row = tables_[id];
  return fmt::format("{}:{}", printable(row.file), row.line);
}

std::string Describer::source_line(SourceId id) const {
  std::string text = printable(tables_.text(id).line_text);
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text.empty() ? source(id) : fmt::format("{}: `{}`", source(id), text);
}

std::string Describer::op(const Op& op) const {
  const auto at = [&](KeyId key_id, RangeId range_id) {
    return key(key_id) + " " + range(range_id);
  };
  return std::visit(
      Overloaded{
          [](const Enter&) -> std::string { return "enter the launch"; },
          [](const Exit&) -> std::string { return "leave the launch"; },
          [&](const GridStep& o) {
            return fmt::format("begin grid step ({})", fmt::join(tables_[o.point], ", "));
          },
          [&](const Allocate& o) {
            return fmt::format("allocate {} {}", buffer(o.key, o.buffer), type(o.buffer));
          },
          [&](const Free& o) { return "free " + key(o.key); },
          [&](const Read& o) { return "read " + at(o.key, o.range); },
          [&](const Write& o) { return "write " + at(o.key, o.range); },
          [&](const Swap& o) { return "swap " + at(o.key, o.range); },
          [&](const CreateSemaphore& o) { return "create " + semaphore(o.semaphore); },
          [&](const Signal& o) {
            return fmt::format("signal {} on {}", o.increment, semaphore(o.semaphore));
          },
          [&](const Wait& o) {
            return fmt::format("wait for {} on {}", o.demand, semaphore(o.semaphore));
          },
          [&](const ReadCount& o) { return "read the count of " + semaphore(o.semaphore); },
          [&](const IssueCopy& o) { return "start " + agent(o.copy); },
          [](const CopyStep& o) { return std::string(op_word_of(o)); },
          [&](const Arrive& o) { return "arrive at " + barrier(o.barrier); },
          [&](const AwaitBarrier& o) {
            return fmt::format("wait for phase {} of {}", o.phase, barrier(o.barrier));
          },
          [](const CheckSemaphores&) -> std::string { return "check the semaphores"; },
          [](const Refuse& o) -> std::string {
            return o.what == RefusedOp::kMaskedLoad ? "masked load" : "collective run_scoped";
          },
          [](const Raise&) -> std::string { return "raise"; },
          [](const Choose& o) { return fmt::format("choose one of {}", o.n); },
          [](const Yield&) -> std::string { return "yield"; },
      },
      op);
}

std::string_view op_word_of(const Op& op) {
  return std::visit(
      Overloaded{
          [](const Enter&) -> std::string_view { return "enter"; },
          [](const Exit&) -> std::string_view { return "exit"; },
          [](const GridStep&) -> std::string_view { return "grid step"; },
          [](const Allocate&) -> std::string_view { return "allocate"; },
          [](const Free&) -> std::string_view { return "free"; },
          [](const Read&) -> std::string_view { return "read"; },
          [](const Write&) -> std::string_view { return "write"; },
          [](const Swap&) -> std::string_view { return "swap"; },
          [](const CreateSemaphore&) -> std::string_view { return "create semaphore"; },
          [](const Signal&) -> std::string_view { return "signal"; },
          [](const Wait&) -> std::string_view { return "wait"; },
          [](const ReadCount&) -> std::string_view { return "read count"; },
          [](const IssueCopy&) -> std::string_view { return "issue copy"; },
          [](const CopyStep& step) -> std::string_view {
            switch (step.phase) {
              case CopyPhase::kReadSource:
                return "read source";
              case CopyPhase::kSignalSend:
                return "signal send";
              case CopyPhase::kWriteDestination:
                return "write destination";
              case CopyPhase::kPartialReceive:
                return "signal a part";
              case CopyPhase::kSignalReceive:
                return "signal receive";
            }
            return {};
          },
          [](const Arrive&) -> std::string_view { return "arrive"; },
          [](const AwaitBarrier&) -> std::string_view { return "await barrier"; },
          [](const CheckSemaphores&) -> std::string_view { return "check semaphores"; },
          [](const Refuse&) -> std::string_view { return "refuse"; },
          [](const Raise&) -> std::string_view { return "raise"; },
          [](const Choose&) -> std::string_view { return "choose"; },
          [](const Yield&) -> std::string_view { return "yield"; },
      },
      op);
}

}  // namespace replait
