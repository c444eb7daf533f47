// SPDX-License-Identifier: Apache-2.0
// Whether a value fits a type, and the one binary encoding of a value of a type.
// docs/formats/content-hash.md says what of it enters a content hash; the encoding itself:
//   Bool          one byte, 0 or 1
//   I32, I64      zigzag varint: decodes unchanged under the wider type
//   U32, U64      varint: likewise
//   F32, F64      IEEE bits, little-endian; every NaN as 0x7FC00000 or 0x7FF8000000000000
//   Date          zigzag varint of the epoch day;  DateTime: of the epoch millisecond
//   String, enum  varint size, then UTF-8: a widened enumeration leaves stored rows alone
//   Blob          varint size, then the bytes
//   list          varint count, then each element
//   Vector(n)     n times F32, without a count
//   row           ceil(n / 8) bytes of presence, lowest bit first, then the present values
//
// Invariants
//   V1  Of a type, two values have the same encoding exactly if same_value() holds.
//   V2  decode(encode(v)) is the same value, and what decodes encodes to the same bytes.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "braid/result.h"
#include "braid/value.h"
#include "columnar/type.h"

namespace braid::columnar {

/// A single string, list or blob may not be larger (interfaces.md: limits).
inline constexpr std::size_t kValueBytesMax = std::size_t{64} << 20;

/// What a value is, in the words of `.pg`: "I64", "[String]", "Vector(3)", "null", …
std::string describe(const Value& value);

/// `type_error` with details `expected` and `actual` unless `value` may be stored in a property of
/// `type`: the very alternative of its kind, UTF-8 text, a member of the enumeration, the length
/// of the vector, null only where `type` is nullable. `resource_limit` above kValueBytesMax.
Status check_value(const PropertyType& type, const Value& value);

/// Equality of stored values: like ==, but NaN equals NaN (whatever its payload) and -0.0 differs
/// from 0.0.
bool same_value(const Value& left, const Value& right);

/// Requires: check_value(type, value) succeeds, and value is not null.
void encode_value(base::ByteWriter& writer, const PropertyType& type, const Value& value);

/// `corrupt` unless the next bytes are the encoding of a value of `type`; then `reader` has
/// failed. Membership in an enumeration is left to check_value: a narrowed type reads old rows.
Result<Value> decode_value(base::ByteReader& reader, const PropertyType& type);

/// A row: one value a type, null where absent. Requires: as many values as types, each null or
/// fitting its type.
void encode_row(base::ByteWriter& writer, std::span<const PropertyType* const> types,
                std::span<const Value> values);

/// The reverse. Whether a property may be absent is left to check_value: a type made stricter
/// reads old rows.
Result<std::vector<Value>> decode_row(base::ByteReader& reader,
                                      std::span<const PropertyType* const> types);

}  // namespace braid::columnar
