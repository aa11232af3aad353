// Record -> file -> replay: what a file holds is what was recorded, and a damaged or changed file
// never passes for it.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "replay/replayer.h"
#include "tests/property/random_program.h"
#include "tests/unit/replay/memory_trace.h"
#include "trace/trace_writer.h"

namespace replait {
namespace {

// The recorded hashes, whatever the events that are written.
class RecordedClocks : public EventSink, public ClockHasher {
 public:
  explicit RecordedClocks(const MemoryTrace& trace) : trace_(trace) {}
  void begin(const Header&, const Tables&) override {}
  void consume(std::span<const Applied> events) override { seen_ += events.size(); }
  void finish(const ExecutionEnd&) override {}
  std::uint64_t clock_hash() const override { return trace_.clock_hashes[seen_ - 1]; }

 private:
  const MemoryTrace& trace_;
  std::size_t seen_ = 0;
};

// One file a process, gone at the end.
class TraceFile {
 public:
  TraceFile()
      : path_((std::filesystem::temp_directory_path() /
               ("replait-property-" + std::to_string(getpid()) + ".replait"))
                  .string()) {}
  ~TraceFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_ + ".recovered", ignored);
  }
  const std::string& path() const { return path_; }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void set(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  // Returns the run id that was written.
  RunId write(MemoryTrace& trace) const {
    RecordedClocks clocks(trace);
    const auto writer = TraceWriter::open(
        path_,
        {.environment = {}, .debug_clocks = false, .clocks = &clocks, .clock_sink = &clocks});
    RC_ASSERT(writer.ok());
    (*writer)->begin(trace.header(), trace.tables());
    (*writer)->consume(trace.events);
    (*writer)->finish(trace.end_->execution);
    RC_ASSERT((*writer)->status().ok());
    return (*writer)->run_id();
  }

 private:
  std::string path_;
};

std::unique_ptr<MemoryTrace> draw_trace() {
  const RandomProgram program = draw_program();
  const auto scheduler = *rc::gen::element<std::string>("round-robin", "random", "pct");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto values = *rc::gen::element(ValueLevel::kNone, ValueLevel::kHash, ValueLevel::kFull);
  return MemoryTrace::record(to_kernel(program), scheduler, seed, values);
}

// What came of replaying a file.
struct FileReplay {
  bool unreadable = false;
  std::optional<Divergence> divergence;
  RunId run_id{};
  std::uint64_t events = 0;
  EndKind end = EndKind::kFinished;
};

FileReplay replay_file(const std::string& path) {
  FileReplay result;
  const auto reader = TraceReader::open(
      path, {.max_memory_bytes = TraceReaderOptions().max_memory_bytes, .accept_changed = true});
  if (!reader.ok()) {
    RC_ASSERT(reader.failure().kind == FailureKind::kUnreadable);
    RC_ASSERT(!reader.failure().message.empty());
    result.unreadable = true;
    return result;
  }
  Replayer replayer(**reader, {}, {});
  const Result<void> done = replayer.run();
  if (!done.ok()) {
    RC_ASSERT(done.failure().kind == FailureKind::kUnreadable);
    result.unreadable = true;
    return result;
  }
  result.divergence = replayer.divergence();
  result.events = replayer.events();
  if ((*reader)->end()) {
    result.run_id = (*reader)->end()->run_id;
    result.end = (*reader)->end()->execution.kind;
  }
  return result;
}

RC_GTEST_PROP(TraceFileReplay, IsTheRecordedRun, ()) {
  const auto trace = draw_trace();
  const TraceFile file;
  RC_ASSERT(file.write(*trace) == trace->end_->run_id);
  const FileReplay result = replay_file(file.path());
  RC_ASSERT(!result.unreadable);
  RC_ASSERT(!result.divergence);
  RC_ASSERT(result.run_id == trace->end_->run_id);
  RC_ASSERT(result.events == trace->events.size());
}

RC_GTEST_PROP(TraceFileReplay, OfAFlippedByteFailsDivergesOrIsTheRecordedRun, ()) {
  const auto trace = draw_trace();
  const TraceFile file;
  file.write(*trace);
  std::string bytes = file.bytes();
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  const auto bit = *rc::gen::inRange(0, 8);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
  file.set(bytes);
  const FileReplay result = replay_file(file.path());
  if (!result.unreadable && !result.divergence)
    RC_ASSERT(result.run_id == trace->end_->run_id && result.events == trace->events.size());
}

RC_GTEST_PROP(TraceFileReplay, OfACutFileFailsAndWhatIsRecoveredReplays, ()) {
  const auto trace = draw_trace();
  const TraceFile file;
  file.write(*trace);
  const std::string bytes = file.bytes();
  file.set(bytes.substr(0, *rc::gen::inRange<std::size_t>(0, bytes.size())));
  RC_ASSERT(replay_file(file.path()).unreadable);
  const std::string recovered = file.path() + ".recovered";
  std::filesystem::remove(recovered);
  const Result<std::uint64_t> kept = recover_trace(file.path(), recovered);
  if (!kept.ok()) {
    RC_ASSERT(kept.failure().kind == FailureKind::kUnreadable);
    return;
  }
  const FileReplay result = replay_file(recovered);
  RC_ASSERT(!result.unreadable);
  if (result.divergence) RC_FAIL(result.divergence->expected + " / " + result.divergence->got);
  RC_ASSERT(result.events == *kept);
  // Its end packet may be whole, where only the index behind it was cut.
  RC_ASSERT(result.end == EndKind::kCut || result.run_id == trace->end_->run_id);
}

// An edited trace that is written anew has sound checksums: it replays only if some run has these
// events, and then it is another run than the recorded one.
RC_GTEST_PROP(TraceFileReplay, OfAChangedOpDivergesOrIsAnotherRun, ()) {
  const auto trace = draw_trace();
  RC_PRE(!trace->events.empty());
  const auto at = *rc::gen::inRange<std::size_t>(0, trace->events.size());
  Op& op = trace->events[at].op;
  // The writer refuses phases of a copy that was not issued.
  RC_PRE(!std::holds_alternative<IssueCopy>(op) && !std::holds_alternative<CopyStep>(op));
  if (auto* signal = std::get_if<Signal>(&op))
    signal->increment += 1;
  else if (auto* wait = std::get_if<Wait>(&op))
    wait->demand += 1;
  else
    op = Yield{};
  const TraceFile file;
  RC_PRE(file.write(*trace) != trace->end_->run_id);
  const FileReplay result = replay_file(file.path());
  RC_ASSERT(result.unreadable || result.divergence || result.run_id != trace->end_->run_id);
  if (std::holds_alternative<Signal>(op) || std::holds_alternative<Wait>(op))
    RC_ASSERT(result.unreadable || result.divergence);  // The count shows it at once.
}

}  // namespace
}  // namespace replait
