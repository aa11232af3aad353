// What came of a run, told in one screen: a sink for live runs and replays alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/event_sink.h"

namespace replait {

class JsonText;

class RunSummary : public EventSink {
 public:
  void begin(const Header& header, const Tables& tables) override;
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd& end) override;

  std::uint64_t events() const { return events_; }
  std::string counted() const;  // "1 event", "1,234 events"
  const ExecutionEnd& end() const { return end_; }
  // The first op that raised.
  const std::optional<Applied>& failure() const { return failure_; }
  // Errors that were only printed: the execution went on.
  const std::vector<Applied>& printed() const { return printed_; }

  // "ValueError at event 57: Attempting to ..." and where; "deadlock after 57 events: ..." and each
  // blocked thread; "finished: 57 events, no failure"; then what was printed. Lines end in
  // newlines.
  std::string text() const;

  // The same as fields of the open object: outcome, failure, printed, pending.
  void add_to(JsonText& json) const;

  // "finished", "failed", "deadlocked", "abandoned", "cut": as JSON has it.
  std::string_view outcome() const;

 private:
  std::string headline() const;

  const Tables* tables_ = nullptr;
  std::uint64_t events_ = 0;
  std::optional<Applied> failure_;
  std::vector<Applied> printed_;
  ExecutionEnd end_;
};

}  // namespace replait
