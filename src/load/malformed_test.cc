// SPDX-License-Identifier: Apache-2.0
// What a load refuses, and where. In each text `~` stands before the byte at fault and is taken
// out; the line is that of the `~`.
#include <algorithm>

#include <gtest/gtest.h>

#include "load/load_fixture.h"

namespace braid::load {
namespace {

struct Malformed {
  std::string_view text;
  ErrorCode code;
  std::string_view field;  // empty: no detail
};

constexpr auto kParse = ErrorCode::parse_error;
constexpr auto kType = ErrorCode::type_error;

constexpr Malformed kSyntax[] = {
    {"~x", kParse, ""},
    {"~[]", kParse, ""},
    {"~\"text\"", kParse, ""},
    {"~,{}", kParse, ""},
    {"{\"type\":\"Thing\"}~,", kParse, ""},
    {"{\"type\":\"Thing\"} ~}", kParse, ""},
    {"{\"type\":\"Thing\"}\n{\"type\":\"Thing\"}\n~garbage", kParse, ""},
    {"{\"type\":\"Thing\"}\n~\xEF\xBB\xBF{\"type\":\"Thing\"}", kParse, ""},
    {"~\xFF\xFE", kParse, ""},
    {"{~", kParse, ""},
    {"{\"type\"~", kParse, ""},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"abc~", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"abc\\~", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"abc\"}~", kParse, "data"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"a\"\n~{\"type\":\"Thing\"}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"abc~\n\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"a~\tb\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"~\\q\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"x~\\ud800\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"x~\\udc00\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"~\\ud800\\ud800\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"~\\ud800\":1}}", kParse, "data"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"~\xC3\xFF\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"~\xED\xA0\x80\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"~\xC0\x80\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":~'a'}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{~text:\"a\"}}", kParse, "data"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"a\",~}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"a\" ~\"flag\":true}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\"~\"a\"}}", kParse, "data"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":0~1}}", kParse, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~+1}}", kParse, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":1.~}}", kParse, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~NaN}}", kParse, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":-~Infinity}}", kParse, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"flag\":tru~}}", kParse, "flag"},
    {"{\"type\":\"Thing\",\"data\":{\"texts\":[\"a\",~]}}", kParse, "texts[1]"},
    {"{\"type\":\"Thing\",\"data\":{\"texts\":[\"a\"~}}", kParse, "texts[1]"},
    {"{\"data\":{\"text\":[1~}},\"type\":\"Thing\"}", kParse, "data"},
    {"{\"type\":\"Thing\" ~/* no */}", kParse, "type"},
};

