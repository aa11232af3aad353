#include "trace/frame_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "trace/seek_table.h"

namespace replait {
namespace {

constexpr int kCompressionLevel = 3;

Failure system_failure(const std::string& what, const std::string& path,
                       const std::string& remedy) {
  return {.kind = FailureKind::kUsage,
          .message = fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)),
          .remedy = remedy};
}

}  // namespace

struct FrameWriter::Compressor {
  Compressor() : context(ZSTD_createCCtx()) {
    REPLAIT_CHECK(context != nullptr, "out of memory");
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }

  ZSTD_CCtx* context;
};

Result<std::unique_ptr<FrameWriter>> FrameWriter::open(const std::string& path,
                                                       const std::string& suffix) {
  if (path == "-") return std::unique_ptr<FrameWriter>(new FrameWriter(path, path, STDOUT_FILENO));
  const std::string unfinished = path + suffix;
  const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    return system_failure("write", unfinished, "name a file in a folder that can be written to");
  }
  return std::unique_ptr<FrameWriter>(new FrameWriter(path, unfinished, file));
}

FrameWriter::FrameWriter(std::string path, std::string unfinished, int file)
    : path_(std::move(path)),
      unfinished_(std::move(unfinished)),
      file_(file),
      compressor_(std::make_unique<Compressor>()) {}

FrameWriter::~FrameWriter() {
  if (file_ >= 0 && path_ != "-") ::close(file_);
}

void FrameWriter::fail(Failure failure) {
  if (status_.ok()) status_ = std::move(failure);
}

void FrameWriter::append(std::string_view bytes) {
  while (!bytes.empty() && status_.ok()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const bool is_pipe = path_ == "-";
      fail(system_failure("write", is_pipe ? "standard output" : unfinished_,
                          "make room, or name another file"));
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    bytes_ += static_cast<std::uint64_t>(written);
  }
}

void FrameWriter::write(std::string_view content) {
  if (!status_.ok()) return;
  if (content.size() > kFrameBytesMax) {
    fail({.kind = FailureKind::kUsage,
          .message = fmt::format("cannot store {} bytes at one place of a trace, at most {}",
                                 content.size(), kFrameBytesMax),
          .remedy = "record with smaller masks or without values"});
    return;
  }
  buffer_.resize(ZSTD_compressBound(content.size()));
  const std::size_t size = ZSTD_compress2(compressor_->context, buffer_.data(), buffer_.size(),
                                          content.data(), content.size());
  REPLAIT_CHECK(!ZSTD_isError(size), "zstd cannot compress: ", ZSTD_getErrorName(size));
  write_compressed(std::string_view(buffer_).substr(0, size),
                   static_cast<std::uint32_t>(content.size()));
}

void FrameWriter::write_compressed(std::string_view frame, std::uint32_t content_bytes) {
  REPLAIT_CHECK(frame.size() <= std::numeric_limits<std::uint32_t>::max());
  append(frame);
  frames_.push_back({.compressed_bytes = static_cast<std::uint32_t>(frame.size()),
                     .content_bytes = content_bytes});
}

void FrameWriter::close() {
  append(encode_seek_table(frames_));
  if (path_ == "-" || !status_.ok()) return;
  if (::close(std::exchange(file_, -1)) != 0) {
    fail(system_failure("write", unfinished_, "make room, or name another file"));
  } else if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) {
    fail(system_failure("rename " + unfinished_ + " to", path_, "rename it by hand"));
  }
}

}  // namespace replait
