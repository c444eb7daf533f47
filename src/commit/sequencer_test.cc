// SPDX-License-Identifier: Apache-2.0
#include "commit/sequencer.h"

#include <gtest/gtest.h>

#include "commit/commit_fixture.h"

namespace braid::commit {
namespace {

// ---- keys --------------------------------------------------------------------------------------

// C8
TEST(Key, UsedAgainGivesTheStoredAnswer) {
  Bench bench;
  const auto first = bench.load({aged("a", 1)}, "k");
  ASSERT_TRUE(first.ok());
  const auto before = bench.sequencer->replayed(batch_with_key("k"));
  const auto again = bench.load({aged("a", 2)}, "k");

  ASSERT_TRUE(before.ok() && before->has_value());
  EXPECT_EQ((*before)->receipt, first->receipt);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(bench.persons(), "a=1");
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->receipt, first->receipt);
}

// C8
TEST(Key, UsedWhileTheOtherWasPreparedIsFoundInTheCommitter) {
  Bench bench;
  PreparedChange second = bench.prepare({aged("a", 1)}, "k");
  const auto first = bench.load({aged("a", 1)}, "k");
  const auto answer = bench.commit(std::move(second));

  ASSERT_TRUE(first.ok() && answer.ok());
  EXPECT_TRUE(answer->replayed);
  EXPECT_EQ(answer->receipt, first->receipt);
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

// C8
TEST(Key, OfAnotherRequestIsAConflictBeforeAndInsideTheCommitter) {
  Bench bench;
  PreparedChange other = bench.prepare({aged("a", 2)}, "k");
  other.batch.request_digest[0] ^= 1;
  const MutationBatch batch = other.batch;
  ASSERT_TRUE(bench.load({aged("a", 1)}, "k").ok());

  EXPECT_EQ(code_of(bench.sequencer->replayed(batch)), "idempotency_conflict");
  EXPECT_EQ(code_of(bench.commit(std::move(other))), "idempotency_conflict");
  EXPECT_EQ(bench.persons(), "a=1");
}

TEST(Key, OfAChangeWithoutEffectLeavesAReceiptAndNoVersion) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  const auto nothing = bench.load({aged("a", 1)}, "k");

  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->receipt.commit.has_value());
  EXPECT_EQ(nothing->receipt.version, Version{1});
  EXPECT_EQ(nothing->receipt.position, Position{3});
  EXPECT_EQ(nothing->receipt.sequence, Sequence{0});
  EXPECT_EQ(bench.records().back().type, 3);
  EXPECT_EQ(bench.main_branch().version, Version{1});
  const auto again = bench.load({aged("a", 9)}, "k");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->receipt, nothing->receipt);
}

TEST(Key, ThatNobodyChoseLeavesNothingWithoutEffect) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  const auto nothing = bench.load({aged("a", 1)});

  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->receipt.commit.has_value());
  EXPECT_EQ(nothing->receipt.version, Version{1});
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

TEST(Key, OfARefusedChangeIsNotUsedUp) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  PreparedChange refused = bench.prepare({aged("b", 1)}, "k");
  refused.if_commit = CommitId{};
  EXPECT_EQ(code_of(bench.commit(std::move(refused))), "precondition_failed");

  const auto again = bench.load({aged("b", 1)}, "k");
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->replayed);
}

// ---- preconditions -----------------------------------------------------------------------------

TEST(Precondition, IfCommitHoldsOnlyAtThatHead) {
  Bench bench;
  PreparedChange on_empty = bench.prepare({aged("a", 1)});
  on_empty.if_commit = CommitId{};
  EXPECT_EQ(code_of(bench.commit(std::move(on_empty))), "precondition_failed");

  const auto first = bench.load({aged("a", 1)});
  PreparedChange late = bench.prepare({aged("c", 1)});
  late.if_commit = first->receipt.commit;
  PreparedChange in_time = bench.prepare({aged("b", 1)});
  in_time.if_commit = first->receipt.commit;
  EXPECT_EQ(code_of(bench.commit(std::move(in_time))), "ok");
  EXPECT_EQ(code_of(bench.commit(std::move(late))), "precondition_failed");
  EXPECT_EQ(bench.persons(), "a=1 b=1");
}

