// Live JAX -> a trace: puts the ops of free-running threads into the order in which they took
// effect, applies each to a Machine that mirrors JAX, and hands it to the clocks and the writer.
//
// Python draws a number for each op under the lock that JAX itself holds for its effect, and tells
// of it a little later, so ops arrive out of order; one is applied when all before it were. What
// JAX did is what is recorded. Where the Machine expected something else, one of the two is wrong:
// the first such event of each launch becomes the finding machine.mismatch.
//
// Not thread-safe: Python calls with its global lock held.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "race/happens_before.h"
#include "trace/event_sink.h"
#include "trace/tables.h"
#include "trace/trace_writer.h"

namespace replait {

// What JAX did, as far as it says so; the Machine fills in the rest.
struct Facts {
  ErrorId error{};  // 0: it did not raise.
  std::optional<ValueId> value;
  std::optional<std::uint64_t> count;
};

// An op that Python told of.
struct ToldOp {
  AgentId agent{};
  SourceId source{};
  Op op;
  Facts facts;
  std::span<const std::byte> bytes;        // What it stores.
  std::shared_ptr<const void> keep_alive;  // Owner of `bytes`.
};

class JaxRecorder {
 public:
  struct Options {
    Header header;
    std::vector<std::pair<std::string, std::string>> environment;
  };
  static Result<std::unique_ptr<JaxRecorder>> open(const std::string& path, Options options);

  Tables& tables() { return tables_; }
  ValueLevel values() const { return header_.values; }

  // The first op has number 0. Failure: the trace cannot be written any more.
  Result<void> tell(std::uint64_t number, ToldOp op);

  // Ops whose predecessors were never told are applied without them; after an own fault none is.
  struct Finished {
    RunId run_id{};
    std::uint64_t findings = 0;
  };
  Result<Finished> finish(EndKind kind, std::vector<PendingOp> pending);

  std::uint64_t events() const { return next_index_; }

 private:
  JaxRecorder() = default;
  void apply(const ToldOp& told);
  Outcome settle(const ToldOp& told, const Outcome& got);
  bool agrees(const Facts& facts, const Outcome& got) const;
  bool same_error(ErrorId a, ErrorId b) const;
  void mismatch(const ToldOp& told, const std::string& expected, const std::string& got);
  std::string outcome_text(const Outcome& outcome) const;
  Result<void> write_out();

  Header header_;
  Tables tables_;
  std::unique_ptr<Machine> machine_;
  HappensBefore clocks_;
  std::unique_ptr<TraceWriter> writer_;
  std::map<std::uint64_t, ToldOp> waiting_;  // Told before one of their predecessors.
  std::uint64_t next_number_ = 0;
  std::uint64_t next_index_ = 0;
  bool broken_ = false;  // An own fault ended the recording.
  std::vector<Applied> batch_;
  struct Mismatches {
    std::size_t finding = 0;
    std::uint64_t more = 0;
  };
  std::map<LaunchId, Mismatches> mismatches_;
  std::vector<Finding> findings_;
};

}  // namespace replait
