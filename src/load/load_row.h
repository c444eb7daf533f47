// SPDX-License-Identifier: Apache-2.0
// One record of a load: what it names and what it sets, typed.
// Layer: load.
// Threads: values; the types belong to the schema, which outlives the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/value.h"
#include "schema/types.h"

namespace braid::load {

struct LoadRow {
  bool is_edge = false;
  /// The one that is_edge selects; the other is nullptr.
  const schema::NodeType* node_type = nullptr;
  const schema::EdgeType* edge_type = nullptr;
  /// The identity: of a keyed type the text of its key, otherwise what `data.id` gave. Nothing:
  /// draw a ULID.
  std::optional<std::string> id;
  /// Of an edge: the identities of its ends.
  std::string from;
  std::string to;
  /// Index into the type's properties, and the value, in the order of the text. A null clears; a
  /// property that is not here keeps its value or takes its default.
  std::vector<std::pair<std::size_t, Value>> assigned;
  /// Where the record begins: lines count from 1, bytes from 0.
  std::uint64_t line = 1;
  std::uint64_t byte = 0;

  const schema::RecordType& type() const {
    if (is_edge) return *edge_type;
    return *node_type;
  }
};

}  // namespace braid::load
