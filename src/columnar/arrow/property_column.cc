// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/property_column.h"

#include <charconv>
#include <vector>

namespace braid::columnar::arrow {
namespace {

TypeId id_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::string: return TypeId::utf8;
    case ScalarKind::blob: return TypeId::binary;
    case ScalarKind::boolean: return TypeId::boolean;
    case ScalarKind::i32: return TypeId::i32;
    case ScalarKind::u32: return TypeId::u32;
    case ScalarKind::i64: return TypeId::i64;
    case ScalarKind::u64: return TypeId::u64;
    case ScalarKind::f32: return TypeId::f32;
    case ScalarKind::f64: return TypeId::f64;
    case ScalarKind::date: return TypeId::date32;
    case ScalarKind::date_time: return TypeId::timestamp_ms;
  }
  BRAID_ASSERT(false);
  return TypeId::utf8;
}

std::optional<std::uint64_t> decimal(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, number);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <class T>
T required(const T* value) {
  BRAID_ASSERT(value != nullptr);
  return *value;
}

template <class T>
FixedBuilder<T>& fixed(ArrayBuilder& builder) {
  BRAID_ASSERT(holds<T>(builder.type().id()));
  return static_cast<FixedBuilder<T>&>(builder);
}

BytesBuilder& bytes(ArrayBuilder& builder) {
  BRAID_ASSERT(builder.type().id() == TypeId::utf8 || builder.type().id() == TypeId::binary);
  return static_cast<BytesBuilder&>(builder);
}

Status append_bytes(ArrayBuilder& builder, std::string_view value) {
  return bytes(builder).append(value);
}

template <class T>
Status append_fixed(ArrayBuilder& builder, T value) {
  fixed<T>(builder).append(value);
  return Unit{};
}

// The two switches mirror each other (A5).
Status append_scalar(ArrayBuilder& builder, ScalarKind kind, const Value& value) {
  switch (kind) {
    case ScalarKind::string: {
      const auto* text = value.as<std::string>();
      BRAID_ASSERT(text != nullptr);
      return append_bytes(builder, *text);
    }
    case ScalarKind::blob: {
      const auto* blob = value.as<Blob>();
      BRAID_ASSERT(blob != nullptr);
      return append_bytes(builder, blob->bytes);
    }
    case ScalarKind::boolean:
      BRAID_ASSERT(builder.type().id() == TypeId::boolean);
      static_cast<BooleanBuilder&>(builder).append(required(value.as<bool>()));
      return Unit{};
    case ScalarKind::i32: return append_fixed(builder, required(value.as<std::int32_t>()));
    case ScalarKind::u32: return append_fixed(builder, required(value.as<std::uint32_t>()));
    case ScalarKind::i64: return append_fixed(builder, required(value.as<std::int64_t>()));
    case ScalarKind::u64: return append_fixed(builder, required(value.as<std::uint64_t>()));
    case ScalarKind::f32: return append_fixed(builder, required(value.as<float>()));
    case ScalarKind::f64: return append_fixed(builder, required(value.as<double>()));
    case ScalarKind::date: return append_fixed(builder, required(value.as<Date>()).days);
    case ScalarKind::date_time: return append_fixed(builder, required(value.as<DateTime>()).ms);
  }
  return Unit{};
}

Status append_list(ListBuilder& builder, ScalarKind kind, const Value::List& list) {
  if (!builder.fits(list.size())) {
    return Error(ErrorCode::resource_limit, "a column of one batch is full: begin another");
  }
  for (const Value& value : list) BRAID_TRY(append_scalar(builder.element(), kind, value));
  return builder.close();
}

