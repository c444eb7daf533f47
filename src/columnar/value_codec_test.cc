// SPDX-License-Identifier: Apache-2.0
#include "columnar/value_codec.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::columnar {
namespace {

constexpr float kNan32 = std::numeric_limits<float>::quiet_NaN();
constexpr double kNan64 = std::numeric_limits<double>::quiet_NaN();

PropertyType scalar(ScalarKind kind) { return {.kind = kind, .enum_values = {}}; }
PropertyType list_of(ScalarKind kind) {
  return {.kind = kind, .shape = Shape::list, .enum_values = {}};
}
PropertyType vector_of(std::uint32_t size) {
  return {.kind = ScalarKind::f32, .shape = Shape::vector, .vector_size = size, .enum_values = {}};
}
PropertyType colour() {
  return {.kind = ScalarKind::string,
          .shape = Shape::enumeration,
          .enum_values = {"blue", "green", "red"}};
}

std::string encode(const PropertyType& type, const Value& value) {
  base::ByteWriter writer;
  encode_value(writer, type, value);
  return std::move(writer).take();
}

Result<Value> decode(const PropertyType& type, std::string_view bytes) {
  base::ByteReader reader(bytes);
  BRAID_ASSIGN(Value value, decode_value(reader, type));
  BRAID_TRY(reader.finish("value"));
  return value;
}

std::string hex_of(const PropertyType& type, const Value& value) {
  return base::hex(encode(type, value));
}

struct Example {
  PropertyType type;
  Value value;
  std::string hex;
};

// Every encoding written by hand from the header's description.
std::vector<Example> examples() {
  using K = ScalarKind;
  const double third = 1.0 / 3.0;
  return {
      {scalar(K::boolean), false, "00"},
      {scalar(K::boolean), true, "01"},
      {scalar(K::i32), std::int32_t{0}, "00"},
      {scalar(K::i32), std::int32_t{-1}, "01"},
      {scalar(K::i32), std::int32_t{64}, "8001"},
      {scalar(K::i32), std::numeric_limits<std::int32_t>::min(), "ffffffff0f"},
      {scalar(K::i32), std::numeric_limits<std::int32_t>::max(), "feffffff0f"},
      {scalar(K::i64), std::numeric_limits<std::int64_t>::min(), "ffffffffffffffffff01"},
      {scalar(K::i64), std::numeric_limits<std::int64_t>::max(), "feffffffffffffffff01"},
      {scalar(K::u32), std::numeric_limits<std::uint32_t>::max(), "ffffffff0f"},
      {scalar(K::u64), std::numeric_limits<std::uint64_t>::max(), "ffffffffffffffffff01"},
      {scalar(K::f32), 1.0F, "0000803f"},
      {scalar(K::f32), -0.0F, "00000080"},
      {scalar(K::f32), kNan32, "0000c07f"},
      {scalar(K::f32), std::numeric_limits<float>::infinity(), "0000807f"},
      {scalar(K::f64), 1.0, "000000000000f03f"},
      {scalar(K::f64), third, "555555555555d53f"},
      {scalar(K::f64), kNan64, "000000000000f87f"},
      {scalar(K::string), "", "00"},
      {scalar(K::string), std::string("a\0b", 3), "03610062"},
      {scalar(K::string), "\xC3\xA9", "02c3a9"},
      {scalar(K::blob), Blob{"\xFF\xFE"}, "02fffe"},
      {scalar(K::date), Date{-1}, "01"},
      {scalar(K::date), Date{std::numeric_limits<std::int32_t>::min()}, "ffffffff0f"},
      {scalar(K::date_time), DateTime{-1}, "01"},
      {colour(), "red", "03726564"},
      {list_of(K::i32), Value::List{}, "00"},
      {list_of(K::i32), Value::List{std::int32_t{1}, std::int32_t{-1}}, "020201"},
      {list_of(K::string), Value::List{"a", ""}, "02016100"},
      {vector_of(2), Value::Vector{1.0F, kNan32}, "0000803f0000c07f"},
  };
}

// V2
TEST(ValueCodec, EveryKindHasTheEncodingThatTheFormatPrescribes) {
  for (const Example& example : examples()) {
    SCOPED_TRACE(to_string(example.type) + " " + example.hex);
    ASSERT_TRUE(check_value(example.type, example.value));

    const std::string bytes = encode(example.type, example.value);
    const auto back = decode(example.type, bytes);

    EXPECT_EQ(base::hex(bytes), example.hex);
    ASSERT_TRUE(back);
    EXPECT_TRUE(same_value(*back, example.value));
  }
}

TEST(ValueCodec, EveryCutEncodingIsCorrupt) {
  for (const Example& example : examples()) {
    const std::string bytes = encode(example.type, example.value);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      SCOPED_TRACE(to_string(example.type) + " " + example.hex);
      const auto back = decode(example.type, std::string_view(bytes).substr(0, size));
      ASSERT_FALSE(back);
      EXPECT_EQ(back.error().code(), ErrorCode::corrupt);
    }
  }
}

