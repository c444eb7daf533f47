// SPDX-License-Identifier: Apache-2.0
// Which keys and tables were written lately, and by which position: what the committer asks to tell
// whether a prepared change still holds, without touching the state.
//
// Invariants
//   C2  touched() never answers false when something of the footprint was written after `since`:
//       what it no longer remembers counts as touched.
// Threads: the sequencer's leader only.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/ids.h"
#include "state/state.h"
#include "table/footprint.h"

namespace braid::commit {

class RecentWrites {
 public:
  /// Remembers what is written after `floor`, up to `keys_max` keys.
  explicit RecentWrites(Position floor, std::size_t keys_max = 1U << 18)
      : floor_(floor), keys_max_(keys_max) {}

  /// Notes the writes of the record at `position`: versioned keys by their version prefix, other
  /// keys whole. Positions ascend.
  void add(Position position, const std::vector<state::StateWrite>& writes,
           const std::vector<TableId>& tables);

  /// The first key or table of the footprint that was, or may have been, written after `since`;
  /// empty if none was.
  std::string touched(const table::Footprint& footprint, Position since) const;
  /// When the key was last written after the floor; 0 if it was not.
  Position last_write(std::string_view key) const;
  /// Everything written after this position is remembered.
  Position floor() const { return floor_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  void note(std::string_view key, Position position);

  Position floor_;
  std::size_t keys_max_;
  std::unordered_map<std::string, Position, Hash, std::equal_to<>> keys_;
  std::deque<std::pair<Position, std::string>> order_;
  std::unordered_map<TableId, Position> tables_;
};

}  // namespace braid::commit
