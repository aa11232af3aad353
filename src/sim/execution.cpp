#include "sim/execution.h"

#include <algorithm>

#include "base/check.h"

namespace replait {

namespace {

constexpr std::size_t kBatchMax = 256;

LaunchRow launch_row(const Kernel& kernel, SourceId source) {
  LaunchRow row;
  row.kernel = kernel.name;
  row.source = source;
  row.devices = kernel.launch.devices;
  row.cores_per_device = kernel.launch.cores_per_device;
  row.out_of_bounds_reads_raise = kernel.launch.out_of_bounds_reads_raise;
  row.uninitialized_nan = kernel.launch.uninitialized_nan;
  row.vector_clock_size = kernel.launch.vector_clock_size;
  return row;
}

}  // namespace

Execution::Execution(const Kernel& kernel, Scheduler& scheduler, Tables& tables,
                     std::span<EventSink* const> sinks, const SimulationOptions& options)
    : scheduler_(scheduler),
      sinks_(sinks),
      max_events_(options.max_events),
      state_(kernel, tables, options.machine) {
  state_.launch = tables.add_launch(launch_row(kernel, state_.locations.id(kernel.where)));
  batch_.reserve(kBatchMax);
}

Result<void> Execution::start(StackPool& stacks) {
  const LaunchOptions& launch = state_.kernel.launch;
  for (std::uint32_t device = 0; device < launch.devices; ++device) {
    for (std::uint32_t core = 0; core < launch.cores_per_device; ++core) {
      threads_.push_back(std::make_unique<SimulatedThread>(state_, device, core));
      const Result<void> started = threads_.back()->start(stacks);
      if (!started) {
        threads_.pop_back();
        return started;
      }
    }
  }
  bodies_running_ = threads_.size();
  // Each runs up to its Enter: no code of the kernel yet.
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    SimulatedThread& thread = *threads_[i];
    thread.resume();
    candidates_.insert({.agent = thread.identity(), .next = &thread.op(), .enabled = false}, i);
    posted(i, thread);
  }
  return {};
}

ExecutionEnd Execution::run() {
  while (!end_) {
    if (candidates_.enabled() == 0) {
      end(candidates_.all().empty() ? EndKind::kFinished : EndKind::kDeadlocked);
    } else if (next_index_ >= max_events_) {
      end(EndKind::kAbandoned);
    } else if (const auto picked = scheduler_.pick(candidates_.all())) {
      step(candidates_.find(*picked));
    } else {
      end(EndKind::kAbandoned);
    }
  }
  flush();
  ExecutionEnd result{.kind = *end_, .pending = pending(), .findings = {}};
  for (const std::unique_ptr<SimulatedThread>& thread : threads_) {
    if (!thread->done()) thread->cancel();
  }
  return result;
}

void Execution::step(std::size_t position) {
  const Candidate& candidate = candidates_[position];
  REPLAIT_CHECK(candidate.enabled, "a blocked agent was picked");
  const Step result = candidate.agent.is_copy ? step_copy(position) : step_thread(position);
  if (result == Step::kFailed) end(EndKind::kFailed);
}

Outcome Execution::apply_posted(SimulatedThread& thread) {
  const Op& op = thread.op();
  Outcome given;
  const Outcome* observed = nullptr;
  if (const auto* choose = std::get_if<Choose>(&op)) {
    given.count = scheduler_.choose(choose->n);
    observed = &given;
  } else if (std::holds_alternative<Raise>(op)) {
    given.error = thread.raised();
    observed = &given;
  }
  if (!thread.bytes().empty()) {
    thread.set_value(state_.machine.stored_value(op, thread.bytes()));
  }
  return state_.machine.apply(thread.agent(), op, thread.bytes(), observed);
}

Execution::Step Execution::step_thread(std::size_t position) {
  const std::uint32_t slot = candidates_.slot(position);
  SimulatedThread& thread = *threads_[slot];
  const Resource resource = waits_for(thread.op());
  if (!resource.none()) waiters_.erase(std::find(waiters_.begin(), waiters_.end(), slot));
  const Outcome outcome = apply_posted(thread);
  if (record(thread.agent(), thread.source(), thread.op(), outcome) == Step::kFailed) {
    return Step::kFailed;
  }
  if (std::holds_alternative<IssueCopy>(thread.op())) issued(thread);
  thread.set_outcome(outcome);
  thread.resume();
  // A copy that was issued stands behind its issuer: the position is still right.
  if (thread.done()) {
    candidates_.erase(position);
    if (thread.core() != 0) --bodies_running_;
    release_checks();
  } else {
    posted(position, thread);
  }
  return Step::kDone;
}

