// SPDX-License-Identifier: Apache-2.0
// Which column a property has, and its values in and out of arrays. docs/formats/arrow.md has the
// table of types.
//
// Invariants
//   A5  For every property type, value_at(append_value(v)) is the same value as v.
// Layer: columnar.
// Threads: pure functions, but for the builder that is appended to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/ids.h"
#include "braid/result.h"
#include "braid/value.h"
#include "columnar/arrow/array.h"
#include "columnar/arrow/builder.h"
#include "columnar/type.h"

namespace braid::columnar::arrow {

/// Metadata of a schema: the id of its table, decimal.
inline constexpr std::string_view kTableKey = "braid.table";
/// Metadata of a field: the id of its property, decimal.
inline constexpr std::string_view kPropertyKey = "braid.property";
/// Metadata of a field: the type as `.pg` writes it. Arrow cannot say what an enumeration allows.
inline constexpr std::string_view kTypeKey = "braid.type";

/// The column type of a property.
DataType data_type_of(const PropertyType& type);
/// The column of a property: its name, type, whether it may be null, and the metadata above.
Field field_of(std::string_view name, PropertyId property, const PropertyType& type);
/// The property a field says it holds; nullopt if it says nothing, or no decimal number.
std::optional<PropertyId> property_of(const Field& field);
/// The same of a schema and its table.
std::optional<TableId> table_of(const Schema& schema);

/// `resource_limit` if the batch is full. Requires: the builder is of data_type_of(type), and
/// check_value(type, value) succeeds, or value is null.
Status append_value(ArrayBuilder& builder, const PropertyType& type, const Value& value);

/// Null, or the value of a row. A dictionary of the column's type serves as well. Requires: the
/// array is of data_type_of(type) or such a dictionary; row < length.
Value value_at(const Array& array, const PropertyType& type, std::size_t row);

}  // namespace braid::columnar::arrow
