// SPDX-License-Identifier: Apache-2.0
#include "commit/recent_writes.h"

#include "base/coding.h"
#include "state/keys.h"

namespace braid::commit {

void RecentWrites::append_hashes(std::span<const state::StateWrite> writes,
                                 std::vector<KeyHash>& hashes) {
  for (const state::StateWrite& write : writes) {
    hashes.push_back(base::xxh3_128(state::version_prefix_of(write.key).value_or(write.key)));
  }
}

void RecentWrites::add(Position position, std::span<const KeyHash> keys,
                       std::span<const TableId> tables) {
  for (const KeyHash& key : keys) {
    keys_[key] = position;
    order_.emplace_back(position, key);
  }
  for (const TableId table : tables) tables_[table] = position;
  while (order_.size() > keys_max_) {
    const auto& [oldest, hash] = order_.front();
    floor_ = std::max(floor_, oldest);
    const auto found = keys_.find(hash);
    if (found != keys_.end() && found->second == oldest) keys_.erase(found);
    order_.pop_front();
  }
}

Position RecentWrites::last_write(std::string_view key) const {
  const auto found = keys_.find(base::xxh3_128(key));
  return found == keys_.end() ? Position{} : found->second;
}

std::string RecentWrites::touched(const table::Footprint& footprint, Position since) const {
  if (since < floor_) return "history";  // too old to check counts as touched (C2)
  for (const std::string& key : footprint.keys) {
    if (last_write(key) > since) return "key " + base::hex(key);
  }
  for (const TableId table : footprint.tables) {
    const auto found = tables_.find(table);
    if (found != tables_.end() && found->second > since) {
      return "table " + std::to_string(table.value);
    }
  }
  return {};
}

}  // namespace braid::commit
