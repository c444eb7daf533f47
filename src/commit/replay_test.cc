// SPDX-License-Identifier: Apache-2.0
#include "commit/replay.h"

#include <gtest/gtest.h>

#include "commit/commit_fixture.h"
#include "state/registry.h"

namespace braid::commit {
namespace {

struct Replayed {
  Heads heads;
  std::vector<state::StateWrite> writes;
};

Result<Replayed> replay(const std::vector<log::Record>& records) {
  const table::MemoryFragments fragments;
  Replay replay(test_graph(), {}, fragments);
  Replayed out;
  for (const log::Record& record : records) BRAID_TRY(replay.apply(record, out.writes));
  out.heads = replay.heads();
  append_branch_effects(out.heads, out.writes);
  return out;
}

void load_some(Bench& bench) {
  ASSERT_TRUE(bench.load({aged("a", 1), aged("b", 2)}, "k1").ok());
  ASSERT_TRUE(bench.load({edge("Knows", "a", "b")}, "k2").ok());
  bench.clock.advance_ms(5);
  ASSERT_TRUE(bench.load({aged("a", 3)}, "k3").ok());
  ASSERT_TRUE(bench.load({aged("a", 3)}, "k4").ok());  // a receipt only
  ASSERT_TRUE(bench.load({person("c", {{table::kBadgeAt, std::int64_t{4}}})}, "k5").ok());
}

// C4
TEST(Replay, GivesTheEffectsThatCommittingGave) {
  Bench bench;
  load_some(bench);
  ASSERT_TRUE(bench.applier->drain().ok());
  const auto replayed = replay(bench.records());
  ASSERT_TRUE(replayed.ok()) << to_string(replayed.error());

  state::MemoryState rebuilt(test_graph());
  ASSERT_TRUE(
      rebuilt.apply(replayed->writes, {bench.log().tail().last, bench.log().tail().hash}).ok());
  EXPECT_EQ(entries_of(rebuilt), entries_of(bench.state()));
}

// C4 M1
TEST(Replay, EndsWithTheHeadsThatWerePublished) {
  Bench bench;
  load_some(bench);
  const auto replayed = replay(bench.records());
  ASSERT_TRUE(replayed.ok());

  const auto root = bench.roots.get();
  EXPECT_EQ(replayed->heads.branches, *root->branches);
  EXPECT_EQ(replayed->heads.counters, root->counters);
  EXPECT_EQ(schema::encode(*replayed->heads.catalog), schema::encode(*root->catalog));
  EXPECT_EQ(root->position, bench.log().tail().last);
}

// C3
TEST(Replay, SameRecordsGiveTheSameWhateverTheTime) {
  Bench bench;
  load_some(bench);
  const auto records = bench.records();
  const auto first = replay(records);
  bench.clock.advance_ms(1'000'000);
  const auto second = replay(records);

  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->heads.branches, second->heads.branches);
  ASSERT_EQ(first->writes.size(), second->writes.size());
  for (std::size_t i = 0; i < first->writes.size(); ++i) {
    EXPECT_EQ(first->writes[i].key, second->writes[i].key);
    EXPECT_EQ(first->writes[i].value, second->writes[i].value);
  }
}

TEST(Replay, RecordOutOfPlaceIsCorrupt) {
  Bench bench;
  load_some(bench);
  const auto good = bench.records();
  ASSERT_EQ(good.size(), 6U);

  EXPECT_EQ(code_of(replay({good[1]})), "corrupt");                    // before its graph
  EXPECT_EQ(code_of(replay({good[0], good[2]})), "corrupt");           // one is missing
  EXPECT_EQ(code_of(replay({good[0], good[1], good[1]})), "corrupt");  // one twice
  log::Record moved = good[0];
  moved.position = Position{2};
  EXPECT_EQ(code_of(replay({moved})), "corrupt");
  log::Record unknown = good[0];
  unknown.type = 77;
  EXPECT_EQ(code_of(replay({unknown})), "format_mismatch");
}

// A commit onto a branch with one commit before it, and the heads there.
struct Step {
  Heads heads;
  manifest::CommitMeta meta;
  table::ChangeSet changes;
};

Step good_step() {
  Step step;
  step.heads.counters = {Version{3}, Sequence{5}, Position{1}};
  manifest::Branch main;
  main.incarnation = BranchIncarnation{1};
  main.name = "main";
  main.head = manifest::CommitRef{{}, Position{7}};
  main.version = Version{3};
  main.content_hash = {10, 0};
  main.committed_ms = 100;
  main.last_sequence = Sequence{5};
  step.heads.branches.emplace("main", main);
  step.meta.id.ulid.bytes.fill(2);
  step.meta.branch = BranchIncarnation{1};
  step.meta.parents = {*main.head};
  step.meta.version = Version{4};
  step.meta.sequence = Sequence{6};
  step.meta.committed_ms = 100;
  step.meta.catalog = Position{1};
  step.meta.content_hash = {15, 0};
  step.changes.hash_parts = {{kPerson, PropertyId{0}, {5, 0}}};
  return step;
}

// M2
TEST(Advance, MovesTheHeadToItsChild) {
  Step step = good_step();
  ASSERT_TRUE(advance(step.heads, step.meta, Position{9}, step.changes, 2).ok());

  const manifest::Branch& main = step.heads.branches.at("main");
  EXPECT_EQ(main.head, (manifest::CommitRef{step.meta.id, Position{9}}));
  EXPECT_EQ(main.version, Version{4});
  EXPECT_EQ(main.content_hash, (base::Hash128{15, 0}));
  EXPECT_EQ(main.last_sequence, Sequence{7});
  EXPECT_EQ(step.heads.counters, (manifest::Counters{Version{4}, Sequence{7}, Position{1}}));
}

// M2
TEST(Advance, TamperedLineageIsCorruptAndMovesNothing) {
  const auto refused = [](const char* what, void (*spoil)(manifest::CommitMeta&)) {
    Step step = good_step();
    spoil(step.meta);
    EXPECT_EQ(code_of(advance(step.heads, step.meta, Position{9}, step.changes, 1)), "corrupt")
        << what;
    EXPECT_EQ(step.heads.branches, good_step().heads.branches) << what;
    EXPECT_EQ(step.heads.counters, good_step().heads.counters) << what;
  };
  using Meta = manifest::CommitMeta;
  refused("another branch", [](Meta& meta) { meta.branch = BranchIncarnation{2}; });
  refused("no parent", [](Meta& meta) { meta.parents.clear(); });
  refused("another parent", [](Meta& meta) { meta.parents[0].id.ulid.bytes[0] = 1; });
  refused("a parent elsewhere", [](Meta& meta) { meta.parents[0].position = Position{6}; });
  refused("one parent more", [](Meta& meta) { meta.parents.push_back(meta.parents[0]); });
  refused("the same version", [](Meta& meta) { meta.version = Version{3}; });
  refused("a version too far", [](Meta& meta) { meta.version = Version{5}; });
  refused("the same sequence", [](Meta& meta) { meta.sequence = Sequence{5}; });
  refused("a sequence too far", [](Meta& meta) { meta.sequence = Sequence{7}; });
  refused("an earlier time", [](Meta& meta) { meta.committed_ms = 99; });
  refused("another schema", [](Meta& meta) { meta.catalog = Position{2}; });
  refused("another content", [](Meta& meta) { meta.content_hash.low = 14; });
}

TEST(Counts, AreByTableAndKind) {
  table::ChangeSet changes;
  changes.tables = {{kPerson,
                     {{table::ChangeKind::insert, Position{0}, {}},
                      {table::ChangeKind::update, Position{1}, {}},
                      {table::ChangeKind::update, Position{1}, {}}}},
                    {table::kKnows, {{table::ChangeKind::remove, Position{1}, {}}}}};

  EXPECT_EQ(counts_of(changes),
            (std::vector<manifest::TableCounts>{{kPerson, 1, 2, 0}, {table::kKnows, 0, 0, 1}}));
  EXPECT_EQ(tables_of(changes), (std::vector<TableId>{kPerson, table::kKnows}));
}

TEST(Follow, GoesOnFromARootToTheTail) {
  Bench bench;
  const auto before = bench.roots.get();
  load_some(bench);
  const auto followed = follow(bench.log(), *before, bench.fragments);

  ASSERT_TRUE(followed.ok());
  EXPECT_EQ(followed->records, 5U);
  EXPECT_EQ(followed->root->position, bench.log().tail().last);
  EXPECT_EQ(followed->root->hash, bench.log().tail().hash);
  EXPECT_EQ(*followed->root->branches, *bench.roots.get()->branches);
  EXPECT_EQ(before->branch("main")->version, Version{0});
}

TEST(FindOutcome, AnswersAKeyThatWasUsedAndNoOther) {
  Bench bench;
  const auto first = bench.load({aged("a", 1)}, "k");
  ASSERT_TRUE(first.ok());

  const auto found = find_outcome(*bench.roots.get(), bench.log(), batch_with_key("k"));
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_TRUE((*found)->replayed);
  EXPECT_EQ((*found)->receipt, first->receipt);
  EXPECT_FALSE((*find_outcome(*bench.roots.get(), bench.log(), batch_with_key("l"))).has_value());
}

TEST(ReplayIdentity, LeavesOutWhatAnHonestRetryMayDifferIn) {
  const MutationBatch stored = batch_with_key("k");
  MutationBatch retry = stored;
  retry.context.request_id = "another";
  retry.context.trace_id = "t";
  retry.context.policy_fingerprint = "f";
  retry.created_at_ms += 1;
  retry.placement_epoch = 3;
  retry.fencing_token = "t";
  retry.expected_version = {ExpectedVersion::Kind::graph, 9};
  retry.outbox.clear();

  EXPECT_TRUE(check_replay_identity(stored, retry).ok());
}

TEST(ReplayIdentity, OtherRequestUnderTheSameKeyIsAConflict) {
  const auto code = [](void (*change)(MutationBatch&)) {
    MutationBatch retry = batch_with_key("k");
    change(retry);
    return code_of(check_replay_identity(batch_with_key("k"), retry));
  };
  EXPECT_EQ(code([](MutationBatch& b) { b.scope.name = "dev"; }), "idempotency_conflict");
  EXPECT_EQ(code([](MutationBatch& b) { b.scope.branch = BranchIncarnation{2}; }),
            "idempotency_conflict");
  EXPECT_EQ(code([](MutationBatch& b) { b.context.principal = "p"; }), "idempotency_conflict");
  EXPECT_EQ(code([](MutationBatch& b) { b.context.purpose = "p"; }), "idempotency_conflict");
  EXPECT_EQ(code([](MutationBatch& b) { b.request_digest[0] ^= 1; }), "idempotency_conflict");
  EXPECT_EQ(code([](MutationBatch& b) { b.idempotency_key = "l"; }), "idempotency_conflict");
}

}  // namespace
}  // namespace braid::commit
