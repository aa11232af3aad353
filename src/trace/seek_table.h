// The zstd seek table: the sizes of all frames, in a skippable frame at the end of the file, so a
// reader finds the index at once (zstd's seekable format, without checksums of its own).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/frame_writer.h"

namespace replait {

constexpr std::uint32_t kSkippableMagic = 0x184D2A5E;
constexpr std::uint32_t kSeekableMagic = 0x8F92EAB1;
constexpr std::size_t kSkippableHeaderBytes = 8;
constexpr std::size_t kSeekFooterBytes = 9;
constexpr std::size_t kSeekEntryBytes = 8;

std::string encode_seek_table(std::span<const FrameWriter::Frame> frames);

// Bytes of the whole skippable frame whose last bytes these are; nullopt if they are no footer.
std::optional<std::uint64_t> seek_table_bytes(std::string_view footer);

// REQUIRES: the bytes of a whole skippable frame. nullopt if anything in it is wrong.
std::optional<std::vector<FrameWriter::Frame>> decode_seek_table(std::string_view table);

std::uint32_t load_le32(std::string_view bytes, std::size_t at);

}  // namespace replait
