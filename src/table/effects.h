// SPDX-License-Identifier: Apache-2.0
// What a change set does to the state: a pure function of the record, so that replay needs nothing
// else. Key layouts: state/keys.h; value layouts: docs/formats/state.md.
//
// Invariants
//   T5  The newest entry of a unique tuple names the last row that took it. That row holds it still
//       if its present values are the tuple; else nobody does. So nothing has to be undone when a
//       row gives a value up.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/schema.h"
#include "state/state.h"
#include "table/change_set.h"

namespace braid::table {

/// Which branch and record the change set belongs to.
struct RecordPlace {
  BranchIncarnation branch;
  Position position;
};

/// Appends the writes for rows, unique tuples and both ends of edges.
void append_effects(const ChangeSet& changes, const EncodedChangeSet& encoded,
                    const schema::Schema& schema, RecordPlace place,
                    std::vector<state::StateWrite>& writes);

/// Whether rows of the type leave anything in the state beside the row itself.
bool has_index_effects(const schema::RecordType& type);
/// Appends the writes for unique tuples of one row, which is live or removed: all that the state
/// knows of a row in a fragment, whose edges are found by its adjacency (layer index).
void append_index_effects(const RowImage& row, bool live, const schema::RecordType& type,
                          RecordPlace place, std::vector<state::StateWrite>& writes);

/// The tuple's bytes under a unique constraint; nullopt if a member is null (then it is exempt).
std::optional<std::string> unique_tuple(const schema::RecordType& type,
                                        const std::vector<schema::Member>& members,
                                        const RowImage& row);

/// Value of a row entry: a live row's place, or nullopt for a removed row.
std::string row_value(std::optional<RowPlace> place);
Result<std::optional<RowPlace>> decode_row_value(std::string_view value);
/// Value of an adjacency entry.
std::string adjacency_value(bool live);
Result<bool> decode_adjacency_value(std::string_view value);

}  // namespace braid::table
