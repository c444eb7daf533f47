// SPDX-License-Identifier: Apache-2.0
#include "engine/graph_core.h"

#include <atomic>
#include <thread>

#include "env/event.h"
#include "env/memory_file_system.h"
#include "env/real.h"
#include "support/graph_fixture.h"

namespace braid::engine {
namespace {

using graph_test::code_of;
using graph_test::count_of;
using graph_test::findings_of;
using graph_test::item;
using graph_test::keyed;
using graph_test::kSchema;
using graph_test::link;
using graph_test::rows_of;
using graph_test::SimMachine;
using graph_test::small_options;
using graph_test::text_of;

constexpr const char* kPath = "/graph";

class GraphCoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = GraphCore::init(machine_.env, kPath, kSchema, {}, small_options());
    ASSERT_GOOD(made);
    core_ = *std::move(made);
  }
  Result<Receipt> load(std::string text, const std::string& key,
                       LoadMode mode = LoadMode::kAppend) {
    return core_->load(rows_of(std::move(text)), keyed(key, mode));
  }
  CoreOptions reading() const {
    CoreOptions options = small_options();
    options.open.read_only = true;
    return options;
  }

  SimMachine machine_;
  std::shared_ptr<GraphCore> core_;
};

TEST_F(GraphCoreTest, SnapshotThenImmutableWhileCommitsHappen) {
  ASSERT_GOOD(load(item("a", 1), "k1"));
  const auto before = core_->snapshot("main");
  ASSERT_GOOD(before);
  for (int i = 0; i < 20; ++i) {
    ASSERT_GOOD(load(item("a", 100 + i) + item(fmt::format("n{}", i), i), fmt::format("m{}", i),
                     LoadMode::kMerge));
    if (i == 10) {
      ASSERT_GOOD(core_->drain_state());
    }
    EXPECT_EQ(count_of(**before, "a"), 1);
    EXPECT_EQ(count_of(**before, fmt::format("n{}", i)), std::nullopt);
    EXPECT_EQ((*before)->branch().version.value, 1U);
  }
  EXPECT_EQ(count_of(*core_, "a"), 119);
  EXPECT_EQ(count_of(*core_, "n7"), 7);
}

TEST_F(GraphCoreTest, SnapshotThenItOutlivesTheClosedHandle) {
  ASSERT_GOOD(load(item("a", 1), "k1"));
  const auto snapshot = core_->snapshot("main");
  ASSERT_GOOD(snapshot);
  ASSERT_GOOD(core_->close());
  core_.reset();
  EXPECT_EQ(count_of(**snapshot, "a"), 1);
}

TEST_F(GraphCoreTest, CommitsThenHistoryNewestFirstAlongParents) {
  const auto one = load(item("a", 1) + item("b", 2) + link("a", "b"), "k1");
  const auto two = load(item("a", 5) + item("c", 3), "k2", LoadMode::kMerge);
  ASSERT_GOOD(one);
  ASSERT_GOOD(two);

  const auto commits = core_->history("main", 0);
  ASSERT_GOOD(commits);
  ASSERT_EQ(commits->size(), 2U);
  const CommitInfo& last = (*commits)[0];
  EXPECT_EQ(last.id, *two->commit);
  EXPECT_EQ((*commits)[1].id, *one->commit);
  EXPECT_EQ(last.parents, std::vector<CommitId>{*one->commit});
  EXPECT_EQ(last.version.value, 2U);
  EXPECT_EQ(last.position, two->position);
  EXPECT_EQ(last.sequence, two->sequence);
  EXPECT_EQ(last.key, "k2");
  EXPECT_EQ(last.actor, "tester");
  EXPECT_EQ(last.surface, "load");
  EXPECT_EQ(last.changes, (std::vector<TypeChange>{{"Item", false, 1, 1, 0}}));
  EXPECT_EQ((*commits)[1].changes,
            (std::vector<TypeChange>{{"Item", false, 2, 0, 0}, {"Link", true, 1, 0, 0}}));
  EXPECT_EQ((*commits)[1].version.value, 1U);
  EXPECT_TRUE((*commits)[1].parents.empty());

  const auto newest = core_->history("main", 1);
  ASSERT_GOOD(newest);
  ASSERT_EQ(newest->size(), 1U);
  EXPECT_EQ(newest->front().id, *two->commit);
  EXPECT_EQ(code_of(core_->history("other", 0)), ErrorCode::not_found);
  EXPECT_EQ(code_of(core_->snapshot("other")), ErrorCode::not_found);
}

