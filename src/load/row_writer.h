// SPDX-License-Identifier: Apache-2.0
// Rows as JSON Lines, in the form of an export (docs/languages/jsonl.md): JsonlReader reads
// the same row back, and a second export is byte for byte the first.
//
// Invariants
//   J6  read(write(row)) is the same row, value by value (columnar::same_value).
// Layer: load.
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "braid/value.h"
#include "schema/types.h"

namespace braid::load {

/// Appends the node as one line. `values` has one value for each property, in their order; nulls
/// are left out, `data` as well if it is empty, and the identity unless the type has a key.
/// Requires: values that fit, and an id that is not empty unless the type has a key.
void append_node(std::string& out, const schema::NodeType& type, std::string_view id,
                 std::span<const Value> values);

/// The same for an edge.
void append_edge(std::string& out, const schema::EdgeType& type, std::string_view id,
                 std::string_view from, std::string_view to, std::span<const Value> values);

}  // namespace braid::load
