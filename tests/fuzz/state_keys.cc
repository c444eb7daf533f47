// SPDX-License-Identifier: Apache-2.0
// Any bytes as a state key or value: refused, or decoded and encoded again to the same bytes (S5).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "state/keys.h"

namespace braid::state {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_versioned(std::string_view key, std::string_view prefix, Position position) {
  require(key.starts_with(prefix));
  require(is_version_prefix(prefix));
  require(version_prefix_of(key) == prefix);
  require(key.substr(prefix.size()) == version_suffix(position));
}

void check_keys(std::string_view key) {
  bool decoded = key == kStampKey || key == kAppliedKey;
  if (const auto branch = decode_branch_key(key)) {
    require(branch_key(*branch) == key);
    decoded = true;
  }
  if (const auto commit = decode_commit_key(key)) {
    require(commit_key(*commit) == key);
    decoded = true;
  }
  if (const auto batch = decode_idempotency_key(key)) {
    require(idempotency_key(*batch) == key);
    decoded = true;
  }
  if (const auto pin = decode_pin_key(key)) {
    require(pin_key(*pin) == key);
    decoded = true;
  }
  if (const auto row = decode_row_key(key)) {
    require(row_key(row->table, row->branch, row->id, row->position) == key);
    check_versioned(key, row_version_prefix(row->table, row->branch, row->id), row->position);
    decoded = true;
  }
  if (const auto unique = decode_unique_key(key)) {
    const auto& [table, branch, constraint, tuple, position] = *unique;
    require(unique_key(table, branch, constraint, tuple, position) == key);
    check_versioned(key, unique_version_prefix(table, branch, constraint, tuple), position);
    decoded = true;
  }
  if (const auto edge = decode_adjacency_key(key)) {
    const EdgeEndsView ends{.endpoint = edge->endpoint, .edge = edge->edge};
    require(adjacency_key(edge->direction, edge->edge_table, edge->branch, ends, edge->position) ==
            key);
    check_versioned(key,
                    adjacency_version_prefix(edge->direction, edge->edge_table, edge->branch, ends),
                    edge->position);
    decoded = true;
  }
  require(check_key(key).ok() == decoded);
}

void check_values(std::string_view value) {
  if (const auto stamp = decode_stamp_value(value)) require(stamp_value(*stamp) == value);
  if (const auto applied = decode_applied_value(value)) require(applied_value(*applied) == value);
  if (const auto position = decode_position_value(value)) {
    require(position_value(*position) == value);
  }
}

}  // namespace
}  // namespace braid::state

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  braid::state::check_keys(bytes);
  braid::state::check_values(bytes);
  return 0;
}
