// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

// OpenSSL 3 prefers EVP, which allocates for each digest: more than hashing a small record costs.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <algorithm>

#include <isa-l/crc.h>
#include <openssl/sha.h>
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
  SHA256_CTX context;
  bool good = SHA256_Init(&context) == 1;
  for (const std::string_view part : parts) {
    good = good && SHA256_Update(&context, part.data(), part.size()) == 1;
  }
  Digest digest;
  static_assert(sizeof(Digest) == SHA256_DIGEST_LENGTH);
  good = good && SHA256_Final(digest.data(), &context) == 1;
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