TEST(Precondition, IfCommitIsAskedAlsoOfAChangeWithoutEffect) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  PreparedChange nothing = bench.prepare({aged("a", 1)}, "k");
  nothing.if_commit = CommitId{};

  EXPECT_EQ(code_of(bench.commit(std::move(nothing))), "precondition_failed");
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

TEST(Precondition, ExpectedVersionIsThatOfTheBranch) {
  Bench bench;
  PreparedChange zero = bench.prepare({aged("a", 1)});
  zero.batch.expected_version = {ExpectedVersion::Kind::graph, 0};
  PreparedChange late = zero;
  late.batch = batch_with_key("late");
  late.batch.expected_version = {ExpectedVersion::Kind::graph, 0};
  EXPECT_EQ(code_of(bench.commit(std::move(zero))), "ok");
  EXPECT_EQ(code_of(bench.commit(std::move(late))), "stale_version");

  PreparedChange one = bench.prepare({aged("b", 1)});
  one.batch.expected_version = {ExpectedVersion::Kind::graph, 1};
  EXPECT_EQ(code_of(bench.commit(std::move(one))), "ok");
}

TEST(Precondition, BranchMustBeThereAndBeTheSameOne) {
  Bench bench;
  PreparedChange gone = bench.prepare({aged("a", 1)});
  gone.batch.scope.name = "gone";
  PreparedChange recreated = bench.prepare({aged("a", 1)});
  recreated.token.branch = BranchIncarnation{2};

  EXPECT_EQ(code_of(bench.commit(std::move(gone))), "not_found");
  EXPECT_EQ(code_of(bench.commit(std::move(recreated))), "not_found");
  EXPECT_EQ(bench.log().tail().last, Position{1});
}

// ---- footprints --------------------------------------------------------------------------------

TEST(Footprint, TouchedUpsertIsPreparedAgainInsideTheCommitter) {
  Bench bench;
  PreparedChange second = bench.prepare({person("a", {{table::kCodeAt, "x"}})});
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  const auto answer = bench.commit(std::move(second));

  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 2U);
  EXPECT_EQ(answer->receipt.counts, (table::RowCounts{.nodes_updated = 1}));
  const auto row = *bench.image().row(kPerson, "a");
  EXPECT_EQ(row->row.values[kAgeAt], Value(std::int32_t{1}));
  EXPECT_EQ(row->row.values[table::kCodeAt], Value("x"));
}

TEST(Footprint, OthersElsewhereCostNoSecondAttempt) {
  Bench bench;
  PreparedChange second = bench.prepare({aged("b", 2)});
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  const auto answer = bench.commit(std::move(second));

  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 1U);
  EXPECT_EQ(bench.persons(), "a=1 b=2");
}

TEST(Footprint, SecondAttemptMayFindNothingLeftToDo) {
  Bench bench;
  PreparedChange second = bench.prepare({aged("a", 1)});
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  const auto answer = bench.commit(std::move(second));

  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->attempts, 2U);
  EXPECT_FALSE(answer->receipt.commit.has_value());
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

TEST(Footprint, TouchedChangeThatCannotBePreparedAgainIsRefused) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  PreparedChange strict = bench.prepare({aged("a", 2)});
  strict.build = nullptr;
  PreparedChange elsewhere = bench.prepare({aged("b", 2)});
  elsewhere.build = nullptr;
  ASSERT_TRUE(bench.load({aged("a", 3)}).ok());

  EXPECT_EQ(code_of(bench.commit(std::move(strict))), "read_set_changed");
  EXPECT_EQ(code_of(bench.commit(std::move(elsewhere))), "ok");
  EXPECT_EQ(bench.persons(), "a=3 b=2");
}

TEST(Footprint, LimitedEdgesOfOneSourceAreCountedAgain) {
  Bench bench;
  ASSERT_TRUE(bench.load({person("a"), person("b"), person("c"), person("d")}).ok());
  PreparedChange third = bench.prepare({edge("Knows", "a", "d")});
  ASSERT_TRUE(bench.load({edge("Knows", "a", "b"), edge("Knows", "a", "c")}).ok());

  EXPECT_EQ(code_of(bench.commit(std::move(third))), "constraint_violation");
}

// ---- counters, chain, outbox -------------------------------------------------------------------

