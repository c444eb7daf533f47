// SPDX-License-Identifier: Apache-2.0
#include "table/change_builder.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "state/keys.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

// "insert a, update b": the rows of all tables, in order.
std::string changes_of(const Result<BuiltChanges>& built) {
  if (!built.ok()) return to_string(built.error());
  std::string out;
  for (const TableChanges& table : built->changes.tables) {
    for (const RowChange& change : table.rows) {
      if (!out.empty()) out += ", ";
      out += change.kind == ChangeKind::insert ? "insert " : "update ";
      out += change.row.id;
    }
  }
  return out;
}

Value age(std::int32_t years) { return years; }

TEST(ChangeBuilder, NewRowIsInsertedWhole) {
  World world;
  const auto built = world.build({person("a", {{kAgeAt, age(7)}})}, WriteMode::append);

  ASSERT_TRUE(built.ok());
  RowImage row = person_row("a");
  row.values[kAgeAt] = age(7);
  ASSERT_EQ(built->changes.tables.size(), 1U);
  EXPECT_EQ(built->changes.tables[0].rows,
            (std::vector<RowChange>{{ChangeKind::insert, Position{0}, row}}));
  EXPECT_EQ(built->counts, (RowCounts{.nodes_inserted = 1}));
  EXPECT_FALSE(built->changes.hash_parts.empty());
}

TEST(ChangeBuilder, AppendRefusesARowThatExists) {
  World world;
  world.load({person("a")});
  const auto built = world.build({person("b"), person("a")}, WriteMode::append);

  EXPECT_EQ(refusal(built), "key_conflict");
  EXPECT_EQ(detail(built.error(), "id"), "a");
  EXPECT_EQ(detail(built.error(), "type"), "Person");
}

TEST(ChangeBuilder, MergeSetsWhatIsNamedAndKeepsTheRest) {
  World world;
  world.load({person("a", {{kAgeAt, age(7)}, {kCodeAt, "x"}})});
  const auto built = world.build({person("a", {{kCodeAt, "y"}})});

  ASSERT_TRUE(built.ok());
  RowImage row = person_row("a");
  row.values[kAgeAt] = age(7);
  row.values[kCodeAt] = "y";
  EXPECT_EQ(built->changes.tables[0].rows,
            (std::vector<RowChange>{{ChangeKind::update, Position{1}, row}}));
  EXPECT_EQ(built->counts, (RowCounts{.nodes_updated = 1}));
}

TEST(ChangeBuilder, ExplicitNullClears) {
  World world;
  world.load({person("a", {{kAgeAt, age(7)}, {kCodeAt, "x"}})});
  const auto built = world.build({person("a", {{kCodeAt, Value()}})});

  ASSERT_TRUE(built.ok());
  RowImage row = person_row("a");
  row.values[kAgeAt] = age(7);
  EXPECT_EQ(built->changes.tables[0].rows,
            (std::vector<RowChange>{{ChangeKind::update, Position{1}, row}}));
}

TEST(ChangeBuilder, RowThatIsAlreadyAsWantedChangesNothing) {
  World world;
  world.load({person("a", {{kAgeAt, age(7)}}), person("b")});
  const auto built = world.build({person("a", {{kAgeAt, age(7)}}), person("b")});

  ASSERT_TRUE(built.ok());
  EXPECT_TRUE(built->changes.empty());
  EXPECT_TRUE(built->changes.hash_parts.empty());
  EXPECT_EQ(built->counts, RowCounts{});
  EXPECT_EQ(built->footprint.keys,
            (std::vector<std::string>{state::row_version_prefix(kPerson, kMain, "a"),
                                      state::row_version_prefix(kPerson, kMain, "b")}));
}

// T6
TEST(ChangeBuilder, BuildingAgainOnANewerImageGivesWhatALaterClientGets) {
  World world;
  const std::vector<RowWrite> writes = {person("a", {{kAgeAt, age(7)}})};
  EXPECT_EQ(changes_of(world.build(writes)), "insert a");
  const auto first = world.build(writes);
  const auto again = world.build(writes);
  EXPECT_EQ(first->changes, again->changes);

  world.load({person("a", {{kCodeAt, "x"}})});
  const auto later = world.build(writes);

  EXPECT_EQ(changes_of(later), "update a");
  EXPECT_EQ(*later->changes.tables[0].rows[0].row.values[kCodeAt].as<std::string>(), "x");
}

TEST(ChangeBuilder, SameRowTwiceInOneLoadIsAConflict) {
  World world;
  world.load({person("b")});
  EXPECT_EQ(refusal(world.build({person("a"), person("a")})), "key_conflict");
  // Also where the row is there already and neither changes it.
  EXPECT_EQ(refusal(world.build({person("b"), person("b")})), "key_conflict");
}

TEST(ChangeBuilder, UnkeyedRowTakesTheGivenIdOrTheFreshOne) {
  World world;
  EXPECT_EQ(changes_of(world.build({node("Doc", {{0, "t"}})})), "insert fresh");
  EXPECT_EQ(changes_of(world.build({with_id(node("Doc", {{0, "t"}}), "d")})), "insert d");
}

