// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/gq/lexer.h"

namespace braid::gq {
namespace {

Document parsed(std::string_view text) {
  auto document = parse(text);
  EXPECT_TRUE(document.ok()) << to_string(document.error());
  return document ? *std::move(document) : Document{};
}

Error fault_of(std::string_view text) {
  auto document = parse(text);
  EXPECT_FALSE(document.ok()) << text;
  return document ? Error(ErrorCode::internal, "") : std::move(document).error();
}

/// The text of `text` that an error points at.
std::string_view pointed_at(const Error& error, std::string_view text) {
  const SourceSpan span = error.span().value_or(SourceSpan{});
  return text.substr(span.byte, span.length);
}

/// Why the only query of `text` cannot be run.
Error refusal_of(std::string_view text) {
  const Document document = parsed(text);
  if (document.queries.size() == 1) {
    if (const auto* error = std::get_if<Error>(&document.queries[0].body)) return *error;
  }
  ADD_FAILURE() << "not refused: " << text;
  return Error(ErrorCode::internal, "");
}

std::string with_match(std::string_view match) {
  return "query q($x: String) { match { " + std::string(match) + " } return { $p } }";
}
std::string with_return(std::string_view tail) {
  return "query q() { match { $p: P { k: 1 } } return " + std::string(tail) + " }";
}

TEST(GqParser, ALookupIsReadWithAllItsParts) {
  const Document document = parsed(R"(
      // people by their slug
      query person($slug: String, $age: I32?, $tags: [String], $v: Vector(3)?)
        @description("One person") @instruction("Ask by \"slug\"")
      {
        match { $p: Person { slug: $slug, name: "Ann", age: 3, tall: 1.5, active: true,
                             born: date("2000-01-02"), seen: datetime("2000-01-02T03:04:05Z"),
                             gone: null, } }
        return { $p, $p.name as title $p.@id, }
      })");

  ASSERT_EQ(document.queries.size(), 1U);
  const Query& query = document.queries[0];
  EXPECT_EQ(query.name.text, "person");
  EXPECT_EQ(query.description, "One person");
  EXPECT_EQ(query.instruction, "Ask by \"slug\"");
  ASSERT_EQ(query.parameters.size(), 4U);
  EXPECT_EQ(query.parameters[0].name.text, "slug");
  EXPECT_EQ(columnar::to_string(query.parameters[1].type), "I32?");
  EXPECT_EQ(columnar::to_string(query.parameters[2].type), "[String]");
  EXPECT_EQ(columnar::to_string(query.parameters[3].type), "Vector(3)?");

  const auto& lookup = std::get<Lookup>(query.body);
  EXPECT_EQ(lookup.binding.variable.text, "p");
  EXPECT_EQ(lookup.binding.type.text, "Person");
  const auto& matches = lookup.binding.matches;
  ASSERT_EQ(matches.size(), 8U);
  EXPECT_EQ(matches[0].property.text, "slug");
  EXPECT_EQ(std::get<ParameterUse>(matches[0].operand.value).name, "slug");
  EXPECT_EQ(std::get<std::string>(matches[1].operand.value), "Ann");
  EXPECT_EQ(std::get<std::uint64_t>(matches[2].operand.value), 3U);
  EXPECT_EQ(std::get<double>(matches[3].operand.value), 1.5);
  EXPECT_TRUE(std::get<bool>(matches[4].operand.value));
  EXPECT_EQ(std::get<DateLiteral>(matches[5].operand.value).text, "2000-01-02");
  EXPECT_EQ(std::get<DateTimeLiteral>(matches[6].operand.value).text, "2000-01-02T03:04:05Z");
  EXPECT_TRUE(std::holds_alternative<NullLiteral>(matches[7].operand.value));

  ASSERT_EQ(lookup.items.size(), 3U);
  EXPECT_EQ(lookup.items[0].kind, ReturnItem::Kind::object);
  EXPECT_EQ(lookup.items[1].kind, ReturnItem::Kind::property);
  EXPECT_EQ(lookup.items[1].property.text, "name");
  EXPECT_EQ(lookup.items[1].alias->text, "title");
  EXPECT_EQ(lookup.items[2].kind, ReturnItem::Kind::id);
}

TEST(GqParser, ATextMayHoldAnyNumberOfQueries) {
  EXPECT_TRUE(parsed("").queries.empty());
  EXPECT_TRUE(parsed(" // nothing").queries.empty());
  const std::string text = "query a() { match { $p: P } return { $p } } " + with_return("{ $p }");
  EXPECT_EQ(parsed(text).queries.size(), 2U);
}

TEST(GqParser, ConstructsOfLaterVersionsAreNamed) {
  const std::pair<std::string, std::string> kCases[] = {
      {"query q() { explain match { $p: P } return { $p } }", "explain"},
      {"query q() { profile match { $p: P } return { $p } }", "profile"},
      {"query q() { insert P { k: 1 } }", "insert"},
      {"query q() { update P set { k: 1 } where k = 2 }", "update"},
      {"query q() { delete P where k = 2 insert P { k: 1 } }", "delete"},
      {with_match(""), "match"},
      {with_match("$p: P $o: P"), "$o"},
      {with_match("$p: P $p knows $f"), "$p knows"},
      {with_match("$p: P $p contains $f"), "$p contains"},
      {with_match("$p: P $p $e knows{1,3} $f"), "$p $e"},
      {with_match("$p: P $p <knows> $f"), "$p <"},
      {with_match("$p knows $f"), "$p knows"},
      {with_match("$p: P not { $p knows $f }"), "not"},
      {with_match("$p: P optional { $p knows $f }"), "optional"},
      {with_match("$p: P shortest $s: $p knows $f"), "shortest"},
      {with_match("$p: P $p.age > 3"), "$p"},
      {with_match("$p: P $p < 3"), "$p"},
      {with_match("$p: P $p in [1]"), "$p"},
      {with_match("$p: P not $p.ok"), "not"},
      {with_match("$p: P exists { $p knows $_ }"), "exists"},
      {with_match("$p: P (1 = 1)"), "("},
      {with_match("$p: P -1 = 1"), "-"},
      {with_match("$p: P \"a\" = $x"), "\"a\""},
      {with_match("$p: P { k: now() }"), "now"},
      {with_match("$p: P { k: date($x) }"), "date"},
      {with_match("$p: P { k: $o.k }"), "$o"},
      {with_match("$p: P { k: [1, 2] }"), "["},
      {with_match("$p: P { k: (1) }"), "("},
      {with_match("$p: P { k: other }"), "other"},
      {with_match("$p: P { k: count { $p knows $f } }"), "count"},
      {with_return("distinct { $p }"), "distinct"},
      {with_return("{ count($p) }"), "count"},
      {with_return("{ $p, sum($p.a) as s }"), "sum"},
      {with_return("{ $p.a + 1 }"), "+"},
      {with_return("{ $p.a = 1 }"), "="},
      {with_return("{ $p.a contains \"x\" }"), "contains"},
      {with_return("{ $p.a is null }"), "is"},
      {with_return("{ 1 }"), "1"},
      {with_return("{ not $p.a }"), "not"},
      {with_return("{ $p.@type }"), "type"},
      {with_return("{ $p.@src }"), "src"},
      {with_return("{ $p.@dst }"), "dst"},
      {with_return("{ $p } order { $p.a desc }"), "order"},
      {with_return("{ $p } offset 3"), "offset"},
      {with_return("{ $p } limit $n"), "limit"},
  };
  for (const auto& [text, construct] : kCases) {
    const Error error = refusal_of(text);
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << text;
    EXPECT_EQ(pointed_at(error, text), construct) << text;
    ASSERT_NE(error.detail("construct"), nullptr) << text;
  }
}

TEST(GqParser, AQueryThatCannotRunLeavesTheOthersAlone) {
  const std::string text =
      "query later() { match { $p: P ($p.a > 1) } return { count($p) } limit 3 }" +
      with_return("{ $p }");

  const Document document = parsed(text);

  ASSERT_EQ(document.queries.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Error>(document.queries[0].body));
  EXPECT_TRUE(std::holds_alternative<Lookup>(document.queries[1].body));
}

TEST(GqParser, WhatIsNoQueryIsRefusedWhereItStands) {
  const std::pair<std::string, std::string> kCases[] = {
      {"select 1", "select"},
      {"query", ""},
      {"query Q() {}", "Q"},
      {"query q {}", "{"},
      {"query q($a) {}", ")"},
      {"query q($_: String) {}", "$_"},
      {"query q($a: Text) {}", "Text"},
      {"query q($a: [Vector(3)]) {}", "Vector"},
      {"query q($a: Vector(0)) {}", "0"},
      {"query q($a: Vector(2147483648)) {}", "2147483648"},
      {"query q($a: String,) {}", ")"},
      {"query q($a: String $b: String) {}", "$b"},
      {"query q($a: String, $a: I32) {}", "$a"},
      {"query q() @index(\"a\") {}", "index"},
      {"query q() @description(a) {}", "a"},
      {"query q() {}", "}"},
      {"query q() { return { $p } }", "return"},
      {with_match("}"), "return"},
      {with_match("$p: person"), "person"},
      {with_match("$p: P { Slug: 1 }"), "Slug"},
      {with_match("$p: P { }"), "}"},
      {with_match("$p: P { k 1 }"), "1"},
      {with_match("$p: P { k: }"), "}"},
      {with_match("$p: P { k: -1 }"), "-"},
      {with_match("$p: P { k: 1 j: 2 }"), "j"},
      {with_match("$p: P { k: 18446744073709551616 }"), "18446744073709551616"},
      {with_match("$p: P ,"), ","},
      {with_return("{ }"), "}"},
      {with_return("{ $p. }"), "}"},
      {with_return("{ $p.@key }"), "key"},
      {with_return("{ $p as P }"), "P"},
      {with_return("{ $p } group { $p }"), "group"},
      {with_return("{ $p"), ""},
      {with_return("{ $p }") + with_return("{ $p }"), "q"},
      {"query q() { insert P { k: (1] } }", "]"},
      {"query q() { insert P { k: 1 }", ""},
  };
  for (const auto& [text, place] : kCases) {
    const Error error = fault_of(text);
    EXPECT_EQ(error.code(), ErrorCode::parse_error) << text;
    ASSERT_TRUE(error.span().has_value()) << text;
    EXPECT_EQ(pointed_at(error, text), place) << text;
  }
}

TEST(GqParser, AMissingTokenIsNamedWithItsLineAndColumn) {
  const Error error = fault_of("query q()\n{\n  match { $p: P { \"é\" } }\n}");

  EXPECT_EQ(*error.span(), (SourceSpan{3, 19, 30, 4}));
  ASSERT_NE(error.detail("expected"), nullptr);
}

// Q2
TEST(GqParser, DeepNestingNeedsNoStack) {
  constexpr std::size_t kDepth = 50'000;
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("[", "]"), std::pair("{", "}"),
                                    std::pair("not { ", "}"), std::pair("exists { ", "}")}) {
    std::string nested;
    for (std::size_t i = 0; i < kDepth; ++i) nested += open;
    nested += "$p knows $f";
    const std::string half_open = nested;
    for (std::size_t i = 0; i < kDepth; ++i) nested += close;

    EXPECT_EQ(refusal_of(with_match("$p: P 1 = " + nested)).code(), ErrorCode::unsupported);
    EXPECT_EQ(fault_of(with_match("$p: P 1 = " + half_open)).code(), ErrorCode::parse_error);
  }
}

TEST(GqParser, ManyQueriesAreReadInOneGo) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "query q" + std::to_string(i) + "(){insert}";

  EXPECT_EQ(parsed(text).queries.size(), 30'000U);
}

TEST(GqParser, TextsOverTheLimitAreRefused) {
  const Error error = fault_of(std::string(kTextBytesMax + 1, '('));

  EXPECT_EQ(error.code(), ErrorCode::resource_limit);
}

}  // namespace
}  // namespace braid::gq
