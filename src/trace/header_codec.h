// Header, environment and value packets, each as the content of a frame. This keeps the generated
// code out of the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/event_sink.h"

namespace replait {

class HeaderPacket;

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// This format, and the oldest whose readers may read it. A reader reads every format up to its own.
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uint32_t kOldestReaderVersion = 1;

// Blobs are cut into parts of this size.
constexpr std::size_t kValuePartBytes = std::size_t{16} << 20;

std::string encode_header(const Header& header);
std::string encode_environment(const NamedTexts& environment);
// One part of a value's bytes as a packet, to be appended to the content of a frame.
std::string encode_value_part(const ValueRow& row, std::size_t offset_bytes);

// Failure (kUnreadable) without a place.
Result<Header> decode_header(const HeaderPacket& packet);

}  // namespace replait
