// SPDX-License-Identifier: Apache-2.0
#include "table/image.h"

#include <gtest/gtest.h>

#include "state/keys.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

constexpr BranchIncarnation kChild{2};

RowChange insert(RowImage row) { return {ChangeKind::insert, Position{0}, std::move(row)}; }
RowChange update(Position previous, RowImage row) {
  return {ChangeKind::update, previous, std::move(row)};
}
RowChange remove(Position previous, RowImage row) {
  row.values.assign(row.values.size(), Value());
  return {ChangeKind::remove, previous, std::move(row)};
}

RowImage aged(std::string_view email, std::int32_t age) {
  RowImage row = person_row(email);
  row.values[kAgeAt] = age;
  return row;
}

RowImage badged(std::string_view email, std::int64_t badge) {
  RowImage row = person_row(email);
  row.values[kBadgeAt] = badge;
  return row;
}

// Badge 4 in the encoding of an I64.
constexpr std::string_view kBadge4 = "\x08";

std::string holder_of_4(const Image& image) {
  const auto holder = image.unique_holder(kPerson, 0, kBadge4);
  EXPECT_TRUE(holder.ok());
  return holder.ok() && *holder ? **holder : "nobody";
}

// "a=1@3 b=2@5": each row with its age and stamp.
std::string rows_of(const Image& image) {
  std::string out;
  const Status status = image.scan(kPerson, [&](const StoredRow& row) -> Status {
    if (!out.empty()) out += ' ';
    const auto* age = row.row.values[kAgeAt].as<std::int32_t>();
    out += row.row.id + "=" + (age == nullptr ? "null" : std::to_string(*age)) + "@" +
           std::to_string(row.stamp.value);
    return Unit{};
  });
  EXPECT_TRUE(status.ok());
  return out;
}

// T4
TEST(Image, ShowsEachRowAsOfItsPosition) {
  World world;
  world.commit_row(kPerson, insert(aged("a", 1)));
  world.commit_row(kPerson, update(Position{1}, aged("a", 2)));
  world.commit_row(kPerson, remove(Position{2}, aged("a", 2)));
  world.commit_row(kPerson, insert(aged("a", 4)));

  EXPECT_EQ(rows_of(world.image_of({{kMain, Position{0}}})), "");
  EXPECT_EQ(rows_of(world.image_of({{kMain, Position{1}}})), "a=1@1");
  EXPECT_EQ(rows_of(world.image_of({{kMain, Position{2}}})), "a=2@2");
  EXPECT_EQ(rows_of(world.image_of({{kMain, Position{3}}})), "");
  EXPECT_EQ(rows_of(world.image_of({{kMain, Position{4}}})), "a=4@4");
}

// T4
TEST(Image, NeverShowsWhatIsCommittedAfterIt) {
  World world;
  world.commit_row(kPerson, insert(aged("a", 1)));
  const Image image = world.image();

  world.commit_row(kPerson, update(Position{1}, aged("a", 2)));
  world.commit_row(kPerson, insert(aged("b", 2)));

  EXPECT_EQ(rows_of(image), "a=1@1");
  EXPECT_FALSE((*image.find(kPerson, "b")).has_value());
  EXPECT_EQ((*image.row(kPerson, "a"))->row, aged("a", 1));
}

TEST(Image, RowsComeInTheOrderOfTheirIds) {
  World world;
  for (const char* id : {"b", "a", "aa"}) world.commit_row(kPerson, insert(aged(id, 0)));

  EXPECT_EQ(rows_of(world.image()), "a=0@2 aa=0@3 b=0@1");
}

TEST(Image, ForkShowsItsParentUpToTheForkAndItsOwnRowsFirst) {
  World world;
  world.commit_row(kPerson, insert(aged("a", 1)));                       // 1
  world.commit_row(kPerson, insert(aged("b", 2)));                       // 2: the fork
  world.commit_row(kPerson, update(Position{1}, aged("a", 3)));          // 3: after it
  world.commit_row(kPerson, update(Position{2}, aged("b", 4)), kChild);  // 4
  world.commit_row(kPerson, insert(aged("c", 5)));                       // 5: after it
  const Image child = world.image_of({{kChild, Position{5}}, {kMain, Position{2}}});

  EXPECT_EQ(rows_of(child), "a=1@1 b=4@4");
  EXPECT_EQ(rows_of(world.image()), "a=3@3 b=2@2 c=5@5");
}

TEST(Image, RemovalOnAForkHidesTheParentsRowThereOnly) {
  World world;
  world.commit_row(kPerson, insert(aged("a", 1)));
  world.commit_row(kPerson, remove(Position{1}, aged("a", 1)), kChild);
  const Image child = world.image_of({{kChild, Position{2}}, {kMain, Position{1}}});

  EXPECT_EQ(rows_of(child), "");
  EXPECT_FALSE((*child.row(kPerson, "a")).has_value());
  EXPECT_EQ(rows_of(world.image()), "a=1@1");
}

// T5
TEST(UniqueHolder, IsTheRowThatTookTheValueLast) {
  World world;
  EXPECT_EQ(holder_of_4(world.image()), "nobody");
  world.commit_row(kPerson, insert(badged("a", 4)));
  EXPECT_EQ(holder_of_4(world.image()), "a");
  EXPECT_EQ(holder_of_4(world.image_of({{kMain, Position{0}}})), "nobody");
}

