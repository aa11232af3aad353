#include "trace/frame_reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "trace/seek_table.h"

namespace replait {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr std::size_t kHeaderBytesMax = 18;
constexpr std::size_t kBlockBytesMax = std::size_t{128} << 10;
constexpr std::size_t kChecksumBytes = 4;

// What parsing a frame may take, at most, for each byte of its content: a packet of two bytes
// becomes a message of its own.
constexpr std::uint64_t kParsedBytesPerByte = 40;

std::uint64_t load_le(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < size; ++i) {
    n |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return n;
}

}  // namespace

struct FrameReader::Decompressor {
  Decompressor() : context(ZSTD_createDCtx()) {
    REPLAIT_CHECK(context != nullptr, "out of memory");
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { ZSTD_freeDCtx(context); }

  ZSTD_DCtx* context;
};

FrameReader::FrameReader(std::shared_ptr<const FileSource> source, std::uint64_t max_memory_bytes)
    : source_(std::move(source)),
      max_memory_bytes_(max_memory_bytes),
      decompressor_(std::make_unique<Decompressor>()) {}

FrameReader::~FrameReader() = default;

FrameReader::Status FrameReader::damaged(std::string problem) {
  problem_ = std::move(problem);
  return Status::kDamaged;
}

std::optional<std::vector<FrameWriter::Frame>> FrameReader::seek_table(std::string& problem) const {
  const std::uint64_t size = source_->size();
  std::string bytes;
  if (size < kSeekFooterBytes || !source_->read(size - kSeekFooterBytes, kSeekFooterBytes, bytes)) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> table_bytes = seek_table_bytes(bytes);
  if (!table_bytes) return std::nullopt;
  problem = "the seek table does not fit the file";
  if (*table_bytes > size || *table_bytes > max_memory_bytes_ / 4 ||
      !source_->read(size - *table_bytes, static_cast<std::size_t>(*table_bytes), bytes)) {
    return std::nullopt;
  }
  std::optional<std::vector<FrameWriter::Frame>> frames = decode_seek_table(bytes);
  if (!frames) return std::nullopt;
  std::uint64_t sum = 0;
  for (const FrameWriter::Frame& frame : *frames) sum += frame.compressed_bytes;
  if (sum != size - *table_bytes) return std::nullopt;
  problem.clear();
  return frames;
}

bool FrameReader::measure_header(std::string_view head, Frame& frame, std::size_t& header_bytes) {
  const auto descriptor = static_cast<unsigned char>(head[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  const unsigned size_flag = descriptor >> 6;
  if ((descriptor & 0x18) != 0) {
    problem_ = "reserved bits are set in the frame's header";
  } else if ((descriptor & 0x04) == 0) {
    problem_ = "the frame has no checksum";
  } else if ((descriptor & 0x03) != 0) {
    problem_ = "the frame needs a dictionary";
  } else if (size_flag == 0 && !single_segment) {
    problem_ = "the frame does not state its size";
  } else {
    const std::size_t size_bytes = std::size_t{1} << size_flag;
    const std::size_t at = single_segment ? 5 : 6;
    header_bytes = at + size_bytes;
    if (header_bytes > head.size()) return true;  // Cut: the caller sees that.
    frame.content_bytes = load_le(head, at, size_bytes) + (size_flag == 1 ? 256 : 0);
    return true;
  }
  return false;
}

FrameReader::Status FrameReader::measure_blocks(std::uint64_t offset, std::uint64_t& end) {
  std::string head;
  for (bool last = false; !last;) {
    if (!source_->read(offset, 3, head)) return Status::kCut;
    const std::uint64_t block = load_le(head, 0, 3);
    last = (block & 1) != 0;
    const std::uint64_t type = block >> 1 & 3;
    const std::uint64_t size = block >> 3;
    if (type == 3 || size > kBlockBytesMax) return damaged("impossible block in the frame");
    offset += 3 + (type == 1 ? 1 : size);
    if (offset > source_->size()) return Status::kCut;
  }
  end = offset + kChecksumBytes;
  return end > source_->size() ? Status::kCut : Status::kFrame;
}

FrameReader::Status FrameReader::measure(std::uint64_t offset, Frame& frame) {
  const std::uint64_t left = source_->size() - std::min(offset, source_->size());
  if (left == 0) return Status::kEnd;
  std::string head;
  if (!source_->read(
          offset, static_cast<std::size_t>(std::min<std::uint64_t>(left, kHeaderBytesMax)), head)) {
    return damaged("cannot be read");
  }
  if (head.size() < 4) return Status::kCut;
  frame.offset = offset;
  const std::uint32_t magic = load_le32(head, 0);
  if (magic == kSkippableMagic) {
    if (head.size() < kSkippableHeaderBytes) return Status::kCut;
    frame.compressed_bytes = kSkippableHeaderBytes + std::uint64_t{load_le32(head, 4)};
    if (frame.compressed_bytes > left) return Status::kCut;
    if (frame.compressed_bytes < left) return damaged("more bytes after the seek table");
    return Status::kSeekTable;
  }
  if (magic != kFrameMagic) return damaged("here is no zstd frame");
  if (head.size() < 5) return Status::kCut;
  std::size_t header_bytes = 0;
  if (!measure_header(head, frame, header_bytes)) return Status::kDamaged;
  if (header_bytes > head.size()) return Status::kCut;
  std::uint64_t end = 0;
  const Status status = measure_blocks(offset + header_bytes, end);
  frame.compressed_bytes = end - offset;
  return status;
}

bool FrameReader::decompress(const Frame& frame, std::string& content) {
  if (frame.content_bytes > kFrameBytesMax) {
    problem_ = fmt::format("a frame of {} bytes, a trace has at most {}", frame.content_bytes,
                           kFrameBytesMax);
    return false;
  }
  if (frame.content_bytes > max_memory_bytes_ / kParsedBytesPerByte) {
    problem_ = fmt::format("a frame of {} bytes may take {} bytes of memory, more than the limit",
                           frame.content_bytes, frame.content_bytes * kParsedBytesPerByte);
    return false;
  }
  // A block holds at most 128 KiB, and takes at least 4 bytes.
  if (frame.content_bytes / kBlockBytesMax > frame.compressed_bytes / 4 ||
      frame.compressed_bytes > ZSTD_compressBound(kFrameBytesMax)) {
    problem_ = fmt::format("a frame of {} bytes cannot come from {} bytes", frame.content_bytes,
                           frame.compressed_bytes);
    return false;
  }
  if (!raw(frame, compressed_)) {
    problem_ = "cannot be read";
    return false;
  }
  content.resize(static_cast<std::size_t>(frame.content_bytes));
  const std::size_t size =
      ZSTD_decompressDCtx(decompressor_->context, content.data(), content.size(),
                          compressed_.data(), compressed_.size());
  if (ZSTD_isError(size) || size != content.size()) {
    problem_ = fmt::format("zstd cannot decompress it: {}",
                           ZSTD_isError(size) ? ZSTD_getErrorName(size) : "its size is another");
    return false;
  }
  return true;
}

bool FrameReader::raw(const Frame& frame, std::string& bytes) const {
  return source_->read(frame.offset, static_cast<std::size_t>(frame.compressed_bytes), bytes);
}

}  // namespace replait
