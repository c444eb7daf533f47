// SPDX-License-Identifier: Apache-2.0
// Several changes in one group, in an order that the test chooses.
#include "commit/group_decision.h"

#include <gtest/gtest.h>

#include "commit/commit_fixture.h"

namespace braid::commit {
namespace {

using Verdicts = std::vector<Result<std::optional<GroupDecision::Verdict>>>;

Verdicts decide_all(GroupDecision& decision, std::vector<PreparedChange>& changes) {
  Verdicts verdicts;
  for (PreparedChange& change : changes) verdicts.push_back(decision.decide(change));
  return verdicts;
}

/// Decides, appends and publishes the changes as one group.
Verdicts commit_group(Bench& bench, std::vector<PreparedChange>& changes) {
  RecentWrites recent(bench.roots.get()->position);
  const SequencerParts parts = bench.parts();
  GroupDecision decision(parts, bench.options(), recent, bench.roots.get(), nullptr);
  Verdicts verdicts = decide_all(decision, changes);
  if (decision.empty()) return verdicts;
  decision.seal();
  const log::AppendResult appended =
      bench.log().append(decision.first(), decision.drafts(), decision.time_ms());
  EXPECT_EQ(appended.outcome, log::AppendOutcome::kDone);
  decision.remember_in(parts.changes);
  bench.roots.publish(decision.take_root(appended.last_hash));
  bench.applier->add(decision.take_group(appended.last_hash));
  return verdicts;
}

const Outcome& outcome_of(const Verdicts& verdicts, std::size_t at) {
  EXPECT_TRUE(verdicts[at].ok()) << to_string(verdicts[at].error());
  return (*verdicts[at])->outcome;
}

// C8
TEST(Group, TwoMembersWithOneKeyAreOneCommit) {
  Bench bench;
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}, "k"));
  changes.push_back(bench.prepare({aged("a", 1)}, "k"));
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_FALSE(outcome_of(verdicts, 0).replayed);
  EXPECT_TRUE(outcome_of(verdicts, 1).replayed);
  EXPECT_EQ(outcome_of(verdicts, 1).receipt, outcome_of(verdicts, 0).receipt);
  EXPECT_TRUE((*verdicts[1])->needs_append);  // the answer holds only once the other is durable
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

// C8
TEST(Group, OneKeyForTwoRequestsIsAConflictOfTheSecond) {
  Bench bench;
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}, "k"));
  changes.push_back(bench.prepare({aged("a", 2)}, "k"));
  changes[1].batch.request_digest[0] ^= 1;
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(code_of(verdicts[0]), "ok");
  EXPECT_EQ(code_of(verdicts[1]), "idempotency_conflict");
  EXPECT_EQ(bench.persons(), "a=1");
}

TEST(Group, UpsertsOfOneRowAreLaidOverEachOther) {
  Bench bench;
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}));
  changes.push_back(bench.prepare({person("a", {{table::kCodeAt, "x"}})}));
  changes.push_back(bench.prepare({aged("b", 2)}));
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(outcome_of(verdicts, 0).attempts, 1U);
  EXPECT_EQ(outcome_of(verdicts, 1).attempts, 2U);
  EXPECT_EQ(outcome_of(verdicts, 2).attempts, 1U);
  EXPECT_EQ(outcome_of(verdicts, 1).receipt.counts, (table::RowCounts{.nodes_updated = 1}));
  EXPECT_EQ(bench.persons(), "a=1 b=2");
  const auto row = *bench.image().row(kPerson, "a");
  EXPECT_EQ(row->row.values[table::kCodeAt], Value("x"));
  EXPECT_EQ(row->stamp, Position{3});
}

TEST(Group, AppendsOfOneNewRowGiveOneRow) {
  Bench bench;
  std::vector<PreparedChange> changes;
  for (int i = 0; i < 3; ++i) {
    changes.push_back(bench.prepare({aged("a", i)}, "", table::WriteMode::append));
  }
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(code_of(verdicts[0]), "ok");
  EXPECT_EQ(code_of(verdicts[1]), "key_conflict");
  EXPECT_EQ(code_of(verdicts[2]), "key_conflict");
  EXPECT_EQ(bench.persons(), "a=0");
}

TEST(Group, UniqueValueGoesToTheFirst) {
  Bench bench;
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({person("a", {{table::kBadgeAt, std::int64_t{4}}})}));
  changes.push_back(bench.prepare({person("b", {{table::kBadgeAt, std::int64_t{4}}})}));
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(code_of(verdicts[1]), "constraint_violation");
  EXPECT_EQ(bench.persons(), "a=null");
}