constexpr Malformed kNames[] = {
    {"~{}", kType, "type"},
    {"~{\"data\":{}}", kType, "type"},
    {"{\"type\":~\"Nope\"}", kType, "type"},
    {"{\"type\":~\"thing\"}", kType, "type"},
    {"{\"type\":~\"Knows\",\"from\":\"a\",\"to\":\"b\"}", kType, "type"},
    {"{\"edge\":~\"Thing\"}", kType, "edge"},
    {"{\"type\":~1}", kType, "type"},
    {"{\"type\":~null}", kType, "type"},
    {"{\"type\":~{\"a\":1}}", kType, "type"},
    {"{\"type\":\"Thing\",~\"type\":\"Thing\"}", kParse, "type"},
    {"{\"type\":\"Thing\",~\"\\u0074ype\":\"Thing\"}", kParse, "type"},
    {"{\"type\":\"Thing\",~\"edge\":\"Knows\"}", kType, "edge"},
    {"{\"type\":\"Thing\",~\"extra\":1}", kType, "extra"},
    {"{\"type\":\"Thing\",~\"Data\":{}}", kType, "Data"},
    {"{\"type\":\"Thing\",\"data\":{},~\"data\":{}}", kParse, "data"},
    {"{\"data\":{},~\"data\":{},\"type\":\"Thing\"}", kParse, "data"},
    {"{\"type\":\"Thing\",\"data\":~null}", kType, "data"},
    {"{\"type\":\"Thing\",\"data\":~[]}", kType, "data"},
    {"{\"data\":~1,\"type\":\"Thing\"}", kType, "data"},
    {"{\"type\":\"Thing\",\"from\":~\"a\"}", kType, "from"},
    {"~{\"edge\":\"Knows\",\"to\":\"b\"}", kType, "from"},
    {"~{\"edge\":\"Knows\",\"from\":\"a\"}", kType, "to"},
    {"{\"edge\":\"Knows\",\"from\":~7,\"to\":\"b\"}", kType, "from"},
    {"{\"edge\":\"Knows\",\"from\":\"a\",\"to\":~null}", kType, "to"},
    {"{\"edge\":\"Knows\",\"from\":\"a\",~\"from\":\"b\"}", kParse, "from"},
    {"{\"type\":\"Thing\",\"data\":{~\"nope\":1}}", kType, "nope"},
    {"{\"type\":\"Thing\",\"data\":{~\"\":1}}", kType, ""},
    {"{\"type\":\"Thing\",\"data\":{\"text\":\"a\",~\"text\":\"a\"}}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":null,~\"te\\u0078t\":null}}", kParse, "text"},
    {"{\"data\":{\"text\":\"a\",~\"text\":\"a\"},\"type\":\"Thing\"}", kParse, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"id\":\"a\",~\"id\":\"a\"}}", kParse, "id"},
    {"{\"type\":\"Thing\",\"data\":{\"id\":~7}}", kType, "id"},
    {"{\"type\":\"Thing\",\"data\":{\"id\":~null}}", kType, "id"},
    {"{\"type\":\"Thing\",\"data\":{\"id\":~\"\"}}", kType, "id"},
    {"{\"type\":\"Thing\",\"data\":{~\"@id\":\"a\"}}", kType, "@id"},
    {"{\"type\":\"Person\",\"data\":{\"id\":~\"b\",\"name\":\"a\"}}", kType, "id"},
    {"{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"id\":~\"\"}}", kType, "id"},
    {"~{\"type\":\"Person\"}", kType, "name"},
    {"~{\"type\":\"Person\",\"data\":{\"id\":\"a\"}}", kType, "name"},
    {"{\"type\":\"Person\",\"data\":{\"name\":~null}}", kType, "name"},
    {"~{\"type\":\"Pair\",\"data\":{\"first\":\"a\"}}", kType, "second"},
    {"{\"type\":\"Pair\",\"data\":{\"first\":\"a\",\"second\":5,\"id\":~\"[\\\"a\\\",\\\"5\\\"]\"}"
     "}",
     kType, "id"},
    {"{\"type\":\"Measure\",\"data\":{\"at\": ~\"NaN\" }}", kType, "at"},
    {"{\"type\":\"Own\",\"data\":{\"id\":\"a\",\"@id\":~\"b\"}}", kType, "@id"},
    {"{\"type\":\"Loose\",\"data\":{\"id\":~\"a\"}}", kType, "id"},
    {"{\"edge\":\"Likes\",\"from\":\"a\",\"to\":\"b\",\"data\":{\"id\":~\"x\"}}", kType, "id"},
};

