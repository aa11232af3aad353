#include "replay/trace_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "fiber/fiber.h"
#include "replay/event_text.h"
#include "replay/machine_input.h"

namespace replait {
namespace {

constexpr const char* kCause =
    "the trace replays event by event but not as thread programs: please report it";

// Whether the copy's next phase belongs to the choice that took this one.
bool goes_on(const Tables& tables, const Applied& event) {
  const auto* step = std::get_if<CopyStep>(&event.op);
  if (step == nullptr || !tables[tables[event.agent].launch].gated) return false;
  return step->phase == CopyPhase::kReadSource || step->phase == CopyPhase::kWriteDestination;
}

// One run of the programs. A fiber posts its next op and suspends; the loop picks, applies,
// compares with the recorded event, and resumes the fiber.
class ProgramRun {
 public:
  ProgramRun(const TracePrograms& programs, TraceReader& reader)
      : programs_(programs),
        reader_(reader),
        tables_(reader.tables()),
        machine_(reader.tables(), machine_options(reader.header())),
        scheduler_(reader.header().scheduler, programs.schedule) {}

  Result<std::optional<Divergence>> run() {
    const Result<void> started = start();
    if (!started.ok()) return started.failure();
    scheduler_.begin(0);
    while (next_ < programs_.events.size()) {
      list_candidates();
      const std::optional<AgentIdentity> picked =
          candidates_.empty() ? std::nullopt : scheduler_.pick(candidates_);
      if (!picked) return diverged(line(programs_.events[next_]), schedule_divergence());
      if (std::optional<Divergence> divergence = step(*picked)) return divergence;
    }
    list_candidates();
    for (const Candidate& candidate : candidates_) {
      if (candidate.enabled && programs_.end.kind == EndKind::kDeadlocked)
        return diverged("a deadlock", Describer(tables_).op(*candidate.next) + " may proceed");
    }
    scheduler_.end(programs_.end);
    return std::optional<Divergence>();
  }

 private:
  struct Thread {
    std::unique_ptr<Fiber> fiber;
    const Op* posted = nullptr;  // Null: the program is over.
    SourceId source{};
  };

  Result<void> start() {
    for (const TracePrograms::Program& program : programs_.programs) {
      const AgentIdentity identity = tables_.identity(program.thread);
      Thread& thread = threads_[identity];
      agents_[identity] = program.thread;
      Result<std::unique_ptr<Fiber>> fiber = Fiber::create(
          stacks_, Describer(tables_).agent(program.thread),
          [this, &program, &thread](Fiber& self) { post_all(program, thread, self); });
      if (!fiber.ok()) return fiber.failure();
      thread.fiber = std::move(*fiber);
      thread.fiber->resume();
    }
    return {};
  }

  void post_all(const TracePrograms::Program& program, Thread& thread, Fiber& self) const {
    const auto post = [&](const Op& op, SourceId source) {
      thread.posted = &op;
      thread.source = source;
      self.suspend();
    };
    for (const std::uint64_t position : program.ops)
      post(programs_.events[position].op, programs_.events[position].source);
    if (program.pending) post(program.pending->op, program.pending->source);
    thread.posted = nullptr;
  }

  // Threads with a next op and copies in flight, by identity.
  void list_candidates() {
    candidates_.clear();
    phases_.clear();
    for (const auto& [identity, thread] : threads_) {
      if (thread.posted == nullptr) continue;
      const bool enabled = machine_.readiness(agents_.at(identity), *thread.posted).ready;
      candidates_.push_back({.agent = identity, .next = thread.posted, .enabled = enabled});
    }
    const std::vector<AgentId> copies = machine_.copies_in_flight();
    phases_.reserve(copies.size());
    for (const AgentId copy : copies) {
      phases_.push_back(*machine_.next_phase(copy));
      agents_[tables_.identity(copy)] = copy;
      candidates_.push_back(
          {.agent = tables_.identity(copy), .next = &phases_.back(), .enabled = true});
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.agent < b.agent; });
  }

  std::optional<Divergence> step(const AgentIdentity& picked) {
    const auto thread = threads_.find(picked);
    if (thread == threads_.end()) return step_copy(agents_.at(picked));
    const Op& op = *thread->second.posted;
    if (const auto* choose = std::get_if<Choose>(&op)) scheduler_.choose(choose->n);
    std::optional<Divergence> divergence = apply(agents_.at(picked), thread->second.source, op);
    if (!divergence) thread->second.fiber->resume();
    return divergence;
  }

  std::optional<Divergence> step_copy(AgentId copy) {
    bool more = true;
    while (more && next_ < programs_.events.size()) {
      const Applied& recorded = programs_.events[next_];
      const std::optional<Op> phase = machine_.next_phase(copy);
      if (!phase) return diverged(line(recorded), "the copy is complete");
      Op op = *phase;
      // What it moved stands in the recording only.
      if (const auto* step = std::get_if<CopyStep>(&recorded.op);
          step != nullptr && step->phase == std::get<CopyStep>(op).phase)
        op = recorded.op;
      if (std::optional<Divergence> divergence = apply(copy, recorded.source, op))
        return divergence;
      more = goes_on(tables_, recorded) && machine_.next_phase(copy) && !is_split(recorded);
    }
    return std::nullopt;
  }

