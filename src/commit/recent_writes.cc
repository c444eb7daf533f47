// SPDX-License-Identifier: Apache-2.0
#include "commit/recent_writes.h"

#include "state/keys.h"

namespace braid::commit {

void RecentWrites::note(std::string_view key, Position position) {
  const auto found = keys_.find(key);
  if (found != keys_.end()) {
    found->second = position;
  } else {
    keys_.emplace(key, position);
  }
  order_.emplace_back(position, key);
}

void RecentWrites::add(Position position, const std::vector<state::StateWrite>& writes,
                       const std::vector<TableId>& tables) {
  for (const state::StateWrite& write : writes) {
    note(state::version_prefix_of(write.key).value_or(write.key), position);
  }
  for (const TableId table : tables) tables_[table] = position;
  while (order_.size() > keys_max_) {
    const auto& [oldest, key] = order_.front();
    floor_ = std::max(floor_, oldest);
    const auto found = keys_.find(key);
    if (found != keys_.end() && found->second == oldest) keys_.erase(found);
    order_.pop_front();
  }
}

Position RecentWrites::last_write(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? Position{} : found->second;
}

std::string RecentWrites::touched(const table::Footprint& footprint, Position since) const {
  if (since < floor_) return "history";  // too old to check counts as touched (C2)
  for (const std::string& key : footprint.keys) {
    if (last_write(key) > since) return key;
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
