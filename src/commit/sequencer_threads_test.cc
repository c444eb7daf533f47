// SPDX-License-Identifier: Apache-2.0
// Many clients at once: also run under ThreadSanitizer.
#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "commit/commit_fixture.h"
#include "env/event.h"
#include "env/mutex.h"

namespace braid::commit {
namespace {

void run_in_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

/// As a slow disk does.
void pass_time(std::int64_t duration_ns) {
  env::Mutex mutex;
  env::CondVar never;
  const env::Lock lock(mutex);
  never.wait_for(mutex, duration_ns);
}

/// What must hold of any history: dense counters, one chain, links between events.
void check_history(Bench& bench) {
  std::uint64_t version = 0;
  std::uint64_t sequence = 0;
  std::set<std::string> keys;
  for (const log::Record& record : bench.records()) {
    if (record.position == Position{1}) continue;
    const CommitRecord commit = bench.decoded(record.position);
    EXPECT_TRUE(keys.insert(commit.batch.idempotency_key).second);
    if (!commit.meta) continue;
    EXPECT_EQ(commit.meta->version.value, ++version);
    for (const OutboxEvent& event : commit.outbox) {
      EXPECT_EQ(event.previous.value, sequence);
      EXPECT_EQ(event.sequence.value, ++sequence);
    }
  }
  EXPECT_TRUE(bench.log().verify().ok());
  EXPECT_EQ(bench.main_branch().version.value, version);
  EXPECT_EQ(bench.main_branch().last_sequence.value, sequence);
  const auto replayed = bench.replay();
  EXPECT_TRUE(replayed.ok()) << to_string(replayed.error());
}

TEST(ManyClients, WritingOneNewRowInsertItOnce) {
  constexpr std::size_t kClients = 16;
  Bench bench;
  std::atomic<std::uint64_t> inserted{0};
  std::atomic<std::uint64_t> updated{0};
  run_in_threads(kClients, [&](std::size_t i) {
    const auto answer = bench.load({aged("a", static_cast<std::int32_t>(i))});
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    EXPECT_LE(answer->attempts, 2U);
    inserted += answer->receipt.counts.nodes_inserted;
    updated += answer->receipt.counts.nodes_updated;
  });

  EXPECT_EQ(inserted, 1U);
  EXPECT_EQ(updated, kClients - 1);
  EXPECT_EQ(bench.main_branch().version, Version{kClients});
  check_history(bench);
}

// C6: what does not fit goes to the next leader, and nobody is told what that one has not appended.
TEST(ManyClients, WhoseGroupsOverflowAreAnsweredOnlyWhenDurable) {
  constexpr std::size_t kClients = 32;
  constexpr std::size_t kCommitsEach = 20;
  SequencerOptions options;
  options.group_bytes_max = 6'000;  // a handful of changes
  Bench bench({.seed = 1, .delay = [] { pass_time(500'000); }}, options);
  std::atomic<std::size_t> early{0};
  run_in_threads(kClients, [&](std::size_t i) {
    for (std::size_t k = 0; k < kCommitsEach; ++k) {
      const auto answer = bench.load({aged(std::to_string(i) + "-" + std::to_string(k), 1)});
      ASSERT_TRUE(answer.ok()) << to_string(answer.error());
      early += answer->receipt.position > bench.log().tail().last ? 1 : 0;
      early += answer->receipt.position > bench.roots.get()->position ? 1 : 0;
    }
  });

  EXPECT_EQ(early, 0U);
  EXPECT_EQ(bench.main_branch().version, Version{kClients * kCommitsEach});
  check_history(bench);
}

// C8
TEST(ManyClients, WithOneKeyCommitOnce) {
  constexpr std::size_t kClients = 16;
  Bench bench;
  std::atomic<std::size_t> replayed{0};
  run_in_threads(kClients, [&](std::size_t) {
    const auto answer = bench.load({aged("a", 1)}, "k");
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    EXPECT_EQ(answer->receipt.position, Position{2});
    replayed += answer->replayed ? 1 : 0;
  });

  EXPECT_EQ(replayed, kClients - 1);
  EXPECT_EQ(bench.log().tail().last, Position{2});
}

TEST(ManyClients, AppendingOneNewRowGiveOneRow) {
  constexpr std::size_t kClients = 16;
  Bench bench;
  std::vector<PreparedChange> changes;
  for (std::size_t i = 0; i < kClients; ++i) {
    changes.push_back(bench.prepare({aged("a", 1)}, "", table::WriteMode::append));
  }
  std::atomic<std::size_t> done{0};
  run_in_threads(kClients, [&](std::size_t i) {
    const auto answer = bench.commit(std::move(changes[i]));
    if (answer.ok()) {
      ++done;
    } else {
      EXPECT_EQ(code_of(answer), "key_conflict");
    }
  });

  EXPECT_EQ(done, 1U);
  EXPECT_EQ(bench.persons(), "a=1");
}

// C6 M3
TEST(ManyClients, UpsertingTheSameRowsNeverFailAndSeeTheirOwnWrites) {
  constexpr std::size_t kClients = 50;
  constexpr std::size_t kRows = 20;
  Bench bench;
  run_in_threads(kClients, [&](std::size_t i) {
    std::vector<table::RowWrite> writes;
    for (std::size_t row = 0; row < kRows; ++row) {
      writes.push_back(aged("r" + std::to_string(row), static_cast<std::int32_t>(i)));
    }
    const auto answer = bench.load(writes);
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    EXPECT_LE(answer->attempts, 2U);
    EXPECT_GE(bench.roots.get()->position, answer->receipt.position);
    // All rows are of one commit, whichever it is.
    std::set<std::uint64_t> stamps;
    ASSERT_TRUE(bench.image()
                    .scan(kPerson,
                          [&](const table::StoredRow& row) -> Status {
                            stamps.insert(row.stamp.value);
                            return Unit{};
                          })
                    .ok());
    EXPECT_EQ(stamps.size(), 1U);
  });

  std::size_t rows = 0;
  ASSERT_TRUE(bench.image()
                  .scan(kPerson,
                        [&](const table::StoredRow&) -> Status {
                          ++rows;
                          return Unit{};
                        })
                  .ok());
  EXPECT_EQ(rows, kRows);
  check_history(bench);
}

TEST(ManyClients, StateIsAppliedWhileTheyWrite) {
  Bench bench;
  std::atomic<bool> writing{true};
  std::thread drainer([&] {
    while (writing) {
      ASSERT_TRUE(bench.applier->drain().ok());
      std::this_thread::yield();
    }
  });
  run_in_threads(8, [&](std::size_t client) {
    for (std::int32_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(bench.load({aged("r" + std::to_string(client), i)}).ok());
    }
  });
  writing = false;
  drainer.join();
  ASSERT_TRUE(bench.applier->drain().ok());

  EXPECT_TRUE(bench.roots.get()->overlay->is_empty());
  EXPECT_EQ(bench.state().applied().position, bench.log().tail().last);
  EXPECT_EQ(bench.persons(), "r0=19 r1=19 r2=19 r3=19 r4=19 r5=19 r6=19 r7=19");
  check_history(bench);
}

// How those ended who came while another's group was at work.
struct Crowd {
  std::string leader;
  std::vector<std::string> waiting;
  std::size_t busy = 0;
};
// Holds one group just before its append until one client more came than may wait.
// Requires: queue_batches_max is `waiting_max`.
Crowd crowd_behind_a_leader(Bench& bench, std::size_t waiting_max,
                            const std::function<void()>& before_going_on) {
  env::Event at_work;
  env::Event go_on;
  env::Event full;
  std::atomic<bool> first{true};
  bench.failpoints.arm(env::Failpoint::commit_before_append, [&]() -> Status {
    if (!first.exchange(false)) return Unit{};
    at_work.set(1);
    go_on.wait();
    return Unit{};
  });
  Crowd crowd;
  std::thread leader([&] { crowd.leader = code_of(bench.load({aged("leader", 0)})); });
  at_work.wait();
  env::Mutex mutex;
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i <= waiting_max; ++i) {
    clients.emplace_back([&, i] {
      const std::string code =
          code_of(bench.load({aged("w" + std::to_string(i), 1)}, "w" + std::to_string(i)));
      const env::Lock lock(mutex);
      if (code != "busy") {
        crowd.waiting.push_back(code);
      } else if (++crowd.busy == 1) {
        full.set(1);
      }
    });
  }
  full.wait();  // one was turned away: all the others are in line
  before_going_on();
  go_on.set(1);
  for (std::thread& client : clients) client.join();
  leader.join();
  bench.failpoints.disarm(env::Failpoint::commit_before_append);
  return crowd;
}

TEST(Busy, OneMoreThanMayWaitIsTurnedAway) {
  SequencerOptions options;
  options.queue_batches_max = 4;
  Bench bench({}, options);
  const Crowd crowd = crowd_behind_a_leader(bench, 4, [] {});

  EXPECT_EQ(crowd.busy, 1U);
  EXPECT_EQ(crowd.leader, "ok");
  EXPECT_EQ(crowd.waiting, std::vector<std::string>(4, "ok"));
  // The leader's group and one for all who waited.
  const auto records = bench.records();
  EXPECT_EQ(records.size(), 6U);
  EXPECT_EQ(bench.main_branch().version, Version{5});
  check_history(bench);
}

// C7
TEST(RefusedGroup, FailsAllItsMembersAndPublishesNothing) {
  SequencerOptions options;
  options.queue_batches_max = 4;
  Bench bench({}, options);
  std::size_t hits = 0;
  const Crowd crowd = crowd_behind_a_leader(bench, 4, [&] {
    // From now on; the leader's own group has passed the point.
    bench.failpoints.arm(env::Failpoint::commit_before_append, [&]() -> Status {
      ++hits;
      return Error(ErrorCode::no_space, "full");
    });
  });

  EXPECT_EQ(crowd.leader, "ok");
  EXPECT_EQ(crowd.waiting, std::vector<std::string>(4, "no_space"));
  EXPECT_EQ(hits, 1U);  // one group
  EXPECT_EQ(bench.persons(), "leader=0");
  EXPECT_TRUE(bench.load({aged("w0", 1)}, "w0").ok());
  check_history(bench);
}

struct Followers {
  std::string leader;
  Result<Outcome> same_row = Error(ErrorCode::internal, "not run");
  Result<Outcome> same_key = Error(ErrorCode::internal, "not run");
  Result<Outcome> other_row = Error(ErrorCode::internal, "not run");
};

// While the group of a=1, key "k", is held before its append and then meets `fate`, three changes
// are decided on it: of its row, with its key, and of another row.
Followers decided_on_a_group_in_flight(Bench& bench, const Status& fate) {
  env::Event at_work;
  env::Event go_on;
  std::atomic<bool> first{true};
  bench.failpoints.arm(env::Failpoint::commit_before_append, [&]() -> Status {
    if (!first.exchange(false)) return Unit{};
    at_work.set(1);
    go_on.wait();
    return fate;
  });
  std::vector<PreparedChange> changes;
  changes.push_back(bench.prepare({person("a", {{table::kCodeAt, "x"}})}, "row"));
  changes.push_back(bench.prepare({aged("a", 1)}, "k"));
  changes.push_back(bench.prepare({aged("b", 2)}, "other"));

  Followers followers;
  std::thread leader([&] { followers.leader = code_of(bench.load({aged("a", 1)}, "k")); });
  at_work.wait();
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Result<Outcome>* const answers[] = {&followers.same_row, &followers.same_key,
                                        &followers.other_row};
    clients.emplace_back([&bench, &changes, i, answer = answers[i]] {
      *answer = bench.commit(std::move(changes[i]));
    });
  }
  // A change is decided as it gets in line.
  while (bench.sequencer->waiting() < changes.size()) std::this_thread::yield();
  go_on.set(1);
  for (std::thread& client : clients) client.join();
  leader.join();
  bench.failpoints.disarm(env::Failpoint::commit_before_append);
  return followers;
}

// C8 C10
TEST(GroupInFlight, IsWhatTheNextOneIsDecidedOn) {
  Bench bench;
  const Followers followers = decided_on_a_group_in_flight(bench, Unit{});

  EXPECT_EQ(followers.leader, "ok");
  ASSERT_TRUE(followers.same_row.ok() && followers.same_key.ok() && followers.other_row.ok());
  EXPECT_EQ(followers.same_row->attempts, 2U);
  EXPECT_EQ(followers.same_row->receipt.counts, (table::RowCounts{.nodes_updated = 1}));
  EXPECT_TRUE(followers.same_key->replayed);
  EXPECT_EQ(followers.same_key->receipt.position, Position{2});
  EXPECT_EQ(followers.other_row->attempts, 1U);
  EXPECT_EQ(bench.persons(), "a=1 b=2");
  check_history(bench);
}

// C7 C8 C10
TEST(GroupInFlight, ThatFailsIsForgottenByTheNextOne) {
  Bench bench;
  const Followers followers =
      decided_on_a_group_in_flight(bench, Error(ErrorCode::no_space, "full"));

  EXPECT_EQ(followers.leader, "no_space");
  ASSERT_TRUE(followers.same_row.ok() && followers.same_key.ok() && followers.other_row.ok());
  EXPECT_FALSE(followers.same_key->replayed);  // it is the one that happened
  EXPECT_EQ(followers.same_row->receipt.counts.nodes_inserted +
                followers.same_key->receipt.counts.nodes_inserted,
            1U);
  EXPECT_EQ(bench.persons(), "a=1 b=2");
  EXPECT_EQ((*bench.image().row(kPerson, "a"))->row.values[table::kCodeAt], Value("x"));
  EXPECT_EQ(bench.main_branch().version, Version{3});
  EXPECT_EQ(bench.log().tail().last, Position{4});
  check_history(bench);
}

// C8 C10
TEST(GroupInFlight, OfUnknownOutcomeIsSettledBeforeTheNextOne) {
  std::size_t landed = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 1, .delay = {}});
    const Followers followers = decided_on_a_group_in_flight(bench, Unit{});
    bench.log().heal();
    (followers.leader == "ok" ? landed : lost) += 1;
    const auto again = bench.load({aged("a", 1)}, "k");

    ASSERT_TRUE(again.ok()) << seed;
    if (followers.same_key.ok()) {
      // Every append was of unknown outcome; what is answered is there all the same, once.
      EXPECT_EQ(again->receipt, followers.same_key->receipt) << seed;
      EXPECT_EQ(followers.leader == "ok", followers.same_key->replayed) << seed;
    }
    check_history(bench);
  }
  EXPECT_GT(landed, 0U);
  EXPECT_GT(lost, 0U);
}

// While the group of `first` is held before its append, `second` is decided on it; then the append
// of the first is refused.
struct Pair {
  std::string first;
  Result<Outcome> second = Error(ErrorCode::internal, "not run");
};
Pair second_on_a_first_that_fails(Bench& bench, const std::vector<table::RowWrite>& first,
                                  const std::vector<table::RowWrite>& second) {
  env::Event at_work;
  env::Event go_on;
  std::atomic<bool> is_first{true};
  bench.failpoints.arm(env::Failpoint::commit_before_append, [&]() -> Status {
    if (!is_first.exchange(false)) return Unit{};
    at_work.set(1);
    go_on.wait();
    return Error(ErrorCode::no_space, "full");
  });
  PreparedChange change = bench.prepare(second, "second");
  Pair pair;
  std::thread leader([&] { pair.first = code_of(bench.load(first, "first")); });
  at_work.wait();
  std::thread client([&] { pair.second = bench.commit(std::move(change)); });
  while (bench.sequencer->waiting() < 1) std::this_thread::yield();
  go_on.set(1);
  client.join();
  leader.join();
  bench.failpoints.disarm(env::Failpoint::commit_before_append);
  return pair;
}

// C1 C10
TEST(GroupInFlight, ThatFailsMayLeaveNothingToCommit) {
  Bench bench;
  ASSERT_TRUE(bench.load({aged("b", 1)}).ok());
  const Pair pair = second_on_a_first_that_fails(bench, {aged("b", 2)}, {aged("b", 1)});

  EXPECT_EQ(pair.first, "no_space");
  ASSERT_TRUE(pair.second.ok()) << to_string(pair.second.error());
  EXPECT_FALSE(pair.second->receipt.commit.has_value());
  const auto again = bench.load({aged("b", 1)}, "second");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->receipt, pair.second->receipt);
  check_history(bench);
}