  // The phase that is left goes with the next choice: where there is no send signal, after a read.
  bool is_split(const Applied& recorded) const {
    const std::optional<Op> next = machine_.next_phase(recorded.agent);
    return next && std::get<CopyStep>(*next).phase == CopyPhase::kWriteDestination;
  }

  std::optional<Divergence> apply(AgentId agent, SourceId source, const Op& op) {
    const Applied& recorded = programs_.events[next_];
    if (agent != recorded.agent || !same_op(op, recorded.op))
      return diverged(line(recorded), event_text(tables_, machine_, agent, source, op));
    const Outcome got = machine_.apply(agent, op, stored_bytes(tables_, op), &recorded.outcome);
    if (!same_outcome(tables_, reader_.header().values, recorded.outcome, got)) {
      return diverged(
          fmt::format("{}  ->  {}", line(recorded), outcome_text(tables_, recorded.outcome)),
          fmt::format("{}  ->  {}", line(recorded), outcome_text(tables_, got)));
    }
    ++next_;
    return std::nullopt;
  }

  std::string line(const Applied& event) const {
    return event_text(tables_, machine_, event.agent, event.source, event.op);
  }

  std::string schedule_divergence() const {
    const auto& divergence = scheduler_.divergence();
    return divergence ? divergence->finding().message : "no thread has a next op";
  }

  std::optional<Divergence> diverged(std::string expected, std::string got) const {
    return Divergence{
        .event = next_, .expected = std::move(expected), .got = std::move(got), .cause = kCause};
  }

  const TracePrograms& programs_;
  TraceReader& reader_;
  Tables& tables_;
  Machine machine_;
  ReplayScheduler scheduler_;
  StackPool stacks_{{.usable_bytes = std::size_t{64} << 10}};  // Their frames are ours: small.
  std::map<AgentIdentity, Thread> threads_;                    // After the pool: fibers go first.
  std::map<AgentIdentity, AgentId> agents_;
  std::vector<Candidate> candidates_;
  std::vector<Op> phases_;
  std::size_t next_ = 0;
};

// The choices that made these events.
class ScheduleCut {
 public:
  explicit ScheduleCut(const Tables& tables) : tables_(tables) {}

  void add(const Applied& event, std::vector<ScheduleChoice>& schedule) {
    const bool continued = within_ == event.agent && is_signal(event);
    within_ = goes_on(tables_, event) ? std::optional(event.agent) : std::nullopt;
    if (continued) return;
    schedule.emplace_back(tables_.identity(event.agent));
    if (std::holds_alternative<Choose>(event.op))
      schedule.emplace_back(static_cast<std::uint32_t>(event.outcome.count));
  }

 private:
  static bool is_signal(const Applied& event) {
    const auto* step = std::get_if<CopyStep>(&event.op);
    return step != nullptr &&
           (step->phase == CopyPhase::kSignalSend || step->phase == CopyPhase::kSignalReceive);
  }

  const Tables& tables_;
  std::optional<AgentId> within_;
};

Failure too_large(std::uint64_t max_memory_bytes) {
  return Failure{
      FailureKind::kNothing,
      fmt::format("the trace as thread programs needs more than the {} bytes of --max-memory",
                  max_memory_bytes),
      "raise --max-memory, or replay without --threads"};
}

}  // namespace

Result<TracePrograms> cut_trace(TraceReader& reader, std::uint64_t max_memory_bytes) {
  constexpr std::uint64_t kEventBytes =
      sizeof(Applied) + sizeof(std::uint64_t) + sizeof(ScheduleChoice);
  const Tables& tables = reader.tables();
  TracePrograms cut;
  ScheduleCut schedule(tables);
  std::map<AgentIdentity, TracePrograms::Program> programs;
  while (true) {
    const Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk.ok()) return chunk.failure();
    if (chunk->empty()) break;
    if ((cut.events.size() + chunk->size()) * kEventBytes > max_memory_bytes)
      return too_large(max_memory_bytes);
    for (const Applied& event : *chunk) {
      schedule.add(event, cut.schedule);
      if (!tables[event.agent].is_copy()) {
        TracePrograms::Program& program = programs[tables.identity(event.agent)];
        program.thread = event.agent;
        program.ops.push_back(cut.events.size());
      }
      cut.events.push_back(event);
    }
  }
  if (reader.end()) cut.end = reader.end()->execution;
  for (const PendingOp& pending : cut.end.pending) {
    TracePrograms::Program& program = programs[tables.identity(pending.agent)];
    program.thread = pending.agent;
    program.pending = pending;
  }
  for (auto& [identity, program] : programs) cut.programs.push_back(std::move(program));
  return cut;
}

Result<std::optional<Divergence>> replay_programs(const TracePrograms& programs,
                                                  TraceReader& reader) {
  return ProgramRun(programs, reader).run();
}

}  // namespace replait
