// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/key_lookup.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/gq/parser.h"
#include "schema/catalog.h"

namespace braid::gq {
namespace {

using testing::ElementsAre;

constexpr std::string_view kSchema = R"(
node Person {
  slug: String @key
  name: String
  age: I32?
  size: F32?
  score: F64?
  count: U64?
  kind: enum(friend, family)?
  born: Date?
  seen: DateTime?
  active: Bool?
  tags: [String]?
  photo: Blob?
  face: Vector(2)?
}
node Pair {
  right: I64
  left: String
  @key(left, right)
}
node Note { text: String }
node Tagged { id: String @key }
node Level { value: F64 @key }
node Day { day: Date @key }
edge Knows: Person -> Person
)";

const schema::Schema& test_schema() {
  static const auto catalog = schema::make_catalog(kSchema);
  return catalog->schema();
}

std::string find(std::string_view parameters, std::string_view binding,
                 std::string_view items = "$p") {
  return "query q(" + std::string(parameters) + ") { match { $p: " + std::string(binding) +
         " } return { " + std::string(items) + " } }";
}

KeyLookup prepared(std::string_view text, const Parameters& parameters = {}) {
  auto lookup = prepare(text, "", parameters, test_schema());
  EXPECT_TRUE(lookup.ok()) << text << "\n" << to_string(lookup.error());
  return lookup ? *std::move(lookup) : KeyLookup{};
}

Error fault_of(std::string_view text, const Parameters& parameters = {}) {
  auto lookup = prepare(text, "", parameters, test_schema());
  EXPECT_FALSE(lookup.ok()) << text;
  return lookup ? Error(ErrorCode::internal, "") : std::move(lookup).error();
}

TEST(GqLookup, ASingleKeyIsItsCanonicalText) {
  const KeyLookup lookup = prepared(find("", "Person { slug: \"ann\" }"));

  EXPECT_EQ(lookup.type->name, "Person");
  EXPECT_FALSE(lookup.impossible);
  EXPECT_EQ(lookup.id, "ann");
  EXPECT_THAT(lookup.key, ElementsAre(Value("ann")));
  EXPECT_TRUE(lookup.filters.empty());
}

// Q3
TEST(GqLookup, AKeyOfSeveralMembersNeedsAllInAnyOrder) {
  const std::string whole = find("$r: I32", "Pair { right: $r, left: \"a\" }");
  const KeyLookup lookup = prepared(whole, {{"r", std::int64_t{7}}});

  // The order of the property ids is that of the declaration: right, left.
  EXPECT_THAT(lookup.key, ElementsAre(Value(std::int64_t{7}), Value("a")));
  EXPECT_EQ(lookup.id, R"(["7","a"])");

  const Error error = fault_of(find("", "Pair { right: 1 }"));
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_EQ(*error.detail("missing"), "left");
  EXPECT_EQ(*fault_of(find("", "Pair")).detail("missing"), "right, left");
}

TEST(GqLookup, AnUnkeyedNodeIsFoundByItsId) {
  const std::string text = find("$id: String", "Note { id: $id, text: \"x\" }");
  const KeyLookup lookup = prepared(text, {{"id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"}});

  EXPECT_EQ(lookup.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  EXPECT_TRUE(lookup.key.empty());
  ASSERT_EQ(lookup.filters.size(), 1U);
  EXPECT_EQ(*fault_of(find("", "Note { text: \"x\" }")).detail("missing"), "id");
  EXPECT_TRUE(prepared(find("", "Note { id: \"a\", id: \"b\" }")).impossible);
}

TEST(GqLookup, APropertyNamedIdIsAPropertyLikeOthers) {
  EXPECT_EQ(prepared(find("", "Tagged { id: \"t1\" }")).id, "t1");
  EXPECT_EQ(*fault_of(find("", "Person { id: \"ann\" }")).detail("code"), "T2");
}

TEST(GqLookup, KeysTakeTheTextOfTheirKind) {
  EXPECT_EQ(prepared(find("", "Level { value: 2 }")).id, "2");
  EXPECT_EQ(prepared(find("$v: F64", "Level { value: $v }"), {{"v", -0.0}}).id, "0");
  EXPECT_EQ(prepared(find("", "Day { day: date(\"1970-01-11\") }")).id, "10");
  EXPECT_EQ(prepared(find("$d: Date", "Day { day: $d }"), {{"d", "1969-12-31"}}).id, "-1");
}

TEST(GqLookup, NothingEqualsNullOrNan) {
  EXPECT_TRUE(prepared(find("", "Person { slug: null }")).impossible);
  EXPECT_TRUE(prepared(find("", "Person { slug: \"a\", age: null }")).impossible);
  EXPECT_TRUE(prepared(find("$s: String?", "Person { slug: $s }")).impossible);
  EXPECT_TRUE(prepared(find("$s: String?", "Person { slug: $s }"), {{"s", Null{}}}).impossible);
  EXPECT_TRUE(prepared(find("$v: F64", "Level { value: $v }"), {{"v", std::nan("")}}).impossible);
}

TEST(GqLookup, AValueThatThePropertyCannotHoldMatchesNothing) {
  EXPECT_TRUE(prepared(find("", "Person { slug: \"a\", age: 2147483648 }")).impossible);
  EXPECT_TRUE(prepared(find("", "Person { slug: \"a\", age: 1.5 }")).impossible);
  EXPECT_TRUE(prepared(find("", "Person { slug: \"a\", size: 16777217 }")).impossible);
  EXPECT_TRUE(prepared(find("", "Person { slug: \"a\", score: 18446744073709551615 }")).impossible);
  EXPECT_TRUE(
      prepared(find("$k: String", "Person { slug: \"a\", kind: $k }"), {{"k", "foe"}}).impossible);
}

TEST(GqLookup, FiltersHoldTheValueInTheKindOfTheirProperty) {
  const KeyLookup lookup =
      prepared(find("$c: I32",
                    "Person { slug: \"a\", age: 3.0, size: 0.1, score: 2, count: $c, kind: "
                    "\"family\", seen: datetime(\"1970-01-01T00:00:01Z\"), active: true }"),
               {{"c", std::int64_t{4}}});

  std::vector<Value> values;
  for (const EqualityFilter& filter : lookup.filters) values.push_back(filter.value);
  EXPECT_THAT(values,
              ElementsAre(Value(std::int32_t{3}), Value(0.1F), Value(2.0), Value(std::uint64_t{4}),
                          Value("family"), Value(DateTime{1000}), Value(true)));
}

TEST(GqLookup, FiltersDecideOnTheNodeThatWasFound) {
  const KeyLookup lookup = prepared(find("", "Note { id: \"1\", text: \"x\" }"));

  EXPECT_TRUE(accepts(lookup, {Value("x")}));
  EXPECT_FALSE(accepts(lookup, {Value("y")}));
  EXPECT_FALSE(accepts(lookup, {Value()}));
}

TEST(GqLookup, AKeyGivenTwiceIsAlsoAFilter) {
  const KeyLookup lookup = prepared(find("", "Tagged { id: \"a\", id: \"b\" }"));

  EXPECT_EQ(lookup.id, "a");
  EXPECT_FALSE(accepts(lookup, {Value("a")}));
}

TEST(GqProject, ColumnsFollowTheReturn) {
  const KeyLookup lookup =
      prepared(find("", "Pair { left: \"a\", right: 1 }", "$p.right $p.left as l, $p.@id $p"));

  std::vector<std::string> names;
  for (const Column& column : lookup.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("p.right", "l", "p.@id", "p"));

  const auto row = project(lookup, "[\"1\",\"a\"]", {Value(std::int64_t{1}), Value("a")});
  const Value::Object object{{"@id", "right", "left"},
                             {Value("[\"1\",\"a\"]"), Value(std::int64_t{1}), Value("a")}};
  EXPECT_THAT(
      row, ElementsAre(Value(std::int64_t{1}), Value("a"), Value("[\"1\",\"a\"]"), Value(object)));
}

TEST(GqProject, AWholeNodeLeavesOutBlobsAndVectorsButNoNulls) {
  const KeyLookup lookup = prepared(find("", "Person { slug: \"a\" }"));
  std::vector<Value> values(lookup.type->properties.size());
  values[0] = "a";

  const auto row = project(lookup, "a", values);

  ASSERT_EQ(row.size(), 1U);
  const auto* object = row[0].as<Value::Object>();
  ASSERT_NE(object, nullptr);
  EXPECT_THAT(object->names, ElementsAre("@id", "slug", "name", "age", "size", "score", "count",
                                         "kind", "born", "seen", "active", "tags"));
  EXPECT_TRUE(object->values[2].is_null());
}

TEST(GqCheck, FaultsCarryTheirCodeAndPlace) {
  struct Case {
    std::string text;
    std::string code;
    std::string place;
  };
  const Case kCases[] = {
      {find("", "Persson { slug: \"a\" }"), "T1", "Persson"},
      {find("", "Knows { slug: \"a\" }"), "T1", "Knows"},
      {find("", "Person { slugg: \"a\" }"), "T2", "slugg"},
      {find("", "Person { slug: 1 }"), "T3", "1"},
      {find("", "Person { slug: true }"), "T3", "true"},
      {find("", "Person { slug: date(\"2000-01-01\") }"), "T3", "date(\"2000-01-01\")"},
      {find("", "Day { day: date(\"2000-02-30\") }"), "T3", "date(\"2000-02-30\")"},
      {find("", "Day { day: datetime(\"2000-02-01\") }"), "T3", "datetime(\"2000-02-01\")"},
      {find("", "Day { day: datetime(\"x\") }"), "T3", "datetime(\"x\")"},
      {find("", "Day { day: \"2000-01-01\" }"), "T3", "\"2000-01-01\""},
      {find("", "Person { slug: \"a\", age: \"3\" }"), "T3", "\"3\""},
      {find("", "Person { slug: \"a\", active: 1.5 }"), "T3", "1.5"},
      {find("", "Person { slug: \"a\", kind: \"foe\" }"), "T3", "\"foe\""},
      {find("", "Person { slug: \"a\", kind: false }"), "T3", "false"},
      {find("", "Person { slug: \"a\", photo: \"x\" }"), "T3", "photo"},
      {find("$x: [String]", "Person { slug: \"a\", tags: $x }"), "T3", "tags"},
      {find("", "Person { slug: \"a\", face: null }"), "T3", "face"},
      {find("$x: I32", "Person { slug: $x }"), "T3", "$x"},
      {find("$x: [String]", "Person { slug: $x }"), "T3", "$x"},
      {find("", "Note { id: 1 }"), "T3", "1"},
      {find("$x: Vector(1)", "Level { value: $x }"), "T3", "$x"},
      {find("", "Person { slug: $who }"), "T6", "$who"},
      {find("$p: String", "Person { slug: $p }"), "T6", "$p"},
      {find("", "Person { slug: \"a\" }", "$q.name"), "T6", "$q"},
      {find("", "Person { slug: \"a\" }", "$_.name"), "T6", "$_"},
      {find("", "Person { slug: \"a\" }", "$p.nome"), "T6", "nome"},
      {find("", "Person { slug: \"a\" }", "$p.photo"), "T24", "photo"},
      {find("$x: Blob?", "Person { slug: \"a\" }"), "T24", "Blob?"},
      {find("", "Person { slug: \"a\" }", "$p.name $p.name"), "T25", "$p.name"},
      {find("", "Person { slug: \"a\" }", "$p.age as a, $p.name as a"), "T25", "$p.name as a"},
  };
  for (const Case& each : kCases) {
    const Error error = fault_of(each.text);
    EXPECT_EQ(error.code(), ErrorCode::type_error) << each.text;
    ASSERT_NE(error.detail("code"), nullptr) << each.text;
    EXPECT_EQ(*error.detail("code"), each.code) << each.text;
    const SourceSpan span = error.span().value_or(SourceSpan{});
    EXPECT_EQ(each.text.substr(span.byte, span.length), each.place) << each.text;
  }
}

TEST(GqCheck, AnonymousNodesAreNotReturned) {
  const Error error = fault_of("query q() { match { $_: Note { id: \"1\" } } return { $_.text } }");

  EXPECT_EQ(*error.detail("code"), "T6");
}

TEST(GqPrepare, TheQueryIsChosenByName) {
  const std::string text =
      "query a() { match { $p: Note { id: \"1\" } } return { $p } }"
      "query b() { match { $p: Note { id: \"2\" } } return { $p } }"
      "query later() { match { $p: Note } return { count($p) } }";

  EXPECT_EQ(prepare(text, "b", {}, test_schema())->id, "2");
  EXPECT_EQ(prepare(text, "", {}, test_schema()).error().code(), ErrorCode::bad_request);
  EXPECT_EQ(prepare(text, "c", {}, test_schema()).error().code(), ErrorCode::not_found);
  EXPECT_EQ(prepare(text, "later", {}, test_schema()).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(prepare("", "", {}, test_schema()).error().code(), ErrorCode::bad_request);
}

Result<Parameters> bound(std::string_view type, Value value) {
  const std::string text = "query q($x: " + std::string(type) + ") { insert }";
  const auto document = parse(text);
  if (!document) return document.error();
  return bind_parameters(document->queries[0].parameters, {{"x", std::move(value)}});
}

TEST(GqParameters, ValuesBecomeTheDeclaredType) {
  const std::pair<std::string, std::pair<Value, Value>> kCases[] = {
      {"String", {"a", "a"}},
      {"Bool", {true, true}},
      {"I32", {std::int64_t{-2147483648}, std::int32_t{-2147483647 - 1}}},
      {"I32", {5.0, std::int32_t{5}}},
      {"U32", {std::uint64_t{4294967295U}, std::uint32_t{4294967295U}}},
      {"I64", {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}},
      {"U64", {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()}},
      {"U64", {std::int64_t{3}, std::uint64_t{3}}},
      {"F32", {0.1, 0.1F}},
      {"F64", {std::int64_t{3}, 3.0}},
      {"Date", {"1970-01-02", Date{1}}},
      {"Date", {Date{4}, Date{4}}},
      {"DateTime", {"1970-01-01T00:00:00.001Z", DateTime{1}}},
      {"[I32]", {Value::List{std::int64_t{1}}, Value::List{std::int32_t{1}}}},
      {"[String]?", {Null{}, Null{}}},
      {"Vector(2)", {Value::List{std::int64_t{1}, 0.5}, Value::Vector{1.0F, 0.5F}}},
  };
  for (const auto& [type, values] : kCases) {
    const auto result = bound(type, values.first);
    ASSERT_TRUE(result.ok()) << type << ": " << to_string(result.error());
    EXPECT_EQ(result->at("x"), values.second) << type;
  }
}

TEST(GqParameters, ValuesOfAnotherTypeAreRefused) {
  const std::pair<std::string, Value> kCases[] = {
      {"String", std::int64_t{1}},
      {"String", Null{}},
      {"Bool", std::int64_t{1}},
      {"I32", std::int64_t{2147483648}},
      {"I32", "1"},
      {"I32", 1.5},
      {"U32", std::int64_t{-1}},
      {"I64", "9223372036854775808"},
      {"I64", "1 "},
      {"I64", ""},
      {"I64", 1e18},
      {"I64", true},
      {"U64", "-1"},
      {"F32", 1e300},
      {"F64", "1"},
      {"Date", "1970-01-32"},
      {"Date", std::int64_t{1}},
      {"DateTime", "noon"},
      {"[I32]", Value::List{Null{}}},
      {"[I32]", std::int64_t{1}},
      {"Vector(2)", Value::List{1.0}},
      {"Vector(2)", Value::List{1.0, "a"}},
      {"Vector(2)", Value::Vector{1.0F}},
  };
  for (const auto& [type, value] : kCases) {
    const auto result = bound(type, value);
    ASSERT_FALSE(result.ok()) << type;
    EXPECT_EQ(result.error().code(), ErrorCode::bad_request) << type;
    EXPECT_EQ(*result.error().detail("parameter"), "x") << type;
    EXPECT_EQ(*result.error().detail("expected"), type);
  }
}

TEST(GqParameters, OnlyDeclaredOnesAreTakenAndOnlyNullableOnesMayLack) {
  const std::string text = find("$s: String, $t: String?", "Person { slug: $s }");

  EXPECT_EQ(*fault_of(text).detail("parameter"), "s");
  EXPECT_EQ(*fault_of(text, {{"s", "a"}, {"u", "b"}}).detail("parameter"), "u");
  EXPECT_EQ(prepared(text, {{"s", "a"}}).id, "a");
}

}  // namespace
}  // namespace braid::gq
