// SPDX-License-Identifier: Apache-2.0
// The keys of the state, byte by byte: docs/formats/state.md. A key begins with the byte of its
// family (registry.h); numbers are big-endian, ids are escaped and terminated, positions are stored
// inverted, so that byte order is the order in which readers want the entries: by table, branch,
// id, and the newest version first.
//
// Invariants
//   S5  Decoding is exact: a key that decodes encodes to itself, and anything else is `corrupt`.
//   S6  No id, whatever its bytes, makes the version prefix of one row a prefix of another row's
//       keys, and byte order of keys is the order of (table, branch, id, newest first).
// Threads: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/ids.h"
#include "braid/result.h"
#include "state/registry.h"
#include "state/state.h"

namespace braid::state {

/// The first half of the digest that names a batch.
using BatchIdPrefix = std::array<std::uint8_t, 16>;

/// Which end of an edge comes first in an adjacency key.
enum class Direction : std::uint8_t {
  kOut,  ///< by source
  kIn,   ///< by destination
};

/// `endpoint` is the id of the node by which the edge is found; `edge` the edge's own.
struct EdgeEndsView {
  std::string_view endpoint;
  std::string_view edge;
};

struct RowKey {
  TableId table;
  BranchIncarnation branch;
  std::string id;
  Position position;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

struct UniqueKey {
  TableId table;
  BranchIncarnation branch;
  /// Ordinal of the constraint in its table.
  std::uint32_t constraint = 0;
  /// The encoded values; its encoding belongs to the table layer.
  std::string tuple;
  Position position;
  friend bool operator==(const UniqueKey&, const UniqueKey&) = default;
};

struct AdjacencyKey {
  Direction direction = Direction::kOut;
  TableId edge_table;
  BranchIncarnation branch;
  std::string endpoint;
  std::string edge;
  Position position;
  friend bool operator==(const AdjacencyKey&, const AdjacencyKey&) = default;
};

// ---- meta: written by the state itself, together with every batch ------------------------------

/// Which format and graph a state belongs to; written once, at creation.
struct Stamp {
  std::uint32_t format = kStateFormat;
  GraphId graph;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};
inline constexpr std::string_view kStampKey = "m/format";
inline constexpr std::string_view kAppliedKey = "m/applied";
std::string stamp_value(const Stamp& stamp);
/// `format_mismatch` {found, supported} for a format that this program does not read.
Result<Stamp> decode_stamp_value(std::string_view value);
std::string applied_value(const Applied& applied);
Result<Applied> decode_applied_value(std::string_view value);

// ---- branch: value owned by manifest ------------------------------------------------------------

std::string branch_prefix();
std::string branch_key(BranchIncarnation branch);
Result<BranchIncarnation> decode_branch_key(std::string_view key);

// ---- commit and idempotency: value is a position ------------------------------------------------

std::string commit_prefix();
std::string commit_key(const CommitId& commit);
Result<CommitId> decode_commit_key(std::string_view key);
std::string idempotency_prefix();
std::string idempotency_key(const BatchIdPrefix& batch);
Result<BatchIdPrefix> decode_idempotency_key(std::string_view key);
std::string position_value(Position position);
Result<Position> decode_position_value(std::string_view value);

// ---- pin: value owned by table
// -------------------------------------------------------------------

struct PinKey {
  TableId table;
  BranchIncarnation branch;
  /// The record that pinned it.
  Position position;
  /// Of the pin in its record.
  std::uint32_t ordinal = 0;
  friend bool operator==(const PinKey&, const PinKey&) = default;
};
std::string pin_prefix();
/// By table and branch, then oldest first.
std::string pin_key(const PinKey& pin);
Result<PinKey> decode_pin_key(std::string_view key);

// ---- row ----------------------------------------------------------------------------------------

/// All rows of a table on a branch.
std::string row_prefix(TableId table, BranchIncarnation branch);
/// All versions of one row: for newest_at().
std::string row_version_prefix(TableId table, BranchIncarnation branch, std::string_view id);
std::string row_key(TableId table, BranchIncarnation branch, std::string_view id,
                    Position position);
Result<RowKey> decode_row_key(std::string_view key);

// ---- unique -------------------------------------------------------------------------------------

/// All values of one constraint.
std::string unique_prefix(TableId table, BranchIncarnation branch, std::uint32_t constraint);
/// All versions of one value: for newest_at().
std::string unique_version_prefix(TableId table, BranchIncarnation branch, std::uint32_t constraint,
                                  std::string_view tuple);
std::string unique_key(TableId table, BranchIncarnation branch, std::uint32_t constraint,
                       std::string_view tuple, Position position);
Result<UniqueKey> decode_unique_key(std::string_view key);

// ---- adjacency ----------------------------------------------------------------------------------

/// All edges of a table on a branch.
std::string adjacency_prefix(Direction direction, TableId edge_table, BranchIncarnation branch);
/// All edges of one node.
std::string adjacency_endpoint_prefix(Direction direction, TableId edge_table,
                                      BranchIncarnation branch, std::string_view endpoint);
/// All versions of one edge: for newest_at().
std::string adjacency_version_prefix(Direction direction, TableId edge_table,
                                     BranchIncarnation branch, EdgeEndsView ends);
std::string adjacency_key(Direction direction, TableId edge_table, BranchIncarnation branch,
                          EdgeEndsView ends, Position position);
Result<AdjacencyKey> decode_adjacency_key(std::string_view key);

// ---- all ----------------------------------------------------------------------------------------

/// Size of the inverted position at the end of a versioned key.
inline constexpr std::size_t kVersionSuffixBytes = 8;
/// Where in the order of versions the readers of `at` begin: the last bytes of a versioned key.
std::string version_suffix(Position at);
/// Requires: eight bytes.
Position position_of_suffix(std::string_view suffix);
/// The versioned key without its position; nullopt for a key of a family without versions and for
/// one that no encoder made.
std::optional<std::string_view> version_prefix_of(std::string_view key);
/// Whether newest_at() may be asked for this prefix: it ends exactly where a position begins.
bool is_version_prefix(std::string_view prefix);
/// Whether the key is the state's own: apply() sets those, writers do not.
inline bool is_meta_key(std::string_view key) {
  return !key.empty() && key.front() == static_cast<char>(KeyFamily::meta);
}
/// Unit if the key is exactly what the encoder of its family makes; `corrupt` otherwise (S5).
Status check_key(std::string_view key);

}  // namespace braid::state
