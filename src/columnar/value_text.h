// SPDX-License-Identifier: Apache-2.0
// Values as text: dates and times, numbers, the text of keys, JSON.
//
// Invariants
//   V3  parse(print(v)) is v, for every Date and DateTime of the whole range of their integers.
//   V4  Of a type, two values have the same key text exactly if they are the same value, where
//       both zeros are one.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "braid/value.h"
#include "columnar/type.h"

namespace braid::columnar {

/// `YYYY-MM-DD`; years before 0000 and after 9999 as `-YYYYYY` and `+YYYYYY` (ISO 8601 expanded:
/// six digits, or as many as it takes).
std::string to_text(Date date);
/// `YYYY-MM-DDTHH:MM:SS.mmmZ`, years as in a Date.
std::string to_text(DateTime time);

/// The date that `text` names. A signed year has 4 to 9 digits; -0000 is refused, and so is a time
/// behind the date. `type_error` with `expected` otherwise.
Result<Date> parse_date(std::string_view text);

/// `DATE`, `DATEtHH:MM:SS` or `DATEtHH:MM:SS.f…` and an optional zone (`Z` or ±HH:MM; none means
/// UTC), where t is `T` or one space; without a time, midnight. Digits of the fraction beyond the
/// third must be 0: a time finer than the type holds is refused, never cut. Second 60 and hour 24
/// are refused. `type_error` with `expected` otherwise.
Result<DateTime> parse_date_time(std::string_view text);

/// The shortest text that reads back as the same number at its width: "0.1", "1e+20", "-0". Not
/// finite: "NaN", "Infinity", "-Infinity".
std::string float_text(float value);
std::string float_text(double value);

/// One member of a key.
struct KeyMember {
  const PropertyType* type;
  const Value* value;
};

/// The canonical text of a key (docs/formats/content-hash.md), which is a node's identity. One
/// member: String and enum as they are, integers decimal, Bool `true` or `false`, Date as epoch
/// day, DateTime as epoch millisecond, floats by float_text with both zeros `0`. Several: those
/// texts as a compact JSON array of strings. `type_error` for a value that does not fit, a null, a
/// float that is not finite. Requires: one member or more, ordered by stable property id, none of
/// them a list, Vector or Blob.
Result<std::string> key_text(std::span<const KeyMember> members);

/// How values are printed as JSON.
struct JsonOptions {
  /// Integers beyond ±(2^53 - 1), which JavaScript would round, become strings.
  bool safe_integers = false;
  /// Blobs are written as the loader reads them: "base64:…".
  bool blob_prefix = false;
};

/// Compact JSON of any value: Date and DateTime as text, floats that are not finite as the strings
/// of float_text, blobs in base 64, vectors and lists as arrays, objects in their order.
/// Requires: strings are UTF-8.
void append_json(std::string& out, const Value& value, const JsonOptions& options = {});
/// `text` quoted and escaped, nothing more than JSON demands. Requires: UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace braid::columnar
