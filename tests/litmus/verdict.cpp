#include "verdict.h"

#include "race/race_detector.h"
#include "sim/simulation.h"

namespace replait {

Verdict judge(const Kernel& kernel, const VerdictOptions& options) {
  Verdict verdict;
  for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
    const auto scheduler = make_scheduler(options.scheduler, seed).value();
    RaceDetector detector;
    EventSink* const sinks[] = {&detector};
    Tables tables;
    const auto end = simulate(kernel, *scheduler, 0, Header{}, tables, sinks, {}).value();
    ++verdict.runs;
    if (!detector.races().empty()) ++verdict.racy_runs;
    for (const Race& race : detector.races()) verdict.races.emplace(rule_of(race.kind));
    if (end.kind == EndKind::kDeadlocked) ++verdict.deadlocks;
    if (end.kind == EndKind::kFailed) ++verdict.failures;
  }
  return verdict;
}

}  // namespace replait
