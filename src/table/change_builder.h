// SPDX-License-Identifier: Apache-2.0
// From what a client wants written to what changes: resolves ids, compares with the image, builds
// whole rows, validates the final image, sums the content hash and notes the footprint.
//
// Invariants
//   T6  Building is a pure function of (writes, image): the committer repeats it on a newer image
//       and gets what a client that came later would have got.
//   T7  Whatever build() returns satisfies every constraint of the schema on the image with the
//       changes in it.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/result.h"
#include "env/crew.h"
#include "table/change_set.h"
#include "table/footprint.h"
#include "table/image.h"
#include "table/row_source.h"

namespace braid::table {

enum class WriteMode : std::uint8_t {
  append,     ///< a row that exists is `key_conflict`
  merge,      ///< upsert: named properties are set, others keep their value
  overwrite,  ///< the tables that have rows here have these rows and no others afterwards
};

struct RowCounts {
  std::uint64_t nodes_inserted = 0;
  std::uint64_t nodes_updated = 0;
  std::uint64_t edges_inserted = 0;
  std::uint64_t edges_updated = 0;
  friend bool operator==(const RowCounts&, const RowCounts&) = default;
};

struct BuiltChanges {
  /// Empty when every row is already as the client wants it.
  ChangeSet changes;
  Footprint footprint;
  RowCounts counts;
};

struct BuildOptions {
  WriteMode mode = WriteMode::append;
  /// content_hash_salt() of the graph.
  std::uint64_t hash_salt = 0;
  /// Who builds: what comes out, errors too, is the same whoever does.
  env::Crew crew = {};
};

inline constexpr std::size_t kRowIdBytesMax = 16 * 1024;

/// Errors, each with detail "row", "type" and where it applies "id" and "field": `type_error`,
/// `constraint_violation` {constraint}, `key_conflict`, `resource_limit` (an id over
/// kRowIdBytesMax).
Result<BuiltChanges> build_changes(const RowSource& rows, const BuildOptions& options,
                                   const Image& image);
inline Result<BuiltChanges> build_changes(const std::vector<RowWrite>& writes,
                                          const BuildOptions& options, const Image& image) {
  return build_changes(PlainRows(writes), options, image);
}

/// The id of a row under its type's key (docs/languages/jsonl.md); nullopt for an unkeyed type.
/// `constraint_violation` if a member is null, `type_error` if a float member is not finite.
Result<std::optional<std::string>> key_id(const schema::RecordType& type, const RowImage& row);

}  // namespace braid::table