TEST(ChangeBuilder, KeyedRowIsNamedByItsKey) {
  World world;
  EXPECT_EQ(changes_of(world.build({with_id(person("a"), "a")})), "insert a");
  EXPECT_EQ(refusal(world.build({with_id(person("a"), "b")})), "constraint_violation key id");
}

TEST(ChangeBuilder, CompositeKeyIsAJsonArrayInTheOrderOfPropertyIds) {
  World world;
  const auto built = world.build({node("Pair", {{1, "x\""}, {0, std::int64_t{-3}}})});

  EXPECT_EQ(changes_of(built), R"(insert ["-3","x\""])");
}

TEST(ChangeBuilder, EdgeKeyNamesItsEnds) {
  World world;
  world.load({person("a"), person("b")});

  EXPECT_EQ(changes_of(world.build({edge("Knows", "a", "b")})), R"(insert ["a","b"])");
  world.load({edge("Knows", "a", "b")});
  EXPECT_EQ(changes_of(world.build({edge("Knows", "a", "b", {{0, Date{3}}})})),
            R"(update ["a","b"])");
}

TEST(ChangeBuilder, EdgeKeepsItsEnds) {
  World world;
  world.load({with_id(node("Doc", {{0, "t"}}), "d"), with_id(node("Doc", {{0, "t"}}), "e")});
  world.load({with_id(edge("Cites", "d", "e"), "c")});

  EXPECT_EQ(refusal(world.build({with_id(edge("Cites", "e", "d"), "c")})), "key_conflict");
}

TEST(ChangeBuilder, EmptyKeyAndNullKeyAreRefused) {
  World world;
  EXPECT_EQ(refusal(world.build({person("")})), "constraint_violation key id");
  EXPECT_EQ(refusal(world.build({node("Person", {})})), "constraint_violation required email");
  EXPECT_EQ(refusal(world.build({with_id(node("Doc", {{0, "t"}}), "")})),
            "constraint_violation key id");
}

TEST(ChangeBuilder, IdOverTheLimitIsRefusedAndOneAtItIsNot) {
  World world;
  EXPECT_TRUE(world.build({person(std::string(kRowIdBytesMax, 'x'))}).ok());
  const auto over = world.build({person(std::string(kRowIdBytesMax + 1, 'x'))});
  EXPECT_EQ(refusal(over), "resource_limit");
  EXPECT_EQ(detail(over.error(), "actual"), "16385");
}

TEST(ChangeBuilder, ValueOfAnotherTypeIsRefusedWithItsRowAndField) {
  World world;
  RowWrite wrong = person("a", {{kAgeAt, Value("seven")}});
  wrong.ordinal = 17;
  const auto built = world.build({wrong});

  EXPECT_EQ(refusal(built), "type_error age");
  EXPECT_EQ(detail(built.error(), "row"), "17");
}

TEST(ChangeBuilder, NodesAndEdgesOfOneLoadMayComeInAnyOrder) {
  World world;
  const auto built = world.build({edge("Knows", "a", "b"), person("b"), person("a")});

  EXPECT_EQ(changes_of(built), R"(insert a, insert b, insert ["a","b"])");
  EXPECT_EQ(built->counts, (RowCounts{.nodes_inserted = 2, .edges_inserted = 1}));
}

TEST(ChangeBuilder, FootprintNamesRowsEndsAndUniqueValues) {
  World world;
  world.load({person("a"), person("b")});
  const auto built =
      world.build({person("c", {{kBadgeAt, std::int64_t{4}}}), edge("Knows", "a", "b")});

  ASSERT_TRUE(built.ok());
  std::vector<std::string> expected = {
      state::row_version_prefix(kPerson, kMain, "a"),
      state::row_version_prefix(kPerson, kMain, "b"),
      state::row_version_prefix(kPerson, kMain, "c"),
      state::row_version_prefix(kKnows, kMain, R"(["a","b"])"),
      state::unique_version_prefix(kPerson, kMain, 0, "\x08"),
  };
  std::vector<std::string> actual = built->footprint.keys;
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  EXPECT_EQ(actual, expected);
  // The degree of a source is more than a key.
  EXPECT_EQ(built->footprint.tables, (std::vector<TableId>{kKnows}));
}

TEST(KeyId, FloatThatIsNotFiniteIsRefused) {
  const schema::Catalog catalog = *schema::make_catalog("node M { at: F64 @key }");
  const schema::RecordType& type = *catalog.schema().node_type("M");

  EXPECT_EQ(*key_id(type, {"", "", "", {Value(1.5)}}), "1.5");
  EXPECT_EQ(*key_id(type, {"", "", "", {Value(-0.0)}}), "0");
  EXPECT_EQ(refusal(key_id(type, {"", "", "", {Value(std::numeric_limits<double>::infinity())}})),
            "type_error");
}

TEST(KeyId, UnkeyedTypeHasNone) {
  EXPECT_EQ(*key_id(*test_schema()->node_type("Doc"), {"x", "", "", {Value("t")}}), std::nullopt);
}

}  // namespace
}  // namespace braid::table
