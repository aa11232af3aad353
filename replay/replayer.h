// The replayer: applies a recording again, one event at a time, and stops at the first difference.
//
// A fresh Machine is asked of each recorded op whether it may proceed now and what comes of it;
// the answers must be the recorded ones. The observed clocks are computed anew and their hashes
// compared at the end of each chunk (with debug clocks: after each event), the ends and the run ids
// at the end. So a replay that reproduces has the recording's events, clocks, failure and verdicts,
// on any machine.
//
// The file is not trusted: an order of events that no execution has (a copy's phase before its
// issue, an op after a thread's exit) is a divergence as well, and never reaches the Machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/machine.h"
#include "race/happens_before.h"
#include "replay/divergence.h"
#include "replay/event_order.h"
#include "trace/trace_reader.h"

namespace replait {

struct ReplayOptions {
  std::optional<std::uint64_t> until;  // Stop before this event.
  std::string file = "the trace";      // As the user named it, for messages.
};

class Replayer {
 public:
  // `reader` is fresh, accepts changed content, and outlives the Replayer. `sinks` get what was
  // reproduced; the last span ends before the event that differs.
  Replayer(TraceReader& reader, const ReplayOptions& options, std::span<EventSink* const> sinks);

  // Applies the recording. Failure: unreadable (kUnreadable), or `until` lies behind its end
  // (kUsage). Call once.
  Result<void> run();

  const std::optional<Divergence>& divergence() const { return divergence_; }
  bool stopped() const { return stopped_; }  // At `until`.
  std::uint64_t events() const { return events_; }
  const Machine& machine() const { return machine_; }
  const HappensBefore& clocks() const { return clocks_; }
  std::vector<AgentId> running_threads() const { return order_.running(); }  // By identity.
  // The event that it stopped before, and those behind it in the same chunk.
  const std::vector<Applied>& ahead() const { return ahead_; }

 private:
  bool apply_chunk(const std::vector<Applied>& chunk);
  bool apply(const Applied& event);
  bool compare_outcome(const Applied& event, const Outcome& got);
  bool compare_clocks(std::uint64_t recorded, std::uint64_t event);
  void pass_on(std::span<const Applied> events);
  Result<void> finish();
  bool compare_end(const ExecutionEnd& recorded);
  bool compare_blocked(const ExecutionEnd& recorded, const std::vector<AgentId>& running);
  void diverge(std::uint64_t event, std::string expected, std::string got);
  std::string line(const Applied& event) const;

  TraceReader& reader_;
  ReplayOptions options_;
  std::vector<EventSink*> sinks_;
  Machine machine_;
  EventOrder order_;
  HappensBefore clocks_;
  std::uint64_t events_ = 0;
  bool raised_ = false;
  bool stopped_ = false;
  std::vector<Applied> ahead_;
  std::optional<Divergence> divergence_;
};

}  // namespace replait
