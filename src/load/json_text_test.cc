// SPDX-License-Identifier: Apache-2.0
#include "load/json_text.h"

#include <optional>

#include <gtest/gtest.h>
#include <simdjson.h>

namespace braid::load {
namespace {

using Outcome = JsonFrame::Outcome;

/// Reads a whole text, one value of any kind; the fault's byte if it is no JSON.
std::optional<std::size_t> fault_of(std::string_view text) {
  JsonCursor cursor(text);
  std::string open;  // the brackets around the position
  bool first = false;
  const auto value = [&] {
    JsonToken token;
    if (!cursor.value(token)) return false;
    first = token.kind == JsonToken::Kind::object || token.kind == JsonToken::Kind::array;
    if (first) open += token.kind == JsonToken::Kind::object ? '{' : '[';
    return true;
  };
  if (!value()) return cursor.fault().at;
  while (!open.empty()) {
    JsonToken name;
    const auto step = open.back() == '{' ? cursor.member(first, name) : cursor.element(first);
    first = false;
    if (step == JsonCursor::Step::end) {
      open.pop_back();
    } else if (step == JsonCursor::Step::fault || !value()) {
      return cursor.fault().at;
    }
  }
  const std::size_t behind = text.find_first_not_of(" \t\r\n", cursor.position());
  return behind == std::string_view::npos ? std::nullopt : std::optional(behind);
}

std::string string_of(std::string_view text) {
  JsonCursor cursor(text);
  JsonToken token;
  EXPECT_TRUE(cursor.value(token));
  return cursor.string(token);
}

TEST(JsonCursor, WellFormedTextsAreRead) {
  for (const char* text : {"0",
                           "-0",
                           "12",
                           "-1.5",
                           "1e5",
                           "1E+5",
                           "1.25e-10",
                           "true",
                           "false",
                           "null",
                           "\"\"",
                           "\"a\"",
                           "{}",
                           "[]",
                           " [ ] ",
                           "{ }",
                           "[1,2]",
                           "[[],{}]",
                           "{\"a\":1}",
                           "{\"a\" : [ 1 , { \"b\" : null } ] }",
                           "\t\r\n[1\n,\r2]",
                           "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                           "\"\\u0000\\uD83D\\uDE00\\ud83d\\ude00\"",
                           "\"\xC3\xA9\x7F\""}) {
    EXPECT_EQ(fault_of(text), std::nullopt) << text;
  }
}

// J2
TEST(JsonCursor, FaultsLieAtTheFirstByteThatCannotBe) {
  const std::pair<std::string, std::size_t> examples[] = {
      {"", 0},
      {"  ", 2},
      {"[", 1},
      {"]", 0},
      {"[1", 2},
      {"[1,", 3},
      {"[1,]", 3},
      {"[1 2]", 3},
      {"[,1]", 1},
      {"[1}", 2},
      {"{", 1},
      {"{]", 1},
      {"{1:2}", 1},
      {"{\"a\"}", 4},
      {"{\"a\" 1}", 5},
      {"{\"a\":}", 5},
      {"{\"a\":1,}", 7},
      {"{\"a\":1 b", 7},
      {"{,}", 1},
      {"{\"a\":1]", 6},
      {"[01]", 2},
      {"[-]", 2},
      {"[+1]", 1},
      {"[.5]", 1},
      {"[1.]", 3},
      {"[1.e5]", 3},
      {"[1e]", 3},
      {"[1e+]", 4},
      {"[0x1]", 2},
      {"[1_0]", 2},
      {"[NaN]", 1},
      {"[Infinity]", 1},
      {"[-Infinity]", 2},
      {"tru", 3},
      {"truE", 3},
      {"[nul]", 4},
      {"[True]", 1},
      {"'a'", 0},
      {"\"", 1},
      {"\"a", 2},
      {"\"a\nb\"", 2},
      {"\"a\tb\"", 2},
      {"\"\\", 2},
      {"\"\\x\"", 1},
      {"\"\\u12\"", 1},
      {"\"\\u12G4\"", 1},
      {"\"\\u", 3},
      {"\"ab\\'\"", 3},
      {"\"\\uD83D\"", 1},
      {"\"\\uDE00\"", 1},
      {"\"\\uD83Dx\"", 1},
      {"\"\\uD83D\\n\"", 1},
      {"\"\\uD83D\\uD83D\"", 1},
      {"\"\\uD83D\\u12\"", 7},
      {"[1//\n]", 2},
      {"[/**/1]", 1},
      {std::string("[\0]", 3), 1},
      {std::string("\"\0\"", 3), 1},
      {"\"abcdefghijkl\x1F\"", 13},
  };
  for (const auto& [text, at] : examples) EXPECT_EQ(fault_of(text), at) << text;
}

TEST(JsonCursor, EscapesSayWhatTheyStandFor) {
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\tb")"), "a\"\\/\b\f\n\r\tb");
  EXPECT_EQ(string_of(R"("\u0041\u00e9\u20AC")"), "A\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(string_of(R"("\uD83D\uDE00!")"), "\xF0\x9F\x98\x80!");
  EXPECT_EQ(string_of(R"("\uDBFF\uDFFF")"), "\xF4\x8F\xBF\xBF");
  EXPECT_EQ(string_of(R"("x\u0000y")"), std::string("x\0y", 3));
}

TEST(JsonFrame, EndOfAValueIsFoundWhereverTheTextIsCut) {
  const std::string text = R"({"a\"}":["\\",{"]":1}],"b":"\u007D"} {)";
  const std::size_t end = text.size() - 2;