// V1
TEST(ValueCodec, NanPayloadsAndSignsAreStoredAsOneNan) {
  const auto other32 = std::bit_cast<float>(0xFFC12345U);
  const auto other64 = std::bit_cast<double>(0xFFF8000000000001U);

  EXPECT_EQ(hex_of(scalar(ScalarKind::f32), other32), "0000c07f");
  EXPECT_EQ(hex_of(scalar(ScalarKind::f64), other64), "000000000000f87f");
  EXPECT_TRUE(same_value(other64, kNan64));
  EXPECT_TRUE(same_value(Value::Vector{other32}, Value::Vector{kNan32}));
  EXPECT_FALSE(same_value(other32, kNan64));
}

// V1
TEST(ValueCodec, ZerosOfDifferentSignAreDifferentValues) {
  EXPECT_NE(hex_of(scalar(ScalarKind::f64), -0.0), hex_of(scalar(ScalarKind::f64), 0.0));
  EXPECT_FALSE(same_value(-0.0, 0.0));
  EXPECT_FALSE(same_value(Value::List{-0.0}, Value::List{0.0}));
  EXPECT_TRUE(same_value(Value::List{-0.0}, Value::List{-0.0}));
}

TEST(ValueCodec, BytesThatNoValueHasAreCorrupt) {
  using K = ScalarKind;
  struct {
    PropertyType type;
    std::string bytes;
  } const cases[] = {
      {scalar(K::boolean), "\x02"},
      {scalar(K::i32), "\x80\x80\x80\x80\x10"},      // 2^31
      {scalar(K::u32), "\x80\x80\x80\x80\x10"},      // 2^32
      {scalar(K::i64), std::string("\x80\x00", 2)},  // a padded varint
      {scalar(K::date), "\x80\x80\x80\x80\x10"},
      {scalar(K::string), "\x01\xFF"},
      {scalar(K::string), "\x03\xED\xA0\x80"},  // a surrogate in UTF-8
      {colour(), "\x01\xFF"},
      {list_of(K::boolean), "\x02\x01\x07"},
      {list_of(K::string), "\xFF\xFF\xFF\xFF\x0F"},  // claims 2^32 - 1 elements
      {scalar(K::blob), "\xFF\xFF\xFF\xFF\x0F"},
      {vector_of(2'000'000'000), "\x01\x02"},
      {scalar(K::boolean), "\x01\x01"},  // bytes after the end
  };
  for (const auto& example : cases) {
    SCOPED_TRACE(to_string(example.type) + " " + base::hex(example.bytes));
    const auto value = decode(example.type, example.bytes);
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code(), ErrorCode::corrupt);
  }
}

TEST(ValueCodec, StoredNanWithAPayloadIsCorrupt) {
  EXPECT_FALSE(decode(scalar(ScalarKind::f32), std::string("\x01\x00\xC0\x7F", 4)));
  EXPECT_FALSE(decode(scalar(ScalarKind::f64), std::string("\0\0\0\0\0\0\xF8\xFF", 8)));
}

TEST(ValueCodec, WiderIntegerTypesReadWhatNarrowOnesStored) {
  const std::string stored = encode(scalar(ScalarKind::i32), std::int32_t{-2'000'000'000});

  const auto value = decode(scalar(ScalarKind::i64), stored);

  ASSERT_TRUE(value);
  EXPECT_EQ(*value, Value(std::int64_t{-2'000'000'000}));
}

TEST(ValueCodec, EnumerationThatWasNarrowedStillReadsOldRows) {
  const auto value = decode(colour(), "\x05white");

  ASSERT_TRUE(value);
  EXPECT_EQ(*value, Value("white"));
  EXPECT_FALSE(check_value(colour(), *value));
}

TEST(CheckValue, WhatDoesNotFitIsATypeErrorNamingBothSides) {
  using K = ScalarKind;
  struct {
    PropertyType type;
    Value value;
    std::string expected, actual;
  } const cases[] = {
      {scalar(K::i32), std::int64_t{1}, "I32", "I64"},
      {scalar(K::i64), std::int32_t{1}, "I64", "I32"},
      {scalar(K::u64), 1.0, "U64", "F64"},
      {scalar(K::f32), 1.0, "F32", "F64"},
      {scalar(K::boolean), "true", "Bool", "String"},
      {scalar(K::string), Blob{"a"}, "String", "Blob"},
      {scalar(K::date), DateTime{0}, "Date", "DateTime"},
      {scalar(K::string), Value(), "String", "null"},
      {scalar(K::string), "\xFF", "String", "bytes that are not UTF-8"},
      {colour(), "white", "enum(blue, green, red)", "\"white\""},
      {colour(), std::int32_t{1}, "enum(blue, green, red)", "I32"},
      {vector_of(3), Value::Vector{1, 2}, "Vector(3)", "Vector(2)"},
      {vector_of(1), Value::List{1.0F}, "Vector(1)", "[F32]"},
      {list_of(K::i32), std::int32_t{1}, "[I32]", "I32"},
      {list_of(K::i32), Value::List{std::int32_t{1}, Value()}, "[I32]", "null"},
      {list_of(K::i32), Value::List{Value::List{}}, "[I32]", "[]"},
      {scalar(K::string), Value::Object{}, "String", "object"},
  };
  for (const auto& example : cases) {
    SCOPED_TRACE(example.expected + " " + example.actual);
    const Status status = check_value(example.type, example.value);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::type_error);
    EXPECT_EQ(*status.error().detail("expected"), example.expected);
    EXPECT_EQ(*status.error().detail("actual"), example.actual);
  }
}

TEST(CheckValue, NullFitsNullableTypesOnly) {
  PropertyType type = scalar(ScalarKind::i32);
  EXPECT_FALSE(check_value(type, Value()));
  type.nullable = true;
  EXPECT_TRUE(check_value(type, Value()));
}

TEST(CheckValue, LargestValueIs64Mebibytes) {
  const PropertyType type = scalar(ScalarKind::blob);

  EXPECT_TRUE(check_value(type, Blob{std::string(kValueBytesMax, 'x')}));
  const Status status = check_value(type, Blob{std::string(kValueBytesMax + 1, 'x')});

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::resource_limit);
}

class RowCodec : public testing::Test {
 protected:
  Result<std::vector<Value>> decode(std::string_view bytes) {
    base::ByteReader reader(bytes);
    BRAID_ASSIGN(auto values, decode_row(reader, pointers_));
    BRAID_TRY(reader.finish("row"));
    return values;
  }
  std::string encode(const std::vector<Value>& values) {
    base::ByteWriter writer;
    encode_row(writer, pointers_, values);
    return std::move(writer).take();
  }

  const PropertyType flag_ = scalar(ScalarKind::boolean);
  // Nine, so that the presence takes two bytes.
  const std::vector<const PropertyType*> pointers_ = std::vector<const PropertyType*>(9, &flag_);
};

TEST_F(RowCodec, PresenceComesFirstThenThePresentValues) {
  std::vector<Value> values(9);
  values[0] = true;
  values[3] = false;
  values[8] = true;

  const std::string bytes = encode(values);

  EXPECT_EQ(base::hex(bytes), "0901010001");
  const auto back = decode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, values);
}

TEST_F(RowCodec, PresenceBitsBeyondTheLastPropertyAreCorrupt) {
  EXPECT_TRUE(decode(std::string("\x00\x00", 2)));
  EXPECT_FALSE(decode(std::string("\x00\x02", 2)));
  EXPECT_FALSE(decode(std::string("\x00\x80", 2)));
}

TEST_F(RowCodec, CutRowIsCorrupt) {
  EXPECT_FALSE(decode(""));
  EXPECT_FALSE(decode(std::string("\x00", 1)));
  EXPECT_FALSE(decode(std::string("\x01\x00", 2)));
}

TEST_F(RowCodec, TypeWithoutPropertiesTakesNoBytes) {
  base::ByteReader reader("");
  const auto values = decode_row(reader, {});
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
  EXPECT_TRUE(reader.finish("row"));
}

}  // namespace
}  // namespace braid::columnar
