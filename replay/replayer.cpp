#include "replay/replayer.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/event_text.h"
#include "replay/machine_input.h"

namespace replait {
namespace {

constexpr const char* kCause =
    "the file was changed after it was recorded, or this version's model of that op differs from "
    "the recorder's";

std::string_view end_word(EndKind kind) {
  switch (kind) {
    case EndKind::kFinished:
      return "every thread left its launch";
    case EndKind::kFailed:
      return "an op raised";
    case EndKind::kDeadlocked:
      return "no thread can move";
    case EndKind::kAbandoned:
      return "stopped";
    case EndKind::kCut:
      return "cut";
  }
  REPLAIT_CHECK(false, "unknown end");
}

}  // namespace

Replayer::Replayer(TraceReader& reader, const ReplayOptions& options,
                   std::span<EventSink* const> sinks)
    : reader_(reader),
      options_(options),
      sinks_(sinks.begin(), sinks.end()),
      machine_(reader.tables(), machine_options(reader.header())),
      order_(reader.tables()) {}

std::string Replayer::line(const Applied& event) const {
  return event_text(reader_.tables(), machine_, event.agent, event.source, event.op);
}

void Replayer::diverge(std::uint64_t event, std::string expected, std::string got) {
  divergence_ = Divergence{
      .event = event, .expected = std::move(expected), .got = std::move(got), .cause = kCause};
}

Result<void> Replayer::run() {
  clocks_.begin(reader_.header(), reader_.tables());
  for (EventSink* sink : sinks_) sink->begin(reader_.header(), reader_.tables());
  while (true) {
    Result<std::vector<Applied>> chunk = reader_.next_chunk();
    if (!chunk.ok()) return chunk.failure();
    if (chunk->empty()) return finish();
    if (!apply_chunk(*chunk)) return {};
  }
}

bool Replayer::apply_chunk(const std::vector<Applied>& chunk) {
  const std::vector<std::uint64_t>& debug_clocks = reader_.debug_clocks();
  std::size_t passed = 0;
  const auto pass = [&](std::size_t end) {
    pass_on(std::span(chunk).subspan(passed, end - passed));
    passed = end;
  };
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    stopped_ = options_.until == chunk[i].index;
    if (stopped_ || !apply(chunk[i])) {
      pass(i);
      ahead_.assign(chunk.begin() + static_cast<std::ptrdiff_t>(i), chunk.end());
      return false;
    }
    if (debug_clocks.empty()) continue;
    pass(i + 1);
    if (!compare_clocks(debug_clocks[i], chunk[i].index)) return false;
  }
  pass(chunk.size());
  const ChunkInfo& info = reader_.last_chunk();
  if (info.changed) {
    diverge(info.first_event,
            fmt::format("the recorded events {} to {}", info.first_event, chunk.back().index),
            "others, which some run may have, but not the recorded one");
    return false;
  }
  return compare_clocks(info.clock_hash, chunk.back().index);
}

void Replayer::pass_on(std::span<const Applied> events) {
  if (events.empty()) return;
  clocks_.consume(events);
  for (EventSink* sink : sinks_) sink->consume(events);
}

bool Replayer::apply(const Applied& event) {
  const bool is_copy = std::holds_alternative<CopyStep>(event.op);
  if (std::string misplaced = order_.add(event); !misplaced.empty()) {
    diverge(event.index, line(event), "no such event: " + misplaced);
    return false;
  }
  const Readiness readiness = machine_.readiness(event.agent, event.op);
  if (!readiness.legal) {
    const std::optional<Op> next = is_copy ? machine_.next_phase(event.agent) : std::optional<Op>();
    diverge(event.index, line(event),
            next ? event_text(reader_.tables(), machine_, event.agent, event.source, *next)
                 : "no such event: no execution has it here");
    return false;
  }
  if (!readiness.ready) {
    diverge(event.index, line(event),
            fmt::format("the same op, blocked: has {}, needs {}", readiness.has, readiness.needs));
    return false;
  }
  const Outcome got = machine_.apply(event.agent, event.op,
                                     stored_bytes(reader_.tables(), event.op), &event.outcome);
  ++events_;
  return compare_outcome(event, got);
}

