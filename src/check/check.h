// A check: a sink that sees a run once and tells what is wrong with it at the end.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "trace/event_sink.h"

namespace replait {

class Check : public EventSink {
 public:
  void begin(const Header&, const Tables& tables) override { tables_ = &tables; }
  void consume(std::span<const Applied> events) override {
    for (const Applied& event : events) see(event);
  }
  void finish(const ExecutionEnd& end) override { conclude(end); }

  // Complete after finish().
  const std::vector<Finding>& findings() const { return findings_; }
  // The source lines of the events at which findings were made.
  const std::map<std::uint64_t, SourceId>& sources() const { return sources_; }

 protected:
  virtual void see(const Applied& event) = 0;
  virtual void conclude(const ExecutionEnd& end) = 0;

  // Whether the op raised, so that it did not happen.
  bool raised(const Applied& event) const {
    return to_index(event.outcome.error) != 0 &&
           (*tables_)[event.outcome.error].kind == ErrorKind::kRaised;
  }

  const Tables* tables_ = nullptr;
  std::vector<Finding> findings_;
  std::map<std::uint64_t, SourceId> sources_;
};

}  // namespace replait