struct Merge {
  std::vector<table::RowWrite> before;
  std::vector<table::RowWrite> first;
  /// All of `before` and one row more: of one change where nobody interferes, of many after
  /// `first`.
  std::vector<table::RowWrite> second;
};
Merge merge_of(std::size_t rows, const std::string& code) {
  Merge merge;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string id = "r" + std::to_string(i);
    merge.before.push_back(person(id, {{table::kCodeAt, code}}));
    merge.first.push_back(person(id, {{table::kCodeAt, "other"}}));
  }
  merge.second = merge.before;
  merge.second.push_back(aged("one-more", 1));
  return merge;
}
void load_in_parts(Bench& bench, const std::vector<table::RowWrite>& rows) {
  constexpr std::size_t kPart = 200;
  for (std::size_t begin = 0; begin < rows.size(); begin += kPart) {
    const std::size_t end = std::min(begin + kPart, rows.size());
    ASSERT_TRUE(
        bench
            .load(std::vector<table::RowWrite>(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                               rows.begin() + static_cast<std::ptrdiff_t>(end)))
            .ok());
  }
}

// C1 C10: what was built on the first, too large for a record, is not what the second commits.
TEST(GroupInFlight, ThatMadeTheNextChangeTooLargeAndFailsLeavesItWhatItWas) {
  const Merge too_many_bytes = merge_of(300, std::string(4'000, 'q'));
  const Merge too_many_rows = merge_of(kInlineRowsMax, "q");
  for (const Merge& merge : {too_many_bytes, too_many_rows}) {
    Bench bench;
    load_in_parts(bench, merge.before);
    const Pair pair = second_on_a_first_that_fails(bench, merge.first, merge.second);

    EXPECT_EQ(pair.first, "no_space");
    ASSERT_TRUE(pair.second.ok()) << to_string(pair.second.error());
    EXPECT_EQ(pair.second->receipt.counts, (table::RowCounts{.nodes_inserted = 1}));
    const auto row = bench.image().row(kPerson, "r0");
    ASSERT_TRUE(row.ok() && *row);
    EXPECT_EQ((*row)->row.values[table::kCodeAt], merge.before.front().assigned.back().second);
    check_history(bench);
  }
}

// The caller stages it then.
TEST(GroupInFlight, ThatMakesTheNextChangeTooLargeForARecordSaysSo) {
  const Merge merge = merge_of(kInlineRowsMax, "q");
  Bench bench;
  load_in_parts(bench, merge.before);
  PreparedChange second = bench.prepare(merge.second, "second");
  ASSERT_TRUE(bench.load(merge.first, "first").ok());

  EXPECT_EQ(code_of(bench.commit(std::move(second))), "read_set_changed");
  check_history(bench);
}

struct Acknowledged {
  std::string key;
  StoredReceipt receipt;
};

// C6 C7 C10: a receipt names the record that holds its batch, however often the log fails and
// recovery with it.
TEST(FailingLog, AnswersSuccessOnlyForWhatIsInIt) {
  constexpr std::size_t kClients = 12;
  constexpr std::size_t kCommitsEach = 20;
  constexpr std::uint64_t kSeeds = 20;
  std::size_t failed = 0;
  std::size_t acknowledged = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Bench bench(
        {.seed = seed, .unknown_in = 4, .recover_fails_in = 2, .delay = [] { pass_time(50'000); }});
    std::vector<std::vector<Acknowledged>> answers(kClients);
    std::atomic<std::size_t> failures{0};
    run_in_threads(kClients, [&](std::size_t client) {
      for (std::size_t i = 0; i < kCommitsEach; ++i) {
        const std::string key = std::to_string(client) + "-" + std::to_string(i);
        const auto answer = bench.commit(bench.prepare({aged(key, 1)}, key));
        if (answer.ok()) {
          answers[client].push_back({key, answer->receipt});
        } else {
          ++failures;
        }
      }
    });
    bench.log().heal();
    static_cast<void>(bench.load({aged("last", 1)}));
    for (const auto& list : answers) {
      for (const Acknowledged& answer : list) {
        EXPECT_EQ(bench.decoded(answer.receipt.position).batch.idempotency_key, answer.key)
            << "seed " << seed;
      }
      acknowledged += list.size();
    }
    failed += failures;
    check_history(bench);
  }
  EXPECT_GT(failed, 0U);
  EXPECT_GT(acknowledged, kSeeds);
}

// C7 C10
TEST(FailingLog, DecidesAgainWhoCameWhileItCouldNotBeRecovered) {
  constexpr std::uint64_t kSeeds = 32;
  std::size_t latecomers = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Bench bench({.seed = seed, .unknown_in = 2, .recover_fails_in = 2, .delay = {}});
    std::vector<std::thread> clients;
    std::vector<std::unique_ptr<Result<Outcome>>> answers;
    bench.failpoints.arm(env::Failpoint::commit_recovery_failed, [&]() -> Status {
      const std::string key = "late-" + std::to_string(answers.size());
      answers.push_back(std::make_unique<Result<Outcome>>(Error(ErrorCode::internal, "not run")));
      auto change = std::make_shared<PreparedChange>(bench.prepare({aged(key, 1)}, key));
      const std::size_t before = bench.sequencer->waiting();
      clients.emplace_back([&bench, change, answer = answers.back().get()] {
        *answer = bench.commit(std::move(*change));
      });
      while (bench.sequencer->waiting() == before) std::this_thread::yield();
      return Unit{};
    });
    for (int i = 0; i < 12; ++i) {
      static_cast<void>(bench.load({aged("p" + std::to_string(i), 1)}, std::to_string(i)));
    }
    bench.failpoints.disarm(env::Failpoint::commit_recovery_failed);
    bench.log().heal();
    ASSERT_TRUE(bench.load({aged("last", 1)}).ok());
    for (std::thread& client : clients) client.join();

    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i]->ok()) continue;
      ++latecomers;
      EXPECT_EQ(bench.decoded((*answers[i])->receipt.position).batch.idempotency_key,
                "late-" + std::to_string(i))
          << "seed " << seed;
    }
    check_history(bench);
  }
  EXPECT_GT(latecomers, 0U);
}

TEST(Close, WaitsForThoseInLineAndRefusesTheRest) {
  SequencerOptions options;
  options.queue_batches_max = 2;
  Bench bench({}, options);
  std::thread closer;
  const Crowd crowd = crowd_behind_a_leader(
      bench, 2, [&] { closer = std::thread([&] { bench.sequencer->close(); }); });
  closer.join();

  EXPECT_EQ(crowd.leader, "ok");
  EXPECT_EQ(crowd.waiting, std::vector<std::string>(2, "ok"));
  EXPECT_EQ(code_of(bench.load({aged("late", 1)})), "unavailable");
  EXPECT_EQ(bench.log().tail().last, Position{4});
}

}  // namespace
}  // namespace braid::commit
