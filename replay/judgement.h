// What a recording shows, judged while it runs or afterwards from its trace: one set of sinks, one
// report.
#pragma once

#include <string>
#include <vector>

#include "check/checks.h"
#include "race/race_detector.h"
#include "replay/command_context.h"
#include "replay/run_summary.h"
#include "report/report.h"

namespace replait {

class Judgement {
 public:
  // All that must see the execution.
  std::vector<EventSink*> sinks() { return {&races_, &keeper_, &checks_, &summary_}; }
  // The same without the one whose clocks a trace writer asks for, and that one.
  std::vector<EventSink*> sinks_without_clocks() { return {&keeper_, &checks_, &summary_}; }
  EventSink* clock_sink() { return &races_; }
  const HappensBefore& clocks() const { return races_.happens_before(); }
  const RunSummary& summary() const { return summary_; }

  // After the end. `file` is the trace as the user named it.
  Report report(const std::string& file, const CommandContext& context) const;

  // 1 (or --error-exitcode) for an error, 5 for a run that was stopped without a verdict, else 0.
  int exit_code(const Report& report, const CommandContext& context) const;

 private:
  // Header and tables, which only begin() brings.
  class Keeper : public EventSink {
   public:
    void begin(const Header& header, const Tables& tables) override {
      header_ = header;
      tables_ = &tables;
    }
    void consume(std::span<const Applied>) override {}
    void finish(const ExecutionEnd&) override {}
    Header header_;
    const Tables* tables_ = nullptr;
  };

  Keeper keeper_;
  RaceDetector races_;
  Checks checks_;
  RunSummary summary_;
};

}  // namespace replait
