// SPDX-License-Identifier: Apache-2.0
// Checks a query against a schema, before any parameter has a value.
// Layer: gq.
// Threads: pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/result.h"
#include "braid/value.h"
#include "lang/gq/ast.h"
#include "lang/gq/key_lookup.h"
#include "schema/schema.h"

namespace braid::gq {

/// A value that a property is compared with: known already, or that of a parameter.
using CheckedOperand = std::variant<Value, ParameterUse>;

struct CheckedMatch {
  /// Index into the type's properties; none: the id of an unkeyed node.
  std::optional<std::size_t> property;
  CheckedOperand operand;
};

/// A lookup whose names and types are right and which gives the whole key.
struct CheckedLookup {
  const schema::NodeType* type = nullptr;
  std::vector<CheckedMatch> matches;
  std::vector<Column> columns;
};

/// Errors: type_error with the detail `code` and a span; unsupported for a query that this version
/// cannot run, among them one that leaves out a part of the key (detail `missing`).
Result<CheckedLookup> check(const Query& query, const schema::Schema& schema);

}  // namespace braid::gq
