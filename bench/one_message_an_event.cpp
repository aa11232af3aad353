#include "bench/one_message_an_event.h"

#include <zstd.h>

#include "trace/op_fields.h"

namespace replait::bench {
namespace {

void put_varint(std::vector<std::byte>& bytes, std::uint64_t number) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<std::byte>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<std::byte>(number));
}

void put_field(std::vector<std::byte>& bytes, std::uint32_t field, std::uint64_t number) {
  if (number == 0) return;
  put_varint(bytes, std::uint64_t{field} << 3);
  put_varint(bytes, number);
}

}  // namespace

void OneMessageAnEvent::consume(std::span<const Applied> events) {
  std::vector<std::byte> message;
  for (const Applied& event : events) {
    const OpFields fields = fields_of(event.op);
    message.clear();
    put_field(message, 1, event.index);
    put_field(message, 2, to_index(event.agent));
    put_field(message, 3, to_index(event.source));
    put_field(message, 4, fields.op);
    put_field(message, 5, fields.detail);
    put_field(message, 6, fields.first);
    put_field(message, 7, fields.second);
    put_field(message, 8, fields.value);
    put_field(message, 9, fields.number);
    put_field(message, 10, to_index(event.outcome.value));
    put_field(message, 11, to_index(event.outcome.error));
    put_field(message, 12, event.outcome.count);
    put_varint(bytes_, 1 << 3 | 2);  // A message in a repeated field.
    put_varint(bytes_, message.size());
    bytes_.insert(bytes_.end(), message.begin(), message.end());
  }
}

std::uint64_t OneMessageAnEvent::compressed_bytes() const {
  std::vector<std::byte> out(ZSTD_compressBound(bytes_.size()));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes_.data(), bytes_.size(), 3);
  return ZSTD_isError(size) != 0 ? 0 : size;
}

}  // namespace replait::bench
