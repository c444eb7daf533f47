// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/property_column.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/value_codec.h"

namespace braid::columnar::arrow {
namespace {

struct Case {
  PropertyType type;
  DataType column;
  std::vector<Value> values;
};

PropertyType scalar(ScalarKind kind) { return {.kind = kind, .enum_values = {}}; }
PropertyType list(ScalarKind kind) {
  return {.kind = kind, .shape = Shape::list, .enum_values = {}};
}
DataType list_column(TypeId element) {
  return DataType::list({.name = "item", .type = element, .nullable = false});
}

template <class T>
std::vector<Value> extremes() {
  return {Value(T{0}), Value(std::numeric_limits<T>::lowest()),
          Value(std::numeric_limits<T>::max())};
}

std::vector<Case> cases() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Case> out = {
      {scalar(ScalarKind::string), TypeId::utf8, {"", "h\xC3\xA9llo", std::string("a\0b", 3)}},
      {scalar(ScalarKind::blob), TypeId::binary, {Blob{""}, Blob{"\xFF"}, Blob{{'\0', 'x'}}}},
      {scalar(ScalarKind::boolean), TypeId::boolean, {true, false, true}},
      {scalar(ScalarKind::i32), TypeId::i32, extremes<std::int32_t>()},
      {scalar(ScalarKind::u32), TypeId::u32, extremes<std::uint32_t>()},
      {scalar(ScalarKind::i64), TypeId::i64, extremes<std::int64_t>()},
      {scalar(ScalarKind::u64), TypeId::u64, extremes<std::uint64_t>()},
      {scalar(ScalarKind::f32), TypeId::f32, {0.1F, -0.0F, nan}},
      {scalar(ScalarKind::f64), TypeId::f64, extremes<double>()},
      {scalar(ScalarKind::date), TypeId::date32, {Date{-1}, Date{0}, Date{2'000'000'000}}},
      {scalar(ScalarKind::date_time),
       TypeId::timestamp_ms,
       {DateTime{-1}, DateTime{0}, DateTime{std::numeric_limits<std::int64_t>::max()}}},
      {{.shape = Shape::enumeration, .enum_values = {"a", "b"}}, TypeId::utf8, {"a", "b", "a"}},
      {{.kind = ScalarKind::f32, .shape = Shape::vector, .vector_size = 2, .enum_values = {}},
       DataType::fixed_size_list({.name = "item", .type = TypeId::f32, .nullable = false}, 2),
       {Value::Vector{1, 2}, Value::Vector{nan, -0.0F}, Value::Vector{0, 0}}}};
  for (std::size_t i = 0; i < 11; ++i) {  // every scalar but Blob, as a list of its values
    const Case one = out[i];
    if (one.type.kind == ScalarKind::blob) continue;
    out.push_back({list(one.type.kind),
                   list_column(one.column.id()),
                   {Value::List(one.values), Value::List(), Value::List(one.values)}});
  }
  return out;
}

TEST(PropertyColumn, EveryTypeHasItsColumnAndGivesItsValuesBack) {  // A5
  for (const Case& one : cases()) {
    SCOPED_TRACE(to_string(one.type));
    ASSERT_EQ(data_type_of(one.type), one.column);
    const auto builder = make_builder(data_type_of(one.type));
    for (const Value& value : one.values) {
      ASSERT_TRUE(check_value(one.type, value));
      ASSERT_TRUE(append_value(*builder, one.type, value));
      ASSERT_TRUE(append_value(*builder, one.type, Null{}));
    }

    const ArrayPointer array = builder->finish();

    ASSERT_TRUE(validate(*array));
    for (std::size_t i = 0; i < one.values.size(); ++i) {
      EXPECT_TRUE(same_value(value_at(*array, one.type, 2 * i), one.values[i])) << i;
      EXPECT_TRUE(value_at(*array, one.type, 2 * i + 1).is_null());
    }
  }
}

TEST(PropertyColumn, FieldNamesItsPropertyAndItsType) {
  const PropertyType type{.shape = Shape::enumeration, .enum_values = {"a", "b"}, .nullable = true};

  const Field field = field_of("kind", PropertyId{17}, type);

  EXPECT_EQ(field.name, "kind");
  EXPECT_TRUE(field.nullable);
  EXPECT_EQ(property_of(field), PropertyId{17});
  EXPECT_EQ(*find(field.metadata, "braid.type"), "enum(a, b)?");
}

TEST(PropertyColumn, FieldOfSomebodyElseNamesNoProperty) {
  Field field{.name = "x", .type = TypeId::i64};
  EXPECT_EQ(property_of(field), std::nullopt);
  for (const char* text : {"", "-1", "1x", "18446744073709551616"}) {
    field.metadata = {{"braid.property", text}};
    EXPECT_EQ(property_of(field), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace braid::columnar::arrow
