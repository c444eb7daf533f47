// SPDX-License-Identifier: Apache-2.0
// Writes that replace whole tables.
#include <gtest/gtest.h>

#include "env/real.h"
#include "table/change_builder.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

Value age(std::int32_t years) { return years; }

/// "insert a, update b, remove c": the rows of all tables, in order.
std::string outcome_of(const Result<BuiltChanges>& built) {
  if (!built.ok()) return refusal(built);
  std::string out;
  for (const TableChanges& table : built->changes.tables) {
    for (const RowChange& change : table.rows) {
      if (!out.empty()) out += ", ";
      constexpr const char* kNames[] = {"", "insert ", "update ", "remove "};
      out += kNames[static_cast<std::size_t>(change.kind)] + change.row.id;
    }
  }
  return out;
}

std::string overwrite(World& world, const std::vector<RowWrite>& writes) {
  const auto built = world.build(writes, WriteMode::overwrite);
  if (built.ok()) world.commit(built->changes);
  return outcome_of(built);
}

// T7
TEST(Overwrite, TableHasTheRowsGivenAndNoOthers) {
  World world;
  world.load({person("a", {{kAgeAt, age(7)}, {kCodeAt, "x"}}), person("b"), person("d")});

  EXPECT_EQ(overwrite(world, {person("d"), person("c"), person("a", {{kAgeAt, age(7)}})}),
            "update a, remove b, insert c");
  // What is not named is not kept.
  EXPECT_TRUE((*world.image().row(kPerson, "a"))->row.values[kCodeAt].is_null());
  EXPECT_FALSE((*world.image().find(kPerson, "b")).has_value());
  EXPECT_EQ(overwrite(world, {person("d"), person("c"), person("a", {{kAgeAt, age(7)}})}), "");
}

TEST(Overwrite, TablesWithoutRowsStayAsTheyAre) {
  World world;
  world.load({person("a"), with_id(node("Doc", {{0, "t"}}), "d")});
  EXPECT_EQ(overwrite(world, {with_id(node("Doc", {{0, "u"}}), "e")}), "remove d, insert e");
  EXPECT_TRUE((*world.image().find(kPerson, "a")).has_value());
}

// What goes is in the sums of the content: all that came has gone.
TEST(Overwrite, ContentIsThatOfANewGraphWithTheRows) {
  World world;
  const auto first = world.build({person("a", {{kAgeAt, age(1)}})});
  world.commit(first->changes);
  const auto over = world.build({person("b", {{kCodeAt, "x"}})}, WriteMode::overwrite);
  const auto fresh = World().build({person("b", {{kCodeAt, "x"}})});

  base::Hash128 sum = first->changes.hash_delta();
  sum += over->changes.hash_delta();
  EXPECT_EQ(sum, fresh->changes.hash_delta());
}

// T7
TEST(Overwrite, EdgeOfAnotherTableThatWouldLoseAnEndIsRefused) {
  World world;
  world.load({person("a"), person("b"), node("Team", {{0, "t"}}),
              with_id(edge("Leads", "t", "b"), "l"), edge("Knows", "a", "a")});

  const auto lost = world.build({person("a")}, WriteMode::overwrite);
  EXPECT_EQ(refusal(lost), "constraint_violation endpoint to");
  EXPECT_EQ(detail(lost.error(), "id"), "l");
  EXPECT_EQ(detail(lost.error(), "value"), "b");
  EXPECT_EQ(lost.error().detail("row"), nullptr);
  EXPECT_EQ(overwrite(world, {node("Team", {{0, "u"}}), with_id(edge("Leads", "u", "b"), "m")}),
            R"(remove t, insert u, remove l, insert m)");
  EXPECT_EQ(overwrite(world, {person("b")}), "constraint_violation endpoint from");
}

// T7
TEST(Overwrite, EdgeThatStaysAsItIsMayLoseNoEndEither) {
  World world;
  world.load({person("a"), person("b"), edge("Knows", "a", "b"), edge("Knows", "b", "a")});

  EXPECT_EQ(overwrite(world, {person("a"), edge("Knows", "a", "b")}),
            "constraint_violation endpoint to");
  EXPECT_EQ(overwrite(world, {person("a"), edge("Knows", "a", "a")}),
            R"(remove b, insert ["a","a"], remove ["a","b"], remove ["b","a"])");
}

// T7
TEST(Overwrite, DegreesAreThoseOfTheRowsThatAreLeft) {
  World world;
  world.load({person("a"), person("b"), node("Team", {{0, "t"}}),
              with_id(edge("Leads", "t", "a"), "l"), edge("Knows", "a", "a"),
              edge("Knows", "a", "b")});
  // A third in place of the others.
  EXPECT_EQ(overwrite(world, {edge("Knows", "b", "a"), edge("Knows", "a", "b")}),
            R"(remove ["a","a"], insert ["b","a"])");
  // The team would have nobody left to lead.
  EXPECT_EQ(overwrite(world, {node("Team", {{0, "t"}}), node("Team", {{0, "u"}}),
                              with_id(edge("Leads", "u", "a"), "m")}),
            "constraint_violation cardinality");
}

// T7
TEST(Overwrite, UniqueValueOfARowThatGoesMayBeTaken) {
  World world;
  world.load({person("a", {{kBadgeAt, std::int64_t{4}}})});
  EXPECT_EQ(overwrite(world, {person("b", {{kBadgeAt, std::int64_t{4}}})}), "remove a, insert b");
}

TEST(Overwrite, EdgeKeepsItsEndsAndNoRowComesTwice) {
  World world;
  world.load({with_id(node("Doc", {{0, "t"}}), "d"), with_id(node("Doc", {{0, "t"}}), "e"),
              with_id(edge("Cites", "d", "e"), "c")});
  EXPECT_EQ(overwrite(world, {with_id(edge("Cites", "e", "d"), "c")}), "key_conflict");
  EXPECT_EQ(overwrite(world, {with_id(node("Doc", {{0, "t"}}), "d"),
                              with_id(node("Doc", {{0, "t"}}), "d")}),
            "key_conflict");
}

// What others write into a table that is replaced, or at the ends of its rows, counts.
TEST(Overwrite, FootprintNamesTheTablesThatItRead) {
  World world;
  world.load({person("a"), person("b")});
  const auto built = world.build({person("a")}, WriteMode::overwrite);
  ASSERT_TRUE(built.ok());
  const std::vector<TableId>& tables = built->footprint.tables;
  for (const TableId table : {kPerson, kKnows, test_schema()->edge_type("Leads")->id}) {
    EXPECT_TRUE(std::find(tables.begin(), tables.end(), table) != tables.end()) << table.value;
  }
}

}  // namespace
}  // namespace braid::table
