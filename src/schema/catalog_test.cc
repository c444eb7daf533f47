// SPDX-License-Identifier: Apache-2.0
#include "schema/catalog.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::schema {
namespace {

using ::testing::ElementsAre;

Catalog made(std::string_view source, const IdentityOptions& options = {}) {
  Result<Catalog> catalog = make_catalog(source, options);
  EXPECT_TRUE(catalog) << to_string(catalog.error());
  return *std::move(catalog);
}

std::uint64_t id_of(const Catalog& catalog, std::string_view node) {
  const NodeType* type = catalog.schema().node_type(node);
  return type == nullptr ? 0 : type->id.value;
}

std::uint64_t id_of(const Catalog& catalog, std::string_view node, std::string_view property) {
  return catalog.schema().node_type(node)->property(property)->id.value;
}

TEST(Catalog, NewGraphThenIdsInDeclaredOrder) {  // P3
  const Catalog catalog = made(
      "edge E: B -> A { w: F64 } node B { y: Bool } interface I { i: Bool }\n"
      "node A implements I { x: Bool }");

  EXPECT_EQ(id_of(catalog, "B"), 1U);
  EXPECT_EQ(id_of(catalog, "B", "y"), 2U);
  EXPECT_EQ(id_of(catalog, "A"), 3U);
  EXPECT_EQ(id_of(catalog, "A", "x"), 4U);
  EXPECT_EQ(id_of(catalog, "A", "i"), 5U);
  EXPECT_EQ(catalog.schema().edge_type("E")->id, TableId{6});
  EXPECT_EQ(catalog.schema().edge_type("E")->property("w")->id, PropertyId{7});
  EXPECT_EQ(catalog.next_id(), 8U);
  EXPECT_EQ(catalog.schema().node_type(TableId{3}), catalog.schema().node_type("A"));
  EXPECT_EQ(catalog.schema().edge_type(TableId{6}), catalog.schema().edge_type("E"));
  EXPECT_EQ(catalog.schema().node_type(TableId{6}), nullptr);
  EXPECT_EQ(catalog.schema().node_type("A")->property_index(PropertyId{5}), 1U);
}

TEST(Catalog, UnchangedNamesThenTheSameIdentities) {  // P4
  const Catalog before = made("node A { x: Bool y: Bool } node B {}");
  const Catalog after =
      made("node B { z: I32 } node A { y: Bool? n: Date x: Bool }", {.previous = &before});

  EXPECT_EQ(id_of(after, "A"), id_of(before, "A"));
  EXPECT_EQ(id_of(after, "B"), id_of(before, "B"));
  EXPECT_EQ(id_of(after, "A", "x"), id_of(before, "A", "x"));
  EXPECT_EQ(id_of(after, "A", "y"), id_of(before, "A", "y"));
  EXPECT_EQ(id_of(after, "B", "z"), before.next_id());
  EXPECT_EQ(id_of(after, "A", "n"), before.next_id() + 1);
  EXPECT_EQ(after.next_id(), before.next_id() + 2);
}

TEST(Catalog, ExplicitRenameThenTheSameIdentity) {  // P4
  const Catalog before = made("node Old { a: Bool b: Bool } edge E: Old -> Old { w: Bool }");
  const Catalog after = made(
      "node New @rename_from(\"Old\") { c: Bool @rename_from(\"a\") b: Bool }\n"
      "edge F: New -> New @rename_from(\"E\") { w: Bool }",
      {.previous = &before});

  EXPECT_EQ(id_of(after, "New"), id_of(before, "Old"));
  EXPECT_EQ(id_of(after, "New", "c"), id_of(before, "Old", "a"));
  EXPECT_EQ(id_of(after, "New", "b"), id_of(before, "Old", "b"));
  EXPECT_EQ(after.schema().edge_type("F")->id, before.schema().edge_type("E")->id);
  EXPECT_EQ(after.next_id(), before.next_id());
}

TEST(Catalog, StaleRenameThenTheExactNameWins) {  // P4
  const Catalog before = made("node New @rename_from(\"Old\") {}");
  const Catalog after =
      made("node New @rename_from(\"Old\") {} node Old {}", {.previous = &before});

  EXPECT_EQ(id_of(after, "New"), id_of(before, "New"));
  EXPECT_EQ(id_of(after, "Old"), before.next_id());
}

TEST(Catalog, DropAndAddAgainThenNewIdentities) {  // P4
  const Catalog first = made("node A { x: Bool } node B { y: Bool }");
  const Catalog without = made("node B {}", {.previous = &first});
  const Catalog again = made("node A { x: Bool } node B { y: Bool }", {.previous = &without});

  EXPECT_EQ(without.next_id(), first.next_id());
  EXPECT_EQ(id_of(again, "A"), first.next_id());
  EXPECT_EQ(id_of(again, "A", "x"), first.next_id() + 1);
  EXPECT_EQ(id_of(again, "B"), id_of(first, "B"));
  EXPECT_EQ(id_of(again, "B", "y"), first.next_id() + 2);
}

TEST(Catalog, NodeTypeThatBecomesAnEdgeTypeThenNewIdentity) {  // P4
  const Catalog before = made("node A {} node B {}");
  const Catalog after = made("node B {} edge A: B -> B", {.previous = &before});

  EXPECT_EQ(after.schema().edge_type("A")->id.value, before.next_id());
}

TEST(Catalog, CounterOfTheGraphThenNewIdsStartThere) {  // P4
  const Catalog before = made("node A {}");
  const Catalog after = made("node A {} node B {}", {.previous = &before, .next_id_min = 100});

  EXPECT_EQ(id_of(after, "A"), 1U);
  EXPECT_EQ(id_of(after, "B"), 100U);
  EXPECT_EQ(after.next_id(), 101U);
}

TEST(Catalog, TwoHeirsThenTypeError) {
  const Catalog before = made("node Old { a: Bool }");

  const Result<Catalog> types =
      make_catalog("node Old {} node New @rename_from(\"Old\") {}", {.previous = &before});
  const Result<Catalog> properties =
      make_catalog("node Old { b: Bool @rename_from(\"a\") c: Bool @rename_from(\"a\") }",
                   {.previous = &before});

  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().code(), ErrorCode::type_error);
  EXPECT_EQ(types.error().span(), (SourceSpan{1, 18, 17, 3}));
  ASSERT_FALSE(properties);
  EXPECT_EQ(properties.error().code(), ErrorCode::type_error);
  EXPECT_EQ(properties.error().span(), (SourceSpan{1, 38, 37, 1}));
}

