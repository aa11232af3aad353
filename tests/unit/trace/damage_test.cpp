// A reader faces damaged files: cut anywhere, flipped anywhere, and files made to harm.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/columns.h"
#include "trace/file_trace_reader.h"
#include "trace_file.h"

namespace replait::test {
namespace {

bool is_prefix(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

class Damage : public ::testing::Test {
 protected:
  Damage() : bytes_(trace_bytes(execution_)), whole_(read_bytes(bytes_)) {
    EXPECT_FALSE(whole_.failure);
  }

  const Execution execution_ =
      random_execution({.seed = 3, .events = 270, .threads = 2, .launches = 1});
  const std::string bytes_;
  const Reading whole_;
};

TEST_F(Damage, CutAnywhereLeavesThePrefixAndNoEnd) {
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    const Reading cut = read_bytes(bytes_.substr(0, size));
    ASSERT_TRUE(is_prefix(cut.events, whole_.events)) << size;
    ASSERT_TRUE(cut.end.empty()) << size;
    ASSERT_TRUE(!cut.failure || cut.failure->kind == FailureKind::kUnreadable);
    ASSERT_GE(cut.events.size(), most) << size;
    most = cut.events.size();
  }
  EXPECT_EQ(most, whole_.events.size());
}

TEST_F(Damage, RecoverKeepsTheWholeFramesOfACutFile) {
  const TemporaryFolder folder;
  const std::string from = folder.path("cut");
  const std::string to = folder.path("recovered");
  for (std::size_t size = 0; size < bytes_.size(); size += 13) {
    write_file(from, bytes_.substr(0, size));
    const Result<std::uint64_t> kept = recover_trace(from, to);
    if (!kept) {
      EXPECT_TRUE(read_trace(from).failure) << size;
      continue;
    }
    const Reading recovered = read_trace(to);
    ASSERT_FALSE(recovered.failure) << recovered.failure->message << " at " << size;
    ASSERT_EQ(recovered.events.size(), *kept);
    ASSERT_EQ(recovered.events, read_trace(from).events);
    ASSERT_TRUE(recovered.end == whole_.end || recovered.end == "kind 4\n") << recovered.end;
  }
}

TEST_F(Damage, RecoverMakesTheSameFileOfAWholeOne) {
  const TemporaryFolder folder;
  write_file(folder.path("whole"), bytes_);
  const Result<std::uint64_t> kept = recover_trace(folder.path("whole"), folder.path("again"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, execution_.events.size());
  EXPECT_EQ(read_file(folder.path("again")), bytes_);
}

TEST_F(Damage, RecoverKeepsWhatComesBeforeADamagedFrame) {
  const TemporaryFolder folder;
  std::vector<std::string> frames = frame_contents(bytes_);
  // After the header each chunk stands behind its values; the second chunk gets a packet too many.
  frames[4] += std::string("\x0a\x00", 2);
  write_file(folder.path("damaged"), of_frames(frames));
  EXPECT_TRUE(read_trace(folder.path("damaged")).failure);
  const Result<std::uint64_t> kept = recover_trace(folder.path("damaged"), folder.path("to"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, 256u);
  const Reading recovered = read_trace(folder.path("to"));
  ASSERT_FALSE(recovered.failure) << recovered.failure->message;
  EXPECT_TRUE(is_prefix(recovered.events, whole_.events));
  EXPECT_EQ(recovered.end, "kind 4\n");
}

TEST_F(Damage, FlippedBitAnywhereIsFoundOrChangesNothing) {
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const Reading reading = read_bytes(flipped);
    if (reading.failure) {
      ASSERT_EQ(reading.failure->kind, FailureKind::kUnreadable);
      ASSERT_NE(reading.failure->message.find("at byte"), std::string::npos)
          << reading.failure->message;
      ASSERT_TRUE(is_prefix(reading.events, whole_.events));
      continue;
    }
    ASSERT_EQ(reading, whole_) << "byte " << at;
    ++harmless;
  }
  EXPECT_LT(harmless, bytes_.size() / 100);
}

TEST_F(Damage, BytesAfterTheTraceAreRefused) {
  EXPECT_TRUE(read_bytes(bytes_ + "x").failure);
  EXPECT_TRUE(read_bytes(bytes_ + bytes_).failure);
}

TEST_F(Damage, FramesInAnotherOrderAreRefused) {
  const std::vector<std::string> frames = frame_contents(bytes_);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    std::vector<std::string> swapped = frames;
    std::swap(swapped[i], swapped[i + 1]);
    EXPECT_TRUE(read_bytes(of_frames(swapped)).failure) << i;
    std::vector<std::string> without = frames;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(read_bytes(of_frames(without)).failure) << i;
    std::vector<std::string> twice = frames;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), frames[i]);
    EXPECT_TRUE(read_bytes(of_frames(twice)).failure) << i;
  }
  EXPECT_FALSE(read_bytes(of_frames(frames)).failure);
}

