// SPDX-License-Identifier: Apache-2.0
// What a property can hold: a scalar kind, its shape and whether it may be absent.
//
// The numbers of ScalarKind and Shape are stored on disk: they never change and are never reused.
// Layer: columnar.
// Threads: values; any thread may read or copy them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::columnar {

/// The kinds of a single value. Date counts days, DateTime milliseconds, since 1970-01-01 (UTC).
enum class ScalarKind : std::uint8_t {
  string = 1,
  blob = 2,
  boolean = 3,
  i32 = 4,
  u32 = 5,
  i64 = 6,
  u64 = 7,
  f32 = 8,
  f64 = 9,
  date = 10,
  date_time = 11,
};

/// How the values of a kind are arranged in one cell.
enum class Shape : std::uint8_t {
  scalar = 1,       ///< one value
  list = 2,         ///< any number of values, none of them null
  vector = 3,       ///< exactly `vector_size` values of kind f32
  enumeration = 4,  ///< one string out of `enum_values`
};

/// The name that `.pg` writes, e.g. "DateTime". Requires: a declared kind.
std::string_view name_of(ScalarKind kind);
/// The kind whose name_of() is `name` (exact case), if there is one.
std::optional<ScalarKind> scalar_kind_named(std::string_view name);
/// "scalar", "list", "vector" or "enumeration". Requires: a declared shape.
std::string_view name_of(Shape shape);

/// True for the kinds that are numbers: I32, U32, I64, U64, F32, F64.
constexpr bool is_numeric(ScalarKind kind) {
  return kind >= ScalarKind::i32 && kind <= ScalarKind::f64;
}
/// True for I32, U32, I64, U64.
constexpr bool is_integer(ScalarKind kind) {
  return kind >= ScalarKind::i32 && kind <= ScalarKind::u64;
}

/// The type of a property.
struct PropertyType {
  /// Of the value or of each element: f32 for a vector, string for an enumeration.
  ScalarKind kind = ScalarKind::string;
  Shape shape = Shape::scalar;
  /// 1 to 2^31 - 1 for a vector, otherwise 0.
  std::uint32_t vector_size = 0;
  /// Of an enumeration: sorted by bytes, distinct, not empty. Otherwise empty.
  std::vector<std::string> enum_values;
  bool nullable = false;

  friend bool operator==(const PropertyType&, const PropertyType&) = default;
};

/// As `.pg` writes it: "String?", "[I64]", "Vector(3)", "enum(a, b)?". Requires: declared numbers.
std::string to_string(const PropertyType& type);

}  // namespace braid::columnar
