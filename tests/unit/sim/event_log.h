// A sink that writes each event as a line, and a run of a kernel that returns them.
#pragma once

#include <string>
#include <vector>

#include "sim/simulation.h"

namespace replait {

class EventLog : public EventSink {
 public:
  void begin(const Header& header, const Tables& tables) override;
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd& end) override;

  std::vector<std::string> lines;
  std::vector<std::size_t> batches;  // Sizes of the spans.
  std::vector<ErrorRow> errors;      // Of the events, in order.
  int begins = 0;
  int finishes = 0;

 private:
  const Tables* tables_ = nullptr;
};

// An execution, with all that a test may look at.
struct Run {
  Tables tables;
  EventLog log;
  ExecutionEnd end;

  std::string text() const;  // The lines, joined.
};

struct RunOptions {
  std::string scheduler = "round-robin";
  std::uint64_t seed = 0;
  SimulationOptions simulation = {};
};

std::unique_ptr<Run> run(const Kernel& kernel, const RunOptions& options = {});
std::unique_ptr<Run> run(const Kernel& kernel, Scheduler& scheduler,
                         const SimulationOptions& options = {});

}  // namespace replait