  for (std::size_t cut = 1; cut < end; ++cut) {
    JsonFrame frame;
    EXPECT_EQ(frame.scan(text.substr(0, cut)), Outcome::unfinished) << cut;
    EXPECT_EQ(frame.scan(text), Outcome::complete) << cut;
    EXPECT_EQ(frame.position(), end) << cut;
  }
}

TEST(JsonFrame, BracketWithoutItsPartnerIsMalformed) {
  const std::pair<std::string, std::size_t> examples[] = {
      {"{]", 1}, {"[}", 1}, {"{\"a\":[1}", 7}, {"[[]}", 3}, {"{\"a\nb\":1}", 3}, {"[\"\x01\"]", 2}};
  for (const auto& [text, at] : examples) {
    JsonFrame frame;
    EXPECT_EQ(frame.scan(text), Outcome::malformed) << text;
    EXPECT_EQ(frame.position(), at) << text;
  }
}

TEST(JsonFrame, DepthIsLimitedAndCostsNoStack) {
  const std::string open512(512, '[');
  JsonFrame at_limit;
  EXPECT_EQ(at_limit.scan(open512 + std::string(512, ']')), Outcome::complete);

  JsonFrame beyond;
  EXPECT_EQ(beyond.scan(std::string(50'000, '[')), Outcome::too_deep);
  EXPECT_EQ(beyond.position(), 512U);
}

/// Whether simdjson's DOM parser, another reading of the same standard, takes the text; nothing
/// where it refuses what the standard allows: numbers out of the range of its own types.
std::optional<bool> oracle_accepts(const std::string& text) {
  simdjson::dom::parser parser;
  const auto error = parser.parse(text).error();
  if (error == simdjson::NUMBER_ERROR) return std::nullopt;
  return error == simdjson::SUCCESS;
}

bool accepts(const std::string& text) {
  return simdjson::validate_utf8(text.data(), text.size()) && fault_of(text) == std::nullopt;
}

// J1
TEST(JsonCursor, MutatedTextsAreJudgedAsAnotherParserJudgesThem) {
  const std::string seeds[] = {
      R"({"a":[1,-2.5e3,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{}}})",
      R"(["\\\"",{"":0},[[],[{}]], 10 , 0.1 ])", "{ \"k\" :\t\"v\" ,\n\"l\":[ ] }"};
  constexpr std::string_view kBytes = "{}[]:,\"\\/u0123456789dDeE+-. \n\tabftnrl\x01\xC3\xA9";
  std::uint64_t state = 42;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;  // Knuth, MMIX
    return static_cast<std::size_t>((state >> 33) % bound);
  };
  int accepted = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = seeds[below(std::size(seeds))];
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      const char byte = kBytes[below(kBytes.size())];
      switch (below(4)) {
        case 0: text[at] = byte; break;
        case 1: text.insert(at, 1, byte); break;
        case 2: text.erase(at, 1); break;
        default: text.insert(at, text.substr(below(text.size()), below(4))); break;
      }
    }
    const auto expected = oracle_accepts(text);
    if (!expected) continue;
    ASSERT_EQ(accepts(text), *expected) << text;
    accepted += *expected ? 1 : 0;
  }
  EXPECT_GT(accepted, 1'000);
}

}  // namespace
}  // namespace braid::load