// C6
TEST(Commit, IsDurableAndVisibleWhenItIsAnswered) {
  Bench bench;
  const auto answer = bench.load({aged("a", 1)});

  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(bench.log().tail().last, answer->receipt.position);
  EXPECT_EQ(bench.roots.get()->position, answer->receipt.position);
  EXPECT_EQ(bench.roots.get()->hash, bench.log().tail().hash);
  EXPECT_EQ(bench.persons(), "a=1");
}

// M1
TEST(Commit, HeadIsTheLastDurableCommit) {
  Bench bench;
  EXPECT_FALSE(bench.main_branch().head.has_value());
  const auto first = bench.load({aged("a", 1)});
  const auto second = bench.load({aged("b", 1)});
  ASSERT_TRUE(bench.load({aged("b", 1)}, "receipt only").ok());

  const auto head = bench.main_branch().head;
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->id, second->receipt.commit);
  EXPECT_EQ(bench.decoded(head->position).meta->id, head->id);
  EXPECT_EQ(bench.decoded(head->position).meta->parents,
            (std::vector<manifest::CommitRef>{{*first->receipt.commit, Position{2}}}));
}

TEST(Commit, VersionsAreDenseWhateverLiesBetween) {
  Bench bench;
  std::vector<std::uint64_t> versions;
  std::vector<std::uint64_t> positions;
  for (std::int32_t i = 0; i < 4; ++i) {
    const auto commit = bench.load({aged("a", i)});
    versions.push_back(commit->receipt.version.value);
    positions.push_back(commit->receipt.position.value);
    ASSERT_TRUE(bench.load({aged("a", i)}, "k" + std::to_string(i)).ok());  // a receipt
  }
  EXPECT_EQ(versions, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(positions, (std::vector<std::uint64_t>{2, 4, 6, 8}));
}

TEST(Commit, EventsAreDenseAndNameTheirBranchsPreviousOne) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  PreparedChange two_events = bench.prepare({aged("a", 2)});
  two_events.batch.outbox.emplace_back("second");
  ASSERT_TRUE(bench.commit(std::move(two_events)).ok());
  ASSERT_TRUE(bench.load({aged("a", 2)}, "receipt").ok());
  ASSERT_TRUE(bench.load({aged("a", 3)}).ok());

  std::vector<std::pair<std::uint64_t, std::uint64_t>> links;
  for (const std::uint64_t position : {2U, 3U, 5U}) {
    for (const OutboxEvent& event : bench.decoded(Position{position}).outbox) {
      links.emplace_back(event.sequence.value, event.previous.value);
    }
  }
  EXPECT_EQ(links,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 0}, {2, 1}, {3, 2}, {4, 3}}));
  EXPECT_EQ(bench.main_branch().last_sequence, Sequence{4});
}

TEST(Commit, RecordsAreChainedByHash) {
  Bench bench;
  for (std::int32_t i = 0; i < 3; ++i) ASSERT_TRUE(bench.load({aged("a", i)}).ok());
  base::Digest previous = log::genesis_hash(test_graph());
  for (const log::Record& record : bench.records()) {
    EXPECT_EQ(record.previous_hash, previous);
    previous = record.hash;
  }
  EXPECT_EQ(bench.roots.get()->hash, previous);
  EXPECT_TRUE(bench.log().verify().ok());
}

TEST(Commit, TimeNeverGoesBack) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  bench.clock.set_ms(1'600'000'000'000);
  ASSERT_TRUE(bench.load({aged("a", 2)}).ok());

  EXPECT_EQ(bench.decoded(Position{3}).meta->committed_ms, 1'700'000'000'000);
}

// ---- failures ----------------------------------------------------------------------------------

// C7
TEST(RefusedAppend, PublishesNothingAndTheNextOneWorks) {
  Bench bench({.seed = 1, .refused_in = 1, .delay = {}});
  EXPECT_EQ(code_of(bench.load({aged("a", 1)}, "k")), "no_space");
  EXPECT_EQ(bench.roots.get()->position, Position{1});
  EXPECT_EQ(bench.persons(), "");

  bench.log().heal();
  const auto again = bench.load({aged("a", 1)}, "k");

  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->replayed);
  EXPECT_EQ(again->receipt.version, Version{1});
  EXPECT_EQ(again->receipt.sequence, Sequence{1});
}

