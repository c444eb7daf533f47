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

namespace {

void begin(SHA256_CTX& context) {
  const int good = SHA256_Init(&context);
  BRAID_ASSERT(good == 1);
}

void add(SHA256_CTX& context, std::string_view bytes) {
  const int good = SHA256_Update(&context, bytes.data(), bytes.size());
  BRAID_ASSERT(good == 1);
}

Digest end(SHA256_CTX& context) {
  Digest digest;
  static_assert(sizeof(Digest) == SHA256_DIGEST_LENGTH);
  const int good = SHA256_Final(digest.data(), &context);
  BRAID_ASSERT(good == 1);
  return digest;
}

}  // namespace

Digest sha256(std::initializer_list<std::string_view> parts) {
  SHA256_CTX context;
  begin(context);
  for (const std::string_view part : parts) add(context, part);
  return end(context);
}

struct Sha256::Context {
  SHA256_CTX sha;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { begin(context_->sha); }
Sha256::~Sha256() = default;
void Sha256::update(std::string_view bytes) { add(context_->sha, bytes); }
Digest Sha256::finish() { return end(context_->sha); }

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
