// SPDX-License-Identifier: Apache-2.0
#include "load/jsonl_reader.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/load_fixture.h"

namespace braid::load {
namespace {

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

/// The only row of a text.
LoadRow read_one(std::string_view text) {
  auto rows = read_all(text);
  EXPECT_TRUE(rows) << to_string(rows.error());
  EXPECT_EQ(rows->size(), 1U);
  return std::move(rows->front());
}

/// The value of a property of a Thing.
Value read_thing(std::string_view property, std::string_view json) {
  std::string text = R"({"type":"Thing","data":{")";
  text += property;
  text += "\":";
  text += json;
  text += "}}";
  const LoadRow row = read_one(text);
  EXPECT_EQ(row.assigned.size(), 1U);
  const Value* value = assigned(row, property);
  EXPECT_NE(value, nullptr);
  return value == nullptr ? Value() : *value;
}

TEST(JsonlReader, NodeRecordGivesItsTypeAndValues) {
  const LoadRow row = read_one(R"({"type":"Person","data":{"age":36,"name":"Ada"}})");

  EXPECT_FALSE(row.is_edge);
  EXPECT_EQ(row.node_type, test_schema().node_type("Person"));
  EXPECT_EQ(row.edge_type, nullptr);
  EXPECT_EQ(row.id, "Ada");
  ASSERT_EQ(row.assigned.size(), 2U);
  EXPECT_EQ(row.assigned[0], (std::pair<std::size_t, Value>(1, std::int32_t{36})));
  EXPECT_EQ(row.assigned[1], (std::pair<std::size_t, Value>(0, "Ada")));
}

TEST(JsonlReader, EdgeRecordGivesItsEnds) {
  const LoadRow row =
      read_one(R"({"edge":"Knows","from":"a\u00e9","to":"","data":{"id":"k1","weight":0.5}})");

  EXPECT_TRUE(row.is_edge);
  EXPECT_EQ(row.edge_type, test_schema().edge_type("Knows"));
  EXPECT_EQ(row.node_type, nullptr);
  EXPECT_EQ(row.id, "k1");
  EXPECT_EQ(row.from, "a\xC3\xA9");
  EXPECT_EQ(row.to, "");
  EXPECT_EQ(*assigned(row, "weight"), Value(0.5));
}

TEST(JsonlReader, MembersComeInAnyOrder) {
  const LoadRow row =
      read_one(R"({"data":{"since":"1970-01-02","id":"x"},"to":"b","from":"a","edge":"Knows"})");

  EXPECT_EQ(row.id, "x");
  EXPECT_EQ(row.from, "a");
  EXPECT_EQ(row.to, "b");
  EXPECT_EQ(*assigned(row, "since"), Value(Date{1}));
}

TEST(JsonlReader, DataAndIdAreOptional) {
  const LoadRow node = read_one(R"({"type":"Thing"})");
  EXPECT_EQ(node.id, std::nullopt);
  EXPECT_TRUE(node.assigned.empty());

  const LoadRow edge = read_one(R"({"edge":"Knows","from":"a","to":"b","data":{}})");
  EXPECT_EQ(edge.id, std::nullopt);
}

TEST(JsonlReader, IdentityOfAKeyedRecordIsTheTextOfItsKey) {
  EXPECT_EQ(read_one(R"({"type":"Person","data":{"id":"Ada","name":"Ada"}})").id, "Ada");
  // Ordered by property id, and `second` is declared first.
  EXPECT_EQ(read_one(R"({"type":"Pair","data":{"first":"a\"","second":-5}})").id,
            R"(["-5","a\""])");
  EXPECT_EQ(read_one(R"({"type":"Measure","data":{"at":-0.0}})").id, "0");
  EXPECT_EQ(read_one(R"({"edge":"Likes","from":"a","to":"b"})").id, R"(["a","b"])");
  EXPECT_EQ(read_one(R"({"edge":"Likes","from":"a","to":"b","data":{"id":"[\"a\",\"b\"]"}})").id,
            R"(["a","b"])");
}