// C7
TEST(LostAppend, IsFencedAndPublishesNothing) {
  Bench bench({.seed = 1, .lost_in = 1, .delay = {}});

  EXPECT_EQ(code_of(bench.load({aged("a", 1)})), "fenced");
  EXPECT_EQ(bench.persons(), "");
}

// C6 C7
TEST(UnknownOutcome, IsSettledByRecoveryEitherWay) {
  std::size_t landed = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .delay = {}});
    const auto answer = bench.load({aged("a", 1)}, "k");
    bench.log().heal();
    (answer.ok() ? landed : lost) += 1;
    // Answered with success exactly if the record is there.
    ASSERT_EQ(answer.ok(), bench.log().tail().last == Position{2}) << seed;
    ASSERT_EQ(bench.persons(), answer.ok() ? "a=1" : "") << seed;

    const auto again = bench.load({aged("a", 1)}, "k");
    ASSERT_TRUE(again.ok()) << seed;
    EXPECT_EQ(again->replayed, answer.ok());
    if (answer.ok()) {
      EXPECT_EQ(again->receipt, answer->receipt);
    }
    EXPECT_EQ(bench.persons(), "a=1");
    EXPECT_EQ(bench.main_branch().version, Version{1});
  }
  EXPECT_GT(landed, 0U);
  EXPECT_GT(lost, 0U);
}

// Not found by recovery, it is known: nothing happened.
TEST(UnknownOutcome, ThatRecoverySettledIsNotCalledUnknown) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .delay = {}});
    EXPECT_NE(code_of(bench.load({aged("a", 1)}, "k")), "outcome_unknown");
  }
}

// C8
TEST(UnknownOutcome, ThatRecoveryCannotSettleIsSaidAndTheSameKeyAnswersLater) {
  std::size_t landed = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .recover_fails_in = 1, .delay = {}});
    PreparedChange change = bench.prepare({aged("a", 1)}, "k");
    const std::string batch_id = base::hex_of(change.batch.batch_id);
    const auto answer = bench.commit(std::move(change));
    ASSERT_EQ(code_of(answer), "outcome_unknown");
    ASSERT_NE(answer.error().detail("batch_id"), nullptr);
    EXPECT_EQ(*answer.error().detail("batch_id"), batch_id);
    EXPECT_EQ(bench.persons(), "");  // nothing is shown that may not be there
    EXPECT_NE(code_of(bench.load({aged("b", 1)})), "ok");

    bench.log().heal();
    const auto again = bench.load({aged("a", 1)}, "k");

    ASSERT_TRUE(again.ok()) << to_string(again.error());
    (again->replayed ? landed : lost) += 1;
    EXPECT_EQ(bench.persons(), "a=1");
    EXPECT_EQ(bench.main_branch().version, Version{1});
    EXPECT_EQ(bench.log().tail().last, Position{2});
    EXPECT_TRUE(bench.log().verify().ok());
  }
  EXPECT_GT(landed, 0U);
  EXPECT_GT(lost, 0U);
}

// C2: what was refused together with a failed recovery has touched nothing.
TEST(UnknownOutcome, ThatCouldNotBeSettledLeavesNoConflictsBehind) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .recover_fails_in = 1, .delay = {}});
    ASSERT_EQ(code_of(bench.load({aged("a", 1)})), "outcome_unknown");
    ASSERT_EQ(code_of(bench.load({aged("b", 1)})), "unavailable");
    bench.log().heal();
    PreparedChange strict = bench.prepare({aged("b", 2)});
    strict.build = nullptr;

    // Prepared before recovery, it may have to be checked against what that found; no more.
    const std::string code = code_of(bench.commit(std::move(strict)));
    const bool landed = bench.persons().find("a=1") != std::string::npos;
    EXPECT_EQ(code, landed ? "read_set_changed" : "ok") << seed;
  }
}

TEST(UnknownOutcome, WhatWasPreparedBeforeIsCheckedAgainAfterRecovery) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .delay = {}});
    PreparedChange before = bench.prepare({person("a", {{table::kCodeAt, "x"}})});
    const auto answer = bench.load({aged("a", 1)});
    bench.log().heal();
    ASSERT_TRUE(bench.commit(std::move(before)).ok());

    EXPECT_EQ(bench.persons(), answer.ok() ? "a=1" : "a=null");
    EXPECT_EQ((*bench.image().row(kPerson, "a"))->row.values[table::kCodeAt], Value("x"));
  }
}

