// The trace reader itself: what trace_reader.h promises, and what recovering a file needs beyond.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/canonical.h"
#include "trace/chunk_decoder.h"
#include "trace/end_codec.h"
#include "trace/frame_reader.h"
#include "trace/header_codec.h"
#include "trace/table_decoder.h"
#include "trace/trace_reader.h"

namespace replait {

class ChunkPacket;
class EndPacket;
class IndexPacket;
class Trace;
class ValuePacket;

class FileTraceReader final : public TraceReader {
 public:
  // `path` is for messages. With `recovering`, a seek table is not believed, and a cut file whose
  // end packet is whole counts as ended.
  static Result<std::unique_ptr<FileTraceReader>> open(const std::string& path,
                                                       const TraceReaderOptions& options,
                                                       bool recovering);
  // The same of bytes in memory.
  static Result<std::unique_ptr<FileTraceReader>> of_bytes(std::string bytes,
                                                           const TraceReaderOptions& options = {},
                                                           bool recovering = false);
  // The same file from its beginning.
  Result<std::unique_ptr<FileTraceReader>> reopen() const;
  ~FileTraceReader() override;

  const Header& header() const override { return header_; }
  const NamedTexts& environment() const override { return environment_; }
  Tables& tables() override { return tables_; }
  Result<std::vector<Applied>> next_chunk() override;
  const ChunkInfo& last_chunk() const override { return last_chunk_; }
  const std::vector<std::uint64_t>& debug_clocks() const override { return debug_clocks_; }
  const std::optional<TraceEnd>& end() const override { return end_; }
  Result<std::vector<ChunkInfo>> chunks() override;

  // For recover_trace. Frames up to the last whole chunk, or to the end packet if there is one.
  FrameReader& frames() { return frames_; }
  const std::vector<FrameReader::Frame>& usable_frames() const { return usable_frames_; }
  Canonical& canonical() { return canonical_; }
  IndexBuilder& index() { return index_; }
  bool has_end_packet() const { return end_packet_.has_value(); }
  const TraceEnd& end_packet() const { return *end_packet_; }
  // Of the whole chunks.
  std::uint64_t events() const { return last_chunk_.first_event + last_chunk_.events; }

 private:
  enum class Stage { kChunks, kIndex, kSeekTable, kOver };

  static Result<std::unique_ptr<FileTraceReader>> begin(std::unique_ptr<FileTraceReader> reader);
  FileTraceReader(const std::string& path, std::shared_ptr<const FileSource> source,
                  const TraceReaderOptions& options, bool recovering);

  Result<void> begin();
  // Reads the next frame into `trace`. False: there is none, `stage_` is kOver.
  Result<bool> next_frame(Trace& trace);
  Result<bool> at_tail(FrameReader::Status status);
  bool fits_seek_table(const FrameReader::Frame& frame) const;
  // One frame after the head. `chunk` is set where it held one.
  Result<void> take_frame(const Trace& trace, std::optional<std::vector<Applied>>& chunk);
  Result<void> take_value(const ValuePacket& packet);
  Result<std::vector<Applied>> take_chunk(const ChunkPacket& packet,
                                          const std::vector<const LaunchPacket*>& launches);
  Result<void> take_end(const EndPacket& packet, const std::vector<const LaunchPacket*>& launches);
  Result<void> take_index(const IndexPacket& packet);
  Result<std::vector<ChunkInfo>> chunks_from_index();
  Result<std::vector<ChunkInfo>> chunks_by_scanning();
  Failure failure(const std::string& problem) const;

  std::string name_;  // Of the file, for messages.
  TraceReaderOptions options_;
  bool recovering_;
  FrameReader frames_;
  MemoryBudget budget_;
  Header header_;
  NamedTexts environment_;
  Tables tables_;
  FileRows rows_;
  FileState state_;
  Canonical canonical_;
  IndexBuilder index_;
  std::optional<std::vector<FrameWriter::Frame>> seek_table_;

  std::unique_ptr<Trace> pending_;  // The second frame, where it was no environment.
  Stage stage_ = Stage::kChunks;
  std::optional<Failure> failed_;
  std::uint64_t frame_number_ = 0;  // Of the next frame, from 0.
  FrameReader::Frame frame_;        // The last one read.
  std::vector<FrameReader::Frame> usable_frames_;
  std::vector<FrameReader::Frame> value_frames_;  // Since the last chunk.
  std::uint64_t first_chunk_offset_ = 0;
  ChunkInfo last_chunk_;
  std::vector<std::uint64_t> debug_clocks_;
  // A value whose parts are still coming.
  struct PartialValue {
    std::array<std::uint64_t, 2> hash{};
    std::uint64_t total_bytes = 0;
    std::vector<std::byte> bytes;
  };
  std::optional<PartialValue> partial_value_;
  std::optional<TraceEnd> end_packet_;
  std::optional<TraceEnd> end_;
};

}  // namespace replait
