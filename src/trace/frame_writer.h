// The file as frames: compresses each, appends it at once, and ends with the seek table.
//
// Written to NAME.partial and renamed at the close, each frame with one write: whatever ends the
// process, the frames before are in the file. Sizes and checksums stand in every frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace replait {

// A frame decompresses to at most this.
constexpr std::uint64_t kFrameBytesMax = std::uint64_t{64} << 20;

class FrameWriter {
 public:
  struct Frame {
    std::uint32_t compressed_bytes = 0;
    std::uint32_t content_bytes = 0;
  };

  // Writes to `path` with `suffix` until close(); "-" is standard output. Failure (kUsage) names
  // the path and the system's reason.
  static Result<std::unique_ptr<FrameWriter>> open(const std::string& path,
                                                   const std::string& suffix = ".partial");
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Does nothing after the first failure.
  void write(std::string_view content);
  // As it stands in another file. REQUIRES: a whole frame.
  void write_compressed(std::string_view frame, std::uint32_t content_bytes);
  // Writes the seek table and gives the file its name.
  void close();

  std::uint64_t bytes() const { return bytes_; }
  const std::vector<Frame>& frames() const { return frames_; }
  const Result<void>& status() const { return status_; }
  void fail(Failure failure);

 private:
  FrameWriter(std::string path, std::string unfinished, int file);
  void append(std::string_view bytes);

  std::string path_;
  std::string unfinished_;  // The file's name until it is closed.
  int file_ = -1;
  struct Compressor;
  std::unique_ptr<Compressor> compressor_;
  std::string buffer_;
  std::vector<Frame> frames_;
  std::uint64_t bytes_ = 0;
  Result<void> status_;
};

}  // namespace replait
