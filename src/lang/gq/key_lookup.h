// SPDX-License-Identifier: Apache-2.0
// A query ready to run: the one node that it asks for, what else must hold of that node, and what
// the answer shows. The engine finds the node; project() makes the row.
//
// Invariants
//   Q3  A KeyLookup that is not `impossible` names exactly one identity: every member of the key
//       has a value of the very kind of its property.
// Layer: gq.
// Threads: values; the schema behind `type` must outlive them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/result.h"
#include "braid/value.h"
#include "lang/gq/parameters.h"
#include "schema/schema.h"

namespace braid::gq {

/// The property must equal the value; a null equals nothing.
struct EqualityFilter {
  /// Index into the type's properties.
  std::size_t property = 0;
  /// Not null, of the property's kind.
  Value value;
};

/// One column of the answer.
struct Column {
  enum class Kind : std::uint8_t { object, property, id };

  std::string name;
  Kind kind = Kind::object;
  /// Index into the type's properties; only of Kind::property.
  std::size_t property = 0;
};

struct KeyLookup {
  const schema::NodeType* type = nullptr;
  /// The answer has no rows, whatever the graph holds: something is compared with null, or with a
  /// value that its property cannot hold. `id` and `key` mean nothing then.
  bool impossible = false;
  /// The identity of the node: the canonical key text, or the given id of an unkeyed type.
  std::string id;
  /// In the order of NodeType::key; empty for an unkeyed type.
  std::vector<Value> key;
  std::vector<EqualityFilter> filters;
  std::vector<Column> columns;
};

/// Reads, checks and binds the query `name` of `text` (the only one, if empty).
/// Requires: `schema` is that of a Catalog, so that keys are in their final order.
/// Errors: parse_error, type_error (detail `code`: T1, T2, T3, T6, T24, T25) and unsupported
/// (details `construct` or `missing`) with a span in `text`; not_found for a name that is not
/// there; bad_request for a missing name, and for parameters (detail `parameter`).
Result<KeyLookup> prepare(std::string_view text, std::string_view name,
                          const Parameters& parameters, const schema::Schema& schema);

/// Whether the node that was found satisfies the filters. `values` are its properties in the order
/// of the type.
bool accepts(const KeyLookup& lookup, const std::vector<Value>& values);

/// The row of that node, one value a column. A whole node is an object of `@id` and the properties
/// that are neither Blob nor Vector, nulls included.
std::vector<Value> project(const KeyLookup& lookup, std::string_view id,
                           const std::vector<Value>& values);

}  // namespace braid::gq
