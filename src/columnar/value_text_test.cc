// SPDX-License-Identifier: Apache-2.0
#include "columnar/value_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace braid::columnar {
namespace {

using K = ScalarKind;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PropertyType scalar(ScalarKind kind) { return {.kind = kind, .enum_values = {}}; }

Result<std::string> key_of(ScalarKind kind, const Value& value) {
  const PropertyType type = scalar(kind);
  const KeyMember member{&type, &value};
  return key_text({&member, 1});
}

std::string json(const Value& value, const JsonOptions& options = {}) {
  std::string out;
  append_json(out, value, options);
  return out;
}

// V4
TEST(KeyText, OneMemberIsItsCanonicalText) {
  struct {
    ScalarKind kind;
    Value value;
    std::string text;
  } const examples[] = {
      {K::string, "per-self", "per-self"},
      {K::string, "\"quoted\" \xC3\xA9", "\"quoted\" \xC3\xA9"},
      {K::boolean, true, "true"},
      {K::boolean, false, "false"},
      {K::i32, std::numeric_limits<std::int32_t>::min(), "-2147483648"},
      {K::i64, std::int64_t{9'007'199'254'740'993}, "9007199254740993"},
      {K::i64, std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {K::u64, std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {K::date, Date{-719'529}, "-719529"},
      {K::date_time, DateTime{-1}, "-1"},
      {K::f64, 0.1, "0.1"},
      {K::f32, 0.1F, "0.1"},
      {K::f64, 0.0, "0"},
      {K::f64, -0.0, "0"},
      {K::f32, -0.0F, "0"},
      {K::f64, 1.0, "1"},
      {K::f64, -2.5, "-2.5"},
      {K::f64, 1e20, "1e+20"},
      {K::f64, 5e-324, "5e-324"},
      {K::f32, 16777216.0F, "16777216"},
  };
  for (const auto& example : examples) {
    const auto text = key_of(example.kind, example.value);
    ASSERT_TRUE(text) << example.text;
    EXPECT_EQ(*text, example.text);
  }
}

TEST(KeyText, NumbersThatAreNotFiniteAreRefused) {
  for (const double value : {kInfinity, -kInfinity, kNan}) {
    EXPECT_EQ(key_of(K::f64, value).error().code(), ErrorCode::type_error);
    EXPECT_EQ(key_of(K::f32, static_cast<float>(value)).error().code(), ErrorCode::type_error);
  }
}

TEST(KeyText, ValueOfAnotherTypeAndNullAreRefused) {
  EXPECT_EQ(key_of(K::i64, std::int32_t{1}).error().code(), ErrorCode::type_error);
  EXPECT_EQ(key_of(K::i64, Value()).error().code(), ErrorCode::type_error);

  PropertyType nullable = scalar(K::i64);
  nullable.nullable = true;
  const Value null;
  const KeyMember member{&nullable, &null};
  EXPECT_EQ(key_text({&member, 1}).error().code(), ErrorCode::type_error);
}

// V4
TEST(KeyText, SeveralMembersAreACompactArrayOfTheirTexts) {
  const PropertyType text = scalar(K::string);
  const PropertyType number = scalar(K::i64);
  const Value first("a\"b\\c\n\x01\xC3\xA9");
  const Value second(std::int64_t{-5});

  const KeyMember members[] = {{&text, &first}, {&number, &second}};

  EXPECT_EQ(*key_text(members), "[\"a\\\"b\\\\c\\n\\u0001\xC3\xA9\",\"-5\"]");
}

// V4
TEST(KeyText, MembersThatRunTogetherStayApart) {
  const PropertyType text = scalar(K::string);
  const Value a("a");
  const Value ab("a\",\"b");
  const Value b("b");
  const Value empty("");
  const KeyMember two[] = {{&text, &a}, {&text, &b}};
  const KeyMember other[] = {{&text, &ab}, {&text, &empty}};

  EXPECT_EQ(*key_text(two), R"(["a","b"])");
  EXPECT_EQ(*key_text(other), R"(["a\",\"b",""])");
}

TEST(JsonText, EveryKindIsPrintedAsTheLanguagePrescribes) {
  const std::pair<Value, std::string> examples[] = {
      {Value(), "null"},
      {true, "true"},
      {std::int32_t{-5}, "-5"},
      {std::uint32_t{4'294'967'295}, "4294967295"},
      {std::int64_t{9'007'199'254'740'993}, "9007199254740993"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {0.1F, "0.1"},
      {0.1, "0.1"},
      {-0.0, "-0"},
      {1e300, "1e+300"},
      {kNan, "\"NaN\""},
      {kInfinity, "\"Infinity\""},
      {-kInfinity, "\"-Infinity\""},
      {"text", "\"text\""},
      {Blob{"foob"}, "\"Zm9vYg==\""},
      {Date{0}, "\"1970-01-01\""},
      {DateTime{-1}, "\"1969-12-31T23:59:59.999Z\""},
      {Value::List{}, "[]"},
      {Value::List{"a", "b"}, R"(["a","b"])"},
      {Value::List{Date{0}}, R"(["1970-01-01"])"},
      {Value::Vector{1.0F, 0.5F, static_cast<float>(kNan)}, R"([1,0.5,"NaN"])"},
      {Value::Object{{"@id", "b"}, {"x", Value()}}, R"({"@id":"x","b":null})"},
  };
  for (const auto& [value, text] : examples) EXPECT_EQ(json(value), text);
}

TEST(JsonText, BlobsCarryThePrefixOfTheLoaderWhenAsked) {
  EXPECT_EQ(json(Blob{"foo"}, {.blob_prefix = true}), "\"base64:Zm9v\"");
  EXPECT_EQ(json(Blob{}, {.blob_prefix = true}), "\"base64:\"");
}

TEST(JsonText, SafeIntegersBecomeStringsBeyondTwoToThe53) {
  const JsonOptions safe{.safe_integers = true};
  EXPECT_EQ(json(std::int64_t{9'007'199'254'740'991}, safe), "9007199254740991");
  EXPECT_EQ(json(std::int64_t{-9'007'199'254'740'991}, safe), "-9007199254740991");
  EXPECT_EQ(json(std::int64_t{9'007'199'254'740'992}, safe), "\"9007199254740992\"");
  EXPECT_EQ(json(std::int64_t{-9'007'199'254'740'992}, safe), "\"-9007199254740992\"");
  EXPECT_EQ(json(std::numeric_limits<std::int64_t>::min(), safe), "\"-9223372036854775808\"");
  EXPECT_EQ(json(std::uint64_t{9'007'199'254'740'992}, safe), "\"9007199254740992\"");
  EXPECT_EQ(json(Value::List{std::uint64_t{9'007'199'254'740'993}}, safe),
            "[\"9007199254740993\"]");
}

TEST(JsonText, StringsAreEscapedOnlyWhereJsonDemandsIt) {
  const std::string text("\"\\/\b\f\n\r\t\0\x1F\x7F\xF0\x9F\x98\x80", 15);
  EXPECT_EQ(json(text), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\xF0\x9F\x98\x80\"");
}

}  // namespace
}  // namespace braid::columnar