TEST(Catalog, LastIdsThenResourceLimit) {
  const std::uint64_t last = ~std::uint64_t{0} - 1;

  EXPECT_TRUE(make_catalog("node A {}", {.next_id_min = last}));
  const Result<Catalog> over = make_catalog("node A { x: Bool }", {.next_id_min = last});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code(), ErrorCode::resource_limit);
}

TEST(Catalog, KeyMembersThenOrderedByIdentity) {
  const Member source{Member::Kind::source, 0};
  const Member target{Member::Kind::target, 0};
  const Catalog before = made("node A { b: Bool }");
  const Catalog after = made(
      "node A { a: Bool b: Bool @key(a, b) }\n"
      "edge E: A -> A { w: Bool @key(w, @dst, @src) }",
      {.previous = &before});

  EXPECT_THAT(after.schema().node_type("A")->key,
              ElementsAre(Member{Member::Kind::property, 1}, Member{Member::Kind::property, 0}));
  EXPECT_THAT(after.schema().edge_type("E")->key,
              ElementsAre(source, target, Member{Member::Kind::property, 0}));
}

// The bytes below were put together by hand from docs/formats/schema.md; the digest is that of
// `sha256sum` over them.
constexpr std::string_view kGolden =
    "010031010000000000003e6e6f64652041207b0a20206b3a20537472696e670a20206e3a20493634"
    "3f0a7d0a0a6564676520453a2041202d3e2041207b0a2020773a204636340a7d0a01ac0202ad02ae"
    "0201af0201b002";

TEST(CatalogFormat, GoldenBytes) {  // P5
  const Catalog catalog =
      made("// any white space\nnode A{k:String n:I64?} edge E:A->A{w:F64}", {.next_id_min = 300});

  EXPECT_EQ(base::hex(encode(catalog)), kGolden);
  EXPECT_EQ(base::hex_of(schema_identity(catalog)),
            "f17a316d1cecb723af98d9898d1867e295a959a11be41c52ed0e9f40cdef5492");
}

/// `node A { a: I32 }` as in docs/formats/schema.md, with parts to replace.
struct Parts {
  std::uint16_t version = 1;
  std::uint64_t next_id = 3;
  std::string text = "node A {\n  a: I32\n}\n";
  std::string nodes = {1, 1, 1, 2};
  std::string edges = std::string(1, '\0');
  std::string rest = "";

  std::string bytes() const {
    base::ByteWriter writer;
    writer.u16(version);
    writer.u64(next_id);
    writer.bytes(text);
    writer.raw(nodes);
    writer.raw(edges);
    writer.raw(rest);
    return std::move(writer).take();
  }
};

ErrorCode refusal(const Parts& parts) {
  const Result<Catalog> catalog = decode_catalog(parts.bytes());
  return catalog ? ErrorCode::internal : catalog.error().code();
}

TEST(CatalogFormat, DamagedPartsThenRefused) {  // P3, P5
  ASSERT_TRUE(decode_catalog(Parts{}.bytes()));

  EXPECT_EQ(refusal({.version = 2}), ErrorCode::format_mismatch);
  EXPECT_EQ(refusal({.next_id = 2}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.next_id = 0}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.text = "node A {\n  a: I32 }\n"}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.text = "node A {\n  a: I33\n}\n"}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.text = "node A {\n  _score: I32\n}\n"}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.text = "node A {\n  a: I32\n  b: I32\n}\n"}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.text = "\xEF\xBB\xBFnode A {\n  a: I32\n}\n"}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.nodes = {1, 1, 1, 1}}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.nodes = {1, 1, 0}}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.nodes = {1, 0, 1, 2}}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.nodes = {0}}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.edges = {1, 1, 0}}), ErrorCode::corrupt);
  EXPECT_EQ(refusal({.rest = "x"}), ErrorCode::corrupt);
}

TEST(CatalogFormat, EveryTruncationThenCorrupt) {
  const std::string bytes = Parts{}.bytes();

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Catalog> catalog = decode_catalog(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(catalog) << size;
    EXPECT_EQ(catalog.error().code(), ErrorCode::corrupt) << size;
  }
}

TEST(CatalogFormat, EveryBitFlippedThenRefusedOrAnotherIdentity) {  // P5
  const std::string bytes = Parts{}.bytes();

  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const Result<Catalog> catalog = decode_catalog(damaged);
    if (catalog) {
      EXPECT_EQ(encode(*catalog), damaged) << bit;
    }
  }
}

}  // namespace
}  // namespace braid::schema
