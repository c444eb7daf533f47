// SPDX-License-Identifier: Apache-2.0
#include "manifest/root.h"

#include <gtest/gtest.h>

#include "state/keys.h"
#include "state/memory_state.h"

namespace braid::manifest {
namespace {

Branch branch_named(std::string name, std::uint64_t incarnation, std::optional<Fork> fork = {}) {
  Branch branch;
  branch.name = std::move(name);
  branch.incarnation = BranchIncarnation{incarnation};
  branch.fork = fork;
  return branch;
}

std::shared_ptr<Root> root_at(std::uint64_t position, const std::vector<Branch>& branches = {}) {
  auto root = std::make_shared<Root>();
  root->position = Position{position};
  BranchMap map;
  for (const Branch& branch : branches) map.emplace(branch.name, branch);
  root->branches = std::make_shared<const BranchMap>(std::move(map));
  root->overlay = state::Overlay::empty();
  root->state = std::make_shared<state::MemoryState>(GraphId{});
  return root;
}

// "2@20 1@9": each step and how far it counts.
std::string lineage_of(const Root& root, std::string_view branch) {
  std::string out;
  for (const table::LineageStep& step : root.lineage(*root.branch(branch))) {
    if (!out.empty()) out += ' ';
    out += std::to_string(step.branch.value) + "@" + std::to_string(step.up_to.value);
  }
  return out;
}

state::StateWrite write_at(std::uint64_t position) {
  return {state::row_key(TableId{1}, BranchIncarnation{1}, "a", Position{position}), "v"};
}

TEST(Root, BranchIsFoundByNameAndByIncarnation) {
  const auto root = root_at(1, {branch_named("main", 1), branch_named("dev", 2)});

  EXPECT_EQ(root->branch("dev")->incarnation, BranchIncarnation{2});
  EXPECT_EQ(root->branch(BranchIncarnation{1})->name, "main");
  EXPECT_EQ(root->branch("gone"), nullptr);
  EXPECT_EQ(root->branch(BranchIncarnation{3}), nullptr);
}

TEST(Root, LineageEndsEachForkWhereItBegan) {
  const auto root = root_at(
      20, {branch_named("main", 1), branch_named("dev", 2, Fork{BranchIncarnation{1}, Position{9}}),
           branch_named("fix", 3, Fork{BranchIncarnation{2}, Position{12}}),
           branch_named("old", 4, Fork{BranchIncarnation{2}, Position{9}})});

  EXPECT_EQ(lineage_of(*root, "main"), "1@20");
  EXPECT_EQ(lineage_of(*root, "dev"), "2@20 1@9");
  EXPECT_EQ(lineage_of(*root, "fix"), "3@20 2@12 1@9");
  EXPECT_EQ(lineage_of(*root, "old"), "4@20 2@9 1@9");
}

TEST(Root, LineageNeverReachesBeyondANearerFork) {
  // "fix" was forked off "dev" before anything of "dev"; what main did later is not its own.
  const auto root = root_at(20, {branch_named("main", 1),
                                 branch_named("dev", 2, Fork{BranchIncarnation{1}, Position{12}}),
                                 branch_named("fix", 3, Fork{BranchIncarnation{2}, Position{9}})});

  EXPECT_EQ(lineage_of(*root, "fix"), "3@20 2@9 1@9");
}

// M3 M4
TEST(RootHolder, ReaderKeepsTheRootItTook) {
  RootHolder holder;
  holder.publish(root_at(1, {branch_named("main", 1)}));
  const auto taken = holder.get();

  holder.publish(root_at(2, {branch_named("main", 1), branch_named("dev", 2)}));

  EXPECT_EQ(taken->position, Position{1});
  EXPECT_EQ(taken->branch("dev"), nullptr);
  EXPECT_EQ(holder.get()->position, Position{2});
  EXPECT_NE(holder.get()->branch("dev"), nullptr);
}

// M4
TEST(RootHolderDeathTest, OlderRootIsNeverPublished) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  RootHolder holder;
  holder.publish(root_at(2));

  EXPECT_DEATH(holder.publish(root_at(1)), "");
}

TEST(RootHolder, WhatWasAppliedLeavesTheOverlay) {
  RootHolder holder;
  auto root = root_at(2);
  root->overlay = state::Overlay::empty()->with({Position{1}, Position{2}}, {write_at(2)});
  holder.publish(root);
  const auto taken = holder.get();

  holder.applied(Position{1});
  EXPECT_FALSE(holder.get()->overlay->is_empty());
  holder.applied(Position{2});

  EXPECT_TRUE(holder.get()->overlay->is_empty());
  EXPECT_EQ(holder.get()->position, Position{2});
  EXPECT_FALSE(taken->overlay->is_empty());
}

TEST(RootHolder, WhatWasAppliedMeanwhileIsNotPublishedAgain) {
  RootHolder holder;
  auto first = root_at(2);
  // Four entries, so that the next one does not join their run (S8).
  first->overlay = state::Overlay::empty()->with({Position{1}, Position{2}},
                                                 {{"a", "v"}, {"b", "v"}, {"c", "v"}, {"d", "v"}});
  holder.publish(first);
  // Made from the root before it was applied.
  auto next = root_at(3);
  next->overlay = holder.get()->overlay->with({Position{3}, Position{3}}, {{"e", "v"}});
  holder.applied(Position{2});

  holder.publish(next);

  EXPECT_EQ(holder.get()->overlay->entries(), 1U);
  EXPECT_TRUE(holder.get()->overlay->get("e").has_value());
}

}  // namespace
}  // namespace braid::manifest
