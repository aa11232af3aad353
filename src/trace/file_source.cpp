// FileSource: the bytes of a trace, from a file or from standard input.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/frame_reader.h"

namespace replait {
namespace {

Failure failure(FailureKind kind, const std::string& what, const std::string& reason,
                const std::string& remedy) {
  return {.kind = kind, .message = fmt::format("{}: {}", what, reason), .remedy = remedy};
}

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path,
                                                     std::uint64_t max_memory_bytes) {
  std::unique_ptr<FileSource> source(new FileSource());
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : path;
  source->file_ = is_stdin ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (source->file_ < 0 || ::fstat(source->file_, &status) != 0) {
    return failure(FailureKind::kUsage, "cannot open " + name, std::strerror(errno),
                   "name a trace (NAME.replait)");
  }
  if (S_ISDIR(status.st_mode)) {
    return failure(FailureKind::kUsage, "cannot open " + name, "it is a folder",
                   "name a trace (NAME.replait)");
  }
  if (S_ISREG(status.st_mode) && !is_stdin) {
    source->size_ = static_cast<std::uint64_t>(status.st_size);
    return source;
  }
  const Result<void> read = source->read_all(max_memory_bytes);
  if (!read) {
    return failure(FailureKind::kUnreadable, "cannot read " + name, read.failure().message,
                   read.failure().remedy);
  }
  return source;
}

std::unique_ptr<FileSource> FileSource::of_bytes(std::string bytes) {
  std::unique_ptr<FileSource> source(new FileSource());
  source->memory_ = std::move(bytes);
  source->size_ = source->memory_.size();
  return source;
}

FileSource::~FileSource() {
  if (file_ >= 0) ::close(file_);
}

Result<void> FileSource::read_all(std::uint64_t max_memory_bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  for (;;) {
    const std::size_t at = memory_.size();
    if (at > max_memory_bytes / 2) {
      return Failure{.kind = FailureKind::kUnreadable,
                     .message = fmt::format("more than {} bytes", at),
                     .remedy = "write it to a file, or raise --max-memory"};
    }
    memory_.resize(at + kStep);
    const ssize_t got = ::read(file_, memory_.data() + at, kStep);
    memory_.resize(at + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Failure{
          .kind = FailureKind::kUnreadable, .message = std::strerror(errno), .remedy = {}};
    }
    if (got == 0) break;
  }
  ::close(file_);
  file_ = -1;
  size_ = memory_.size();
  return {};
}

bool FileSource::read(std::uint64_t offset, std::size_t bytes, std::string& out) const {
  if (offset > size_ || bytes > size_ - offset) return false;
  if (file_ < 0) {
    out.assign(memory_, static_cast<std::size_t>(offset), bytes);
    return true;
  }
  out.resize(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got =
        ::pread(file_, out.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace replait
