// SPDX-License-Identifier: Apache-2.0
#include "schema/parser.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/lexer.h"

namespace braid::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Ends the test program when the text is refused: the expectations below need a document.
Document parsed(std::string_view source) {
  Result<Document> document = parse(source);
  EXPECT_TRUE(document) << to_string(document.error());
  return *std::move(document);
}

const NodeDeclaration& node_of(const Document& document, std::size_t index = 0) {
  return std::get<NodeDeclaration>(document.declarations.at(index));
}

TEST(SchemaParser, EmptyTextThenEmptyDocument) {
  EXPECT_THAT(parsed("").declarations, SizeIs(0));
  EXPECT_THAT(parsed("\xEF\xBB\xBF // nothing\n/* at all */").declarations, SizeIs(0));
}

TEST(SchemaParser, EdgeThenAllItsParts) {
  const Document document = parsed(
      "edge WorksAt : Person->Company @card(1..) @description(\"d\") @odd(x, n = 1.5) {\n"
      "  since: Date? @index\n  @unique(src, @dst) @range(pay, -1..2.5) @check(note, \"^a\")\n}");

  const auto& edge = std::get<EdgeDeclaration>(document.declarations.at(0));
  EXPECT_EQ(edge.name.text, "WorksAt");
  EXPECT_EQ(edge.from.text, "Person");
  EXPECT_EQ(edge.to.text, "Company");
  ASSERT_TRUE(edge.card.has_value());
  EXPECT_EQ(edge.card->min, 1U);
  EXPECT_FALSE(edge.card->max.has_value());
  ASSERT_THAT(edge.annotations, SizeIs(2));
  EXPECT_EQ(std::get<Literal>(edge.annotations[0].argument), Literal(std::string("d")));
  EXPECT_EQ(std::get<Annotation::Identifier>(edge.annotations[1].argument).text, "x");
  EXPECT_EQ(edge.annotations[1].named_arguments.at(0).value, Literal(1.5));
  ASSERT_THAT(edge.properties, SizeIs(1));
  EXPECT_TRUE(edge.properties[0].type.nullable);
  ASSERT_THAT(edge.constraints, SizeIs(3));
  EXPECT_FALSE(edge.constraints[0].members.at(0).with_at);
  EXPECT_TRUE(edge.constraints[0].members.at(1).with_at);
  ASSERT_TRUE(edge.constraints[1].bound.has_value());
  EXPECT_TRUE(edge.constraints[1].bound->low->negative);
  EXPECT_EQ(std::get<double>(edge.constraints[1].bound->high->magnitude), 2.5);
  EXPECT_EQ(edge.constraints[2].pattern, "^a");
}

TEST(SchemaParser, ConstraintAfterAPropertyThenItBelongsToTheType) {
  const Document document = parsed(
      "node A { a: I32 @key @range(0..9) @check(\"x\") @key(a) b: I32 @index @range(b, 1..) }");

  const NodeDeclaration& node = node_of(document);
  ASSERT_THAT(node.properties, SizeIs(2));
  EXPECT_THAT(node.properties[0].annotations, SizeIs(3));
  EXPECT_THAT(node.properties[1].annotations, SizeIs(1));
  ASSERT_THAT(node.constraints, SizeIs(2));
  EXPECT_EQ(node.constraints[0].kind, ConstraintKind::key);
  EXPECT_EQ(node.constraints[1].kind, ConstraintKind::range);
}

TEST(SchemaParser, KeywordsAsNamesThenTheyAreNames) {
  const Document document = parsed(
      "node Edge implements Node { node: String edge: Bool interface: I32 implements: Date\n"
      "  enum: enum(node, true, 12, 2-b, -, a--b) true: Bool @key(true) }");

  const NodeDeclaration& node = node_of(document);
  EXPECT_THAT(node.properties, SizeIs(6));
  EXPECT_EQ(node.constraints.at(0).members.at(0).name.text, "true");
}

