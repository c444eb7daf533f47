// SPDX-License-Identifier: Apache-2.0
// Which keys and tables were written lately, and by which position: what the committer asks to tell
// whether a prepared change still holds, without touching the state.
//
// Invariants
//   C2  touched() never answers "no" when something of the footprint was written after `since`:
//       what it no longer remembers counts as touched, and so does another key of the same 128-bit
//       hash.
// Threads: the sequencer's leader only.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "state/state.h"
#include "table/footprint.h"

namespace braid::commit {

class RecentWrites {
 public:
  /// Remembers what is written after `floor`, up to `keys_max` keys.
  explicit RecentWrites(Position floor, std::size_t keys_max = 1U << 18)
      : floor_(floor), keys_max_(keys_max) {}

  using KeyHash = base::Hash128;
  /// Appends what add() is told of each write: a versioned key counts by its version prefix.
  static void append_hashes(std::span<const state::StateWrite> writes,
                            std::vector<KeyHash>& hashes);
  /// Notes the keys and tables written by the record at `position`. Positions ascend.
  void add(Position position, std::span<const KeyHash> keys, std::span<const TableId> tables);

  /// Names the first key or table of the footprint that was, or may have been, written after
  /// `since`; empty if none was.
  std::string touched(const table::Footprint& footprint, Position since) const;
  /// When the key was last written after the floor; 0 if it was not.
  Position last_write(std::string_view key) const;
  /// Everything written after this position is remembered.
  Position floor() const { return floor_; }

 private:
  struct HashOfHash {
    std::size_t operator()(const KeyHash& hash) const { return hash.low; }
  };
  Position floor_;
  std::size_t keys_max_;
  std::unordered_map<KeyHash, Position, HashOfHash> keys_;
  std::deque<std::pair<Position, KeyHash>> order_;
  std::unordered_map<TableId, Position> tables_;
};

}  // namespace braid::commit
