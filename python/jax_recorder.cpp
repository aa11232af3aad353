#include "jax_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/describe.h"

namespace replait {
namespace {

constexpr std::size_t kBatchMax = 256;  // Events handed to the sinks at once.

}  // namespace

Result<std::unique_ptr<JaxRecorder>> JaxRecorder::open(const std::string& path, Options options) {
  std::unique_ptr<JaxRecorder> recorder(new JaxRecorder);
  recorder->header_ = std::move(options.header);
  TraceWriterOptions writer_options;
  writer_options.environment = std::move(options.environment);
  writer_options.clocks = &recorder->clocks_;
  writer_options.clock_sink = &recorder->clocks_;
  writer_options.clock_sink = &recorder->clocks_;
  Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::open(path, writer_options);
  if (!writer.ok()) return writer.failure();
  recorder->writer_ = std::move(*writer);
  MachineOptions machine;
  machine.jax_version = recorder->header_.jax_version;
  machine.values = recorder->header_.values;
  machine.compute_values = recorder->header_.values != ValueLevel::kNone;
  recorder->machine_ = std::make_unique<Machine>(recorder->tables_, machine);
  recorder->writer_->begin(recorder->header_, recorder->tables_);
  return recorder;
}

Result<void> JaxRecorder::tell(std::uint64_t number, ToldOp op) {
  if (number != next_number_) {
    waiting_.emplace(number, std::move(op));
    return {};
  }
  broken_ = true;  // Stays so if the Machine throws.
  apply(op);
  ++next_number_;
  while (!waiting_.empty() && waiting_.begin()->first == next_number_) {
    apply(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    ++next_number_;
  }
  broken_ = false;
  return batch_.size() < kBatchMax ? Result<void>() : write_out();
}

Result<void> JaxRecorder::write_out() {
  writer_->consume(batch_);
  batch_.clear();
  return writer_->status();
}

void JaxRecorder::apply(const ToldOp& told) {
  const Readiness readiness = machine_->readiness(told.agent, told.op);
  Outcome outcome{.value = told.facts.value.value_or(ValueId{}),
                  .error = told.facts.error,
                  .count = told.facts.count.value_or(0)};
  if (readiness.ready) {
    outcome = settle(told, machine_->apply(told.agent, told.op, told.bytes, &outcome));
  } else {
    mismatch(told,
             readiness.legal
                 ? fmt::format("blocked, has {} and needs {}", readiness.has, readiness.needs)
                 : "no such op",
             outcome_text(outcome));
  }
  batch_.push_back({.index = next_index_,
                    .agent = told.agent,
                    .source = told.source,
                    .op = told.op,
                    .outcome = outcome});
  ++next_index_;
}

// What is recorded: JAX's facts, and the Machine's answer where JAX says nothing.
Outcome JaxRecorder::settle(const ToldOp& told, const Outcome& got) {
  Outcome outcome = got;
  if (!agrees(told.facts, got)) {
    outcome.error = told.facts.error;
    if (told.facts.value) outcome.value = *told.facts.value;
    if (told.facts.count) outcome.count = *told.facts.count;
    mismatch(told, outcome_text(got), outcome_text(outcome));
  }
  return outcome;
}

bool JaxRecorder::agrees(const Facts& facts, const Outcome& got) const {
  if (!same_error(facts.error, got.error)) return false;
  if (got.error != ErrorId{} && tables_[got.error].kind == ErrorKind::kRaised) return true;
  return (!facts.value || *facts.value == got.value) && (!facts.count || *facts.count == got.count);
}

// The rule is the Machine's to know.
bool JaxRecorder::same_error(ErrorId a, ErrorId b) const {
  if (a == b) return true;
  if (a == ErrorId{} || b == ErrorId{}) return false;
  const ErrorRow& left = tables_[a];
  const ErrorRow& right = tables_[b];
  return left.kind == right.kind && left.type == right.type && left.text == right.text;
}

std::string JaxRecorder::outcome_text(const Outcome& outcome) const {
  if (outcome.error != ErrorId{}) {
    const ErrorRow& error = tables_[outcome.error];
    return error.type.empty() ? error.text : error.type + ": " + error.text;
  }
  const std::string count = fmt::format("count {}", static_cast<std::int64_t>(outcome.count));
  if (outcome.value == ValueId{}) return count;
  return fmt::format("{}, value {:016x}", count, tables_[outcome.value].hash[0]);
}

void JaxRecorder::mismatch(const ToldOp& told, const std::string& expected,
                           const std::string& got) {
  const LaunchId launch = tables_[told.agent].launch;
  const auto [at, is_first] = mismatches_.try_emplace(launch);
  if (!is_first) {
    ++at->second.more;
    return;
  }
  at->second.finding = findings_.size();
  const Describer describe(tables_);
  Finding finding;
  finding.rule = "machine.mismatch";
  finding.message =
      fmt::format("event {} came out otherwise in JAX {} than replait's model of it says",
                  next_index_, header_.jax_version);
  finding.details = {
      fmt::format("{}: {}", describe.agent(told.agent), describe.op(told.op)),
      "expected " + expected, "got " + got,
      fmt::format("later verdicts on launch {} are unverified", tables_[launch].number)};
  finding.events = {next_index_};
  finding.event = next_index_;
  findings_.push_back(std::move(finding));
}

Result<JaxRecorder::Finished> JaxRecorder::finish(EndKind kind, std::vector<PendingOp> pending) {
  if (!broken_) {
    for (auto& [number, told] : waiting_) apply(told);
  }
  waiting_.clear();
  if (Result<void> written = write_out(); !written.ok()) return written.failure();
  for (auto& [launch, seen] : mismatches_) {
    if (seen.more == 0) continue;
    findings_[seen.finding].details.push_back(fmt::format("{} more in this launch", seen.more));
  }
  std::erase_if(pending, [&](PendingOp& op) {
    const Readiness now = machine_->readiness(op.agent, op.op);
    op.has = now.has;
    op.needs = now.needs;
    return now.ready;
  });
  std::sort(pending.begin(), pending.end(), [&](const PendingOp& a, const PendingOp& b) {
    return tables_.identity(a.agent) < tables_.identity(b.agent);
  });
  const ExecutionEnd end{.kind = kind, .pending = std::move(pending), .findings = findings_};
  writer_->finish(end);
  if (Result<void> written = writer_->status(); !written.ok()) return written.failure();
  return Finished{.run_id = writer_->run_id(), .findings = findings_.size()};
}

}  // namespace replait
