// SPDX-License-Identifier: Apache-2.0
// Which keys and tables were written lately, and by which position: what the committer asks to tell
// whether a prepared change still holds, without touching the state.
//
// A table of positions without keys: a key's slot holds the last position at which it, or another
// key of the same slot, was written. It therefore never forgets, never grows past its limit, and
// errs on one side only: a change is then prepared once more for nothing.
//
// Invariants
//   C2  touched() never answers "no" when something of the footprint was written after `since`:
//       what it cannot tell counts as touched.
// Threads: under the sequencer's mutex; a copy belongs to who made it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/ids.h"
#include "state/state.h"
#include "state/state_view.h"
#include "table/footprint.h"

namespace braid::commit {

/// Keys by their hashes: it may take another key for one of its own, never the other way round.
class KeySet {
 public:
  explicit KeySet(std::vector<std::uint64_t> hashes);
  static std::uint64_t hash_of(std::string_view key);
  bool may_have(std::uint64_t hash) const;
  std::size_t size() const { return hashes_.size(); }

 private:
  std::vector<std::uint64_t> hashes_;  // ascending
};

class RecentWrites {
 public:
  /// Rows of staged records that are remembered.
  static constexpr std::size_t kStagedRowsMax = std::size_t{1} << 20;

  /// Remembers what is written after `floor` in at most `slots_max` slots, a power of two.
  explicit RecentWrites(Position floor, std::size_t slots_max = std::size_t{1} << 18);

  /// Notes what the record at `position` writes: a versioned key counts by its version prefix.
  /// Positions ascend, but for those of a group that did not come to be and are used again.
  void add(Position position, std::span<const state::StateWrite> writes,
           std::span<const TableId> tables);

  /// The staged record at `position` wrote these rows, which the state does not show: a key among
  /// them counts as touched without asking. Of too many the oldest are forgotten, and what was
  /// prepared before those counts as touched.
  void add_staged(Position position, std::shared_ptr<const KeySet> rows);

  /// Whether a key that may have been written after `since` was.
  using Confirm = std::function<bool(std::string_view key)>;
  /// Names the first key or table of the footprint that was, or may have been, written after
  /// `since`; empty if none was. Asks `confirm`, if given, about keys.
  std::string touched(const table::Footprint& footprint, Position since,
                      const Confirm& confirm = nullptr) const;
  /// Whether the key, a version prefix or one without versions, was or may have been written after
  /// `since`.
  bool may_be_written_after(Position since, std::string_view key) const;

 private:
  struct Staged {
    Position position;
    std::shared_ptr<const KeySet> rows;
  };

  std::size_t slot_of(std::string_view key) const;
  void grow();
  bool may_be_staged_after(Position since, std::string_view key) const;

  Position floor_;
  std::size_t slots_max_;
  std::size_t keys_noted_ = 0;
  std::vector<Position> slots_;  // a power of two
  std::unordered_map<TableId, Position> tables_;
  std::deque<Staged> staged_;  // oldest first
  std::size_t staged_rows_ = 0;
};

/// What of the footprint was written after `since` and up to `up_to`; empty if nothing. Where two
/// keys share a slot, the view, made when it is first needed, tells them apart; what cannot be told
/// counts as touched (C2).
std::string touched_part(const RecentWrites& recent, const table::Footprint& footprint,
                         Position since, Position up_to,
                         const std::function<state::StateView()>& view);

}  // namespace braid::commit