void Execution::posted(std::size_t position, SimulatedThread& thread) {
  const std::uint32_t slot = candidates_.slot(position);
  if (std::holds_alternative<CheckSemaphores>(thread.op())) {
    candidates_.set_enabled(position, false);
    checks_.push_back(slot);
    --bodies_running_;
    release_checks();
    return;
  }
  if (!waits_for(thread.op()).none()) waiters_.push_back(slot);
  candidates_.set_enabled(position, can_go_on(thread));
}

bool Execution::can_go_on(const SimulatedThread& thread) const {
  return state_.machine.readiness(thread.agent(), thread.op()).ready;
}

void Execution::issued(SimulatedThread& thread) {
  const AgentId copy = std::get<IssueCopy>(thread.op()).copy;
  const std::optional<Op> first = state_.machine.next_phase(copy);
  REPLAIT_CHECK(first.has_value());
  std::uint32_t slot = 0;
  if (free_copies_.empty()) {
    slot = static_cast<std::uint32_t>(copies_.size());
    copies_.emplace_back();
  } else {
    slot = free_copies_.back();
    free_copies_.pop_back();
  }
  copies_[slot] = {.agent = copy, .source = thread.source(), .next = *first};
  ++copies_in_flight_;
  candidates_.insert(
      {.agent = state_.tables.identity(copy), .next = &copies_[slot].next, .enabled = true}, slot);
}

Execution::Step Execution::step_copy(std::size_t position) {
  const std::uint32_t slot = candidates_.slot(position);
  CopyInFlight& copy = copies_[slot];
  for (;;) {
    const Op op = copy.next;
    const Outcome outcome = state_.machine.apply(copy.agent, op, {}, nullptr);
    if (record(copy.agent, copy.source, op, outcome) == Step::kFailed) return Step::kFailed;
    const std::optional<Op> next = state_.machine.next_phase(copy.agent);
    if (!next) break;
    copy.next = *next;
    // The read and its signal are one step, the write and its signal the other.
    if (std::get<CopyStep>(*next).phase == CopyPhase::kWriteDestination) return Step::kDone;
  }
  candidates_.erase(position);
  free_copies_.push_back(slot);
  --copies_in_flight_;
  release_checks();
  return Step::kDone;
}

Execution::Step Execution::record(AgentId agent, SourceId source, const Op& op,
                                  const Outcome& outcome) {
  batch_.push_back(
      {.index = next_index_++, .agent = agent, .source = source, .op = op, .outcome = outcome});
  if (batch_.size() == kBatchMax) flush();
  if (outcome.error != ErrorId{} && state_.tables[outcome.error].kind == ErrorKind::kRaised) {
    return Step::kFailed;
  }
  if (!waiters_.empty()) recheck_waiters(changes(op, agent, state_.tables));
  return Step::kDone;
}

void Execution::flush() {
  if (batch_.empty()) return;
  for (EventSink* sink : sinks_) sink->consume(batch_);
  batch_.clear();
}

void Execution::recheck_waiters(const Resource& resource) {
  if (resource.none()) return;
  for (const std::uint32_t slot : waiters_) {
    const SimulatedThread& thread = *threads_[slot];
    if (waits_for(thread.op()) != resource) continue;
    candidates_.set_enabled(candidates_.find(thread.identity()), can_go_on(thread));
  }
}

void Execution::release_checks() {
  if (bodies_running_ > 0 || copies_in_flight_ > 0) return;
  for (const std::uint32_t slot : checks_) {
    candidates_.set_enabled(candidates_.find(threads_[slot]->identity()), true);
  }
  checks_.clear();
}

std::vector<PendingOp> Execution::pending() const {
  std::vector<PendingOp> result;
  for (const std::unique_ptr<SimulatedThread>& thread : threads_) {
    // A thread that is held at its check has nothing left to wait for.
    if (thread->done() || std::holds_alternative<CheckSemaphores>(thread->op())) continue;
    const Readiness readiness = state_.machine.readiness(thread->agent(), thread->op());
    if (readiness.ready) continue;
    result.push_back({.agent = thread->agent(),
                      .source = thread->source(),
                      .op = thread->op(),
                      .has = readiness.has,
                      .needs = readiness.needs});
  }
  return result;
}

}  // namespace replait
