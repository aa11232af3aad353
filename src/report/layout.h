// Lines that fit: text broken at spaces, or anywhere where a word is wider than a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace replait {

// Columns that `text` takes in a terminal: two for a wide character, by its code point. Never less
// than it takes. REQUIRES: printable (trace/describe.h).
std::size_t display_width(std::string_view text);

class Layout {
 public:
  // Narrower than `kWidthMin` columns is not laid out.
  static constexpr std::size_t kWidthMin = 24;
  explicit Layout(std::size_t width) : width_(width < kWidthMin ? kWidthMin : width) {}

  // A paragraph that starts with `lead`; its further lines are indented by `hang` columns.
  // REQUIRES: both are at most half as wide as a line.
  void paragraph(std::string_view lead, std::string_view text, std::size_t hang);
  // "name: value".
  void item(std::string_view name, std::string_view value) {
    paragraph("", std::string(name) + ": " + std::string(value), 2);
  }
  void blank() { text_ += '\n'; }

  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  std::string text_;
};

}  // namespace replait
