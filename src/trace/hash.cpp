#include "trace/hash.h"

#include <xxhash.h>

#include "base/check.h"

namespace replait {
namespace {

std::array<std::uint64_t, 2> halves(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

std::array<unsigned char, 8> little_endian(std::uint64_t number) {
  std::array<unsigned char, 8> bytes;
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  return bytes;
}

}  // namespace

std::uint64_t hash64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash64(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::array<std::uint64_t, 2> hash128(std::span<const std::byte> bytes) {
  return halves(XXH3_128bits(bytes.data(), bytes.size()));
}

std::array<std::uint64_t, 2> value_hash(DType dtype, std::span<const std::int64_t> shape,
                                        std::span<const std::byte> bytes) {
  Hasher hasher;
  const std::string_view name = dtype_name(dtype);
  hasher.add_bytes(std::as_bytes(std::span(name.data(), name.size())));
  for (const std::int64_t dim : shape) hasher.add(static_cast<std::uint64_t>(dim));
  hasher.add_bytes(bytes);
  return hasher.digest128();
}

// Updates are the same for both widths; only the digest differs.
struct Hasher::State {
  State() : xxh(XXH3_createState()) {
    REPLAIT_CHECK(xxh != nullptr && XXH3_128bits_reset(xxh) == XXH_OK);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XXH3_freeState(xxh); }

  XXH3_state_t* xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}

Hasher::~Hasher() = default;

void Hasher::add(std::uint64_t number) {
  const std::array<unsigned char, 8> bytes = little_endian(number);
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

void Hasher::add(std::string_view text) {
  add(text.size());
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
}

void Hasher::add_bytes(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Hasher::digest64() const { return XXH3_64bits_digest(state_->xxh); }

std::array<std::uint64_t, 2> Hasher::digest128() const {
  return halves(XXH3_128bits_digest(state_->xxh));
}

}  // namespace replait
