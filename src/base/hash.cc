// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <algorithm>
#include <memory>

#include <isa-l/crc.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include "base/assert.h"

namespace braid::base {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) {
  // The library takes an int length and a mutable pointer that it only reads.
  constexpr std::size_t kChunk = std::size_t{1} << 30;
  std::uint32_t crc = ~seed;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, std::min(bytes.size(), kChunk));
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes.remove_prefix(part.size());
  }
  return ~crc;
}

Digest sha256(std::initializer_list<std::string_view> parts) {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  // Fetching the algorithm costs more than hashing a small record: once a process.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  static thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  Digest digest;
  bool good = EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1;
  for (const std::string_view part : parts) {
    good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  good = good && EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  BRAID_ASSERT(good);
  return digest;
}

Hash128& Hash128::operator+=(const Hash128& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

Hash128& Hash128::operator-=(const Hash128& other) {
  high -= other.high + (low < other.low ? 1 : 0);
  low -= other.low;
  return *this;
}

Hash128 xxh3_128(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace braid::base
