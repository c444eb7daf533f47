// SPDX-License-Identifier: Apache-2.0
// Commits whose rows are in fragments: to whoever reads, the same as any other.
#include <gtest/gtest.h>

#include "commit/commit_fixture.h"
#include "state/registry.h"

namespace braid::commit {
namespace {

std::vector<table::FragmentRow> fragment_rows(const table::TableChanges& changes) {
  std::vector<table::FragmentRow> rows;
  for (const table::RowChange& change : changes.rows) {
    rows.push_back({change.row, change.previous, {}});
  }
  return rows;
}

// Prepared like any change, with its rows put into one fragment a table.
PreparedChange prepare_in_fragments(Bench& bench, const std::vector<table::RowWrite>& writes,
                                    std::string key = "",
                                    table::WriteMode mode = table::WriteMode::merge) {
  PreparedChange change = bench.prepare(writes, std::move(key), mode);
  const schema::Schema& schema = *table::test_schema();
  std::vector<table::Pin> pins;
  for (const table::TableChanges& changes : change.built.changes.tables) {
    pins.push_back(bench.fragments.put(
        fragment_rows(changes), *table::type_of(schema, changes.table),
        schema.edge_type(changes.table) != nullptr, {.batch_rows = 2, .with_previous = true}));
  }
  prepare_staged(change, std::move(pins), schema, bench.random);
  return change;
}

Result<Outcome> stage(Bench& bench, const std::vector<table::RowWrite>& writes,
                      std::string key = "") {
  return bench.commit(prepare_in_fragments(bench, writes, std::move(key)));
}

table::RowWrite badged(std::string_view email, std::int64_t badge) {
  return table::person(email, {{table::kBadgeAt, badge}});
}

TEST(StagedCommit, ShowsItsRowsAndSaysWhatItDid) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("b", 0)}).ok());
  const auto answer = stage(bench, {aged("a", 1), aged("b", 2), aged("c", 3)}, "k");

  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_EQ(bench.persons(), "a=1 b=2 c=3");
  EXPECT_EQ(answer->receipt.counts, (table::RowCounts{.nodes_inserted = 2, .nodes_updated = 1}));
  EXPECT_EQ(answer->receipt.version, Version{2});
  EXPECT_EQ(bench.records().back().type, state::number_of(state::RecordType::staged_commit));
  const CommitRecord record = bench.decoded(answer->receipt.position);
  ASSERT_EQ(record.pins.size(), 1U);
  EXPECT_EQ(record.pins[0].summary, (table::FragmentSummary{3, "a", "c"}));
  EXPECT_EQ((*bench.image().row(kPerson, "b"))->stamp, answer->receipt.position);
}

TEST(StagedCommit, HasTheContentHashOfAnInlineOne) {
  const std::vector<table::RowWrite> rows = {aged("a", 1), badged("b", 7), edge("Knows", "a", "b")};
  Bench staged;
  ASSERT_TRUE(stage(staged, rows).ok());
  Bench inline_one;
  ASSERT_TRUE(inline_one.load(rows).ok());
  EXPECT_EQ(staged.main_branch().content_hash, inline_one.main_branch().content_hash);
}

// C4
TEST(StagedCommit, IsReplayedToTheSameRootAndState) {
  Bench bench;
  ASSERT_TRUE(stage(bench, {badged("a", 1), badged("b", 2), edge("Knows", "a", "b")}, "k").ok());
  ASSERT_TRUE(bench.load({aged("a", 5)}).ok());
  ASSERT_TRUE(stage(bench, {badged("c", 3), edge("Knows", "a", "c")}).ok());
  ASSERT_TRUE(bench.applier->drain().ok());

  manifest::Root nothing;
  nothing.branches = std::make_shared<const manifest::BranchMap>();
  nothing.overlay = state::Overlay::empty();
  state::MemoryState again(test_graph());
  const auto followed = follow(bench.log(), nothing, bench.fragments);
  ASSERT_TRUE(followed.ok()) << to_string(followed.error());
  ASSERT_TRUE(
      again.apply(followed->writes, {bench.log().tail().last, bench.log().tail().hash}).ok());

  EXPECT_EQ(entries_of(again), entries_of(bench.state()));
  const auto root = bench.roots.get();
  ASSERT_EQ(followed->root->layers->all().size(), root->layers->all().size());
  for (std::size_t i = 0; i < root->layers->all().size(); ++i) {
    EXPECT_EQ(*followed->root->layers->all()[i].pin, *root->layers->all()[i].pin);
    EXPECT_EQ(followed->root->layers->all()[i].position, root->layers->all()[i].position);
  }
}

