// What may be printed as it is: see describe.h.
#include <array>
#include <cstdint>

#include "trace/describe.h"

namespace replait {
namespace {

// Bytes of the well-formed UTF-8 sequence at the start of `text`; 0 where it is none [Unicode 3.9].
std::size_t sequence_length(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    code = lead;
    return 1;
  }
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
  return length;
}

bool obeyed_by_terminals(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool separator = code == 0x2028 || code == 0x2029;
  const bool direction = code == 0x61C || code == 0x200E || code == 0x200F ||
                         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || separator || direction || code == 0xFEFF;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_length(text, code);
    const std::size_t taken = length == 0 ? 1 : length;
    if (length != 0 && !obeyed_by_terminals(code)) {
      result += text.substr(0, taken);
    } else {
      for (const char c : text.substr(0, taken)) {
        const auto byte = static_cast<unsigned char>(c);
        result += "\\x";
        result += kDigits[byte >> 4];
        result += kDigits[byte & 15];
      }
    }
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace replait
