// Everything that is wrong with a run apart from races: one sink that joins the checks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "check/copy_check.h"
#include "check/deadlock_check.h"
#include "check/error_check.h"
#include "check/key_check.h"
#include "trace/event_sink.h"

namespace replait {

class Checks : public EventSink {
 public:
  void begin(const Header& header, const Tables& tables) override;
  void consume(std::span<const Applied> events) override;
  void finish(const ExecutionEnd& end) override;

  // After finish(): errors, then warnings, then notes; each by the event where it was found, those
  // found at the end last. What was found while recording is among them.
  const std::vector<Finding>& findings() const { return findings_; }
  // The source line of an event at which a finding was made; none for others.
  SourceId source_of(std::uint64_t event) const;

 private:
  std::vector<Check*> all() { return {&errors_, &keys_, &deadlock_, &copies_}; }

  ErrorCheck errors_;
  KeyCheck keys_;
  DeadlockCheck deadlock_;
  CopyCheck copies_;
  std::vector<Finding> findings_;
  std::map<std::uint64_t, SourceId> sources_;
};

}  // namespace replait