TEST_F(Damage, WhatIsNoTraceIsRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("hello, world"), std::string(100, '\0'), of_frames({}),
        of_frames({""}), of_frames({"junk"})}) {
    const Reading reading = read_bytes(bytes);
    ASSERT_TRUE(reading.failure);
    EXPECT_EQ(reading.failure->kind, FailureKind::kUnreadable);
  }
  const Reading missing = read_trace("/no/such/trace");
  ASSERT_TRUE(missing.failure);
  EXPECT_EQ(missing.failure->kind, FailureKind::kUsage);
  EXPECT_EQ(missing.failure->message, "cannot open /no/such/trace: No such file or directory");
  EXPECT_EQ(read_trace("/tmp").failure->message, "cannot open /tmp: it is a folder");
}

TEST_F(Damage, MemoryLimitIsKept) {
  const Reading reading = read_bytes(bytes_, {.max_memory_bytes = 100000});
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->kind, FailureKind::kUnreadable);
  EXPECT_NE(reading.failure->message.find("more than the limit"), std::string::npos)
      << reading.failure->message;
}

TEST_F(Damage, BombIsRefusedBeforeItUnfolds) {
  std::vector<std::string> frames = frame_contents(bytes_);
  frames[1] = std::string(std::size_t{63} << 20, '\0');
  const std::string bomb = of_frames(frames);
  EXPECT_LT(bomb.size(), 100000u);
  const Reading reading = read_bytes(bomb, {.max_memory_bytes = std::uint64_t{1} << 30});
  ASSERT_TRUE(reading.failure);
  EXPECT_NE(reading.failure->message.find("more than the limit"), std::string::npos)
      << reading.failure->message;
}

// The first bytes of a frame: magic, then the descriptor.
TEST_F(Damage, FrameHeaderBitsAreChecked) {
  const auto with_descriptor = [this](int set, int clear) {
    std::string bytes = bytes_;
    bytes[4] = static_cast<char>((bytes[4] | set) & ~clear);
    return read_bytes(bytes).failure.value_or(Failure{}).message;
  };
  EXPECT_NE(with_descriptor(0x08, 0).find("reserved bits"), std::string::npos);
  EXPECT_NE(with_descriptor(0x10, 0).find("reserved bits"), std::string::npos);
  EXPECT_NE(with_descriptor(0, 0x04).find("no checksum"), std::string::npos);
  EXPECT_NE(with_descriptor(0x01, 0).find("dictionary"), std::string::npos);
  EXPECT_NE(with_descriptor(0, 0xe0).find("does not state its size"), std::string::npos);
}

TEST_F(Damage, NewerFormatIsRefusedWithBothVersions) {
  std::vector<std::string> frames = frame_contents(bytes_);
  std::string header;
  append_field(header, 1, std::uint64_t{7});
  append_field(header, 2, std::uint64_t{6});
  std::string packet;
  append_field(packet, 1, header);
  frames[0].clear();
  append_field(frames[0], 1, packet);
  const Reading reading = read_bytes(of_frames(frames));
  ASSERT_TRUE(reading.failure);
  EXPECT_EQ(reading.failure->kind, FailureKind::kUnreadable);
  EXPECT_EQ(reading.failure->message,
            "trace in memory: frame 0 at byte 0, event 0: trace format 7 needs a replait that "
            "reads format 6, this one reads up to 1");
  EXPECT_EQ(reading.failure->remedy, "install a newer replait");
}

TEST_F(Damage, ChunksComeFromTheIndexOrFromAScan) {
  const auto chunks = [](const std::string& bytes) {
    Result<std::unique_ptr<FileTraceReader>> reader = FileTraceReader::of_bytes(bytes);
    EXPECT_TRUE(reader);
    Result<std::vector<ChunkInfo>> found = (*reader)->chunks();
    EXPECT_TRUE(found) << (found ? "" : found.failure().message);
    return found ? *found : std::vector<ChunkInfo>{};
  };
  const std::vector<ChunkInfo> indexed = chunks(bytes_);
  // Without the seek table the index cannot be found.
  const std::vector<ChunkInfo> scanned = chunks(bytes_.substr(0, bytes_.size() - 1));
  ASSERT_EQ(indexed.size(), whole_.chunks.size());
  ASSERT_EQ(scanned.size(), whole_.chunks.size());
  for (std::size_t i = 0; i < indexed.size(); ++i) {
    for (const ChunkInfo& info : {indexed[i], scanned[i]}) {
      EXPECT_EQ(info.file_offset, whole_.chunks[i].file_offset);
      EXPECT_EQ(info.first_event, whole_.chunks[i].first_event);
      EXPECT_EQ(info.events, whole_.chunks[i].events);
    }
  }
}

}  // namespace
}  // namespace replait::test