bool Replayer::compare_outcome(const Applied& event, const Outcome& got) {
  const Tables& tables = reader_.tables();
  const Outcome& recorded = event.outcome;
  if (to_index(recorded.error) != 0)
    raised_ = raised_ || tables[recorded.error].kind == ErrorKind::kRaised;
  if (same_outcome(tables, reader_.header().values, recorded, got)) [[likely]]
    return true;
  --events_;
  diverge(event.index, fmt::format("{}  ->  {}", line(event), outcome_text(tables, recorded)),
          fmt::format("{}  ->  {}", line(event), outcome_text(tables, got)));
  return false;
}

bool Replayer::compare_clocks(std::uint64_t recorded, std::uint64_t event) {
  const std::uint64_t got = clocks_.clock_hash();
  if (got == recorded) return true;
  diverge(event, fmt::format("observed clocks {:016x} after this event", recorded),
          fmt::format("observed clocks {:016x}", got));
  return false;
}

Result<void> Replayer::finish() {
  if (options_.until && *options_.until > events_) {
    return Failure{
        FailureKind::kUsage,
        fmt::format("--until: expected an event from 0 to {}, got {}", events_, *options_.until),
        fmt::format("{} has {} events", options_.file, events_)};
  }
  stopped_ = options_.until == events_;
  if (stopped_) return {};
  const std::optional<TraceEnd>& end = reader_.end();
  if (!end) {
    return Failure{FailureKind::kUnreadable,
                   fmt::format("{}: the recording ended abnormally, it has no end packet; the {} "
                               "events before are usable",
                               options_.file, events_),
                   events_ == 0 ? "there is nothing to save: record it again" : ""};
  }
  if (!compare_end(end->execution)) return {};
  if (end->changed) {
    diverge(events_, fmt::format("run id {}", to_string(end->run_id)), "the run id of another run");
    return {};
  }
  clocks_.finish(end->execution);
  for (EventSink* sink : sinks_) sink->finish(end->execution);
  return {};
}

bool Replayer::compare_end(const ExecutionEnd& recorded) {
  const Tables& tables = reader_.tables();
  const std::vector<AgentId> running = order_.running();
  const bool failed = recorded.kind == EndKind::kFailed;
  const bool wrong_kind =
      (recorded.kind == EndKind::kFinished && (raised_ || !running.empty())) ||
      (failed && !raised_) ||
      (recorded.kind == EndKind::kDeadlocked && (raised_ || !machine_.copies_in_flight().empty()));
  if (wrong_kind) {
    diverge(events_, fmt::format("the end: {}", end_word(recorded.kind)),
            fmt::format("{} threads have not left, {} copies are in flight, {} op raised",
                        running.size(), machine_.copies_in_flight().size(), raised_ ? "an" : "no"));
    return false;
  }
  if (recorded.kind == EndKind::kDeadlocked && !compare_blocked(recorded, running)) return false;
  for (const PendingOp& pending : recorded.pending) {
    const Readiness now = machine_.readiness(pending.agent, pending.op);
    if (!now.ready && now.has == pending.has && now.needs == pending.needs) continue;
    const std::string op = event_text(tables, machine_, pending.agent, pending.source, pending.op);
    diverge(events_, fmt::format("{}, blocked: has {}, needs {}", op, pending.has, pending.needs),
            fmt::format("{}: has {}, needs {}", now.ready ? "it may proceed" : "blocked", now.has,
                        now.needs));
    return false;
  }
  return true;
}

// Who is blocked is whoever has not left. Core 0 of a device may be held at its end instead, until
// the others are over.
bool Replayer::compare_blocked(const ExecutionEnd& recorded, const std::vector<AgentId>& running) {
  const Tables& tables = reader_.tables();
  std::vector<AgentId> missing = running;
  for (const PendingOp& pending : recorded.pending) {
    const auto found = std::find(missing.begin(), missing.end(), pending.agent);
    if (found == missing.end()) {
      diverge(events_, Describer(tables).agent(pending.agent) + " blocked",
              "it has not entered, or has left");
      return false;
    }
    missing.erase(found);
  }
  for (const AgentId thread : missing) {
    if (tables[thread].core == 0 && !recorded.pending.empty()) continue;
    diverge(events_, "a deadlock without " + Describer(tables).agent(thread),
            "it has not left, and is blocked in nothing");
    return false;
  }
  return true;
}

}  // namespace replait
