// SPDX-License-Identifier: Apache-2.0
// The three hashes Braid uses, and what for:
//   CRC-32C (Castagnoli)  frames: finds torn writes and flipped bits
//   SHA-256               chain, digests, pseudonyms: withstands an adversary
//   XXH3-128              content hashes: cheap per cell, guards against our own faults
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace braid::base {

using Digest = std::array<std::uint8_t, 32>;

/// CRC-32C of `bytes`, continuing from `seed` (the CRC of what came before, or any secret).
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

/// SHA-256 of the concatenation of `parts`. Thread-safe.
Digest sha256(std::initializer_list<std::string_view> parts);
inline Digest sha256(std::string_view bytes) { return sha256({bytes}); }
inline std::string_view as_view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// SHA-256 of bytes that come by and by.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  /// Of all bytes so far. Call it once, last.
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// 128 bits that add modulo 2^128.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  Hash128& operator+=(const Hash128& other);
  Hash128& operator-=(const Hash128& other);
  bool is_zero() const { return low == 0 && high == 0; }
};

/// XXH3-128 of `bytes` under `seed`.
Hash128 xxh3_128(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace braid::base
