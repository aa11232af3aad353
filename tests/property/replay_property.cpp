// Record -> replay identity of random programs, and what a changed recording comes to.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "replay/machine_input.h"
#include "replay/replayer.h"
#include "replay/trace_program.h"
#include "tests/property/random_program.h"
#include "tests/unit/replay/memory_trace.h"

namespace replait {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

struct Drawn {
  RandomProgram program;
  std::unique_ptr<MemoryTrace> trace;
};

Drawn draw_trace() {
  RandomProgram program = draw_program();
  const auto scheduler = *rc::gen::element<std::string>("round-robin", "random", "pct");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto values = *rc::gen::element(ValueLevel::kNone, ValueLevel::kHash, ValueLevel::kFull);
  auto trace = MemoryTrace::record(to_kernel(program), scheduler, seed, values);
  trace->chunk_events = *rc::gen::inRange<std::size_t>(1, 40);
  trace->debug_clocks_kept = *rc::gen::arbitrary<bool>();
  return {std::move(program), std::move(trace)};
}

std::optional<Divergence> diverges(MemoryTrace& trace) {
  trace.rewind();
  Replayer replayer(trace, {}, {});
  const Result<void> done = replayer.run();
  RC_ASSERT(done.ok());
  return replayer.divergence();
}

void expect_none(const std::optional<Divergence>& divergence) {
  if (divergence)
    RC_FAIL("event " + std::to_string(divergence->event) + ": expected " + divergence->expected +
            ", got " + divergence->got);
}

RC_GTEST_PROP(Replay, ReproducesWhateverWasRecorded, ()) {
  const Drawn drawn = draw_trace();
  RC_TAG(static_cast<int>(drawn.trace->end_->execution.kind));
  expect_none(diverges(*drawn.trace));
}

RC_GTEST_PROP(Replay, OfThreadProgramsGivesTheRecordedEvents, ()) {
  const Drawn drawn = draw_trace();
  const Result<TracePrograms> programs = cut_trace(*drawn.trace, kPlenty);
  RC_ASSERT(programs.ok());
  const Result<std::optional<Divergence>> divergence = replay_programs(*programs, *drawn.trace);
  RC_ASSERT(divergence.ok());
  expect_none(*divergence);
}

RC_GTEST_PROP(Record, TwiceWithOneSeedIsOneRun, ()) {
  const RandomProgram program = draw_program();
  const auto scheduler = *rc::gen::element<std::string>("round-robin", "random", "pct");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Kernel kernel = to_kernel(program);
  const auto first = MemoryTrace::record(kernel, scheduler, seed);
  const auto second = MemoryTrace::record(kernel, scheduler, seed);
  RC_ASSERT(first->end_->run_id == second->end_->run_id);
  RC_ASSERT(first->clock_hashes == second->clock_hashes);
}

// Another number, row, phase or op at one event; false where nothing could be changed.
bool change(Op& op, std::uint32_t draw, const Tables& tables) {
  const Op before = op;
  std::visit(Overloaded{
                 [&](Read& o) { o.key = from_index<KeyId>(draw % tables.keys()); },
                 [&](Write& o) { o.range = from_index<RangeId>(draw % tables.ranges()); },
                 [&](Swap& o) { o.range = from_index<RangeId>(draw % tables.ranges()); },
                 [&](Signal& o) { o.increment += 1 + draw % 3; },
                 [&](Wait& o) { o.demand += 1 + draw % 3; },
                 [&](CopyStep& o) { o.phase = static_cast<CopyPhase>(draw % 5); },
                 [&](Choose& o) { o.n += 1 + draw % 3; },
                 [&](auto&) { op = draw % 2 == 0 ? Op{Yield{}} : Op{Exit{}}; },
             },
             op);
  return !same_op(before, op);
}

RC_GTEST_PROP(Replay, DivergesWhereAnOpWasChangedOrBehindIt, ()) {
  const Drawn drawn = draw_trace();
  std::vector<Applied>& events = drawn.trace->events;
  RC_PRE(!events.empty());
  const auto at = *rc::gen::inRange<std::size_t>(0, events.size());
  const auto draw = *rc::gen::inRange<std::uint32_t>(0, 1000);
  RC_PRE(change(events[at].op, draw, drawn.trace->tables()));
  const std::optional<Divergence> divergence = diverges(*drawn.trace);
  RC_ASSERT(divergence.has_value());
  // What no outcome shows is found at its chunk's end, which names the chunk.
  RC_ASSERT(divergence->event + drawn.trace->chunk_events > at);
}

RC_GTEST_PROP(Replay, DivergesWhereTwoEventsOfTwoAgentsWereSwapped, ()) {
  const Drawn drawn = draw_trace();
  std::vector<Applied>& events = drawn.trace->events;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    if (events[i].agent != events[i + 1].agent) places.push_back(i);
  }
  if (places.empty()) return;  // A single thread.
  const auto at = *rc::gen::elementOf(places);
  std::swap(events[at], events[at + 1]);
  std::swap(events[at].index, events[at + 1].index);
  const std::optional<Divergence> divergence = diverges(*drawn.trace);
  RC_ASSERT(divergence.has_value());
  RC_ASSERT(divergence->event + drawn.trace->chunk_events > at);
}

}  // namespace
}  // namespace replait
