// Feeds a reader what a hostile sender could: a damaged file, or sound frames of any content.
//
// The first byte says which. 0: the rest is the file. Else the rest is frames, each its length (4
// bytes, little-endian) and its content, that the target compresses and closes with a fitting seek
// table; without that, mutations would never get past zstd's checksums.
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "trace/file_trace_reader.h"
#include "trace/seek_table.h"

namespace replait {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::string compressed(std::string_view content) {
  static const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), content.data(), content.size());
  if (ZSTD_isError(size)) std::abort();
  out.resize(size);
  return out;
}

std::string of_frames(std::string_view input) {
  std::string file;
  std::vector<FrameWriter::Frame> frames;
  while (input.size() >= 4) {
    const std::string_view content = input.substr(4, load_le32(input, 0));
    input.remove_prefix(4 + content.size());
    const std::string frame = compressed(content);
    file += frame;
    frames.push_back({.compressed_bytes = static_cast<std::uint32_t>(frame.size()),
                      .content_bytes = static_cast<std::uint32_t>(content.size())});
  }
  return file + encode_seek_table(frames);
}

// Reads everything. A wrong reader ends the process.
void read_all(const std::string& bytes, bool recovering) {
  Result<std::unique_ptr<FileTraceReader>> opened =
      FileTraceReader::of_bytes(bytes, {.max_memory_bytes = std::uint64_t{256} << 20}, recovering);
  if (!opened) return;
  FileTraceReader& reader = **opened;
  std::uint64_t events = 0;
  for (;;) {
    const Result<std::vector<Applied>> chunk = reader.next_chunk();
    if (!chunk || chunk->empty()) break;
    for (const Applied& event : *chunk) {
      if (event.index != events++) std::abort();
      if (to_index(event.agent) >= reader.tables().agents()) std::abort();
    }
  }
  const Result<std::vector<ChunkInfo>> chunks = reader.chunks();
  if (reader.end() && reader.end()->events != events) std::abort();
  if (reader.end() && !chunks) std::abort();
}

}  // namespace
}  // namespace replait

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] == 0 ? std::string(input) : replait::of_frames(input);
  replait::read_all(file, false);
  replait::read_all(file, true);
  return 0;
}