constexpr Malformed kValues[] = {
    {"{\"type\":\"Strict\",\"data\":{\"must\":~null}}", kType, "must"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":~1}}", kType, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":~true}}", kType, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":~{\"a\":{\"a\":1,\"a\":2}}}}", kType, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"text\":~[\"a\"]}}", kType, "text"},
    {"{\"type\":\"Thing\",\"data\":{\"flag\":~0}}", kType, "flag"},
    {"{\"type\":\"Thing\",\"data\":{\"flag\":~\"true\"}}", kType, "flag"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~2147483648}}", kType, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~-2147483649}}", kType, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~1.0}}", kType, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~1e3}}", kType, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"i32\":~\"1\"}}", kType, "i32"},
    {"{\"type\":\"Thing\",\"data\":{\"u32\":~-1}}", kType, "u32"},
    {"{\"type\":\"Thing\",\"data\":{\"u32\":~4294967296}}", kType, "u32"},
    {"{\"type\":\"Thing\",\"data\":{\"u32\":~\"1\"}}", kType, "u32"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~9223372036854775808}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~-9223372036854775809}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~1e19}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"9223372036854775808\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"-\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"+1\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"01\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\" 1\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"1.0\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"i64\":~\"0x10\"}}", kType, "i64"},
    {"{\"type\":\"Thing\",\"data\":{\"u64\":~18446744073709551616}}", kType, "u64"},
    {"{\"type\":\"Thing\",\"data\":{\"u64\":~\"18446744073709551616\"}}", kType, "u64"},
    {"{\"type\":\"Thing\",\"data\":{\"u64\":~\"-1\"}}", kType, "u64"},
    {"{\"type\":\"Thing\",\"data\":{\"f32\":~1e39}}", kType, "f32"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~-1e309}}", kType, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~1e99999999999999999999}}", kType, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~\"1.5\"}}", kType, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~\"nan\"}}", kType, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"f64\":~\"+Infinity\"}}", kType, "f64"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~\"2026-02-29\"}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~\"2026-01-01T00:00:00Z\"}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~2147483648}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~1.5}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~\"0\"}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"date\":~true}}", kType, "date"},
    {"{\"type\":\"Thing\",\"data\":{\"time\":~\"2026-01-01T00:00:00.0001Z\"}}", kType, "time"},
    {"{\"type\":\"Thing\",\"data\":{\"time\":~\"2026-01-01T25:00:00Z\"}}", kType, "time"},
    {"{\"type\":\"Thing\",\"data\":{\"time\":~9223372036854775808}}", kType, "time"},
    {"{\"type\":\"Thing\",\"data\":{\"colour\":~\"Red\"}}", kType, "colour"},
    {"{\"type\":\"Thing\",\"data\":{\"colour\":~\"\"}}", kType, "colour"},
    {"{\"type\":\"Thing\",\"data\":{\"colour\":~0}}", kType, "colour"},
    {"{\"type\":\"Thing\",\"data\":{\"blob\":~\"https://example.com/x\"}}", ErrorCode::unsupported,
     "blob"},
    {"{\"type\":\"Thing\",\"data\":{\"blob\":~\"\"}}", ErrorCode::unsupported, "blob"},
    {"{\"type\":\"Thing\",\"data\":{\"blob\":~\"base64:Zg\"}}", kType, "blob"},
    {"{\"type\":\"Thing\",\"data\":{\"blob\":~\"base64:Zh==\"}}", kType, "blob"},
    {"{\"type\":\"Thing\",\"data\":{\"blob\":~[1,2]}}", kType, "blob"},
    {"{\"type\":\"Thing\",\"data\":{\"texts\":~\"a\"}}", kType, "texts"},
    {"{\"type\":\"Thing\",\"data\":{\"texts\":[\"a\",~null]}}", kType, "texts[1]"},
    {"{\"type\":\"Thing\",\"data\":{\"texts\":[~[\"a\"]]}}", kType, "texts[0]"},
    {"{\"type\":\"Thing\",\"data\":{\"i32s\":[1,2,~2147483648]}}", kType, "i32s[2]"},
    {"{\"type\":\"Thing\",\"data\":{\"dates\":[~\"yesterday\"]}}", kType, "dates[0]"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":~[1,2]}}", kType, "vector"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":~[1,2,3,4]}}", kType, "vector"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":~[]}}", kType, "vector"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":[1,~\"2\",3]}}", kType, "vector[1]"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":[1,~null,3]}}", kType, "vector[1]"},
    {"{\"type\":\"Thing\",\"data\":{\"vector\":[1,2,~1e39]}}", kType, "vector[2]"},
    {"{\n  \"type\": \"Thing\",\n  \"data\": {\n    \"i32\": ~true\n  }\n}", kType, "i32"},
};

void expect_refused(const Malformed& example) {
  SCOPED_TRACE(example.text);
  std::string text(example.text);
  const std::size_t at = text.find('~');
  ASSERT_NE(at, std::string::npos);
  text.erase(at, 1);
  // Behind two good lines and one that is blank.
  const std::string before =
      "{\"type\":\"Thing\"}\n\r\n{\"edge\":\"Knows\",\"from\":\"\xC3\xA9\",\"to\":\"b\"}\n";
  const auto line =
      4 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');

  const std::string whole = before + text;
  for (const std::size_t buffer_bytes : {std::size_t{1} << 20, std::size_t{1}}) {
    JsonlReader reader(test_schema(), source_of(whole),
                       {.file = "f.jsonl", .buffer_bytes = buffer_bytes});
    LoadRow row;
    Result<bool> found = true;
    while (found && *found) found = reader.next(row);
    ASSERT_FALSE(found);
    const Error& error = found.error();
    EXPECT_EQ(error.code(), example.code) << to_string(error);
    EXPECT_EQ(*error.detail("file"), "f.jsonl");
    EXPECT_EQ(*error.detail("line"), std::to_string(line));
    EXPECT_EQ(*error.detail("byte"), std::to_string(before.size() + at)) << to_string(error);
    EXPECT_EQ(error.detail("field") == nullptr ? "" : *error.detail("field"), example.field);
    ASSERT_NE(error.detail("expected"), nullptr);
    ASSERT_TRUE(error.span());
    EXPECT_EQ(error.span()->byte, before.size() + at);
    // Once failed, failed for good.
    EXPECT_FALSE(reader.next(row));
  }
}

