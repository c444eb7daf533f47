// SPDX-License-Identifier: Apache-2.0
#include "table/validators.h"

#include <gtest/gtest.h>

#include "table/table_fixture.h"

namespace braid::table {
namespace {

std::string load(World& world, const std::vector<RowWrite>& writes) {
  const auto built = world.build(writes);
  if (built.ok()) world.commit(built->changes);
  return refusal(built);
}

Value badge(std::int64_t number) { return number; }

// T7
TEST(Required, PropertyWithoutAValueIsRefused) {
  World world;
  EXPECT_EQ(load(world, {node("Doc", {})}), "constraint_violation required title");
  EXPECT_EQ(load(world, {with_id(node("Doc", {{0, "t"}}), "d")}), "accepted");
  EXPECT_EQ(load(world, {with_id(node("Doc", {{0, Value()}}), "d")}),
            "constraint_violation required title");
  EXPECT_EQ(load(world, {with_id(node("Doc", {}), "d")}), "accepted");  // it keeps its title
}

// T7
TEST(Range, BothEndsAreInsideAndNullIsToo) {
  World world;
  for (const std::int32_t age : {0, 150}) {
    EXPECT_EQ(load(world, {person("a", {{kAgeAt, age}})}), "accepted") << age;
  }
  for (const std::int32_t age : {-1, 151}) {
    EXPECT_EQ(load(world, {person("a", {{kAgeAt, age}})}), "constraint_violation range age") << age;
  }
  EXPECT_EQ(load(world, {person("a", {{kAgeAt, Value()}})}), "accepted");
}

// T7
TEST(Check, TextMustMatchAndNullNeedNot) {
  World world;
  EXPECT_EQ(load(world, {person("a", {{kCodeAt, "abc"}})}), "accepted");
  EXPECT_EQ(load(world, {person("a", {{kCodeAt, "abc1"}})}), "constraint_violation check code");
  EXPECT_EQ(load(world, {person("a", {{kCodeAt, Value()}})}), "accepted");
}

// T7
TEST(Unique, ValueOfAnotherRowIsRefusedWithItsHolder) {
  World world;
  EXPECT_EQ(load(world, {person("a", {{kBadgeAt, badge(4)}})}), "accepted");
  const auto built = world.build({person("b", {{kBadgeAt, badge(4)}})});

  EXPECT_EQ(refusal(built), "constraint_violation unique badge");
  EXPECT_EQ(detail(built.error(), "holder"), "a");
  EXPECT_EQ(load(world, {person("a", {{kBadgeAt, badge(4)}, {kCodeAt, "x"}})}), "accepted");
}

// T7
TEST(Unique, ValueTwiceInOneChangeIsRefused) {
  World world;
  EXPECT_EQ(load(world, {person("a", {{kBadgeAt, badge(4)}}), person("b", {{kBadgeAt, badge(4)}})}),
            "constraint_violation unique badge");
}

// T7
TEST(Unique, NullsAreExempt) {
  World world;
  EXPECT_EQ(load(world, {person("a"), person("b")}), "accepted");
  EXPECT_EQ(load(world, {person("c", {{kBadgeAt, Value()}})}), "accepted");
}

// T7
TEST(Unique, BothZerosAreOneValue) {
  World world;
  EXPECT_EQ(load(world, {person("a", {{kRatioAt, 0.0}})}), "accepted");
  EXPECT_EQ(load(world, {person("b", {{kRatioAt, -0.0}})}), "constraint_violation unique ratio");
}

// T5 T7
TEST(Unique, ValueFreedInTheSameChangeMayBeTaken) {
  World world;
  load(world, {person("a", {{kBadgeAt, badge(4)}}), person("b", {{kBadgeAt, badge(5)}})});

  // Swapped, whichever row comes first.
  EXPECT_EQ(load(world, {person("a", {{kBadgeAt, badge(5)}}), person("b", {{kBadgeAt, badge(4)}})}),
            "accepted");
  // Handed on.
  EXPECT_EQ(load(world, {person("c", {{kBadgeAt, badge(4)}}), person("b", {{kBadgeAt, Value()}})}),
            "accepted");
  EXPECT_EQ(load(world, {person("d", {{kBadgeAt, badge(4)}})}),
            "constraint_violation unique badge");
}

// T7
TEST(Unique, HolderThatIsRewrittenAndKeepsItsValueStillHoldsIt) {
  World world;
  load(world, {person("b", {{kBadgeAt, badge(4)}})});

  EXPECT_EQ(load(world, {person("a", {{kBadgeAt, badge(4)}}), person("b", {{kCodeAt, "x"}})}),
            "constraint_violation unique badge");
  EXPECT_EQ(load(world, {person("c", {{kBadgeAt, badge(4)}}), person("b", {{kCodeAt, "x"}})}),
            "constraint_violation unique badge");
}

// T5 T7
TEST(Unique, ValueFreedByAnEarlierCommitMayBeTaken) {
  World world;
  load(world, {person("a", {{kBadgeAt, badge(4)}})});
  load(world, {person("a", {{kBadgeAt, badge(5)}})});

  EXPECT_EQ(load(world, {person("b", {{kBadgeAt, badge(4)}})}), "accepted");
}

// T7
TEST(Unique, TupleOfAnEdgeIncludesItsSource) {
  World world;
  load(world, {with_id(node("Doc", {{0, "t"}}), "d"), with_id(node("Doc", {{0, "t"}}), "e")});

  EXPECT_EQ(load(world, {with_id(edge("Cites", "d", "e", {{0, "n"}}), "1"),
                         with_id(edge("Cites", "e", "d", {{0, "n"}}), "2")}),
            "accepted");
  EXPECT_EQ(load(world, {with_id(edge("Cites", "d", "d", {{0, "n"}}), "3")}),
            "constraint_violation unique src, note");
}

// T7
TEST(Endpoint, BothEndsMustBeThere) {
  World world;
  load(world, {person("a")});

  EXPECT_EQ(load(world, {edge("Knows", "x", "a")}), "constraint_violation endpoint from");
  EXPECT_EQ(load(world, {edge("Knows", "a", "x")}), "constraint_violation endpoint to");
  EXPECT_EQ(load(world, {edge("Knows", "a", "a")}), "accepted");
  EXPECT_EQ(load(world, {edge("Knows", "a", "b"), person("b")}), "accepted");
}

// T7
TEST(Endpoint, NodeOfAnotherTypeIsNone) {
  World world;
  load(world, {with_id(node("Doc", {{0, "t"}}), "a"), person("p")});

  EXPECT_EQ(load(world, {edge("Knows", "p", "a")}), "constraint_violation endpoint to");
}

// T7
TEST(Cardinality, MoreThanTheMostIsRefusedAlsoOverSeveralCommits) {
  World world;
  load(world, {person("a"), person("b"), person("c"), person("d")});

  EXPECT_EQ(
      load(world, {edge("Knows", "a", "b"), edge("Knows", "a", "c"), edge("Knows", "a", "d")}),
      "constraint_violation cardinality");
  EXPECT_EQ(load(world, {edge("Knows", "a", "b"), edge("Knows", "b", "a")}), "accepted");
  EXPECT_EQ(load(world, {edge("Knows", "a", "c")}), "accepted");
  EXPECT_EQ(load(world, {edge("Knows", "a", "d")}), "constraint_violation cardinality");
  // An edge that is there already does not count twice.
  EXPECT_EQ(load(world, {edge("Knows", "a", "c", {{0, Date{1}}})}), "accepted");
}

// T7
TEST(Cardinality, NewSourceNeedsTheLeastWithinItsOwnChange) {
  World world;
  load(world, {person("a")});
  const auto lone = world.build({node("Team", {{0, "t"}})});

  EXPECT_EQ(refusal(lone), "constraint_violation cardinality");
  EXPECT_EQ(detail(lone.error(), "source"), "t");
  EXPECT_EQ(detail(lone.error(), "actual"), "0");
  EXPECT_EQ(load(world, {node("Team", {{0, "t"}}), edge("Leads", "t", "a")}), "accepted");
}

// T7
TEST(Cardinality, RemovingTheLastEdgeOfASourceIsRefused) {
  World world;
  load(world, {person("a"), node("Team", {{0, "t"}}), with_id(edge("Leads", "t", "a"), "l")});
  const Image image = world.image();
  PendingRows rows(image);
  PendingRows::Row removal;
  removal.type = test_schema()->edge_type("Leads");
  removal.change = {ChangeKind::remove, Position{1}, {"l", "t", "a", {Value()}}};
  ASSERT_TRUE(rows.add(removal));
  Footprint footprint;

  EXPECT_EQ(refusal(validate_image(rows, footprint)), "constraint_violation cardinality");
}

// T7
TEST(Endpoint, NodeRemovedInTheSameChangeIsNone) {
  World world;
  load(world, {person("a"), person("b")});
  const Image image = world.image();
  PendingRows rows(image);
  PendingRows::Row removal;
  removal.type = type_of(*test_schema(), kPerson);
  removal.change = {ChangeKind::remove, Position{1}, person_row("b")};
  PendingRows::Row added;
  added.type = type_of(*test_schema(), kKnows);
  added.change = {ChangeKind::insert, Position{0}, {"e", "a", "b", {Value()}}};
  ASSERT_TRUE(rows.add(removal));
  ASSERT_TRUE(rows.add(added));
  Footprint footprint;

  EXPECT_EQ(refusal(validate_image(rows, footprint)), "constraint_violation endpoint to");
}

TEST(PendingRows, RowIsTakenOnce) {
  World world;
  const Image image = world.image();
  PendingRows rows(image);
  PendingRows::Row row;
  row.type = type_of(*test_schema(), kPerson);
  row.change.row = person_row("a");

  EXPECT_TRUE(rows.add(row));
  EXPECT_FALSE(rows.add(row));
  EXPECT_NE(rows.find(kPerson, "a"), nullptr);
  EXPECT_EQ(rows.find(kPerson, "b"), nullptr);
  EXPECT_EQ(rows.find(kDoc, "a"), nullptr);
}

}  // namespace
}  // namespace braid::table
