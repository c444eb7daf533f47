// SPDX-License-Identifier: Apache-2.0
// Resolution and look-ups; what is refused is in tests/schema/malformed.
#include "schema/schema.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/lint.h"
#include "schema/parser.h"

namespace braid::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Member of(std::size_t property) { return {Member::Kind::property, property}; }
constexpr Member kSource{Member::Kind::source, 0};
constexpr Member kTarget{Member::Kind::target, 0};

Schema resolved(std::string_view source) {
  Result<Document> document = parse(source);
  EXPECT_TRUE(document) << to_string(document.error());
  Result<Schema> schema = resolve(*std::move(document));
  EXPECT_TRUE(schema) << to_string(schema.error());
  return *std::move(schema);
}

Status try_to_resolve(std::string_view source) {
  BRAID_ASSIGN(Document document, parse(source));
  BRAID_TRY(resolve(std::move(document)));
  return Unit{};
}

TEST(Schema, NodeTypeThenItsConstraintsByPosition) {  // P2
  const Schema schema = resolved(
      "node P @description(\"d\") @instruction(\"i\") @rename_from(\"Q\") {\n"
      "  a: String @key @unique @check(\"^x\")\n"
      "  b: I32? @index @range(-5..) @rename_from(\"c\") @description(\"about b\")\n"
      "  v: Vector(4) @embed(\"a\", model=\"m\")\n"
      "  @unique(b, a) @unique(a, b) @unique(a) @index(a, b)\n}");

  const NodeType* type = schema.node_type("P");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->notes.description, "d");
  EXPECT_EQ(type->notes.instruction, "i");
  EXPECT_EQ(type->notes.rename_from, "Q");
  ASSERT_THAT(type->properties, SizeIs(3));
  EXPECT_EQ(type->properties[1].notes.rename_from, "c");
  EXPECT_EQ(type->properties[1].notes.description, "about b");
  EXPECT_EQ(type->properties[2].type.vector_size, 4U);
  EXPECT_THAT(type->key, ElementsAre(of(0)));
  EXPECT_TRUE(type->is_key_member(0));
  EXPECT_FALSE(type->is_key_member(1));
  EXPECT_THAT(type->uniques, ElementsAre(ElementsAre(of(0)), ElementsAre(of(1), of(0))));
  EXPECT_THAT(type->indexes, ElementsAre(ElementsAre(of(1)), ElementsAre(of(0), of(1))));
  ASSERT_NE(type->range_of(1), nullptr);
  EXPECT_EQ(type->range_of(0), nullptr);
  ASSERT_THAT(type->checks, SizeIs(1));
  EXPECT_TRUE(type->checks[0].pattern.matches("xyz"));
  EXPECT_FALSE(type->checks[0].pattern.matches("zyx"));
  ASSERT_NE(type->embed_of(2), nullptr);
  EXPECT_EQ(type->embed_of(2)->source, 0U);
  EXPECT_EQ(type->embed_of(2)->model, "m");
}

TEST(Schema, EdgeTypeThenEndpointsAndMembers) {
  const Schema schema = resolved(
      "edge E: A -> B @card(1..2) { w: Date @key(@dst, w, @src) @unique(src, w) }\n"
      "node A {} node B {}");

  const EdgeType* type = schema.edge_type("E");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(schema.from_type(*type).name, "A");
  EXPECT_EQ(schema.to_type(*type).name, "B");
  EXPECT_EQ(type->cardinality, (Cardinality{1, 2}));
  EXPECT_THAT(type->key, ElementsAre(kTarget, of(0), kSource));
  EXPECT_THAT(type->uniques, ElementsAre(ElementsAre(kSource, of(0))));
}

TEST(Schema, LookupsThenExactNamesAndFoldedEdges) {
  const Schema schema =
      resolved("node Knows { src: Bool id: String } edge WorksAt: Knows -> Knows");

  EXPECT_NE(schema.node_type("Knows"), nullptr);
  EXPECT_EQ(schema.node_type("knows"), nullptr);
  EXPECT_EQ(schema.edge_type("Knows"), nullptr);
  EXPECT_EQ(schema.edge_type("worksAt"), nullptr);
  EXPECT_EQ(schema.edge_type_folded("worksAt"), schema.edge_type("WorksAt"));
  EXPECT_EQ(schema.edge_type_folded("worksat"), schema.edge_type("WorksAt"));
  EXPECT_EQ(schema.edge_type_folded("works_at"), nullptr);
  EXPECT_EQ(schema.node_type("Knows")->property_index("id"), 1U);
  EXPECT_EQ(schema.node_type("Knows")->property("absent"), nullptr);
}