TEST(StagedCommit, IsHeldToTheConstraintsOfLaterChanges) {
  Bench bench;
  ASSERT_TRUE(stage(bench, {badged("a", 1), aged("b", 1), aged("c", 1), edge("Knows", "a", "b"),
                            edge("Knows", "a", "c")})
                  .ok());

  const auto refused = [&](const std::vector<table::RowWrite>& writes, table::WriteMode mode) {
    const table::BuildOptions build{mode, table::content_hash_salt(test_graph())};
    return table::refusal(table::build_changes(writes, build, bench.image()));
  };
  using table::WriteMode;
  EXPECT_TRUE(
      refused({badged("d", 1)}, WriteMode::merge).starts_with("constraint_violation unique"));
  EXPECT_TRUE(refused({aged("a", 9)}, WriteMode::append).starts_with("key_conflict"));
  EXPECT_TRUE(refused({aged("d", 1), edge("Knows", "a", "d")}, WriteMode::merge)
                  .starts_with("constraint_violation card"));
  EXPECT_EQ(refused({edge("Knows", "b", "c")}, WriteMode::merge), "accepted");
}

TEST(StagedCommit, GivesUpItsRowsToLaterChanges) {
  Bench bench;
  ASSERT_TRUE(stage(bench, {badged("a", 1), aged("b", 1)}).ok());
  ASSERT_TRUE(bench.load({badged("a", 2)}).ok());  // gives its badge up
  ASSERT_TRUE(bench.load({badged("b", 1)}).ok());

  EXPECT_EQ((*bench.image().row(kPerson, "a"))->row.values[table::kBadgeAt],
            Value(std::int64_t{2}));
  EXPECT_EQ((*bench.image().row(kPerson, "b"))->row.values[kAgeAt], Value(std::int32_t{1}));
}

// C2
TEST(StagedCommit, TouchesWhoReliedOnItsRows) {
  Bench bench;
  PreparedChange upsert = bench.prepare({table::person("a", {{table::kCodeAt, "x"}})});
  PreparedChange strict = bench.prepare({aged("a", 9)});
  strict.build = nullptr;
  ASSERT_TRUE(stage(bench, {aged("a", 1)}).ok());

  EXPECT_EQ(code_of(bench.commit(std::move(strict))), "read_set_changed");
  const auto answer = bench.commit(std::move(upsert));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 2U);
  EXPECT_EQ(answer->receipt.counts, (table::RowCounts{.nodes_updated = 1}));
  EXPECT_EQ(bench.persons(), "a=1");
}

TEST(StagedCommit, LeavesAloneWhoReliedOnOtherRows) {
  Bench bench;
  PreparedChange small = bench.prepare({aged("x", 1)});
  PreparedChange other = prepare_in_fragments(bench, {aged("y", 1), aged("z", 1)});
  ASSERT_TRUE(stage(bench, {aged("a", 1), aged("b", 1)}, "k").ok());

  const auto answer = bench.commit(std::move(small));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 1U);
  EXPECT_EQ(code_of(bench.commit(std::move(other))), "ok");
  EXPECT_EQ(bench.persons(), "a=1 b=1 x=1 y=1 z=1");
  EXPECT_TRUE(bench.replay().ok());
}

// C2: values that must be unique, and how many edges leave a node.
TEST(StagedCommit, TouchesWhoReliedOnItsConstraints) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("p", 1), aged("q", 1), aged("r", 1)}).ok());
  PreparedChange badge = prepare_in_fragments(bench, {badged("x", 7)});
  ASSERT_TRUE(stage(bench, {badged("y", 7)}, "badge").ok());
  EXPECT_EQ(code_of(bench.commit(std::move(badge))), "read_set_changed");

  PreparedChange knows = prepare_in_fragments(bench, {edge("Knows", "p", "q")});
  ASSERT_TRUE(stage(bench, {edge("Knows", "p", "r")}, "knows").ok());
  EXPECT_EQ(code_of(bench.commit(std::move(knows))), "read_set_changed");
}

// C2
TEST(StagedCommit, TouchesWhoFoundARowMissing) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("p", 1)}).ok());
  PreparedChange append = bench.prepare({aged("a", 5)}, "", table::WriteMode::append);
  ASSERT_TRUE(stage(bench, {aged("a", 1)}, "k").ok());

  EXPECT_EQ(code_of(bench.commit(std::move(append))), "key_conflict");
}

TEST(StagedCommit, TouchedItselfIsRefusedAndLeavesNothing) {
  Bench bench;
  PreparedChange touched = prepare_in_fragments(bench, {aged("a", 1), aged("b", 1)}, "k");
  ASSERT_TRUE(bench.load({aged("b", 2)}).ok());

  EXPECT_EQ(code_of(bench.commit(std::move(touched))), "read_set_changed");
  EXPECT_EQ(bench.persons(), "b=2");
  EXPECT_TRUE(bench.roots.get()->layers->empty());
  EXPECT_FALSE(bench.sequencer->replayed(batch_with_key("k"))->has_value());
}

TEST(StagedCommit, OthersElsewhereDoNotTouch) {
  Bench bench;
  PreparedChange staged = prepare_in_fragments(bench, {aged("a", 1), aged("b", 1)});
  ASSERT_TRUE(bench.load({aged("c", 2)}).ok());

  const auto answer = bench.commit(std::move(staged));
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_EQ(answer->attempts, 1U);
  EXPECT_EQ(bench.persons(), "a=1 b=1 c=2");
}

