#include "replay/json_text.h"

#include <fmt/format.h>

namespace replait {
namespace {

// Bytes of the UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const unsigned char second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
    return 0;
  return bytes;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_bytes(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (bytes == 0)
      quoted += "\\ufffd";
    else if (c == '"' || c == '\\')
      quoted += {'\\', text.front()};
    else if (c == '\n')
      quoted += "\\n";
    else if (c < 0x20 || c == 0x7f)
      quoted += fmt::format("\\u{:04x}", c);
    else
      quoted += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return quoted + "\"";
}

void JsonText::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ > 0) {
    text_ += first_ ? "\n" : ",\n";
    text_.append(2 * depth_, ' ');
  }
  first_ = false;
}

JsonText& JsonText::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  --depth_;
  if (!first_) {
    text_ += "\n";
    text_.append(2 * depth_, ' ');
  }
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  text_ += json_quoted(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonText& JsonText::value(std::string_view text) { return raw(json_quoted(text)); }
JsonText& JsonText::value(std::uint64_t number) { return raw(std::to_string(number)); }
JsonText& JsonText::value(bool truth) { return raw(truth ? "true" : "false"); }
JsonText& JsonText::null() { return raw("null"); }

JsonText& JsonText::raw(std::string_view json) {
  separate();
  while (!json.empty() && json.back() == '\n') json.remove_suffix(1);
  text_ += json;
  return *this;
}

}  // namespace replait
