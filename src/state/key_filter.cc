// SPDX-License-Identifier: Apache-2.0
#include "state/key_filter.h"

#include "base/assert.h"
#include "state/keys.h"

namespace braid::state {
namespace {

constexpr std::uint64_t kWordsPerBlock = 8;  // one cache line
constexpr std::uint64_t kBitsPerBlock = kWordsPerBlock * 64;
constexpr int kBitsSet = 7;
constexpr int kBitIndexBits = 9;  // 2^9 bits a block

base::Hash128 hash_of(std::string_view key) {
  return base::xxh3_128(version_prefix_of(key).value_or(key));
}

}  // namespace

KeyFilter::Layer::Layer(std::uint64_t keys)
    : keys_max(keys),
      blocks(keys * kBitsPerKey / kBitsPerBlock),
      words(std::make_unique<Word[]>(blocks * kWordsPerBlock)) {}

void KeyFilter::Layer::set(const base::Hash128& hash) {
  Word* block = &words[hash.low % blocks * kWordsPerBlock];
  std::uint64_t bits = hash.high;
  for (int i = 0; i < kBitsSet; ++i, bits >>= kBitIndexBits) {
    const std::uint64_t bit = bits % kBitsPerBlock;
    block[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
  }
}

bool KeyFilter::Layer::has(const base::Hash128& hash) const {
  const Word* block = &words[hash.low % blocks * kWordsPerBlock];
  std::uint64_t bits = hash.high;
  for (int i = 0; i < kBitsSet; ++i, bits >>= kBitIndexBits) {
    const std::uint64_t bit = bits % kBitsPerBlock;
    const std::uint64_t word = block[bit / 64].load(std::memory_order_relaxed);
    if ((word >> (bit % 64) & 1) == 0) return false;
  }
  return true;
}

KeyFilter::KeyFilter() {
  layers_[0] = std::make_unique<Layer>(kFirstLayerKeys);
  layers_count_.store(1, std::memory_order_release);
}

void KeyFilter::add(std::string_view key) {
  const base::Hash128 hash = hash_of(key);
  if (may_contain(hash)) return;  // another version of a row takes no room
  const env::Lock lock(mutex_);
  std::size_t count = layers_count_.load(std::memory_order_relaxed);
  if (newest_keys_ == layers_[count - 1]->keys_max) {
    BRAID_ASSERT(count < kLayersMax);
    layers_[count] = std::make_unique<Layer>(layers_[count - 1]->keys_max * 2);
    newest_keys_ = 0;
    layers_count_.store(++count, std::memory_order_release);
  }
  ++newest_keys_;
  layers_[count - 1]->set(hash);  // (S12): bits are only ever set
}

bool KeyFilter::may_contain(const base::Hash128& hash) const {
  const std::size_t count = layers_count_.load(std::memory_order_acquire);
  for (std::size_t i = count; i > 0; --i) {
    if (layers_[i - 1]->has(hash)) return true;
  }
  return false;
}

bool KeyFilter::may_contain_key(std::string_view key) const { return may_contain(hash_of(key)); }

bool KeyFilter::may_contain_prefix(std::string_view prefix) const {
  return may_contain(base::xxh3_128(prefix));
}

std::uint64_t KeyFilter::memory_bytes() const {
  std::uint64_t bytes = 0;
  const std::size_t count = layers_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) bytes += layers_[i]->blocks * kBitsPerBlock / 8;
  return bytes;
}

}  // namespace braid::state