// So large that its footprint is looked up before it gets in line.
struct LargeStaged {
  static constexpr std::size_t kRows = 5'000;
  std::vector<table::RowWrite> rows;
  LargeStaged() {
    for (std::size_t i = 0; i < kRows; ++i) rows.push_back(aged("p" + std::to_string(i), 1));
  }
  PreparedChange prepare(Bench& bench, std::string key = "") const {
    PreparedChange change;
    change.key_is_callers = !key.empty();
    change.batch = batch_with_key(key.empty() ? "large" : std::move(key));
    change.commit_id = CommitId{env::make_ulid(bench.clock, bench.random)};
    const auto root = bench.roots.get();
    change.token = {root->position, root->branch("main")->incarnation, std::nullopt,
                    root->counters.catalog};
    change.build = [this](const table::Image& image) {
      return table::build_changes(
          rows, {table::WriteMode::merge, table::content_hash_salt(test_graph())}, image);
    };
    EXPECT_FALSE(*prepare_inline(change, bench.image(), bench.random));
    const table::TableChanges& changes = change.built.changes.tables.front();
    const schema::Schema& schema = *table::test_schema();
    prepare_staged(
        change,
        {bench.fragments.put(fragment_rows(changes), *table::type_of(schema, changes.table), false,
                             {.with_previous = true})},
        schema, bench.random);
    return change;
  }
};

TEST(LargeStagedCommit, HoldsWhereOthersWroteElsewhere) {
  const LargeStaged large;
  Bench bench;
  PreparedChange staged = large.prepare(bench);
  // Enough to share slots with many of its rows.
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_TRUE(bench.load({aged("other" + std::to_string(i), 2)}).ok());
  }
  const auto answer = bench.commit(std::move(staged));

  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_EQ(answer->attempts, 1U);
  EXPECT_EQ(answer->receipt.counts.nodes_inserted, LargeStaged::kRows);
  EXPECT_TRUE(bench.replay().ok());
}

// C2
TEST(LargeStagedCommit, IsRefusedWhereOthersWroteOneOfItsRows) {
  const LargeStaged large;
  Bench bench;
  PreparedChange staged = large.prepare(bench);
  ASSERT_TRUE(bench.load({aged("p17", 2)}).ok());
  ASSERT_TRUE(bench.load({aged("elsewhere", 2)}).ok());

  EXPECT_EQ(code_of(bench.commit(std::move(staged))), "read_set_changed");
  EXPECT_EQ(bench.persons(), "elsewhere=2 p17=2");
}

// C8: the key comes first, also where the rows are touched: by itself, say.
TEST(LargeStagedCommit, AnswersItsKeyAgain) {
  const LargeStaged large;
  Bench bench;
  PreparedChange first = large.prepare(bench, "k");
  PreparedChange second = large.prepare(bench, "k");
  const auto answer = bench.commit(std::move(first));
  const auto again = bench.commit(std::move(second));

  ASSERT_TRUE(answer.ok() && again.ok());
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->receipt, answer->receipt);
}

// C8
TEST(StagedCommit, AnswersItsKeyAgain) {
  Bench bench;
  const auto first = stage(bench, {aged("a", 1)}, "k");
  PreparedChange again = prepare_in_fragments(bench, {aged("a", 2)}, "k");
  const auto answer = bench.commit(std::move(again));

  ASSERT_TRUE(first.ok() && answer.ok());
  EXPECT_TRUE(answer->replayed);
  EXPECT_EQ(answer->receipt, first->receipt);
  EXPECT_EQ(bench.persons(), "a=1");
}

// C7
TEST(StagedCommit, WhoseAppendFailsPublishesNothing) {
  Bench bench({.seed = 1, .refused_in = 1, .delay = {}});
  EXPECT_EQ(code_of(stage(bench, {aged("a", 1)}, "k")), "no_space");
  EXPECT_EQ(bench.persons(), "");
  EXPECT_TRUE(bench.roots.get()->layers->empty());
  bench.log().heal();

  EXPECT_EQ(code_of(stage(bench, {aged("a", 1)}, "k")), "ok");
  EXPECT_EQ(bench.persons(), "a=1");
}

// C6: of unknown outcome, what recovery finds is shown with its fragments.
TEST(StagedCommit, OfUnknownOutcomeIsSettledByRecovery) {
  std::size_t landed = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .delay = {}});
    const auto answer = stage(bench, {aged("a", 1)}, "k");
    landed += answer.ok() ? 1 : 0;
    ASSERT_EQ(bench.persons(), answer.ok() ? "a=1" : "") << seed;
    ASSERT_EQ(bench.roots.get()->layers->all().size(), answer.ok() ? 1U : 0U) << seed;
  }
  EXPECT_GT(landed, 0U);
  EXPECT_LT(landed, 16U);
}

}  // namespace
}  // namespace braid::commit
