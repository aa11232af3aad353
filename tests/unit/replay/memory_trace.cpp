#include "tests/unit/replay/memory_trace.h"

#include <algorithm>
#include <stdexcept>

#include "sim/simulation.h"

namespace replait {

class MemoryRecorder : public EventSink {
 public:
  explicit MemoryRecorder(MemoryTrace& trace) : trace_(trace) {}

  void begin(const Header& header, const Tables& tables) override {
    trace_.header_ = header;
    clocks_.begin(header, tables);
    canonical_.emplace(tables);
  }
  void consume(std::span<const Applied> events) override {
    for (const Applied& event : events) {
      clocks_.consume(std::span(&event, 1));
      trace_.events.push_back(event);
      trace_.clock_hashes.push_back(clocks_.clock_hash());
      canonical_->append(event);
    }
  }
  void finish(const ExecutionEnd& end) override {
    canonical_->append_end(end);
    canonical_->take_hash();
    trace_.end_ =
        TraceEnd{.execution = end, .events = trace_.events.size(), .run_id = canonical_->run_id()};
  }

 private:
  MemoryTrace& trace_;
  HappensBefore clocks_;
  std::optional<Canonical> canonical_;
};

std::unique_ptr<MemoryTrace> MemoryTrace::record(const Kernel& kernel, const std::string& scheduler,
                                                 std::uint64_t seed, ValueLevel values) {
  auto trace = std::make_unique<MemoryTrace>();
  MemoryRecorder recorder(*trace);
  const Result<std::unique_ptr<Scheduler>> picks = make_scheduler(scheduler, seed);
  if (!picks.ok()) throw std::invalid_argument(picks.failure().message);
  SimulationOptions options;
  options.machine.values = values;
  const Header header{.scheduler = (*picks)->name(),
                      .seed = seed,
                      .program = kernel.name,
                      .program_hash = 0,
                      .inputs_hash = 0,
                      .jax_version = options.machine.jax_version,
                      .values = values,
                      .options = {}};
  EventSink* sink = &recorder;
  const Result<ExecutionEnd> end =
      simulate(kernel, **picks, 0, header, trace->tables_, std::span(&sink, 1), options);
  if (!end.ok()) throw std::invalid_argument(end.failure().message);
  trace->recorded_ = trace->events;
  trace->rewind();
  return trace;
}

void MemoryTrace::rewind() {
  at_ = 0;
  canonical_.emplace(tables_);
  recorded_canonical_.emplace(tables_);
}

Result<std::vector<Applied>> MemoryTrace::next_chunk() {
  const std::size_t count = std::min(chunk_events, events.size() - at_);
  if (count == 0) {
    if (end_) {
      canonical_->append_end(end_->execution);
      canonical_->take_hash();
      end_->changed = canonical_->run_id() != end_->run_id;
    }
    return std::vector<Applied>{};
  }
  const auto first = static_cast<std::ptrdiff_t>(at_);
  const auto last = static_cast<std::ptrdiff_t>(at_ + count);
  std::vector<Applied> chunk(events.begin() + first, events.begin() + last);
  debug_.clear();
  if (debug_clocks_kept) debug_.assign(clock_hashes.begin() + first, clock_hashes.begin() + last);
  for (std::size_t i = at_; i < at_ + count; ++i) {
    canonical_->append(events[i]);
    recorded_canonical_->append(recorded_[i]);
  }
  chunk_ = ChunkInfo{.file_offset = 0,
                     .first_event = at_,
                     .events = count,
                     .clock_hash = clock_hashes[at_ + count - 1],
                     .changed = canonical_->take_hash() != recorded_canonical_->take_hash()};
  at_ += count;
  return chunk;
}

}  // namespace replait
