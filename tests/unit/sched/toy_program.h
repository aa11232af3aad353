// A program for a scheduler alone: agents named 'a', 'b', ... that each do a string of ops.
//
//   '.'  an op that always completes        'y'  a yield
//   '?'  blocks until some agent did a '!'   '2'  a choice of 2
#pragma once

#include <string>
#include <vector>

#include "sched/scheduler.h"

namespace replait {

struct ToyProgram {
  std::vector<std::string> agents;

  struct Result {
    std::string schedule;              // "aab": who ran; choices as digits after their agent.
    EndKind end = EndKind::kFinished;  // kAbandoned where pick returned nothing.
  };

  static AgentIdentity identity(std::size_t agent) {
    return {.core = static_cast<std::uint32_t>(agent)};
  }

  Result run(Scheduler& scheduler, std::uint64_t execution = 0) const {
    Result result;
    if (!scheduler.begin(execution)) {
      result.schedule = "none";
      return result;
    }
    std::vector<std::size_t> at(agents.size());
    bool signalled = false;
    for (;;) {
      std::vector<Candidate> candidates;
      bool any = false;
      for (std::size_t i = 0; i < agents.size(); ++i) {
        if (at[i] == agents[i].size()) continue;
        const char op = agents[i][at[i]];
        const bool enabled = op != '?' || signalled;
        any = any || enabled;
        candidates.push_back({.agent = identity(i), .next = &to_op(op), .enabled = enabled});
      }
      if (!any) {
        result.end = candidates.empty() ? EndKind::kFinished : EndKind::kDeadlocked;
        break;
      }
      const auto picked = scheduler.pick(candidates);
      if (!picked) {
        result.end = EndKind::kAbandoned;
        break;
      }
      const char op = agents[picked->core][at[picked->core]++];
      result.schedule += static_cast<char>('a' + picked->core);
      if (op == '!') signalled = true;
      if (op == '2') result.schedule += static_cast<char>('0' + scheduler.choose(2));
    }
    scheduler.end({.kind = result.end, .pending = {}, .findings = {}});
    return result;
  }

  static const Op& to_op(char op) {
    static const Op kStep = ReadCount{};
    static const Op kYield = Yield{};
    static const Op kWait = Wait{};
    static const Op kSignal = Signal{};
    static const Op kChoose = Choose{.n = 2};
    return op == 'y'   ? kYield
           : op == '?' ? kWait
           : op == '!' ? kSignal
           : op == '2' ? kChoose
                       : kStep;
  }
};

}  // namespace replait
