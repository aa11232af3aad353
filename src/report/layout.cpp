#include "report/layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace replait {
namespace {

// The code point at the start of well-formed UTF-8, and its bytes.
std::pair<std::uint32_t, std::size_t> first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {code, std::min(length, text.size())};
}

// East Asian wide and full-width blocks, and pictographs [Unicode TR 11], rounded up to whole
// blocks.
std::size_t columns_of(std::uint32_t code) {
  using Block = std::pair<std::uint32_t, std::uint32_t>;
  constexpr std::array kWide{
      Block{0x1100, 0x115F},   Block{0x2300, 0x23FF},   Block{0x2600, 0x27BF},
      Block{0x2B00, 0x2BFF},   Block{0x2E80, 0xA4CF},   Block{0xA960, 0xA97F},
      Block{0xAC00, 0xD7FF},   Block{0xF900, 0xFAFF},   Block{0xFE10, 0xFE6F},
      Block{0xFF00, 0xFFEF},   Block{0x16FE0, 0x18DFF}, Block{0x1AFF0, 0x1B2FF},
      Block{0x1F000, 0x1FBFF}, Block{0x20000, 0x3FFFF}};
  return std::any_of(kWide.begin(), kWide.end(),
                     [&](const Block& b) { return code >= b.first && code <= b.second; })
             ? 2
             : 1;
}

// The longest start of `text` within `columns`, at least one character.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const auto [code, length] = first_of(text.substr(bytes));
    const std::size_t needs = columns_of(code);
    if (needs > columns && bytes != 0) break;
    columns -= std::min(needs, columns);
    bytes += length;
    if (columns == 0) break;
  }
  return bytes;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [code, length] = first_of(text);
    columns += columns_of(code);
    text.remove_prefix(length);
  }
  return columns;
}

void Layout::paragraph(std::string_view lead, std::string_view text, std::size_t hang) {
  REPLAIT_CHECK(display_width(lead) <= width_ / 2 && hang <= width_ / 2);
  text_ += lead;
  std::size_t column = display_width(lead);
  bool at_start = true;  // Of a line.
  while (!text.empty()) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', spaces), text.size());
    const std::string_view word = text.substr(spaces, end - spaces);
    const std::size_t gap = at_start ? 0 : spaces;
    if (column + gap + display_width(word) <= width_) {
      text_ += std::string(word.empty() ? 0 : gap, ' ');
      text_ += word;
      column += gap + display_width(word);
      text.remove_prefix(end);
      at_start = false;
      continue;
    }
    if (at_start) {
      const std::size_t part = bytes_within(word, width_ - column);
      text_ += word.substr(0, part);
      text.remove_prefix(spaces + part);
    } else {
      text.remove_prefix(spaces);
    }
    text_ += '\n' + std::string(hang, ' ');
    column = hang;
    at_start = true;
  }
  text_ += '\n';
}

}  // namespace replait
