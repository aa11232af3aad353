#include "event_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sched/describe.h"
#include "trace/describe.h"

namespace replait {

namespace {

std::string place(const Tables& tables, SemaphoreId id) {
  const SemaphoreRow& row = tables[id];
  return fmt::format("{}@{}.{}", row.name.empty() ? std::to_string(row.id) : row.name, row.device,
                     row.core);
}

std::string access(const Tables& tables, KeyId key, RangeId range) {
  return fmt::format("{}{}", python_repr(tables[key]), python_repr(tables[range]));
}

std::string operands(const Tables& t, const Op& op) {
  return std::visit(
      Overloaded{
          [](const Enter&) { return std::string(); },
          [](const Exit&) { return std::string(); },
          [&](const GridStep& o) { return python_repr(t[o.point]); },
          [&](const Allocate& o) {
            return fmt::format("{} {}", t[o.buffer].name, python_repr(t[o.key]));
          },
          [&](const Free& o) { return python_repr(t[o.key]); },
          [&](const Read& o) { return access(t, o.key, o.range); },
          [&](const Write& o) { return access(t, o.key, o.range); },
          [&](const Swap& o) { return access(t, o.key, o.range); },
          [&](const CreateSemaphore& o) { return place(t, o.semaphore); },
          [&](const Signal& o) { return fmt::format("{} {}", place(t, o.semaphore), o.increment); },
          [&](const Wait& o) { return fmt::format("{} {}", place(t, o.semaphore), o.demand); },
          [&](const ReadCount& o) { return place(t, o.semaphore); },
          [&](const IssueCopy& o) { return to_string(t.identity(o.copy)); },
          [](const CopyStep&) { return std::string(); },
          [&](const Arrive& o) { return t[o.barrier].name; },
          [&](const AwaitBarrier& o) { return fmt::format("{} {}", t[o.barrier].name, o.phase); },
          [](const CheckSemaphores&) { return std::string(); },
          [](const Refuse&) { return std::string(); },
          [](const Raise&) { return std::string(); },
          [](const Choose& o) { return fmt::format("{}", o.n); },
          [](const Yield&) { return std::string(); },
      },
      op);
}

}  // namespace

void EventLog::begin(const Header&, const Tables& tables) {
  ++begins;
  tables_ = &tables;
}

void EventLog::consume(std::span<const Applied> events) {
  batches.push_back(events.size());
  for (const Applied& event : events) {
    std::string line =
        fmt::format("{} {}: {} {}", event.index, to_string(tables_->identity(event.agent)),
                    op_word_of(event.op), operands(*tables_, event.op));
    while (line.ends_with(' ')) line.pop_back();
    if (event.outcome.count != 0) line += fmt::format(" -> {}", event.outcome.count);
    if (event.outcome.value != ValueId{}) {
      line += fmt::format(" = {:016x}", (*tables_)[event.outcome.value].hash[0]);
    }
    if (event.outcome.error != ErrorId{}) {
      const ErrorRow& error = (*tables_)[event.outcome.error];
      errors.push_back(error);
      line += fmt::format(" ! {}: {} [{}]", error.type, error.text, error.rule);
    }
    if (event.source != SourceId{}) line += fmt::format(" @{}", (*tables_)[event.source].line);
    lines.push_back(std::move(line));
  }
}

void EventLog::finish(const ExecutionEnd&) { ++finishes; }

std::string Run::text() const { return fmt::format("{}\n", fmt::join(log.lines, "\n")); }

std::unique_ptr<Run> run(const Kernel& kernel, Scheduler& scheduler,
                         const SimulationOptions& options) {
  auto result = std::make_unique<Run>();
  EventSink* const sinks[] = {&result->log};
  Result<ExecutionEnd> end =
      simulate(kernel, scheduler, 0, Header{}, result->tables, sinks, options);
  REPLAIT_CHECK(end.ok());
  result->end = std::move(*end);
  return result;
}

std::unique_ptr<Run> run(const Kernel& kernel, const RunOptions& options) {
  auto scheduler = make_scheduler(options.scheduler, options.seed);
  return run(kernel, *scheduler.value(), options.simulation);
}

}  // namespace replait
