// XXH3, the only hash: seeds, value hashes, run ids. Stable across machines and library versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trace/dtype.h"

namespace replait {

std::uint64_t hash64(std::span<const std::byte> bytes);
std::uint64_t hash64(std::string_view text);
std::array<std::uint64_t, 2> hash128(std::span<const std::byte> bytes);  // Low half first.

// XXH3-128 of an array: its dtype's name, its dimensions as 64-bit little-endian numbers, its
// row-major bytes.
std::array<std::uint64_t, 2> value_hash(DType dtype, std::span<const std::int64_t> shape,
                                        std::span<const std::byte> bytes);

// An XXH3 over a stream of numbers and strings, each little-endian; strings with their length
// first.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::uint64_t number);
  void add(std::string_view text);
  void add_bytes(std::span<const std::byte> bytes);  // Without a length.
  std::uint64_t digest64() const;
  std::array<std::uint64_t, 2> digest128() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace replait