// C7
TEST(Group, RefusedMemberLeavesTheOthersAlone) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("old", 0)}).ok());
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}));
  changes.push_back(bench.prepare({aged("b", 2)}));
  changes[1].if_commit = CommitId{};  // never its head
  changes.push_back(bench.prepare({aged("c", 3)}));
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(code_of(verdicts[1]), "precondition_failed");
  EXPECT_EQ(bench.persons(), "a=1 c=3 old=0");
  EXPECT_EQ(outcome_of(verdicts, 0).receipt.position, Position{3});
  EXPECT_EQ(outcome_of(verdicts, 2).receipt.position, Position{4});
  EXPECT_EQ(outcome_of(verdicts, 2).receipt.version, Version{3});
}

TEST(Group, PreconditionsSeeTheEarlierMembers) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("old", 0)}).ok());
  const CommitId head = bench.main_branch().head->id;
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}));
  changes.push_back(bench.prepare({aged("b", 2)}));
  changes[1].if_commit = head;
  changes.push_back(bench.prepare({aged("c", 3)}));
  changes[2].batch.expected_version = {ExpectedVersion::Kind::graph, 1};
  changes.push_back(bench.prepare({aged("d", 4)}));
  changes[3].batch.expected_version = {ExpectedVersion::Kind::graph, 2};
  const Verdicts verdicts = commit_group(bench, changes);

  EXPECT_EQ(code_of(verdicts[0]), "ok");
  EXPECT_EQ(code_of(verdicts[1]), "precondition_failed");
  EXPECT_EQ(code_of(verdicts[2]), "stale_version");
  EXPECT_EQ(code_of(verdicts[3]), "ok");
}

TEST(Group, ChangeThatDoesNotFitWaitsForTheNextGroup) {
  SequencerOptions options;
  options.group_bytes_max = 1;  // the first always fits
  Bench bench({}, options);
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}));
  changes.push_back(bench.prepare({aged("b", 2)}));
  Verdicts verdicts = commit_group(bench, changes);
  EXPECT_TRUE(verdicts[0]->has_value());
  ASSERT_TRUE(verdicts[1].ok());
  EXPECT_FALSE(verdicts[1]->has_value());

  changes.erase(changes.begin());
  verdicts = commit_group(bench, changes);

  EXPECT_TRUE(verdicts[0]->has_value());
  EXPECT_EQ(bench.persons(), "a=1 b=2");
  EXPECT_TRUE(bench.log().verify().ok());
}

// C6: an answer that rests on another member of the group holds only once that is durable.
TEST(Group, AnswerThatNothingChangedWaitsForWhatItRestsOn) {
  Bench bench;
  RecentWrites recent(bench.roots.get()->position);
  const SequencerParts parts = bench.parts();
  GroupDecision decision(parts, bench.options(), recent, bench.roots.get(), nullptr);
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({aged("a", 1)}));
  changes.push_back(bench.prepare({aged("a", 1)}));
  const Verdicts verdicts = decide_all(decision, changes);

  EXPECT_FALSE(outcome_of(verdicts, 1).receipt.commit.has_value());
  EXPECT_TRUE((*verdicts[1])->needs_append);
}

// Groups of a load that never pauses: each is decided on the one in flight.
TEST(Group, WhatTheStateHasAppliedLeavesTheOverlayWithoutAnyPause) {
  Bench bench;
  const SequencerParts parts = bench.parts();
  const SequencerOptions options = bench.options();
  RecentWrites recent(bench.roots.get()->position);
  std::vector<std::unique_ptr<PreparedChange>> changes;
  std::shared_ptr<GroupDecision> in_flight;
  std::size_t entries_of_first = 0;
  std::size_t entries_max = 0;
  constexpr int kGroups = 200;
  for (int i = 0; i < kGroups; ++i) {
    auto decision = std::make_shared<GroupDecision>(
        parts, options, recent, in_flight ? in_flight->pending_root() : bench.roots.get(),
        in_flight);
    changes.push_back(
        std::make_unique<PreparedChange>(bench.prepare({aged("p" + std::to_string(i), i % 100)})));
    const auto verdict = decision->decide(*changes.back());
    ASSERT_TRUE(verdict.ok()) << to_string(verdict.error());
    decision->seal();
    const auto appended =
        bench.log().append(decision->first(), decision->drafts(), decision->time_ms());
    ASSERT_EQ(appended.outcome, log::AppendOutcome::kDone);
    decision->remember_in(parts.changes);
    bench.roots.publish(decision->take_root(appended.last_hash));
    bench.applier->add(decision->take_group(appended.last_hash));
    ASSERT_TRUE(bench.applier->drain().ok());
    decision->forget_previous();
    in_flight = decision;
    const std::size_t entries = in_flight->pending_root()->overlay->entries();
    if (i == 0) entries_of_first = entries;
    entries_max = std::max(entries_max, entries);
  }

  EXPECT_GT(entries_of_first, 0U);
  // A run is dropped whole: a small multiple of what is not applied (S8).
  EXPECT_LE(entries_max, 4 * entries_of_first);
  EXPECT_TRUE(bench.roots.get()->overlay->is_empty());
}

}  // namespace
}  // namespace braid::commit
