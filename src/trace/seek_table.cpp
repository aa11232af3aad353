#include "trace/seek_table.h"

namespace replait {
namespace {

void append_le32(std::string& out, std::uint32_t n) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(n >> (8 * i)));
}

}  // namespace

std::uint32_t load_le32(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    n |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return n;
}

std::string encode_seek_table(std::span<const FrameWriter::Frame> frames) {
  std::string out;
  append_le32(out, kSkippableMagic);
  append_le32(out, static_cast<std::uint32_t>(frames.size() * kSeekEntryBytes + kSeekFooterBytes));
  for (const FrameWriter::Frame& frame : frames) {
    append_le32(out, frame.compressed_bytes);
    append_le32(out, frame.content_bytes);
  }
  append_le32(out, static_cast<std::uint32_t>(frames.size()));
  out.push_back(0);  // Descriptor: no checksums, reserved bits 0.
  append_le32(out, kSeekableMagic);
  return out;
}

std::optional<std::uint64_t> seek_table_bytes(std::string_view footer) {
  if (footer.size() != kSeekFooterBytes || footer[4] != 0 ||
      load_le32(footer, 5) != kSeekableMagic) {
    return std::nullopt;
  }
  return kSkippableHeaderBytes + load_le32(footer, 0) * std::uint64_t{kSeekEntryBytes} +
         kSeekFooterBytes;
}

std::optional<std::vector<FrameWriter::Frame>> decode_seek_table(std::string_view table) {
  if (table.size() < kSkippableHeaderBytes + kSeekFooterBytes ||
      load_le32(table, 0) != kSkippableMagic ||
      load_le32(table, 4) != table.size() - kSkippableHeaderBytes ||
      seek_table_bytes(table.substr(table.size() - kSeekFooterBytes)) != table.size()) {
    return std::nullopt;
  }
  std::vector<FrameWriter::Frame> frames;
  for (std::size_t at = kSkippableHeaderBytes; at + kSeekFooterBytes < table.size();
       at += kSeekEntryBytes) {
    frames.push_back(
        {.compressed_bytes = load_le32(table, at), .content_bytes = load_le32(table, at + 4)});
  }
  return frames;
}

}  // namespace replait
