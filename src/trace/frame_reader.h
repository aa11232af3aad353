// Frames of an untrusted file: each is found, measured and checked before anything is allocated for
// it.
//
// Block headers are followed to the frame's end, so its size in the file is known without
// decompressing; its content's size stands in its header (a frame without one is refused), is
// checked against the limits, against what so few bytes could hold, and in the end against what
// came out. zstd's checksum must be there, and is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/frame_writer.h"

namespace replait {

// Bytes by offset: a file, or all of standard input.
class FileSource {
 public:
  // Failure: kUsage where it cannot be opened, kUnreadable where it cannot be read.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path,
                                                  std::uint64_t max_memory_bytes);
  static std::unique_ptr<FileSource> of_bytes(std::string bytes);
  ~FileSource();
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const { return size_; }
  // False where the file ends before, or the system fails.
  bool read(std::uint64_t offset, std::size_t bytes, std::string& out) const;

 private:
  FileSource() = default;
  Result<void> read_all(std::uint64_t max_memory_bytes);

  int file_ = -1;
  std::string memory_;  // Of a source that cannot seek.
  std::uint64_t size_ = 0;
};

class FrameReader {
 public:
  enum class Status {
    kFrame,      // A whole frame.
    kSeekTable,  // The skippable frame of a seek table, up to the end of the file.
    kEnd,        // The file ends here.
    kCut,        // The file ends within the frame.
    kDamaged,    // No frame, or not one of a trace: problem() says why.
  };
  struct Frame {
    std::uint64_t offset = 0;
    std::uint64_t compressed_bytes = 0;
    std::uint64_t content_bytes = 0;
  };

  FrameReader(std::shared_ptr<const FileSource> source, std::uint64_t max_memory_bytes);
  ~FrameReader();

  // The seek table at the end of the file: nullopt where the file has none (it was cut); a problem
  // where it has one that does not fit the file.
  std::optional<std::vector<FrameWriter::Frame>> seek_table(std::string& problem) const;

  // Measures what is at `offset`. For kFrame and kSeekTable `frame` is set.
  Status measure(std::uint64_t offset, Frame& frame);
  // Decompresses a measured frame. False: damaged, problem() says why. A frame beyond the limits is
  // damage too.
  bool decompress(const Frame& frame, std::string& content);
  // The frame as it stands in the file.
  bool raw(const Frame& frame, std::string& bytes) const;

  const std::shared_ptr<const FileSource>& source() const { return source_; }
  std::uint64_t file_bytes() const { return source_->size(); }
  const std::string& problem() const { return problem_; }

 private:
  Status damaged(std::string problem);
  Status measure_blocks(std::uint64_t offset, std::uint64_t& end);
  bool measure_header(std::string_view head, Frame& frame, std::size_t& header_bytes);

  std::shared_ptr<const FileSource> source_;
  std::uint64_t max_memory_bytes_;
  struct Decompressor;
  std::unique_ptr<Decompressor> decompressor_;
  std::string problem_;
  std::string compressed_;
};

}  // namespace replait
