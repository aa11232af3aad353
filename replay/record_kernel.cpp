// `record NAME`: one schedule of a C++ kernel, judged while it runs and written to a trace.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "replay/environment.h"
#include "replay/json_text.h"
#include "replay/judgement.h"
#include "replay/near_names.h"
#include "replay/record.h"
#include "report/json.h"
#include "report/text.h"
#include "sim/simulation.h"
#include "trace/hash.h"
#include "trace/trace_writer.h"

namespace replait {
namespace {

// For the hook of a failed check, which has no arguments.
TraceWriter* open_writer = nullptr;

class FlushOnFault {
 public:
  explicit FlushOnFault(TraceWriter& writer) {
    open_writer = &writer;
    set_flush_hook([] { open_writer->flush(); });
  }
  FlushOnFault(const FlushOnFault&) = delete;
  FlushOnFault& operator=(const FlushOnFault&) = delete;
  ~FlushOnFault() { set_flush_hook(nullptr); }
};

Result<Kernel> find_kernel(const RecordOptions& options, const CommandContext& context) {
  std::vector<std::string> names;
  for (const Kernel& kernel : context.kernels) {
    if (kernel.name == options.kernel) return kernel;
    names.push_back(kernel.name);
  }
  const std::string hint = nearest_hint(options.kernel, names);
  return Failure{FailureKind::kUsage,
                 fmt::format("expected the name of a kernel, got '{}'", options.kernel),
                 fmt::format("{}{}list them:  {} record --list", hint, hint.empty() ? "" : "\n",
                             context.program)};
}

ValueLevel level_of(const std::string& values) {
  if (values == "full") return ValueLevel::kFull;
  return values == "hash" ? ValueLevel::kHash : ValueLevel::kNone;
}

// One recording, from its options to its trace.
class KernelRecording {
 public:
  KernelRecording(const RecordOptions& options, CommandContext& context)
      : options_(options), context_(context) {}

  Result<void> run() {
    Result<Kernel> kernel = find_kernel(options_, context_);
    if (!kernel.ok()) return kernel.failure();
    const std::uint64_t seed = std::stoull(options_.seed);
    Result<std::unique_ptr<Scheduler>> scheduler = make_scheduler(options_.scheduler, seed);
    if (!scheduler.ok()) return scheduler.failure();
    const Result<void> opened = open(seed);
    if (!opened.ok()) return opened;

    SimulationOptions simulation;
    simulation.machine.values = level_of(options_.values);
    if (!options_.jax_version.empty()) simulation.machine.jax_version = options_.jax_version;
    const Header header{.scheduler = (*scheduler)->name(),
                        .seed = seed,
                        .program = kernel->name,
                        .program_hash = hash64(kernel->name),
                        .inputs_hash = 0,
                        .jax_version = simulation.machine.jax_version,
                        .values = simulation.machine.values,
                        .options = {}};
    scheduler_ = header.scheduler;
    // The writer feeds the detector, whose clocks it asks for at the end of each chunk.
    std::vector<EventSink*> sinks = judgement_.sinks_without_clocks();
    sinks.push_back(writer_.get());
    const FlushOnFault flush(*writer_);
    const Result<ExecutionEnd> end =
        simulate(*kernel, **scheduler, 0, header, tables_, sinks, simulation);
    if (!end.ok()) {
      discard();
      return end.failure();
    }
    return close();
  }

  void print() {
    const Report report = judgement_.report(to_stdout() ? "-" : path_, context_);
    context_.exit_code = judgement_.exit_code(report, context_);
    // The trace itself has standard output when it was asked for there.
    std::FILE* stream = to_stdout() ? stderr : stdout;
    const std::string text = context_.json ? json(report) : words(report);
    std::fputs(text.c_str(), stream);
  }

 private:
  bool to_stdout() const { return options_.output == "-"; }

  Result<void> open(std::uint64_t seed) {
    if (to_stdout()) {
      std::error_code error;
      const auto folder = std::filesystem::temp_directory_path(error);
      std::string name = (error ? "/tmp" : folder.string()) + "/replait-XXXXXX";
      const int file = mkstemp(name.data());
      if (file < 0) {
        return Failure{FailureKind::kUsage,
                       fmt::format("cannot make a file like '{}': {}", name, std::strerror(errno)),
                       "set TMPDIR to a folder that can be written, or name a file with -o"};
      }
      ::close(file);
      path_ = name;
    } else {
      Result<std::string> path =
          output_path(options_, fmt::format("{}-seed{}", options_.kernel, seed));
      if (!path.ok()) return path.failure();
      path_ = *path;
    }
    TraceWriterOptions writer;
    if (!options_.no_environment) writer.environment = recording_environment();
    writer.debug_clocks = options_.debug_clocks;
    writer.clocks = &judgement_.clocks();
    writer.clock_sink = judgement_.clock_sink();
    Result<std::unique_ptr<TraceWriter>> opened = TraceWriter::open(path_, writer);
    if (!opened.ok()) return opened.failure();
    writer_ = std::move(*opened);
    return {};
  }

  void discard() {
    writer_.reset();
    std::error_code ignored;
    std::filesystem::remove(path_ + ".partial", ignored);
    if (to_stdout()) std::filesystem::remove(path_, ignored);
  }

  Result<void> close() {
    Result<void> status = writer_->status();
    if (!status.ok() || !to_stdout()) return status;
    std::ifstream trace(path_, std::ios::binary);
    std::array<char, 65536> bytes{};
    bool written = true;
    while (written && (trace.read(bytes.data(), bytes.size()) || trace.gcount() > 0)) {
      const auto count = static_cast<std::size_t>(trace.gcount());
      written = std::fwrite(bytes.data(), 1, count, stdout) == count;
    }
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    if (!written || std::fflush(stdout) != 0)
      return Failure{FailureKind::kUsage, "cannot write the trace to standard output",
                     "name a file with -o"};
    return {};
  }

  std::string words(const Report& report) const {
    std::string text =
        fmt::format("recorded {} of {} ({}, seed {}) in {}\nrun id {}\n\n",
                    judgement_.summary().counted(), options_.kernel, scheduler_, options_.seed,
                    to_stdout() ? "standard output" : path_, to_string(writer_->run_id()));
    text += to_text(report, static_cast<std::size_t>(context_.width));
    if (!to_stdout())
      text += fmt::format("replay it: {} replay {}\n", context_.program, shell_quoted(path_));
    return text;
  }

  std::string json(const Report& report) const {
    const RunSummary& summary = judgement_.summary();
    JsonText json;
    json.begin_object().field("schema", "replait.record/1").field("kernel", options_.kernel);
    json.field("scheduler", scheduler_).field("seed", std::uint64_t{std::stoull(options_.seed)});
    json.field("file", to_stdout() ? "-" : path_).field("events", summary.events());
    json.field("run_id", to_string(writer_->run_id()));
    summary.add_to(json);
    return json.key("report").raw(to_json(report)).end_object().text();
  }

  const RecordOptions& options_;
  CommandContext& context_;
  std::string path_;
  std::string scheduler_;
  Tables tables_;
  Judgement judgement_;
  std::unique_ptr<TraceWriter> writer_;
};

}  // namespace

void record_kernel(const RecordOptions& options, CommandContext& context) {
  KernelRecording recording(options, context);
  const Result<void> recorded = recording.run();
  if (!recorded.ok()) return context.fail(recorded.failure());
  recording.print();
}

}  // namespace replait
