// SPDX-License-Identifier: Apache-2.0
// The overlay: the effects of records that are durable but not yet applied to the state, as
// immutable sorted runs. Whoever publishes a group adds a run; when the state has applied up to a
// position, the runs below it are dropped. Readers merge it with the state (state_view.h).
//
// Invariants
//   S7  For equal keys the newest write counts: the last of its group, the newest group.
//   S8  Each run is at least twice as large as the next newer one: O(log n) runs, and each entry is
//       copied O(log n) times (the logarithmic method of Bentley and Saxe, 1980).
// A run is dropped whole, so the overlay holds up to a small multiple of what is not applied;
// bytes() counts what is held.
// Threads: an Overlay is immutable; any thread may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ids.h"
#include "state/state.h"

namespace braid::state {

/// What the overlay says about a key; no value: it was removed. Views live as long as the overlay.
struct OverlayEntryView {
  std::string_view key;
  std::optional<std::string_view> value;
  friend bool operator==(const OverlayEntryView&, const OverlayEntryView&) = default;
};

/// The positions of a group, both inclusive.
struct PositionRange {
  Position first;
  Position last;
};

class Overlay {
  struct Token {
    explicit Token() = default;
  };
  struct Run;

 public:
  explicit Overlay(Token) {}

  static std::shared_ptr<const Overlay> empty();
  /// This overlay and the effects of one more group. Requires: positions beyond last(). A group
  /// without writes is fine.
  std::shared_ptr<const Overlay> with(PositionRange positions,
                                      const std::vector<StateWrite>& writes) const;
  /// Without the runs whose positions are all <= `applied`.
  std::shared_ptr<const Overlay> without(Position applied) const;

  /// What is known about the key, removals included; nullopt: nothing, ask the state.
  std::optional<OverlayEntryView> get(std::string_view key) const;
  /// The first entry, removals included, with from <= key whose key begins with `prefix`.
  std::optional<OverlayEntryView> seek(std::string_view from, std::string_view prefix) const;
  /// All such entries in key order, removals included; the visitor's false ends the scan.
  void scan(std::string_view from, std::string_view prefix,
            const std::function<bool(const OverlayEntryView&)>& visit) const;

  /// The newest position whose effects are held; 0 if none.
  Position last() const;
  /// Entries held, keys that stand in several runs counted in each.
  std::size_t entries() const { return entries_; }
  /// Bytes held: keys, values and the index over them.
  std::size_t bytes() const { return bytes_; }
  std::size_t runs() const { return levels_.size(); }
  bool is_empty() const { return entries_ == 0; }

  /// Walks the entries in key order, each key once, the newest write of it (S7). Valid as long as
  /// the overlay lives.
  class Cursor {
   public:
    Cursor(const Overlay& overlay, std::string_view from, std::string_view prefix);
    bool valid() const { return valid_; }
    /// Requires: valid().
    const OverlayEntryView& entry() const { return entry_; }
    void next();

   private:
    struct Head {
      const Run* run;
      std::size_t index;
    };
    void find_least();

    std::vector<Head> heads_;  // newest run first
    std::string prefix_;
    OverlayEntryView entry_;
    bool valid_ = false;
  };

 private:
  struct Level {
    Position last;
    std::shared_ptr<const Run> run;
  };
  static std::shared_ptr<const Run> make_run(std::vector<OverlayEntryView> entries_newest_first);
  void push(Level level);

  std::vector<Level> levels_;  // oldest first
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace braid::state