// C7
TEST(Failpoint, BeforeTheAppendNothingHappened) {
  Bench bench;
  bench.failpoints.arm(env::Failpoint::commit_before_append,
                       [] { return Status(Error(ErrorCode::io_error, "stop")); });
  EXPECT_EQ(code_of(bench.load({aged("a", 1)}, "k")), "io_error");
  bench.failpoints.disarm(env::Failpoint::commit_before_append);
  EXPECT_EQ(bench.log().tail().last, Position{1});
  EXPECT_EQ(bench.persons(), "");

  const auto again = bench.load({aged("a", 1)}, "k");
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->replayed);
}

// C9
TEST(Failpoint, AfterTheAppendTheAnswerIsSuccess) {
  for (const env::Failpoint point :
       {env::Failpoint::commit_after_append, env::Failpoint::commit_after_publish}) {
    Bench bench;
    bench.failpoints.arm(point, [] { return Status(Error(ErrorCode::io_error, "stop")); });
    const auto answer = bench.load({aged("a", 1)}, "k");
    bench.failpoints.disarm(point);

    ASSERT_TRUE(answer.ok()) << name_of(point);
    EXPECT_EQ(bench.persons(), "a=1");
    EXPECT_TRUE(bench.load({aged("a", 1)}, "k")->replayed);
    ASSERT_TRUE(bench.load({aged("b", 2)}).ok());
    ASSERT_TRUE(bench.applier->drain().ok());
    EXPECT_EQ(bench.persons(), "a=1 b=2");
    EXPECT_EQ(bench.main_branch().version, Version{2});
  }
}

// C6
TEST(Failpoint, NobodySeesWhatIsNotPublished) {
  Bench bench;
  std::string seen = "not asked";
  bench.failpoints.arm(env::Failpoint::commit_after_append, [&]() -> Status {
    seen = bench.persons();
    return Unit{};
  });
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());

  EXPECT_EQ(seen, "");
}

// ---- bounds ------------------------------------------------------------------------------------

TEST(Busy, StateThatLagsTooFarRefusesUntilItHasCaughtUp) {
  SequencerOptions options;
  options.state_lag_records_max = 2;
  Bench bench({}, options);
  for (std::int32_t i = 0; i < 3; ++i) ASSERT_TRUE(bench.load({aged("a", i)}).ok());
  EXPECT_EQ(code_of(bench.load({aged("a", 3)})), "busy");

  ASSERT_TRUE(bench.applier->drain().ok());
  EXPECT_EQ(code_of(bench.load({aged("a", 3)})), "ok");
}

TEST(Close, RefusesWhatComesLater) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("a", 1)}).ok());
  PreparedChange late = bench.prepare({aged("b", 1)});
  bench.sequencer->close();

  EXPECT_EQ(code_of(bench.commit(std::move(late))), "unavailable");
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

TEST(InlineBudget, MoreRowsThanARecordCarriesAreNotInline) {
  Bench bench;
  std::vector<table::RowWrite> writes;
  for (std::uint64_t i = 0; i <= kInlineRowsMax; ++i) {
    writes.push_back(person("p" + std::to_string(i)));
  }
  PreparedChange change;
  change.build = [&](const table::Image& image) {
    return table::build_changes(writes, {table::WriteMode::append, 0}, image);
  };
  EXPECT_FALSE(*prepare_inline(change, bench.image(), bench.random));
  EXPECT_EQ(change.built.changes.row_count(), kInlineRowsMax + 1);
  writes.pop_back();
  EXPECT_TRUE(*prepare_inline(change, bench.image(), bench.random));
}

TEST(InlineBudget, MoreBytesThanARecordCarriesAreNotInline) {
  Bench bench;
  PreparedChange change;
  const std::vector<table::RowWrite> writes = {
      node("Doc", {{0, std::string(kInlineBytesMax, 'x')}})};
  change.build = [&](const table::Image& image) {
    return table::build_changes(writes, {table::WriteMode::append, 0}, image);
  };
  EXPECT_FALSE(*prepare_inline(change, bench.image(), bench.random));
  EXPECT_TRUE(change.encoded.bytes.empty());
}

}  // namespace
}  // namespace braid::commit
