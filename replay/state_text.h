// Where every thread stands at one event: what --until prints.
#pragma once

#include <map>
#include <string>

#include "replay/replayer.h"

namespace replait {

// Keeps each agent's last event.
class LastOps : public EventSink {
 public:
  void begin(const Header&, const Tables&) override {}
  void consume(std::span<const Applied> events) override {
    for (const Applied& event : events) last_[event.agent] = event;
  }
  void finish(const ExecutionEnd&) override {}

  // nullptr: it has done nothing.
  const Applied* of(AgentId agent) const;

 private:
  std::map<AgentId, Applied> last_;
};

// The next event, each running thread's last and next op, the copies in flight, and the semaphores
// that are not at 0. Reads on in the trace for the next ops. REQUIRES: replayer.stopped().
Result<std::string> state_text(const Replayer& replayer, const LastOps& last, TraceReader& reader);

}  // namespace replait
