// A trace in memory: what a test records, changes and replays, without a file between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "race/happens_before.h"
#include "replait/replait.h"
#include "trace/canonical.h"
#include "trace/trace_reader.h"

namespace replait {

class MemoryTrace : public TraceReader {
 public:
  // Records one schedule of `kernel`. Throws what simulate() refuses.
  static std::unique_ptr<MemoryTrace> record(const Kernel& kernel,
                                             const std::string& scheduler = "random",
                                             std::uint64_t seed = 0,
                                             ValueLevel values = ValueLevel::kFull);

  const Header& header() const override { return header_; }
  const std::vector<std::pair<std::string, std::string>>& environment() const override {
    return environment_;
  }
  Tables& tables() override { return tables_; }
  Result<std::vector<Applied>> next_chunk() override;
  const ChunkInfo& last_chunk() const override { return chunk_; }
  const std::vector<std::uint64_t>& debug_clocks() const override { return debug_; }
  const std::optional<TraceEnd>& end() const override { return end_; }
  Result<std::vector<ChunkInfo>> chunks() override { return std::vector<ChunkInfo>{}; }

  void rewind();

  // Free to change between a recording and its replay.
  Header header_;
  std::vector<Applied> events;
  std::vector<std::uint64_t> clock_hashes;  // After each event.
  std::optional<TraceEnd> end_;
  std::size_t chunk_events = 7;
  bool debug_clocks_kept = false;

 private:
  friend class MemoryRecorder;

  std::vector<std::pair<std::string, std::string>> environment_;
  Tables tables_;
  std::vector<Applied> recorded_;  // As they were.
  std::optional<Canonical> canonical_;
  std::optional<Canonical> recorded_canonical_;
  ChunkInfo chunk_;
  std::vector<std::uint64_t> debug_;
  std::size_t at_ = 0;
};

}  // namespace replait