TEST(Schema, InterfaceThenMissingPropertiesComeWithTheirConstraints) {
  const Schema schema = resolved(
      "node A implements I, J { own: Bool name: String? note: String }\n"
      "interface I { slug: String @key @check(\"^s\") @description(\"d\")  name: String? @unique\n"
      "  size: U32 @range(1..9) @rename_from(\"old\") }\n"
      "interface J { slug: String  vector: Vector(2) @embed(note) @odd }");

  const NodeType* type = schema.node_type("A");
  ASSERT_NE(type, nullptr);
  ASSERT_THAT(type->properties, SizeIs(6));
  EXPECT_THAT(type->interfaces, ElementsAre("I", "J"));
  EXPECT_EQ(type->properties[1].from_interface, "");
  EXPECT_EQ(type->properties[3].name, "slug");
  EXPECT_EQ(type->properties[3].from_interface, "I");
  EXPECT_EQ(type->properties[3].notes.description, "d");
  EXPECT_EQ(type->properties[4].name, "size");
  EXPECT_EQ(type->properties[4].notes.rename_from, "");
  EXPECT_EQ(type->properties[5].name, "vector");
  EXPECT_THAT(type->key, ElementsAre(of(3)));
  EXPECT_THAT(type->uniques, IsEmpty());  // the declared `name` has none
  EXPECT_THAT(type->ranges, SizeIs(1));
  EXPECT_THAT(type->checks, SizeIs(1));
  ASSERT_NE(type->embed_of(5), nullptr);
  EXPECT_EQ(type->embed_of(5)->source, 2U);
}

TEST(Schema, NamespacesThenOneNameMayServeAll) {
  EXPECT_TRUE(try_to_resolve("interface A {} node A implements A {} edge A: A -> A"));
}

TEST(Range, LimitsThenIncludedInTheirOwnWidth) {
  const Schema schema = resolved(
      "node A { i: I64 @range(-9223372036854775808..-1) u: U64 @range(..18446744073709551615)\n"
      "  f: F32 @range(..0.1) d: F64 @range(-0.5..2) e: I32 @range(7..7) }");
  const auto& ranges = schema.node_type("A")->ranges;

  EXPECT_TRUE(ranges[0].admits(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(ranges[0].admits(std::int64_t{-1}));
  EXPECT_FALSE(ranges[0].admits(std::int64_t{0}));
  EXPECT_TRUE(ranges[1].admits(std::numeric_limits<std::uint64_t>::max()));
  // 0.1 of F32 is above 0.1 of F64: the limit is that of the property's width.
  EXPECT_TRUE(ranges[2].admits(static_cast<double>(0.1F)));
  EXPECT_FALSE(ranges[2].admits(static_cast<double>(0.2F)));
  EXPECT_TRUE(ranges[3].admits(-0.5));
  EXPECT_TRUE(ranges[3].admits(2.0));
  EXPECT_FALSE(ranges[3].admits(2.0000001));
  EXPECT_FALSE(ranges[3].admits(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(ranges[4].admits(std::int64_t{7}));
  EXPECT_FALSE(ranges[4].admits(std::int64_t{8}));
}

TEST(Schema, InterfacesThatMultiplyThenResourceLimit) {
  std::string source = "interface I { e: enum(";
  for (int i = 0; i < 2000; ++i) source += (i == 0 ? "v" : ", v") + std::to_string(i);
  source += ") }\n";
  for (int i = 0; i < 2000; ++i) source += "node N" + std::to_string(i) + " implements I {}\n";

  const Status status = try_to_resolve(source);

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::resource_limit);
}

TEST(SchemaLint, UnknownAnnotationsThenL203InTheOrderOfTheText) {
  const Schema schema = resolved(
      "interface I { a: Bool @odd }\n"
      "node N @description(\"d\") @color(\"red\") implements I { b: Bool @index @shape(round, n = "
      "1) }\n"
      "edge E: N -> N @card(0..1) @weight { c: Bool @unit }");

  const std::vector<Finding> findings = lint(schema);

  ASSERT_THAT(findings, SizeIs(5));
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.code, "L203");
    EXPECT_EQ(finding.severity, Severity::warning);
  }
  EXPECT_EQ(findings[0].type + "." + findings[0].property, "I.a");
  EXPECT_EQ(findings[1].type + "." + findings[1].property, "N.");
  EXPECT_EQ(findings[1].span, (SourceSpan{2, 26, 54, 6}));
  EXPECT_EQ(findings[2].type + "." + findings[2].property, "N.b");
  EXPECT_EQ(findings[3].type + "." + findings[3].property, "E.");
  EXPECT_EQ(findings[4].type + "." + findings[4].property, "E.c");
  EXPECT_THAT(schema.node_type("N")->notes.unknown_annotations, SizeIs(1));
}

TEST(SchemaLint, KnownAnnotationsThenNoRemark) {
  EXPECT_THAT(lint(resolved("node N @description(\"d\") @instruction(\"i\") @rename_from(\"O\") {\n"
                            " s: String @key @unique @index @check(\"x\") @description(\"d\")\n"
                            " n: I32 @range(0..) @instruction(\"i\") @rename_from(\"m\")\n"
                            " v: Vector(1) @embed(s) }")),
              IsEmpty());
}

}  // namespace
}  // namespace braid::schema
