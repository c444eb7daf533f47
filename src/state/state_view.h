// SPDX-License-Identifier: Apache-2.0
// What a reader sees: the state with the overlay of what is durable but not yet applied.
//
// Invariants
//   S4  A view taken as (overlay first, then state) holds every effect up to the overlay's last
//       position, however far the state has been applied meanwhile: what leaves the overlay was
//       applied before. The applier may therefore run beside any reader.
// The view is at least that new, not exactly: keys without a position may show later values.
// Whoever needs an exact position reads versioned keys with newest_at() (S3). Threads: a view is a
// value that shares immutable parts; any thread.
#pragma once

#include <memory>

#include "state/overlay.h"
#include "state/state.h"

namespace braid::state {

class StateView {
 public:
  /// The state alone.
  explicit StateView(std::shared_ptr<const State> state)
      : StateView(Overlay::empty(), std::move(state)) {}
  StateView(std::shared_ptr<const Overlay> overlay, std::shared_ptr<const State> state)
      : overlay_(std::move(overlay)), state_(std::move(state)) {}

  Result<std::optional<std::string>> get(std::string_view key) const;
  /// The first entry with from <= key whose key begins with `prefix`.
  Result<std::optional<std::pair<std::string, std::string>>> seek(std::string_view from,
                                                                  std::string_view prefix) const;
  /// All entries whose key begins with `prefix`, from `from` (inclusive) on, in key order.
  Status scan(std::string_view from, std::string_view prefix, const EntryVisitor& visit) const;

  const Overlay& overlay() const { return *overlay_; }
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const Overlay> overlay_;
  std::shared_ptr<const State> state_;
};

/// One version of a row, value or edge.
struct VersionedEntry {
  Position position;
  std::string value;
  friend bool operator==(const VersionedEntry&, const VersionedEntry&) = default;
};

/// The newest version with position <= at; nullopt if there is none. One seek. Requires: `prefix`
/// comes from a …_version_prefix() of keys.h. `corrupt` if a key in its place has no position.
Result<std::optional<VersionedEntry>> newest_at(const StateView& view,
                                                std::string_view version_prefix, Position at);

}  // namespace braid::state