// J3, J4, J2
TEST(JsonlMalformed, WhatIsNoJsonIsRefusedAtItsByte) {
  for (const Malformed& example : kSyntax) expect_refused(example);
}

// J3, J4
TEST(JsonlMalformed, NamesThatAreUnknownRepeatedOrMissingAreRefusedAtTheirByte) {
  for (const Malformed& example : kNames) expect_refused(example);
}

// J3, J4
TEST(JsonlMalformed, ValuesOfAnotherTypeAreRefusedAtTheirByte) {
  for (const Malformed& example : kValues) expect_refused(example);
}

TEST(JsonlMalformed, EveryCutOfARecordIsAParseErrorAtTheEnd) {
  const std::string record =
      R"({"type":"Thing","data":{"text":"a\u00e9\ud83d\ude00","i32s":[1,-2],)"
      R"("f64":1.5e-3,"flag":true}})";
  for (std::size_t size = 1; size < record.size(); ++size) {
    const auto rows = read_all(record.substr(0, size));
    ASSERT_FALSE(rows) << size;
    EXPECT_EQ(rows.error().code(), ErrorCode::parse_error) << size;
    EXPECT_EQ(*rows.error().detail("byte"), std::to_string(size)) << size;
  }
}

TEST(JsonlMalformed, ErrorSaysWhatWasThereAndWhatWasExpected) {
  const auto rows = read_all(
      "{\"type\":\"Thing\"}\n{\"type\":\"Thing\",\"data\":{\"text\":\"\xC3\xA9\",\"i32\":"
      "3000000000}}",
      {.file = "data/things.jsonl"});

  ASSERT_FALSE(rows);
  const Error& error = rows.error();
  EXPECT_EQ(*error.detail("file"), "data/things.jsonl");
  EXPECT_EQ(*error.detail("line"), "2");
  EXPECT_EQ(*error.detail("byte"), "59");
  EXPECT_EQ(*error.detail("field"), "i32");
  EXPECT_EQ(*error.detail("value"), "3000000000");
  EXPECT_EQ(*error.detail("expected"), "I32?");
  // 41 characters stand before it, one of them of two bytes.
  EXPECT_EQ(*error.span(), (SourceSpan{.line = 2, .column = 42, .byte = 59, .length = 10}));
}

TEST(JsonlMalformed, LongValuesAreShortened) {
  std::string text = "{\"type\":\"Thing\",\"data\":{\"i32\":\"";
  for (int i = 0; i < 100; ++i) text += "\xC3\xA9";
  text += "\"}}";

  const auto rows = read_all(text);

  ASSERT_FALSE(rows);
  std::string shown = "\"";
  for (int i = 0; i < 78; ++i) shown += "\xC3\xA9";
  EXPECT_EQ(*rows.error().detail("value"), shown + "\xE2\x80\xA6");
}

TEST(JsonlMalformed, DeepNestingIsAParseErrorAndCostsNoStack) {
  const std::string head = "{\"type\":\"Thing\",\"data\":{\"texts\":";
  const auto rows = read_all(head + std::string(50'000, '['));

  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code(), ErrorCode::parse_error);
  // Two objects are open already.
  EXPECT_EQ(*rows.error().detail("byte"), std::to_string(head.size() + 510));
  EXPECT_EQ(*rows.error().detail("line"), "1");
}

TEST(JsonlMalformed, DeepObjectsAreAParseErrorToo) {
  std::string text = "{\"type\":\"Thing\",\"data\":";
  const std::size_t head = text.size();
  for (int i = 0; i < 50'000; ++i) text += "{\"a\":";

  const auto rows = read_all(text);

  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code(), ErrorCode::parse_error);
  EXPECT_EQ(*rows.error().detail("byte"), std::to_string(head + 511 * 5));
}

}  // namespace
}  // namespace braid::load
