// SPDX-License-Identifier: Apache-2.0
// JSON values as typed values (docs/languages/jsonl.md).
//
//   String, enum  a string
//   Blob          "base64:…"; any other string names bytes elsewhere, which is refused
//   Bool          true or false
//   I32, U32      an integer; a number with a fraction or exponent is none
//   I64, U64      likewise, or a string of its decimal digits
//   F32, F64      a number that does not overflow, or "NaN", "Infinity", "-Infinity"
//   Date          "YYYY-MM-DD", or an integer: days since 1970-01-01
//   DateTime      columnar::parse_date_time, or an integer: milliseconds since then
//   lists         an array; Vector(n): an array of exactly n numbers
//   nullable      null
// Layer: load.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "braid/error.h"
#include "braid/value.h"
#include "columnar/type.h"
#include "load/json_text.h"

namespace braid::load {

/// Why a JSON value is not taken.
struct ValueProblem {
  ErrorCode code = ErrorCode::type_error;
  std::string message;
  /// The type as `.pg` writes it; of an element, the element's.
  std::string expected;
  /// The JSON text that is wrong.
  JsonToken token;
  /// Which element of a list or vector it is.
  std::optional<std::size_t> element;
};

/// Reads the value at the cursor. A problem's code is parse_error (its token begins and ends at the
/// fault), type_error, unsupported (a Blob elsewhere) or resource_limit (over 64 MiB).
std::optional<ValueProblem> read_value(JsonCursor& cursor, const columnar::PropertyType& type,
                                       Value& out);

}  // namespace braid::load
