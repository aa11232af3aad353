// Recovering a broken trace: its whole frames, as they stand, and a new end, index and seek table.
//
// Frames are copied, not written anew, so what this version does not know of them is kept.
#include <fmt/format.h>

#include <limits>

#include "trace/end_codec.h"
#include "trace/file_trace_reader.h"
#include "trace/frame_writer.h"
#include "trace/trace_reader.h"

namespace replait {
namespace {

// The content of an end packet for a recording that has none.
std::string cut_end(FileTraceReader& reader) {
  Canonical& canonical = reader.canonical();
  KnownRows known{};
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    known[kind] = canonical.rows(static_cast<RowKind>(kind));
  }
  const ExecutionEnd execution{.kind = EndKind::kCut, .pending = {}, .findings = {}};
  EndContent end{.execution = &execution,
                 .pending = canonical.append_end(execution),
                 .events = reader.events()};
  canonical.take_hash();
  end.run_id = canonical.run_id();
  LocalRows rows(reader.tables(), canonical);
  return encode_end({.tables = reader.tables(), .canonical = canonical, .with_bytes = false}, rows,
                    known, end);
}

// Reads chunks until there are `events`, or no more. False: the next one is damaged.
bool read_chunks(FileTraceReader& reader, std::uint64_t events) {
  while (reader.events() < events) {
    const Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk) return false;
    if (chunk->empty()) break;
  }
  return true;
}

}  // namespace

Result<std::uint64_t> recover_trace(const std::string& from, const std::string& to,
                                    const TraceReaderOptions& options) {
  Result<std::unique_ptr<FileTraceReader>> opened = FileTraceReader::open(from, options, true);
  if (!opened) return opened.failure();
  if (!read_chunks(**opened, std::numeric_limits<std::uint64_t>::max())) {
    // What came before the damage, without a trace of the damaged chunk.
    const std::uint64_t whole = (*opened)->events();
    opened = (*opened)->reopen();
    if (!opened) return opened.failure();
    read_chunks(**opened, whole);
  }
  FileTraceReader& reader = **opened;
  const std::uint64_t events = reader.events();
  // Not to NAME.partial, which is what is read where NAME is recovered from it.
  Result<std::unique_ptr<FrameWriter>> file = FrameWriter::open(to, ".recovering");
  if (!file) return file.failure();
  FrameWriter& writer = **file;
  std::string bytes;
  for (const FrameReader::Frame& frame : reader.usable_frames()) {
    if (!reader.frames().raw(frame, bytes)) {
      return Failure{
          .kind = FailureKind::kUnreadable,
          .message = fmt::format("{}: byte {}: cannot be read again", from, frame.offset),
          .remedy = {}};
    }
    writer.write_compressed(bytes, static_cast<std::uint32_t>(frame.content_bytes));
  }
  if (!reader.has_end_packet()) writer.write(cut_end(reader));
  writer.write(reader.index().encode(
      reader.has_end_packet() ? reader.end_packet().execution.findings : std::vector<Finding>{}));
  writer.close();
  if (!writer.status().ok()) return writer.status().failure();
  return events;
}

}  // namespace replait