TEST(JsonlReader, PropertyNamedIdIsAPropertyAndTheIdentityIsAtId) {
  const LoadRow own = read_one(R"({"type":"Own","data":{"id":"me","@id":"me"}})");
  EXPECT_EQ(own.id, "me");
  EXPECT_EQ(*assigned(own, "id"), Value("me"));

  const LoadRow loose = read_one(R"({"type":"Loose","data":{"id":7}})");
  EXPECT_EQ(loose.id, std::nullopt);
  EXPECT_EQ(*assigned(loose, "id"), Value(std::int32_t{7}));
  EXPECT_EQ(read_one(R"({"type":"Loose","data":{"@id":"x","id":7}})").id, "x");
}

TEST(JsonlReader, IntegersAreExactToTheEndsOfTheirRange) {
  EXPECT_EQ(read_thing("i32", "-2147483648"), Value(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ(read_thing("i32", "2147483647"), Value(std::numeric_limits<std::int32_t>::max()));
  EXPECT_EQ(read_thing("i32", "-0"), Value(std::int32_t{0}));
  EXPECT_EQ(read_thing("u32", "4294967295"), Value(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_EQ(read_thing("u32", "-0"), Value(std::uint32_t{0}));
  EXPECT_EQ(read_thing("i64", "9007199254740993"), Value(std::int64_t{9'007'199'254'740'993}));
  EXPECT_EQ(read_thing("i64", "\"9007199254740993\""), Value(std::int64_t{9'007'199'254'740'993}));
  EXPECT_EQ(read_thing("i64", "-9223372036854775808"),
            Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(read_thing("i64", "\"9223372036854775807\""),
            Value(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(read_thing("i64", "\"\\u0035\""), Value(std::int64_t{5}));
  EXPECT_EQ(read_thing("u64", "18446744073709551615"),
            Value(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(read_thing("u64", "\"18446744073709551615\""),
            Value(std::numeric_limits<std::uint64_t>::max()));
}

TEST(JsonlReader, FloatsAreTheNearestOfTheirWidth) {
  EXPECT_EQ(read_thing("f64", "0.1"), Value(0.1));
  EXPECT_EQ(read_thing("f32", "0.1"), Value(0.1F));
  EXPECT_EQ(read_thing("f64", "5"), Value(5.0));
  EXPECT_EQ(read_thing("f64", "9007199254740993"), Value(9007199254740992.0));
  EXPECT_EQ(read_thing("f64", "1.7976931348623157e308"), Value(std::numeric_limits<double>::max()));
  EXPECT_EQ(read_thing("f64", "5e-324"), Value(std::numeric_limits<double>::denorm_min()));
  // Halfway between two floats, and a little more: through a double it would round twice.
  EXPECT_EQ(read_thing("f32", "1.00000005960464477540"), Value(1.00000011920928955F));
  EXPECT_TRUE(std::signbit(*read_thing("f64", "-0.0").as<double>()));
  EXPECT_TRUE(std::signbit(*read_thing("f32", "-0").as<float>()));
}

TEST(JsonlReader, FloatsTooSmallAreZeroOfTheirSign) {
  for (const char* text : {"1e-400", "0.0000001e-400", "123456e-400", "1e-99999999999999999999"}) {
    EXPECT_EQ(read_thing("f64", text), Value(0.0)) << text;
    EXPECT_FALSE(std::signbit(*read_thing("f64", text).as<double>()));
  }
  EXPECT_TRUE(std::signbit(*read_thing("f64", "-1e-400").as<double>()));
  EXPECT_EQ(read_thing("f32", "1e-60"), Value(0.0F));
  EXPECT_EQ(read_thing("f64", "0e999"), Value(0.0));
}

TEST(JsonlReader, FloatsThatAreNotFiniteAreStrings) {
  EXPECT_TRUE(std::isnan(*read_thing("f64", "\"NaN\"").as<double>()));
  EXPECT_EQ(read_thing("f64", "\"Infinity\""), Value(kInfinity<double>));
  EXPECT_EQ(read_thing("f32", "\"-Infinity\""), Value(-kInfinity<float>));
}

TEST(JsonlReader, StringsAreKeptCharacterByCharacter) {
  EXPECT_EQ(read_thing("text", R"("")"), Value(""));
  EXPECT_EQ(read_thing("text", R"("a\u0000b")"), Value(std::string("a\0b", 3)));
  EXPECT_EQ(read_thing("text", R"("\ud83d\ude00\"\\\/\n")"), Value("\xF0\x9F\x98\x80\"\\/\n"));
  EXPECT_EQ(read_thing("text", "\"\xEF\xBB\xBF\x7F\""), Value("\xEF\xBB\xBF\x7F"));
  EXPECT_EQ(read_thing("colour", R"("dark-blue")"), Value("dark-blue"));
}

TEST(JsonlReader, DatesAndTimesAreTextsOrIntegers) {
  EXPECT_EQ(read_thing("date", "\"1969-12-31\""), Value(Date{-1}));
  EXPECT_EQ(read_thing("date", "-1"), Value(Date{-1}));
  EXPECT_EQ(read_thing("date", "\"+010000-01-01\""), Value(Date{2'932'897}));
  EXPECT_EQ(read_thing("time", "\"1969-12-31T23:59:59.999Z\""), Value(DateTime{-1}));
  EXPECT_EQ(read_thing("time", "\"1970-01-01T01:00:00.5000+01:00\""), Value(DateTime{500}));
  EXPECT_EQ(read_thing("time", "-9223372036854775808"),
            Value(DateTime{std::numeric_limits<std::int64_t>::min()}));
}

TEST(JsonlReader, BlobsAreTheirBytes) {
  EXPECT_EQ(read_thing("blob", R"("base64:")"), Value(Blob{}));
  EXPECT_EQ(read_thing("blob", R"("base64:+/8=")"), Value(Blob{"\xFB\xFF"}));
  EXPECT_EQ(read_thing("blob", R"("base64:+\/8=")"), Value(Blob{"\xFB\xFF"}));
}

TEST(JsonlReader, ListsAndVectorsKeepTheirOrder) {
  EXPECT_EQ(read_thing("texts", R"([ "b" , "a" ])"), Value(Value::List{"b", "a"}));
  EXPECT_EQ(read_thing("texts", "[]"), Value(Value::List{}));
  EXPECT_EQ(read_thing("u64s", R"(["18446744073709551615",1])"),
            Value(Value::List{std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1}}));
  EXPECT_EQ(read_thing("dates", R"(["1970-01-02",3])"), Value(Value::List{Date{1}, Date{3}}));
  EXPECT_EQ(read_thing("vector", "[1,0.5,-2e0]"), Value(Value::Vector{1.0F, 0.5F, -2.0F}));
}

TEST(JsonlReader, ExplicitNullIsAssigned) {
  for (const char* property : {"text", "blob", "i32", "colour", "texts", "vector"}) {
    EXPECT_TRUE(read_thing(property, "null").is_null());
  }
}

TEST(JsonlReader, EmptyTextsHaveNoRows) {
  for (const char* text : {"", "\n", "\r\n \t\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    const auto rows = read_all(text);
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->empty());
  }
}

// J4
TEST(JsonlReader, RowsDoNotDependOnHowTheSourceCutsTheText) {
  const std::string text =
      "\xEF\xBB\xBF{\"type\":\"Thing\",\"data\":{\"text\":\"\xC3\xA9\\\"}\\\\\"}}\r\n"
      "\n"
      "  {\n\t\"edge\": \"Knows\",\r\n  \"from\": \"a\",\n  \"to\": \"b\"\n}\n"
      "{\"type\":\"Thing\"} {\"type\":\"Thing\"}{\"type\":\"Person\",\"data\":{\"name\":\"z\"}}";

  for (std::size_t buffer_bytes = 1; buffer_bytes <= text.size() + 1; ++buffer_bytes) {
    const auto rows = read_all(text, {.file = "", .buffer_bytes = buffer_bytes});
    ASSERT_TRUE(rows) << buffer_bytes << to_string(rows.error());
    ASSERT_EQ(rows->size(), 5U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    for (const LoadRow& row : *rows) places.emplace_back(row.line, row.byte);
    EXPECT_THAT(places, testing::ElementsAre(std::pair(1, 3), std::pair(3, 50), std::pair(8, 100),
                                             std::pair(8, 117), std::pair(8, 133)));
    EXPECT_EQ(*assigned(rows->front(), "text"), Value("\xC3\xA9\"}\\"));
    EXPECT_EQ(rows->back().id, "z");
  }
}

// J5
TEST(JsonlReader, RowsBeforeAnErrorAreGiven) {
  const std::string text = "{\"type\":\"Thing\"}\n{\"type\":\"Thing\"}\n{\"type\":\"No\"}\n";
  JsonlReader reader(test_schema(), source_of(text));
  LoadRow row;

  EXPECT_TRUE(*reader.next(row));
  EXPECT_TRUE(*reader.next(row));
  const auto third = reader.next(row);

  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code(), ErrorCode::type_error);
  EXPECT_EQ(reader.next(row).error().code(), ErrorCode::type_error);
}

TEST(JsonlReader, ErrorOfTheSourceIsHandedOn) {
  bool first = true;
  JsonlReader reader(test_schema(), [&](char* out, std::size_t) -> Result<std::size_t> {
    if (!std::exchange(first, false)) return Error(ErrorCode::io_error, "injected");
    *out = '{';
    return std::size_t{1};
  });
  LoadRow row;

  EXPECT_EQ(reader.next(row).error().code(), ErrorCode::io_error);
}

TEST(JsonlReader, RecordLargerThanTheLimitIsRefusedAtItsBegin) {
  const std::string good = "{\"type\":\"Thing\"}\n";
  const std::string fits = R"({"type":"Thing","data":{"text":"123456789"}})";  // 44 bytes
  const std::string exceeds = R"({"type":"Thing","data":{"text":"1234567890"}})";
  for (const std::size_t buffer_bytes : {1U, 7U, 1000U}) {
    const JsonlOptions options{.file = "", .buffer_bytes = buffer_bytes, .record_bytes_max = 44};
    EXPECT_TRUE(read_all(good + fits, options));
    const auto rows = read_all(good + exceeds, options);
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code(), ErrorCode::resource_limit);
    EXPECT_EQ(*rows.error().detail("byte"), "17");
  }
}

// `head`, then `count` times A, then `tail`; made as it is read, so that the test does not hold it.
ByteSource repeated_source(const std::string& head, std::size_t count, const std::string& tail) {
  const std::string filler(std::size_t{1} << 20, 'A');
  return [=, at = std::size_t{0}](char* out, std::size_t size) mutable -> Result<std::size_t> {
    std::string_view part = filler;
    if (at < head.size()) {
      part = std::string_view(head).substr(at);
    } else if (at >= head.size() + count) {
      part = std::string_view(tail).substr(at - head.size() - count);
    } else {
      part = part.substr(0, head.size() + count - at);
    }
    const std::size_t done = part.copy(out, size);
    at += done;
    return done;
  };
}

TEST(JsonlReader, ValuesOf64MebibytesAreReadAndLargerOnesRefused) {
  constexpr std::size_t kMax = std::size_t{64} << 20;
  const std::string text_head = R"({"type":"Thing","data":{"text":")";
  const std::string blob_head = R"({"type":"Thing","data":{"blob":"base64:)";
  const std::string tail = "\"}}\n";

  EXPECT_TRUE(read_all(test_schema(), repeated_source(text_head, kMax, tail)));
  const auto text = read_all(test_schema(), repeated_source(text_head, kMax + 1, tail));
  // 4 characters of base 64 are 3 bytes, and 64 MiB are one more than a multiple of 3.
  const auto blob = read_all(test_schema(), repeated_source(blob_head, (kMax + 2) / 3 * 4, tail));

  for (const auto* result : {&text, &blob}) {
    ASSERT_FALSE(*result);
    EXPECT_EQ(result->error().code(), ErrorCode::resource_limit);
    EXPECT_EQ(*result->error().detail("line"), "1");
  }
}

}  // namespace
}  // namespace braid::load
