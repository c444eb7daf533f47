// SPDX-License-Identifier: Apache-2.0
// Parameters: from what a client sent to the types that a query declares.
// Layer: gq.
// Threads: pure; any thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/result.h"
#include "braid/value.h"
#include "lang/gq/ast.h"

namespace braid::gq {

/// Names without `$`. The same type as braid::Parameters.
using Parameters = std::map<std::string, Value, std::less<>>;

/// One value for each declared parameter and nothing else, each of its declared type.
///
/// Integers of any width fit where they are in range, also written as a number without a fraction;
/// I64 and U64 take decimal strings too; floats take any number; Date and DateTime take their
/// texts; a Vector takes a list of its length. An absent nullable parameter is null.
/// Errors: bad_request with the detail `parameter`, and `expected` and `actual` for a wrong type.
Result<Parameters> bind_parameters(const std::vector<ParameterDeclaration>& declared,
                                   const Parameters& given);

/// `value`, a number, as `kind`, if that kind holds that very number (F32 holds the
/// nearest one to a double). Requires: a numeric kind.
std::optional<Value> number_as(const Value& value, columnar::ScalarKind kind);

}  // namespace braid::gq
