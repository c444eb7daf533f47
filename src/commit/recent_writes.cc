// SPDX-License-Identifier: Apache-2.0
#include "commit/recent_writes.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/assert.h"
#include "base/coding.h"
#include "base/hash.h"
#include "state/keys.h"

namespace braid::commit {
namespace {

constexpr std::size_t kSlotsMin = 1024;

}  // namespace

KeySet::KeySet(std::vector<std::uint64_t> hashes) : hashes_(std::move(hashes)) {
  std::sort(hashes_.begin(), hashes_.end());
}

std::uint64_t KeySet::hash_of(std::string_view key) { return base::xxh3_128(key).high; }

bool KeySet::may_have(std::uint64_t hash) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), hash);
}

RecentWrites::RecentWrites(Position floor, std::size_t slots_max)
    : floor_(floor), slots_max_(slots_max), slots_(std::min(kSlotsMin, slots_max)) {
  BRAID_ASSERT(std::has_single_bit(slots_max));
}

std::size_t RecentWrites::slot_of(std::string_view key) const {
  return base::xxh3_128(key).low & (slots_.size() - 1);
}

// Twice the slots means one more bit of each key's hash: both halves inherit what the whole knew.
void RecentWrites::grow() {
  const std::size_t size = slots_.size();
  slots_.resize(2 * size);
  std::copy_n(slots_.begin(), size, slots_.begin() + static_cast<std::ptrdiff_t>(size));
}

void RecentWrites::add(Position position, std::span<const state::StateWrite> writes,
                       std::span<const TableId> tables) {
  keys_noted_ += writes.size();
  while (keys_noted_ > slots_.size() && slots_.size() < slots_max_) grow();
  for (const state::StateWrite& write : writes) {
    Position& slot = slots_[slot_of(state::version_prefix_of(write.key).value_or(write.key))];
    slot = std::max(slot, position);
  }
  for (const TableId table : tables) {
    Position& last = tables_[table];
    last = std::max(last, position);
  }
}

void RecentWrites::add_staged(Position position, std::shared_ptr<const KeySet> rows) {
  staged_rows_ += rows->size();
  staged_.push_back({position, std::move(rows)});
  while (staged_rows_ > kStagedRowsMax) {
    floor_ = std::max(floor_, staged_.front().position);
    staged_rows_ -= staged_.front().rows->size();
    staged_.pop_front();
  }
}

bool RecentWrites::may_be_staged_after(Position since, std::string_view key) const {
  if (staged_.empty() || staged_.back().position <= since) return false;
  const std::uint64_t hash = KeySet::hash_of(key);
  return std::any_of(staged_.rbegin(), staged_.rend(), [&](const Staged& staged) {
    return staged.position > since && staged.rows->may_have(hash);
  });
}

bool RecentWrites::may_be_written_after(Position since, std::string_view key) const {
  return since < floor_ || slots_[slot_of(key)] > since;
}

std::string RecentWrites::touched(const table::Footprint& footprint, Position since,
                                  const Confirm& confirm) const {
  if (since < floor_) return "history";  // too old to check counts as touched (C2)
  for (const std::string& key : footprint.keys) {
    if (may_be_staged_after(since, key)) return "key " + base::hex(key);
    if (!may_be_written_after(since, key)) continue;
    if (!confirm || confirm(key)) return "key " + base::hex(key);
  }
  for (const TableId table : footprint.tables) {
    const auto found = tables_.find(table);
    if (found != tables_.end() && found->second > since) {
      return "table " + std::to_string(table.value);
    }
  }
  return {};
}

std::string touched_part(const RecentWrites& recent, const table::Footprint& footprint,
                         Position since, Position up_to,
                         const std::function<state::StateView()>& view) {
  std::optional<state::StateView> seen;
  return recent.touched(footprint, since, [&](std::string_view key) {
    if (!state::is_version_prefix(key)) return true;
    if (!seen) seen = view();
    const auto newest = state::newest_at(*seen, key, up_to);
    return !newest || (*newest && (*newest)->position > since);
  });
}

}  // namespace braid::commit