TEST(SchemaParser, EnumValuesThenSortedByBytes) {
  const Document document = parsed("node A { e: enum(b, B, 2d, _, a-b, ab) }");

  std::vector<std::string> values;
  for (const auto& value : node_of(document).properties.at(0).type.enum_values) {
    values.push_back(value.text);
  }
  EXPECT_THAT(values, ElementsAre("2d", "B", "_", "a-b", "ab", "b"));
}

TEST(SchemaParser, EscapesThenTheirCharacters) {
  const Document document =
      parsed(R"(node A @description("\"\\\/\n\r\t\b\f\u00e9\u20AC\ud83d\ude00\u0000é") {})");

  EXPECT_EQ(
      std::get<Literal>(node_of(document).annotations.at(0).argument),
      Literal(std::string("\"\\/\n\r\t\b\f\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0\xC3\xA9", 20)));
}

TEST(SchemaParser, RawLineEndInAStringThenKept) {
  const Document document = parsed("node A @description(\"a\r\nb\") {}");

  EXPECT_EQ(std::get<Literal>(node_of(document).annotations.at(0).argument),
            Literal(std::string("a\r\nb")));
}

TEST(SchemaParser, NumbersThenTheirValues) {
  const Document document =
      parsed("node A @n(18446744073709551615) @n(007) @n(1.50e+3) @n(0.1) @n(true) {}");

  const auto& annotations = node_of(document).annotations;
  EXPECT_EQ(std::get<Literal>(annotations.at(0).argument), Literal(18446744073709551615U));
  EXPECT_EQ(std::get<Literal>(annotations.at(1).argument), Literal(std::uint64_t{7}));
  EXPECT_EQ(std::get<Literal>(annotations.at(2).argument), Literal(1500.0));
  EXPECT_EQ(std::get<Literal>(annotations.at(3).argument), Literal(0.1));
  EXPECT_EQ(std::get<Literal>(annotations.at(4).argument), Literal(true));
}

TEST(SchemaParser, MinusZeroThenZero) {
  const Document document = parsed("node A { a: F64 @range(-0..-0.0) }");

  const Bound& bound = *node_of(document).properties.at(0).annotations.at(0).bound;
  EXPECT_FALSE(bound.low->negative);
  EXPECT_FALSE(bound.high->negative);
}

TEST(SchemaParser, PlacesThenLineColumnByteAndLength) {
  const Document document = parsed("\xEF\xBB\xBF// é\nnode Ab {\r\n  cde: [I32]? @index\n}");

  const NodeDeclaration& node = node_of(document);
  // Bytes: 3 of the mark, 6 of the comment's line; the second line has 11, CR and LF included.
  EXPECT_EQ(node.name.place.span, (SourceSpan{2, 6, 14, 2}));
  EXPECT_EQ(node.properties.at(0).name.place.span, (SourceSpan{3, 3, 22, 3}));
  EXPECT_EQ(node.properties.at(0).type.place.span, (SourceSpan{3, 8, 27, 6}));
  EXPECT_EQ(node.properties.at(0).annotations.at(0).name.place.span, (SourceSpan{3, 15, 34, 6}));
}

TEST(SchemaParser, ErrorAtTheEndThenLengthZero) {
  const Result<Document> document = parse("node A {\n");

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code(), ErrorCode::parse_error);
  EXPECT_EQ(document.error().span(), (SourceSpan{2, 1, 9, 0}));
}

TEST(SchemaParser, ErrorAfterWideCharactersThenByteAndColumnDiffer) {
  const Result<Document> document = parse("/* é€😀 */ oops");

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().span(), (SourceSpan{1, 11, 16, 4}));
}

TEST(SchemaParser, TextOverTheLimitThenResourceLimit) {
  const std::string at_limit(kSourceBytesMax, ' ');

  EXPECT_TRUE(parse(at_limit));
  const Result<Document> over = parse(at_limit + " ");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code(), ErrorCode::resource_limit);
}

}  // namespace
}  // namespace braid::schema
