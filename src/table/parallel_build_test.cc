// SPDX-License-Identifier: Apache-2.0
// Many rows, built by one thread or by several: the outcome is one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/real.h"
#include "table/change_builder.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

constexpr std::size_t kPeople = 9'000;

std::string name_of_person(std::size_t i) { return fmt::format("p{}", i * 7'919 % kPeople); }

/// Edges before the nodes that they join.
std::vector<RowWrite> many_rows() {
  std::vector<RowWrite> rows;
  for (std::size_t i = 0; i < kPeople; ++i) {
    rows.push_back(edge("Knows", name_of_person(i), name_of_person(i + 1)));
  }
  for (std::size_t i = 0; i < kPeople; ++i) rows.push_back(person(name_of_person(i)));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].ordinal = i;
  return rows;
}

Result<BuiltChanges> build(const World& world, const std::vector<RowWrite>& rows,
                           std::size_t threads, WriteMode mode = WriteMode::append) {
  return build_changes(rows, {mode, 7, env::Crew(env::thread_workers(), threads)}, world.image());
}

std::string refused_row(const Result<BuiltChanges>& built) {
  return built ? "none" : detail(built.error(), "row");
}

// T6
TEST(ParallelBuild, WhoeverBuildsTheChangesAreTheSame) {
  World world;
  world.load({person("p5", {{kAgeAt, 3}}), person("p6")});
  const std::vector<RowWrite> rows = many_rows();
  const auto alone = build(world, rows, 1, WriteMode::merge);
  const auto together = build(world, rows, 3, WriteMode::merge);

  ASSERT_TRUE(alone.ok() && together.ok());
  EXPECT_EQ(alone->changes, together->changes);
  EXPECT_EQ(alone->counts, together->counts);
  EXPECT_EQ(alone->footprint.keys, together->footprint.keys);
  // Two people were there and stay as they are.
  EXPECT_EQ(together->counts,
            (RowCounts{.nodes_inserted = kPeople - 2, .edges_inserted = kPeople}));
  EXPECT_EQ(together->changes.row_count(), 2 * kPeople - 2);
  const std::vector<RowChange>& people = together->changes.tables.front().rows;
  EXPECT_TRUE(std::is_sorted(people.begin(), people.end(),
                             [](const auto& a, const auto& b) { return a.row.id < b.row.id; }));
}

TEST(ParallelBuild, FirstErrorIsTheFirstNodesOfAllAndThenTheFirstEdges) {
  World world;
  for (const std::size_t threads : {1U, 3U}) {
    std::vector<RowWrite> rows = many_rows();
    EXPECT_EQ(refused_row(build(world, rows, threads)), "none");
    // An edge twice, the second in a later part than the first.
    rows[8'000].src = rows[10].src;
    rows[8'000].dst = rows[10].dst;
    EXPECT_EQ(refused_row(build(world, rows, threads)), "8000");
    // An edge before it that has a property of the wrong type.
    rows[7'000].assigned = {{0, Value("no date")}};
    EXPECT_EQ(refused_row(build(world, rows, threads)), "7000");
    // Nodes count first: one that is out of range, one before it that is there twice.
    rows[17'000].assigned.emplace_back(kAgeAt, Value(std::int32_t{-1}));
    EXPECT_EQ(refused_row(build(world, rows, threads)), "17000");
    rows[16'500].assigned = rows[9'001].assigned;
    EXPECT_EQ(refused_row(build(world, rows, threads)), "16500");
  }
}

// T7
TEST(ParallelBuild, MissingEndIsFoundOfTheFirstEdgeById) {
  World world;
  std::vector<RowWrite> rows = many_rows();
  rows[8'500].dst = "nobody";
  rows[20].src = "nobody";
  const auto alone = build(world, rows, 1);
  const auto together = build(world, rows, 3);

  EXPECT_EQ(refusal(together), "constraint_violation endpoint from");
  EXPECT_EQ(refused_row(together), "20");  // ["nobody",… is before ["p…
  EXPECT_EQ(to_string(alone.error()), to_string(together.error()));
}

}  // namespace
}  // namespace braid::table
