// SPDX-License-Identifier: Apache-2.0
// The state: an ordered key-value image of the log. Derived and rebuildable: it never decides
// whether something happened, it only says where in the log to find it.
//
// Invariants
//   S1  A batch is applied whole or not at all, together with the position and chain hash of the
//       last record it reflects.
//   S2  Only durable records are applied, in order of position.
//   S3  Keys that carry a position (keys.h) are written once and never changed: a reader of an
//       older position only skips what is newer, and needs no snapshot of the store.
// Threads: one applier at a time; reads from any thread, also during apply().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"

namespace braid::state {

/// The record up to which (inclusive) the state reflects the log.
struct Applied {
  Position position;
  base::Digest hash{};
  friend bool operator==(const Applied&, const Applied&) = default;
};

/// One effect of a record: sets `key` to `value`, or removes it when there is no value.
struct StateWrite {
  std::string key;
  std::optional<std::string> value;
};

/// Receives entries in key order; false ends the scan.
using EntryVisitor = std::function<bool(std::string_view key, std::string_view value)>;

class State {
 public:
  virtual ~State() = default;
  virtual Applied applied() const = 0;
  /// Applies the writes in order and moves to `applied` (S1).
  virtual Status apply(const std::vector<StateWrite>& writes, const Applied& applied) = 0;
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  /// The first entry with from <= key whose key begins with `prefix`.
  virtual Result<std::optional<std::pair<std::string, std::string>>> seek(
      std::string_view from, std::string_view prefix) const = 0;
  /// All entries whose key begins with `prefix`, from `from` (inclusive) on.
  virtual Status scan(std::string_view from, std::string_view prefix,
                      const EntryVisitor& visit) const = 0;
  /// Makes what was applied survive a restart. Never needed for correctness.
  virtual Status flush() = 0;
  /// A byte copy at the present position in the new directory `directory`.
  virtual Status checkpoint(std::string_view directory) = 0;
};

}  // namespace braid::state