Value scalar_at(const Array& array, ScalarKind kind, std::size_t row) {
  switch (kind) {
    case ScalarKind::string: return std::string(array.bytes(row));
    case ScalarKind::blob: return Blob{std::string(array.bytes(row))};
    case ScalarKind::boolean: return array.bits()[row];
    case ScalarKind::i32: return array.values<std::int32_t>()[row];
    case ScalarKind::u32: return array.values<std::uint32_t>()[row];
    case ScalarKind::i64: return array.values<std::int64_t>()[row];
    case ScalarKind::u64: return array.values<std::uint64_t>()[row];
    case ScalarKind::f32: return array.values<float>()[row];
    case ScalarKind::f64: return array.values<double>()[row];
    case ScalarKind::date: return Date{array.values<std::int32_t>()[row]};
    case ScalarKind::date_time: return DateTime{array.values<std::int64_t>()[row]};
  }
  return {};
}

Value list_at(const Array& array, ScalarKind kind, std::size_t row) {
  const ListRange range = array.list(row);
  Value::List list;
  list.reserve(range.size);
  for (std::size_t i = 0; i < range.size; ++i) {
    const std::size_t element = range.begin + i;
    list.push_back(array.child().is_null(element) ? Value()
                                                  : scalar_at(array.child(), kind, element));
  }
  return list;
}

Value vector_at(const Array& array, std::size_t row) {
  const ListRange range = array.list(row);
  const auto all = array.child().values<float>();
  const auto values = all.subspan(range.begin, range.size);
  return Value::Vector(values.begin(), values.end());
}

}  // namespace

DataType data_type_of(const PropertyType& type) {
  switch (type.shape) {
    case Shape::scalar: return id_of(type.kind);
    case Shape::enumeration: return TypeId::utf8;
    case Shape::list:
      return DataType::list({.name = "item", .type = id_of(type.kind), .nullable = false});
    case Shape::vector:
      return DataType::fixed_size_list({.name = "item", .type = TypeId::f32, .nullable = false},
                                       type.vector_size);
  }
  BRAID_ASSERT(false);
  return TypeId::utf8;
}

Field field_of(std::string_view name, PropertyId property, const PropertyType& type) {
  return {.name = std::string(name),
          .type = data_type_of(type),
          .nullable = type.nullable,
          .metadata = {{std::string(kPropertyKey), std::to_string(property.value)},
                       {std::string(kTypeKey), to_string(type)}}};
}

std::optional<PropertyId> property_of(const Field& field) {
  const auto number = decimal(find(field.metadata, kPropertyKey));
  if (!number) return std::nullopt;
  return PropertyId{*number};
}

std::optional<TableId> table_of(const Schema& schema) {
  const auto number = decimal(find(schema.metadata, kTableKey));
  if (!number) return std::nullopt;
  return TableId{*number};
}

Status append_value(ArrayBuilder& builder, const PropertyType& type, const Value& value) {
  if (value.is_null()) {
    builder.append_null();
    return Unit{};
  }
  switch (type.shape) {
    case Shape::scalar:
    case Shape::enumeration: return append_scalar(builder, type.kind, value);
    case Shape::list: {
      const auto* list = value.as<Value::List>();
      BRAID_ASSERT(list != nullptr);
      BRAID_ASSERT(builder.type().id() == TypeId::list);
      return append_list(static_cast<ListBuilder&>(builder), type.kind, *list);
    }
    case Shape::vector: {
      const auto* vector = value.as<Value::Vector>();
      BRAID_ASSERT(vector != nullptr);
      BRAID_ASSERT(builder.type().id() == TypeId::fixed_size_list);
      static_cast<FixedListBuilder&>(builder).append(*vector);
      return Unit{};
    }
  }
  return Unit{};
}

Value value_at(const Array& array, const PropertyType& type, std::size_t row) {
  if (array.is_null(row)) return {};
  if (array.type().id() == TypeId::dictionary && type.shape != Shape::list &&
      type.shape != Shape::vector) {
    const std::size_t number = array.entry(row);
    if (number >= array.child().length()) return {};  // damaged (A1)
    return scalar_at(array.child(), type.kind, number);
  }
  switch (type.shape) {
    case Shape::scalar:
    case Shape::enumeration: return scalar_at(array, type.kind, row);
    case Shape::list: return list_at(array, type.kind, row);
    case Shape::vector: return vector_at(array, row);
  }
  return {};
}

}  // namespace braid::columnar::arrow
