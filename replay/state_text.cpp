#include "replay/state_text.h"

#include <fmt/format.h>

#include "replay/event_text.h"

namespace replait {
namespace {

using NextOps = std::map<AgentId, Applied>;

// Each thread's first event from here on, as far as the trace must be read for it.
Result<NextOps> next_ops(const std::vector<AgentId>& threads, std::vector<Applied> ahead,
                         TraceReader& reader) {
  NextOps next;
  while (!ahead.empty()) {
    for (const Applied& event : ahead) next.try_emplace(event.agent, event);
    bool all = true;
    for (const AgentId thread : threads) all = all && next.count(thread) > 0;
    if (all) return next;
    Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk.ok()) return chunk.failure();
    ahead = std::move(*chunk);
  }
  if (reader.end()) {
    for (const PendingOp& pending : reader.end()->execution.pending)
      next.try_emplace(pending.agent, Applied{.index = reader.end()->events,
                                              .agent = pending.agent,
                                              .source = pending.source,
                                              .op = pending.op,
                                              .outcome = {}});
  }
  return next;
}

std::string numbered(const char* what, const Tables& tables, const Machine& machine,
                     const Applied& event) {
  return fmt::format("    {:<5} {:<7}  {}", what, fmt::format("#{}", event.index),
                     op_and_source_text(tables, machine, event.source, event.op));
}

std::string next_line(const Replayer& replayer, const Tables& tables, const Applied& event) {
  const Machine& machine = replayer.machine();
  const Readiness readiness = machine.readiness(event.agent, event.op);
  std::string line = numbered("next", tables, machine, event);
  if (!readiness.ready)
    line += fmt::format("  (blocked: has {}, needs {})", readiness.has, readiness.needs);
  return line + "\n";
}

}  // namespace

const Applied* LastOps::of(AgentId agent) const {
  const auto found = last_.find(agent);
  return found == last_.end() ? nullptr : &found->second;
}

Result<std::string> state_text(const Replayer& replayer, const LastOps& last, TraceReader& reader) {
  const Tables& tables = reader.tables();
  const Machine& machine = replayer.machine();
  const std::vector<AgentId> threads = replayer.running_threads();
  const Result<NextOps> next = next_ops(threads, replayer.ahead(), reader);
  if (!next.ok()) return next.failure();

  std::string text = fmt::format("stopped before event {}\n", replayer.events());
  if (!replayer.ahead().empty()) {
    const Applied& next_event = replayer.ahead().front();
    text += fmt::format(
        "#{}  {}\n\n", next_event.index,
        event_text(tables, machine, next_event.agent, next_event.source, next_event.op));
  }
  for (const AgentId thread : threads) {
    text += Describer(tables).agent(thread) + "\n";
    if (const Applied* done = last.of(thread))
      text += numbered("last", tables, machine, *done) + "\n";
    const auto found = next->find(thread);
    if (found != next->end()) text += next_line(replayer, tables, found->second);
  }
  if (threads.empty()) text += "no thread is inside a launch\n";
  for (const AgentId copy : machine.copies_in_flight()) {
    text += fmt::format("{}: in flight, next: {}\n", Describer(tables).agent(copy),
                        op_word_of(*machine.next_phase(copy)));
  }
  for (std::size_t i = 0; i < tables.semaphores(); ++i) {
    const auto semaphore = from_index<SemaphoreId>(i);
    if (const std::uint64_t count = machine.semaphore_count(semaphore); count != 0)
      text += fmt::format("{}: count {}\n", Describer(tables).semaphore(semaphore), count);
  }
  return text;
}

}  // namespace replait