TEST_F(GraphCoreTest, CommitThenShowListsItsRows) {
  ASSERT_GOOD(load(item("a", 1) + item("b", 2), "k1"));
  const auto receipt = load(item("a", 9) + link("a", "b"), "k2", LoadMode::kMerge);
  ASSERT_GOOD(receipt);

  const auto detail = core_->show(receipt->commit->to_string());
  ASSERT_GOOD(detail);
  EXPECT_EQ(detail->info.key, "k2");
  ASSERT_EQ(detail->rows.size(), 2U);
  EXPECT_EQ(detail->rows[0].kind, RowChange::Kind::kUpdated);
  EXPECT_EQ(detail->rows[0].id, "a");
  EXPECT_EQ(detail->rows[0].after.names, (std::vector<std::string>{"slug", "count"}));
  EXPECT_EQ(detail->rows[0].after.values, (std::vector<Value>{"a", std::int64_t{9}}));
  EXPECT_EQ(detail->rows[1].kind, RowChange::Kind::kInserted);
  EXPECT_TRUE(detail->rows[1].is_edge);
  EXPECT_EQ(detail->rows[1].from, "a");
  EXPECT_EQ(detail->rows[1].to, "b");

  EXPECT_EQ(code_of(core_->show("01ARZ3NDEKTSV4RRFFQ69G5FAV")), ErrorCode::not_found);
  for (const char* id : {"", "head", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVX"}) {
    EXPECT_EQ(code_of(core_->show(id)), ErrorCode::bad_request) << id;
  }
}

TEST_F(GraphCoreTest, ErasedNameThenThePseudonymStays) {
  ASSERT_GOOD(load(item("a", 1), "k1"));
  const std::vector<std::string> names = *machine_.files.list("/graph/names");
  for (const std::string& name : names) {
    ASSERT_GOOD(machine_.files.remove("/graph/names/" + name));
  }
  const auto commits = core_->history("main", 0);
  ASSERT_GOOD(commits);
  EXPECT_EQ(commits->front().actor, std::nullopt);
  EXPECT_TRUE(commits->front().principal.starts_with("principal:sha256:"));
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST_F(GraphCoreTest, SameKeyThenTheFirstReceipt) {
  const auto first = load(item("a", 1), "k1");
  ASSERT_GOOD(first);
  const auto again = load(item("a", 1), "k1");
  ASSERT_GOOD(again);
  EXPECT_FALSE(first->replayed);
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->commit, first->commit);
  EXPECT_EQ(again->position, first->position);
  EXPECT_EQ(code_of(load(item("b", 1), "k1")), ErrorCode::idempotency_conflict);
  // Another actor's key is another key.
  LoadOptions other = keyed("k1");
  other.actor = "somebody";
  const auto theirs = core_->load(rows_of(item("b", 1)), other);
  ASSERT_GOOD(theirs);
  EXPECT_FALSE(theirs->replayed);
  EXPECT_EQ(core_->history("main", 0)->size(), 2U);
}

TEST_F(GraphCoreTest, OtherHeadThanAskedForThenPreconditionFailed) {
  const auto first = load(item("a", 1), "k1");
  ASSERT_GOOD(first);
  LoadOptions options = keyed("k2");
  options.if_commit = first->commit;
  ASSERT_GOOD(core_->load(rows_of(item("b", 1)), options));
  options.key = "k3";
  EXPECT_EQ(code_of(core_->load(rows_of(item("c", 1)), options)), ErrorCode::precondition_failed);
  EXPECT_EQ(count_of(*core_, "c"), std::nullopt);
}

TEST_F(GraphCoreTest, BadRowThenNothingIsCommittedAndTheErrorSaysWhere) {
  const auto refused = load(item("a", 1) + item("a", 2), "k1");
  ASSERT_EQ(code_of(refused), ErrorCode::key_conflict) << text_of(refused);
  EXPECT_EQ(*refused.error().detail("file"), "rows");
  EXPECT_EQ(*refused.error().detail("line"), "2");
  EXPECT_EQ(code_of(load("{\"type\":\"Item\",\"data\":{\"slug\":\"a\",\"count\":\"x\"}}\n", "k1")),
            ErrorCode::type_error);
  EXPECT_TRUE(core_->history("main", 0)->empty());
  EXPECT_EQ(core_->log().tail().last.value, 1U);
  // A refusal burns no key.
  EXPECT_FALSE(load(item("a", 1), "k1")->replayed);
}

TEST_F(GraphCoreTest, TextOfTheRequestThatIsNotUtf8ThenBadRequest) {
  for (const auto spoil : {&WriteOptions::key, &WriteOptions::actor, &WriteOptions::purpose}) {
    LoadOptions options = keyed("k1");
    options.*spoil = "\xff\xfe";
    EXPECT_EQ(code_of(core_->load(rows_of(item("a", 1)), options)), ErrorCode::bad_request);
  }
  EXPECT_EQ(core_->log().tail().last.value, 1U);
}

TEST_F(GraphCoreTest, StampThatLostItsReadinessThenInitDestroysNoCommits) {  // D1
  ASSERT_GOOD(load(item("a", 1), "k1"));
  ASSERT_GOOD(core_->close());
  const FormatStamp stamp{kFormat, core_->graph(), false};
  const GraphDirectory directory(machine_.env, *machine_.files.canonical(kPath));
  ASSERT_GOOD(directory.write_format(stamp));

  const auto again = GraphCore::init(machine_.env, kPath, kSchema, {}, {});

  EXPECT_EQ(code_of(again), ErrorCode::already_exists);
}

TEST_F(GraphCoreTest, ClosedHandleThenUnavailable) {
  ASSERT_GOOD(load(item("a", 1), "k1"));
  ASSERT_GOOD(core_->close());
  EXPECT_GOOD(core_->close());
  EXPECT_EQ(code_of(load(item("b", 1), "k2")), ErrorCode::unavailable);
  EXPECT_EQ(code_of(load(item("a", 1), "k1")), ErrorCode::unavailable);
  EXPECT_EQ(code_of(core_->snapshot("main")), ErrorCode::unavailable);
  EXPECT_EQ(code_of(core_->history("main", 0)), ErrorCode::unavailable);
  EXPECT_EQ(code_of(core_->show("01ARZ3NDEKTSV4RRFFQ69G5FAV")), ErrorCode::unavailable);
  EXPECT_EQ(code_of(core_->verify()), ErrorCode::unavailable);
}

TEST_F(GraphCoreTest, ReadOnlyHandleThenNoChangeAndNoLock) {  // G2
  ASSERT_GOOD(load(item("a", 1), "k1"));
  ASSERT_GOOD(core_->close());
  core_.reset();
  machine_.files.reset_counters();

  const auto reader = GraphCore::open(machine_.env, kPath, reading());
  ASSERT_GOOD(reader);
  EXPECT_EQ(code_of((*reader)->load(rows_of(item("b", 1)), keyed("k2"))), ErrorCode::read_only);
  EXPECT_EQ(code_of((*reader)->load(rows_of(item("a", 1)), keyed("k1"))), ErrorCode::read_only);
  EXPECT_EQ(count_of(**reader, "a"), 1);
  EXPECT_EQ(findings_of((*reader)->verify()), "");
  const auto seen = (*reader)->history("main", 0);
  ASSERT_GOOD(seen);
  EXPECT_EQ(seen->front().actor, "tester");
  ASSERT_GOOD((*reader)->close());

  const env::FileCounters counters = machine_.files.counters();
  using enum env::FileOperation;
  for (const env::FileOperation operation : {write, sync, truncate, create_directory, remove,
                                             remove_directory, rename, sync_directory, lock}) {
    EXPECT_EQ(counters.of(operation), 0U) << name_of(operation);
  }
}

TEST_F(GraphCoreTest, ReadOnlyHandleBesideAWriterThenItFollows) {
  const auto reader = GraphCore::open(machine_.env, kPath, reading());
  ASSERT_GOOD(reader);
  const auto old = (*reader)->snapshot("main");
  ASSERT_GOOD(old);
  ASSERT_GOOD(load(item("a", 1), "k1"));
  ASSERT_GOOD(load(item("b", 2), "k2"));
  // Proven durable: all but the last group; after the clean end that, too.
  EXPECT_EQ(count_of(**reader, "a"), 1);
  ASSERT_GOOD(core_->close());
  EXPECT_EQ(count_of(**reader, "b"), 2);
  EXPECT_EQ(count_of(**old, "a"), std::nullopt);
}

TEST_F(GraphCoreTest, OptionsOutOfBoundsThenBadRequest) {
  const auto refuses = [&](auto change) {
    CoreOptions options = reading();
    change(options.open);
    return code_of(GraphCore::open(machine_.env, kPath, options)) == ErrorCode::bad_request;
  };
  EXPECT_TRUE(refuses([](OpenOptions& open) { open.queue_batches_max = 0; }));
  EXPECT_TRUE(refuses([](OpenOptions& open) { open.queue_batches_max = 65'537; }));
  EXPECT_TRUE(refuses([](OpenOptions& open) { open.state_lag_records_max = 1'023; }));
  EXPECT_TRUE(refuses([](OpenOptions& open) { open.state_lag_records_max = 1'048'577; }));
  EXPECT_FALSE(refuses([](OpenOptions& open) { open.queue_batches_max = 1; }));
  EXPECT_FALSE(refuses([](OpenOptions& open) { open.queue_batches_max = 65'536; }));
  EXPECT_FALSE(refuses([](OpenOptions& open) { open.state_lag_records_max = 1'024; }));
  EXPECT_FALSE(refuses([](OpenOptions& open) { open.state_lag_records_max = 1'048'576; }));
}

TEST_F(GraphCoreTest, ReopenedOftenThenAlwaysOpens) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_GOOD(load(item(fmt::format("n{}", i), i), fmt::format("k{}", i)));
    ASSERT_GOOD(core_->close());
    for (int readers = 0; readers < 3; ++readers) {
      ASSERT_GOOD(GraphCore::open(machine_.env, kPath, reading()));
    }
    core_ = *GraphCore::open(machine_.env, kPath, small_options());
    EXPECT_EQ(count_of(*core_, fmt::format("n{}", i)), i);
  }
  EXPECT_EQ(core_->history("main", 0)->size(), 10U);
}

TEST(FullGraph, CommitsRefusedThenReadsGoOnAndWritesResume) {  // G1
  SimMachine machine(1, 4 << 20);
  const auto made = GraphCore::init(machine.env, kPath, kSchema, {}, small_options());
  ASSERT_GOOD(made);
  const auto core = *made;
  const auto load = [&](std::string text, const std::string& key) {
    return core->load(rows_of(std::move(text)), keyed(key));
  };
  const auto note = [](const std::string& slug, std::size_t size) {
    return fmt::format(R"({{"type":"Item","data":{{"slug":"{}","count":2,"note":"{}"}}}})"
                       "\n",
                       slug, std::string(size, 'n'));
  };
  ASSERT_GOOD(load(item("a", 1), "k1"));
  {
    auto ballast = machine.files.open("/ballast", env::OpenMode::kCreateNew);
    ASSERT_GOOD(ballast);
    for (std::uint64_t at = 0; (*ballast)->write_at(at, std::string(4096, 'x')); at += 4096) {
    }
  }
  // What room the log has already is used up first.
  std::uint64_t commits = 1;
  Result<Receipt> refused = Error(ErrorCode::internal, "");
  do {
    refused = load(note("f" + std::to_string(commits), 20'000), "f" + std::to_string(commits));
  } while (refused && ++commits < 1'000);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(code_of(refused), ErrorCode::no_space) << text_of(refused);
    refused = load(note("b", 20'000), "k2");
  }
  EXPECT_EQ(count_of(*core, "a"), 1);
  EXPECT_EQ(count_of(*core, "b"), std::nullopt);
  EXPECT_EQ(core->history("main", 0)->size(), commits);
  ASSERT_GOOD(machine.files.remove("/ballast"));
  const auto receipt = load(note("b", 20'000), "k2");
  ASSERT_GOOD(receipt);
  EXPECT_EQ(count_of(*core, "b"), 2);
  EXPECT_EQ(findings_of(core->verify()), "");
}

// A reader that stays open beside a writer.
TEST(FollowingReader, LetsGoOfWhatTheWritersStateHas) {
  graph_test::ScratchDirectory scratch;
  CoreOptions options;
  options.open.lock_wait_ms = 0;
  const std::string path = scratch.path("g");
  auto writer = *GraphCore::init(env::real_env(), path, kSchema, {}, options);
  options.open.read_only = true;
  options.followed_bytes_max = 20'000;
  const auto reader = *GraphCore::open(env::real_env(), path, options);
  options.open.read_only = false;
  const auto before = *reader->snapshot("main");
  constexpr int kRounds = 8;
  constexpr int kCommits = 40;
  std::size_t first_bytes = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCommits; ++i) {
      const std::string name = fmt::format("n{}-{}", round, i);
      ASSERT_GOOD(writer->load(rows_of(item(name, i)), keyed(name)));
    }
    ASSERT_GOOD(reader->root());  // in memory: the writer has not flushed
    ASSERT_GOOD(writer->close());
    writer = *GraphCore::open(env::real_env(), path, options);
    // Something to follow; a reader believes a group when there is another behind it.
    const std::string last = fmt::format("last{}", round);
    ASSERT_GOOD(writer->load(rows_of(item(last, round)), keyed(last)));
    ASSERT_GOOD(writer->load(rows_of(item("behind" + last, 0)), keyed("behind" + last)));
    ASSERT_GOOD(reader->root());
    EXPECT_EQ(count_of(*reader, last), round);
    EXPECT_EQ(count_of(*reader, "n0-7"), 7);
    bytes = (*reader->root())->overlay->bytes();
    if (round == 0) first_bytes = bytes;
  }

  EXPECT_GT(first_bytes, 0U);
  EXPECT_LT(bytes, 3 * first_bytes);  // whatever the rounds
  EXPECT_EQ(count_of(*before, "n0-7"), std::nullopt);
  EXPECT_EQ(findings_of(reader->verify()), "");
}

// What fits a record when it is prepared may not when others have come first: then it is staged.
TEST(LargeLoad, ThatOthersMadeTooLargeForARecordIsStaged) {
  constexpr int kRows = 4'096;
  SimMachine machine;
  CoreOptions options;
  options.memory_state = true;
  const auto core = *GraphCore::init(machine.env, kPath, kSchema, {}, options);
  const auto load = [&](const std::string& text, const std::string& key, LoadMode mode) {
    return core->load(rows_of(text), keyed(key, mode));
  };
  std::string before;
  std::string changed;
  for (int i = 0; i < kRows; ++i) {
    before += item(fmt::format("n{}", i), 1);
    changed += item(fmt::format("n{}", i), 2);
  }
  ASSERT_GOOD(load(before, "before", LoadMode::kAppend));
  env::Event at_work;
  env::Event go_on;
  std::atomic<bool> is_first{true};
  core->failpoints().arm(env::Failpoint::commit_before_append, [&]() -> Status {
    if (!is_first.exchange(false)) return Unit{};
    at_work.set(1);
    go_on.wait();
    return Unit{};
  });
  Result<Receipt> first = Error(ErrorCode::internal, "not run");
  Result<Receipt> second = Error(ErrorCode::internal, "not run");
  std::thread leader([&] { first = load(changed, "first", LoadMode::kMerge); });
  at_work.wait();
  std::thread client([&] { second = load(before + item("x", 1), "second", LoadMode::kMerge); });
  while (core->sequencer()->waiting() < 1) std::this_thread::yield();
  go_on.set(1);
  client.join();
  leader.join();
  core->failpoints().disarm(env::Failpoint::commit_before_append);

  ASSERT_GOOD(first);
  ASSERT_GOOD(second);
  EXPECT_EQ(second->nodes_inserted, 1U);
  EXPECT_EQ(second->nodes_updated, static_cast<std::uint64_t>(kRows));
  EXPECT_EQ(count_of(*core, "n7"), 1);
  EXPECT_EQ(findings_of(core->verify()), "");
}

TEST_F(GraphCoreTest, ErrorAtEachPointOfACommitThenNothingIsLostOrDoubled) {  // G1
  const auto all = {env::Failpoint::commit_before_append, env::Failpoint::commit_after_append,
                    env::Failpoint::commit_after_publish};
  int number = 0;
  for (const env::Failpoint point : all) {
    const std::string name = fmt::format("n{}", number);
    core_->failpoints().arm(point, [] { return Status(Error(ErrorCode::io_error, "planted")); });
    const auto first = load(item(name, number), name);
    core_->failpoints().disarm(point);
    const auto again = load(item(name, number), name);
    ASSERT_GOOD(again);
    // Past the append the commit stands, whatever fails then.
    EXPECT_EQ(first.ok(), point != env::Failpoint::commit_before_append) << env::name_of(point);
    EXPECT_EQ(again->replayed, first.ok());
    EXPECT_EQ(again->version.value, static_cast<std::uint64_t>(++number));
    EXPECT_EQ(count_of(*core_, name), number - 1);
  }
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST(InMemoryGraph, WorksWithoutADirectoryAndIsGoneAfterwards) {
  SimMachine machine;
  auto core = GraphCore::in_memory(machine.env, kSchema, {});
  ASSERT_GOOD(core);
  ASSERT_GOOD((*core)->load(rows_of(item("a", 1)), keyed("k1")));
  EXPECT_EQ(count_of(**core, "a"), 1);
  const auto commits = (*core)->history("main", 0);
  ASSERT_GOOD(commits);
  EXPECT_EQ(commits->front().actor, "tester");
  EXPECT_EQ(findings_of((*core)->verify()), "");
  EXPECT_TRUE(machine.files.list("/")->empty());
}

TEST(RealGraph, OnRocksDbThenTheSameAnswersAfterEachOpening) {
  graph_test::ScratchDirectory scratch;
  const std::string path = scratch.path("g");
  auto made = Graph::init(path, kSchema);
  ASSERT_GOOD(made);
  for (int i = 0; i < 50; ++i) {
    ASSERT_GOOD(made->load(rows_of(item(fmt::format("n{}", i % 30), i)),
                           keyed(std::to_string(i), LoadMode::kMerge)));
  }
  ASSERT_GOOD(made->close());
  for (const bool read_only : {true, false}) {
    OpenOptions options;
    options.read_only = read_only;
    const auto graph = Graph::open(path, options);
    ASSERT_GOOD(graph);
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(count_of(*graph, fmt::format("n{}", i)), i < 20 ? i + 30 : i);
    }
    EXPECT_EQ(findings_of(graph->verify()), "");
  }
}

}  // namespace
}  // namespace braid::engine
