// Columns of numbers as the wire has them: a packed field's varints, written at once.
//
// The generated code would hold each number in four or eight bytes, then size them, then write
// them; a recording writes several a step, so the chunk's columns are encoded as they come. The
// reader uses the generated code, so a mistake here does not read back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/byte_buffer.h"

namespace replait {

constexpr std::uint64_t zigzag(std::int64_t n) {
  return static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>(n >> 1 ^ (~(n & 1) + 1));
}
// a - b as a signed number, wrapping.
constexpr std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

// The code of a row in a column, and its reading (trace.proto, Codes).
constexpr std::uint64_t reference_code(std::uint32_t local, std::uint32_t last) {
  return 2 + zigzag(std::int64_t{local} - std::int64_t{last});
}
constexpr std::uint64_t row_code(std::uint32_t number, std::uint32_t last) {
  return 1 + zigzag(std::int64_t{number} - std::int64_t{last});
}

inline void append_varint(std::string& out, std::uint64_t n) {
  while (n >= 0x80) {
    out.push_back(static_cast<char>(n | 0x80));
    n >>= 7;
  }
  out.push_back(static_cast<char>(n));
}

// A length-delimited field: a packed column, bytes, or a message.
inline void append_field(std::string& out, int field, std::string_view bytes) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3 | 2);
  append_varint(out, bytes.size());
  out.append(bytes);
}
inline void append_field(std::string& out, int field, std::uint64_t n) {
  append_varint(out, static_cast<std::uint64_t>(field) << 3);
  append_varint(out, n);
}
inline void append_fixed64(std::string& out, std::uint64_t n) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(n >> (8 * i)));
}
inline void append_fixed64_field(std::string& out, int field, std::uint64_t n) {
  if (n == 0) return;  // As the generated code does.
  append_varint(out, static_cast<std::uint64_t>(field) << 3 | 1);
  append_fixed64(out, n);
}

class Column {
 public:
  void put(std::uint64_t n) {
    any_ |= n;
    bytes_.append_varint(n);
  }
  void put_signed(std::int64_t n) { put(zigzag(n)); }

  // The packed field; nothing for a column without entries, or where all are 0 and `optional`.
  void append_to(std::string& out, int field, bool optional = false) const {
    if (!bytes_.empty() && !(optional && any_ == 0)) append_field(out, field, bytes_.view());
  }
  void clear() {
    bytes_.clear();
    any_ = 0;
  }

 private:
  ByteBuffer bytes_;
  std::uint64_t any_ = 0;
};

}  // namespace replait
