// JSON as text, in the order of the calls: two spaces a level, a newline at the end.
//
// The shape is the caller's to keep: a key before each value of an object. For results that are a
// handful of fields; findings are laid out by src/report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace replait {

class JsonText {
 public:
  JsonText& begin_object() { return open('{'); }
  JsonText& end_object() { return close('}'); }
  JsonText& begin_array() { return open('['); }
  JsonText& end_array() { return close(']'); }
  JsonText& key(std::string_view name);
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(std::uint64_t number);
  JsonText& value(bool truth);
  JsonText& null();
  // A value that is JSON already, as it is but for newlines at its end.
  JsonText& raw(std::string_view json);

  template <typename Value>
  JsonText& field(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

  // The document. REQUIRES: everything that was opened is closed.
  std::string text() const { return text_ + "\n"; }

 private:
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  void separate();

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;  // Nothing stands in the innermost bracket yet.
  bool after_key_ = false;
};

// "text" with what JSON wants escaped; bytes that are no UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace replait
