// Recording, replaying and checking, in events a second; the trace in bytes an event.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "bench/measure.h"
#include "bench/one_message_an_event.h"
#include "bench/workload.h"
#include "race/happens_before.h"
#include "replay/judgement.h"
#include "replay/replayer.h"
#include "replay/trace_file.h"
#include "sim/simulation.h"
#include "trace/trace_writer.h"

namespace replait::bench {
namespace {

constexpr int kRounds = 5;

// Counts, and nothing else.
class Counter : public EventSink {
 public:
  void begin(const Header&, const Tables&) override {}
  void consume(std::span<const Applied> events) override { events_ += events.size(); }
  void finish(const ExecutionEnd&) override {}
  std::uint64_t events() const { return events_; }

 private:
  std::uint64_t events_ = 0;
};

void require(bool held, const char* what) {
  if (!held) throw std::runtime_error(what);
}

// Runs the kernel into `sinks`, without values.
void run(const Kernel& kernel, std::span<EventSink* const> sinks) {
  Tables tables;
  const auto scheduler = make_scheduler("random", 1);
  SimulationOptions options;
  options.machine.compute_values = false;
  const Header header{.scheduler = (*scheduler)->name(),
                      .seed = 1,
                      .program = kernel.name,
                      .program_hash = 0,
                      .inputs_hash = 0,
                      .jax_version = options.machine.jax_version,
                      .values = ValueLevel::kNone,
                      .options = {}};
  const auto end = simulate(kernel, **scheduler, 0, header, tables, sinks, options);
  require(end.ok() && end->kind == EndKind::kFinished, "the workload did not finish");
}

std::uint64_t record(const Kernel& kernel, const std::string& file) {
  HappensBefore clocks;
  const auto writer = TraceWriter::open(
      file, {.environment = {}, .debug_clocks = false, .clocks = &clocks, .clock_sink = &clocks});
  require(writer.ok(), "the trace cannot be written");
  EventSink* sink = writer->get();
  run(kernel, std::span(&sink, 1));
  require((*writer)->status().ok(), "the trace was not written");
  return (*writer)->bytes_written();
}

void replay(const std::string& file) {
  const auto reader = TraceReader::open(
      file, {.max_memory_bytes = TraceReaderOptions().max_memory_bytes, .accept_changed = true});
  require(reader.ok(), "the trace cannot be read");
  Replayer replayer(**reader, {}, {});
  require(replayer.run().ok() && !replayer.divergence(), "the trace does not replay");
}

void check(const std::string& file) {
  const auto reader = TraceReader::open(file);
  require(reader.ok(), "the trace cannot be read");
  Judgement judgement;
  require(feed(**reader, judgement.sinks()).ok(), "the trace cannot be read");
}

void read(const std::string& file) {
  const auto reader = TraceReader::open(file);
  require(reader.ok(), "the trace cannot be read");
  Counter counter;
  EventSink* sink = &counter;
  require(feed(**reader, std::span(&sink, 1)).ok(), "the trace cannot be read");
}

std::vector<Figure> figures_of(std::uint32_t devices, const std::string& folder) {
  const std::string file = folder + "/workload-" + std::to_string(devices) + ".replait";
  const Kernel kernel = workload({.devices = devices, .events = 1'000'000});
  Counter counter;
  OneMessageAnEvent messages;
  const std::array<EventSink*, 2> sinks{&counter, &messages};
  run(kernel, sinks);
  const auto events = static_cast<double>(counter.events());

  std::uint64_t bytes = 0;
  const std::vector<double> least =
      best(kRounds, {[&] { run(kernel, {}); }, [&] { bytes = record(kernel, file); },
                     [&] { read(file); }, [&] { replay(file); }, [&] { check(file); }});
  std::filesystem::remove(file);
  const auto rate = [&](std::size_t i) { return events / least[i] / 1e6; };
  const std::string with = ", " + std::to_string(devices) + " threads";
  const char* unit = "M events/s";
  return {{"record" + with, rate(1), unit, "the same kernel unrecorded", rate(0), "5"},
          {"replay" + with, rate(3), unit, "reading the trace alone", rate(2), "5"},
          {"check --this-run" + with, rate(4), unit, "reading the trace alone", rate(2), "5"},
          {"trace" + with, static_cast<double>(bytes) / events, "bytes/event",
           "one protobuf message an event, zstd -3",
           static_cast<double>(messages.compressed_bytes()) / events, "at most 1.2"}};
}

}  // namespace

std::vector<Figure> trace_figures(const std::string& folder) {
  std::vector<Figure> figures;
  for (const std::uint32_t devices : {8U, 64U}) {
    for (Figure& figure : figures_of(devices, folder)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace replait::bench