// T5
TEST(UniqueHolder, IsNobodyOnceTheValueWasGivenUp) {
  World world;
  world.commit_row(kPerson, insert(badged("a", 4)));
  world.commit_row(kPerson, update(Position{1}, badged("a", 5)));
  EXPECT_EQ(holder_of_4(world.image()), "nobody");
  EXPECT_EQ(holder_of_4(world.image_of({{kMain, Position{1}}})), "a");

  world.commit_row(kPerson, insert(badged("b", 4)));
  EXPECT_EQ(holder_of_4(world.image()), "b");
  world.commit_row(kPerson, update(Position{3}, person_row("b")));
  EXPECT_EQ(holder_of_4(world.image()), "nobody");
  world.commit_row(kPerson, update(Position{2}, badged("a", 4)));
  EXPECT_EQ(holder_of_4(world.image()), "a");
}

// T5
TEST(UniqueHolder, IsNobodyOnceTheRowIsGone) {
  World world;
  world.commit_row(kPerson, insert(badged("a", 4)));
  world.commit_row(kPerson, remove(Position{1}, badged("a", 4)));
  EXPECT_EQ(holder_of_4(world.image()), "nobody");
  world.commit_row(kPerson, insert(badged("a", 9)));
  EXPECT_EQ(holder_of_4(world.image()), "nobody");
}

// T5
TEST(UniqueHolder, OnAForkMayGiveUpWhatTheParentKeeps) {
  World world;
  world.commit_row(kPerson, insert(badged("a", 4)));
  world.commit_row(kPerson, update(Position{1}, badged("a", 5)), kChild);
  const auto child = [&] { return world.image_of({{kChild, world.last()}, {kMain, Position{1}}}); };
  EXPECT_EQ(holder_of_4(child()), "nobody");
  EXPECT_EQ(holder_of_4(world.image()), "a");

  world.commit_row(kPerson, insert(badged("b", 4)), kChild);
  EXPECT_EQ(holder_of_4(child()), "b");
  EXPECT_EQ(holder_of_4(world.image()), "a");
}

TEST(OutDegree, CountsLiveEdgesOfTheSourceAsOfThePosition) {
  World world;
  const RowImage first{"e", "a", "b", {Value()}};
  const RowImage second{"f", "a", "c", {Value()}};
  const RowImage other{"g", "ab", "c", {Value()}};
  world.commit_row(kKnows, insert(first));
  world.commit_row(kKnows, insert(second));
  world.commit_row(kKnows, insert(other));
  world.commit_row(kKnows, update(Position{1}, first));
  world.commit_row(kKnows, remove(Position{2}, second));

  const auto degree_at = [&](std::uint64_t position, std::string_view source) {
    return *world.image_of({{kMain, Position{position}}}).out_degree(kKnows, source);
  };
  EXPECT_EQ(degree_at(0, "a"), 0U);
  EXPECT_EQ(degree_at(1, "a"), 1U);
  EXPECT_EQ(degree_at(4, "a"), 2U);
  EXPECT_EQ(degree_at(5, "a"), 1U);
  EXPECT_EQ(degree_at(5, "ab"), 1U);
  EXPECT_EQ(degree_at(5, "b"), 0U);
}

TEST(OutDegree, OnAForkAddsItsOwnEdgesAndForgetsThoseItRemoved) {
  World world;
  const RowImage first{"e", "a", "b", {Value()}};
  const RowImage second{"f", "a", "c", {Value()}};
  world.commit_row(kKnows, insert(first));
  world.commit_row(kKnows, insert(second));
  world.commit_row(kKnows, remove(Position{1}, first), kChild);
  world.commit_row(kKnows, insert({"g", "a", "d", {Value()}}), kChild);
  world.commit_row(kKnows, insert({"h", "a", "x", {Value()}}));

  const Image child = world.image_of({{kChild, Position{5}}, {kMain, Position{2}}});
  EXPECT_EQ(*child.out_degree(kKnows, "a"), 2U);
  EXPECT_EQ(*world.image().out_degree(kKnows, "a"), 3U);
}

TEST(Image, StateThatNamesWhatTheLogDoesNotHoldIsCorrupt) {
  World world;
  world.commit_row(kPerson, insert(aged("a", 1)));
  world.commit_row(kPerson, insert(aged("b", 1)));
  // The entry of "c" names the place of "b".
  const auto entry = world.state().get(state::row_key(kPerson, kMain, "b", Position{2}));
  ASSERT_TRUE(
      world.state()
          .apply({{state::row_key(kPerson, kMain, "c", Position{2}), **entry}}, {Position{3}, {}})
          .ok());
  world.lose(Position{1});
  const Image image = world.image();

  EXPECT_EQ(image.row(kPerson, "a").error().code(), ErrorCode::corrupt);
  EXPECT_EQ(image.row(kPerson, "c").error().code(), ErrorCode::corrupt);
  EXPECT_TRUE(image.row(kPerson, "b").ok());
}

}  // namespace
}  // namespace braid::table
