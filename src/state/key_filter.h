// SPDX-License-Identifier: Apache-2.0
// Which keys a state may hold: a Bloom filter in memory, so that a look-up of what is not there
// (the usual case for new rows and fresh idempotency keys) costs nanoseconds and not a seek.
//
// A filter grows by layers, each twice as large as the one before; a key lies in one of them.
// Within a layer all bits of a key lie in one cache line (F. Putze, P. Sanders, J. Singler,
// "Cache-, hash- and space-efficient Bloom filters", 2007).
//
// Invariants
//   S12  may_contain() is true for every key that was added, whatever was added since; once the
//        filter is complete, false means that the state has no such key, in any version.
// Threads: any; adding and asking go on side by side.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/hash.h"
#include "env/mutex.h"

namespace braid::state {

class KeyFilter {
 public:
  KeyFilter();

  /// Adds a key of the state: a versioned one counts by its version prefix.
  void add(std::string_view key) BRAID_EXCLUDES(mutex_);
  /// `key`: a key as add() takes it. `prefix`: a version prefix.
  bool may_contain_key(std::string_view key) const;
  bool may_contain_prefix(std::string_view prefix) const;

  /// Everything that the state holds has been added.
  void mark_complete() { complete_.store(true, std::memory_order_release); }
  bool is_complete() const { return complete_.load(std::memory_order_acquire); }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::uint64_t kFirstLayerKeys = std::uint64_t{1} << 14;
  static constexpr std::uint64_t kBitsPerKey = 16;
  static constexpr std::size_t kLayersMax = 40;

  using Word = std::atomic<std::uint64_t>;
  struct Layer {
    explicit Layer(std::uint64_t keys);
    void set(const base::Hash128& hash);
    bool has(const base::Hash128& hash) const;

    std::uint64_t keys_max;
    std::uint64_t blocks;
    std::unique_ptr<Word[]> words;
  };

  bool may_contain(const base::Hash128& hash) const;

  env::Mutex mutex_;
  std::uint64_t newest_keys_ BRAID_GUARDED_BY(mutex_) = 0;
  /// The first layers_count_ are there and stay.
  std::array<std::unique_ptr<Layer>, kLayersMax> layers_;
  std::atomic<std::size_t> layers_count_{0};
  std::atomic<bool> complete_{false};
};

}  // namespace braid::state
