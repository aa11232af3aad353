// Bytes that grow at the end, without std::string's terminator or std::vector's zeroes: a recording
// appends several numbers an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace replait {

class ByteBuffer {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_.get(), size_}; }
  // Keeps the memory.
  void clear() { size_ = 0; }

  // Room for `count` more bytes, which the caller writes. Valid until the next call.
  char* extend(std::size_t count) {
    if (count > capacity_ - size_) [[unlikely]] {
      grow(count);
    }
    char* end = data_.get() + size_;
    size_ += count;
    return end;
  }
  void push_back(char byte) { *extend(1) = byte; }
  void append(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void append_varint(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) push_back(static_cast<char>(n | 0x80));
    push_back(static_cast<char>(n));
  }

 private:
  void grow(std::size_t count) {
    std::size_t capacity = capacity_ < 64 ? 64 : capacity_ * 2;
    if (capacity < size_ + count) capacity = size_ + count;
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace replait
