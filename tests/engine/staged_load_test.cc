// SPDX-License-Identifier: Apache-2.0
// Loads that are larger than a log record may carry: their rows go into fragments.
#include <atomic>
#include <set>
#include <thread>

#include "commit/record.h"
#include "env/file_system.h"
#include "state/registry.h"
#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

constexpr const char* kPath = "/g";

std::string many_items(std::int64_t from, std::int64_t to, std::int64_t add = 0) {
  std::string text;
  for (std::int64_t i = from; i < to; ++i) text += item(fmt::format("i{:06}", i), i + add);
  return text;
}

/// Loads of more than three rows are staged.
engine::CoreOptions staging_options() {
  engine::CoreOptions options = small_options();
  options.inline_budget.rows_max = 3;
  return options;
}

class StagedLoad : public testing::Test {
 protected:
  void SetUp() override {
    auto made = engine::GraphCore::init(machine_.env, kPath, kSchema, {}, staging_options());
    ASSERT_GOOD(made);
    core_ = *std::move(made);
  }
  void reopen() {
    ASSERT_GOOD(core_->close());
    core_.reset();
    open();
  }
  void open() {
    auto opened = engine::GraphCore::open(machine_.env, kPath, staging_options());
    ASSERT_GOOD(opened);
    core_ = *std::move(opened);
  }
  /// Paths of all fragments, or of what else is below objects/.
  std::vector<std::string> objects(const std::string& kind = "fragments") {
    std::vector<std::string> out;
    const std::string root = env::join(env::join(kPath, "objects"), kind);
    const auto shards = machine_.files.list(root);
    if (!shards) return out;
    for (const std::string& shard : *shards) {
      const auto names = machine_.files.list(env::join(root, shard));
      if (!names) continue;
      for (const std::string& name : *names) {
        out.push_back(env::join(env::join(root, shard), name));
      }
    }
    return out;
  }
  std::uint16_t last_record_type() {
    return log::read_one(core_->log(), core_->log().tail().last)->type;
  }
  void write_file(const std::string& path, std::string_view bytes) {
    static_cast<void>(machine_.files.create_directory(env::parent_of(path)).ok());
    const auto file = machine_.files.open(path, env::OpenMode::kCreateNew);
    ASSERT_GOOD(file);
    ASSERT_GOOD((*file)->write_at(0, bytes));
  }

  SimMachine machine_;
  std::shared_ptr<engine::GraphCore> core_;
};

// G3
TEST_F(StagedLoad, IsOneCommitWhoseRowsAreReadLikeAnyOther) {
  const auto receipt =
      core_->load(rows_of(many_items(0, 10) + link("i000001", "i000002")), keyed("k"));

  ASSERT_GOOD(receipt);
  EXPECT_EQ(receipt->nodes_inserted, 10U);
  EXPECT_EQ(receipt->edges_inserted, 1U);
  EXPECT_EQ(receipt->version, Version{1});
  EXPECT_EQ(last_record_type(), state::number_of(state::RecordType::staged_commit));
  EXPECT_EQ(objects().size(), 2U);
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(count_of(*core_, fmt::format("i{:06}", i)), i);
  }
  EXPECT_EQ(count_of(*core_, "i000010"), std::nullopt);
  EXPECT_EQ(findings_of(core_->verify()), "");
  const auto shown = core_->show(receipt->commit->to_string());
  ASSERT_GOOD(shown);
  ASSERT_EQ(shown->rows.size(), 11U);
  EXPECT_EQ(shown->rows[3].id, "i000003");
  EXPECT_EQ(shown->rows[10].from, "i000001");
  reopen();
  EXPECT_EQ(count_of(*core_, "i000007"), 7);
  EXPECT_EQ(objects().size(), 2U);
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST_F(StagedLoad, BeyondTheRealBudgetToo) {
  ASSERT_GOOD(core_->close());
  engine::CoreOptions options;
  options.memory_state = true;
  core_ = *engine::GraphCore::open(machine_.env, kPath, options);
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 4'096)), keyed("inline")));
  EXPECT_EQ(objects().size(), 0U);
  ASSERT_GOOD(core_->load(rows_of(many_items(10'000, 14'097)), keyed("staged")));
  EXPECT_EQ(objects().size(), 1U);
  EXPECT_EQ(count_of(*core_, "i014096"), 14'096);
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST_F(StagedLoad, IsLaidOverAndUnderInlineCommits) {
  ASSERT_GOOD(core_->load(rows_of(item("i000002", 77)), keyed("a")));
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 6)), keyed("b", LoadMode::kMerge)));
  ASSERT_GOOD(core_->load(rows_of(item("i000003", 99)), keyed("c", LoadMode::kMerge)));
  const auto receipt = core_->load(rows_of(many_items(4, 9, 100)), keyed("d", LoadMode::kMerge));

  ASSERT_GOOD(receipt);
  EXPECT_EQ(receipt->nodes_inserted, 3U);
  EXPECT_EQ(receipt->nodes_updated, 2U);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(count_of(*core_, "i000002"), 2);
    EXPECT_EQ(count_of(*core_, "i000003"), 99);
    EXPECT_EQ(count_of(*core_, "i000004"), 104);
    EXPECT_EQ(count_of(*core_, "i000008"), 108);
    EXPECT_EQ(findings_of(core_->verify()), "");
    reopen();
  }
}

TEST_F(StagedLoad, AnswersItsKeyAgainAndLeavesNoSecondFile) {
  const auto first = core_->load(rows_of(many_items(0, 10)), keyed("k"));
  const auto again = core_->load(rows_of(many_items(0, 10)), keyed("k"));

  ASSERT_GOOD(first);
  ASSERT_GOOD(again);
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->commit, first->commit);
  EXPECT_EQ(objects().size(), 1U);
}

TEST_F(StagedLoad, RefusedLeavesNothing) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  const auto before = objects();
  const auto refused = core_->load(rows_of(many_items(4, 9)), keyed("b"));

  EXPECT_EQ(code_of(refused), ErrorCode::key_conflict);
  EXPECT_EQ(objects(), before);
  EXPECT_EQ(count_of(*core_, "i000006"), std::nullopt);
}

// G4
TEST_F(StagedLoad, WhoseAppendFailsLeavesNothing) {
  core_->failpoints().arm(env::Failpoint::commit_before_append,
                          [] { return Status(Error(ErrorCode::no_space, "full")); });
  EXPECT_EQ(code_of(core_->load(rows_of(many_items(0, 5)), keyed("k"))), ErrorCode::no_space);
  core_->failpoints().disarm(env::Failpoint::commit_before_append);

  EXPECT_EQ(objects().size(), 0U);
  EXPECT_EQ(core_->fragments().open_count(), 0U);
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("k")));
  EXPECT_EQ(count_of(*core_, "i000004"), 4);
}

// G4: every call of staging fails once; nothing stays, and the next attempt works.
TEST_F(StagedLoad, WhoseFilesCannotBeWrittenLeavesNothing) {
  int refused = 0;
  int loads = 0;
  for (const env::FileOperation operation : env::kFileOperations) {
    for (std::uint64_t after = 0; after < 4; ++after) {
      const std::string text = many_items(0, 5, ++loads) + link("i000001", "i000002");
      machine_.files.fail(
          {.operation = operation, .after_calls = after, .times = 1, .code = ErrorCode::no_space});
      const auto before = objects();
      const auto receipt = core_->load(
          rows_of(text),
          keyed(fmt::format("{}-{}", static_cast<int>(operation), after), LoadMode::kMerge));
      machine_.files.clear_faults();
      if (receipt) continue;
      ++refused;
      EXPECT_EQ(objects(), before) << text_of(receipt);
    }
  }
  EXPECT_GT(refused, 4);
  reopen();
  EXPECT_EQ(findings_of(core_->verify()), "");
}

// G4
TEST_F(StagedLoad, FilesOfOperationsThatDidNotPublishAreRemovedAtTheNextOpen) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("k")));
  const auto pinned = objects();
  const std::string shard = env::parent_of(pinned.front());
  const std::string stranger = env::join(shard, "notes.txt");
  write_file(env::join(shard, "01JDX3Q9V2ZK7B3M4N5P6R7S8T-0.arrow"), "whole");
  write_file(env::join(shard, "01JDX3Q9V2ZK7B3M4N5P6R7S8T-1.arrow.tmp"), "half");
  write_file(stranger, "not ours");
  reopen();

  std::vector<std::string> expected = pinned;
  expected.push_back(stranger);
  EXPECT_EQ(objects(), expected);
  EXPECT_EQ(count_of(*core_, "i000003"), 3);
}

TEST_F(StagedLoad, LostFragmentIsCorruptWhereItIsNeededAndNowhereElse) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  ASSERT_GOOD(core_->load(rows_of(item("z", 1)), keyed("b")));
  ASSERT_GOOD(core_->close());
  core_.reset();
  const std::string path = objects().front();
  ASSERT_GOOD(machine_.files.remove(path));
  open();

  EXPECT_EQ(count_of(*core_, "z"), 1);
  const auto snapshot = *core_->snapshot("main");
  const auto lost = snapshot->query(kCountOf, {{"slug", "i000003"}}, "");
  ASSERT_EQ(code_of(lost), ErrorCode::corrupt);
  ASSERT_NE(lost.error().detail("file"), nullptr);
  EXPECT_EQ(*lost.error().detail("file"), path);
  EXPECT_NE(findings_of(core_->verify()), "");
}

// Every byte of a fragment, one bit at a time: verify names the file.
TEST_F(StagedLoad, FlippedBitIsFoundByVerify) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  ASSERT_GOOD(core_->close());
  core_.reset();
  const std::string path = objects().front();
  const std::string whole = *env::read_file(machine_.files, path, 1 << 20);
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    ASSERT_GOOD(env::replace_file(machine_.files, path, bytes));
    open();
    const auto report = core_->verify();
    ASSERT_GOOD(report);
    ASSERT_FALSE(report->findings.empty()) << at;
    const std::string* file = report->findings.front().detail("file");
    ASSERT_NE(file, nullptr) << at;
    EXPECT_EQ(*file, path);
    static_cast<void>(count_of(*core_, "i000003"));
    ASSERT_GOOD(core_->close());
    core_.reset();
  }
}

// T14: a key that damage hides is not there a second time.
TEST_F(StagedLoad, FlippedBitOfTheIdsLetsNobodyAppendThemAgain) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  ASSERT_GOOD(core_->close());
  core_.reset();
  const std::string path = objects().front();
  const std::string whole = *env::read_file(machine_.files, path, 1 << 20);
  // The first column: where each id begins, and the last one ends; then the ids.
  const std::string offsets("\0\0\0\0\7\0\0\0\16\0\0\0\25\0\0\0\34\0\0\0\43\0\0\0", 24);
  const std::string ids = "i000000i000001i000002i000003i000004";
  for (const std::string& buffer : {offsets, ids}) {
    const std::size_t begin = whole.find(buffer);
    ASSERT_NE(begin, std::string::npos);
    for (std::size_t bit = 0; bit < buffer.size() * 8; ++bit) {
      const auto disk = machine_.files.copy();
      ASSERT_GOOD(disk->flip_bit(path, begin + bit / 8, bit % 8));
      env::Env env{*disk, machine_.clock, machine_.random, machine_.workers};
      const auto core = engine::GraphCore::open(env, kPath, staging_options());
      ASSERT_GOOD(core);
      for (const std::string& text : {item("i000003", 9), many_items(0, 5)}) {
        const auto refused = (*core)->load(rows_of(text), keyed("b"));
        ASSERT_EQ(code_of(refused), ErrorCode::corrupt) << text_of(refused) << bit;
        ASSERT_NE(refused.error().detail("file"), nullptr);
        EXPECT_EQ(*refused.error().detail("file"), path);
      }
    }
  }
}

// T14
TEST(StagedUniques, FlippedBitOfAValueLetsNobodyTakeItAgain) {
  SimMachine machine;
  const char* const schema = "node Item {\n  slug: String @key\n  count: I64 @unique\n}\n";
  auto core = *engine::GraphCore::init(machine.env, kPath, schema, {}, staging_options());
  constexpr std::int64_t kCount = 0x1122334455667788;
  ASSERT_GOOD(core->load(rows_of(item("a", 1) + item("b", 2) + item("c", kCount) + item("d", 4)),
                         keyed("k")));
  const std::string text = item("e", kCount);
  EXPECT_EQ(code_of(core->load(rows_of(text), keyed("k2"))), ErrorCode::constraint_violation);
  ASSERT_GOOD(core->close());
  core.reset();
  const std::string root = env::join(kPath, "objects/fragments");
  const std::string shard = env::join(root, machine.files.list(root)->front());
  const std::string path = env::join(shard, machine.files.list(shard)->front());
  const std::string whole = *env::read_file(machine.files, path, 1 << 20);
  const std::size_t begin = whole.find("\x88\x77\x66\x55\x44\x33\x22\x11");
  ASSERT_NE(begin, std::string::npos);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    const auto disk = machine.files.copy();
    ASSERT_GOOD(disk->flip_bit(path, begin + bit / 8, bit % 8));
    env::Env env{*disk, machine.clock, machine.random, machine.workers};
    const auto opened = engine::GraphCore::open(env, kPath, staging_options());
    if (!opened) {  // the state is in memory: its entries are made from the rows
      EXPECT_EQ(code_of(opened), ErrorCode::corrupt) << text_of(opened);
      continue;
    }
    EXPECT_EQ(code_of((*opened)->load(rows_of(text), keyed("b"))), ErrorCode::corrupt);
  }
}

class StagedEdges : public StagedLoad {
 protected:
  void SetUp() override {
    StagedLoad::SetUp();
    ASSERT_GOOD(core_->load(rows_of(many_items(0, 5) + link("i000000", "i000001") +
                                    link("i000000", "i000002") + link("i000003", "i000000")),
                            keyed("staged")));
    ASSERT_GOOD(core_->load(rows_of(link("i000000", "i000004")), keyed("inline")));
    ASSERT_EQ(objects("index").size(), 1U);
    path_ = objects("index").front();
  }
  /// The last digits of the other ends of a node's links.
  std::string ends_of(const std::string& node, state::Direction direction) {
    const auto root = *core_->root();
    const table::Image image = engine::image_of(*core_, root, *root->branch("main"));
    const TableId links = image.schema().edge_type("Link")->id;
    std::set<std::string> ends;
    const Status status =
        image.edges(links, node, direction, [&](const table::AdjacentEdge& edge) -> Status {
          BRAID_ASSIGN(const table::StoredRow row, image.read(links, edge.pointer));
          ends.insert(direction == state::Direction::kOut ? row.row.dst : row.row.src);
          return Unit{};
        });
    if (!status) return to_string(status.error());
    std::string out;
    for (const std::string& end : ends) out += end.substr(6);
    return out;
  }
  void expect_all_edges() {
    EXPECT_EQ(ends_of("i000000", state::Direction::kOut), "124");
    EXPECT_EQ(ends_of("i000000", state::Direction::kIn), "3");
    EXPECT_EQ(ends_of("i000004", state::Direction::kIn), "0");
    EXPECT_EQ(ends_of("i000001", state::Direction::kOut), "");
  }
  void replace_index(const std::function<Status()>& replace) {
    ASSERT_GOOD(core_->close());
    core_.reset();
    ASSERT_GOOD(replace());
    open();
  }

  std::string path_;
};

// G5
TEST_F(StagedEdges, AreFoundByTheIndexOfTheirFragment) {
  expect_all_edges();
  reopen();
  expect_all_edges();
  EXPECT_EQ(objects("index"), std::vector<std::string>{path_});
  EXPECT_EQ(findings_of(core_->verify()), "");
}

// G5
TEST_F(StagedEdges, AreFoundWithoutAnIndexToo) {
  replace_index([&] { return machine_.files.remove(path_); });
  expect_all_edges();
  EXPECT_EQ(findings_of(core_->verify()), "");
}

// G5: whatever bit is flipped, no edge is lost or gained, and verify names the file.
TEST_F(StagedEdges, OfADamagedIndexAreFoundAllTheSame) {
  const std::string whole = *env::read_file(machine_.files, path_, 1 << 20);
  for (std::size_t at = 0; at < whole.size(); at += 9) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x04);
    replace_index([&] { return env::replace_file(machine_.files, path_, bytes); });
    expect_all_edges();
    const auto report = core_->verify();
    ASSERT_GOOD(report);
    ASSERT_FALSE(report->findings.empty()) << at;
    const std::string* file = report->findings.front().detail("file");
    ASSERT_NE(file, nullptr) << at;
    EXPECT_EQ(*file, path_);
    EXPECT_NE(report->findings.front().detail("remedy"), nullptr);
  }
  replace_index([&] { return env::replace_file(machine_.files, path_, whole); });
  EXPECT_EQ(findings_of(core_->verify()), "");
}

// G5
TEST_F(StagedEdges, AreNotFoundByTheIndexOfAnotherFragment) {
  ASSERT_GOOD(
      core_->load(rows_of(many_items(10, 14) + link("i000010", "i000011")), keyed("other")));
  std::vector<std::string> paths = objects("index");
  std::erase(paths, path_);
  ASSERT_EQ(paths.size(), 1U);
  const std::string other = *env::read_file(machine_.files, paths.front(), 1 << 20);
  replace_index([&] { return env::replace_file(machine_.files, path_, other); });

  expect_all_edges();
  const auto report = core_->verify();
  ASSERT_GOOD(report);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(*report->findings.front().detail("file"), path_);
}

// G4 G5
TEST_F(StagedEdges, LeaveNoIndexWithoutItsFragment) {
  write_file(env::join(env::parent_of(path_), "01JDX3Q9V2ZK7B3M4N5P6R7S8T-0.adj"), "whole");
  write_file(path_ + ".tmp", "half");
  reopen();
  EXPECT_EQ(objects("index"), std::vector<std::string>{path_});

  core_->failpoints().arm(env::Failpoint::commit_before_append,
                          [] { return Status(Error(ErrorCode::no_space, "full")); });
  const std::string text = many_items(20, 24) + link("i000020", "i000021");
  EXPECT_EQ(code_of(core_->load(rows_of(text), keyed("k"))), ErrorCode::no_space);
  core_->failpoints().disarm(env::Failpoint::commit_before_append);
  EXPECT_EQ(objects("index"), std::vector<std::string>{path_});
  expect_all_edges();
}

TEST_F(StagedLoad, IsSeenByAFollower) {
  engine::CoreOptions options = staging_options();
  options.open.read_only = true;
  const auto reader = *engine::GraphCore::open(machine_.env, kPath, options);
  EXPECT_EQ(count_of(*reader, "i000003"), std::nullopt);
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  // The last group may be taken back by a crash until it is sealed: a follower waits for that.
  for (int i = 0; i < 3; ++i) {
    machine_.clock.advance_ms(60);
    machine_.workers.run_due();
  }
  EXPECT_EQ(count_of(*reader, "i000003"), 3);
  EXPECT_EQ(findings_of(reader->verify()), "");
}

TEST_F(StagedLoad, OverwritesRowsThatAreThereAndAddsOthers) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  ASSERT_GOOD(core_->load(rows_of(item("i000002", 77)), keyed("b", LoadMode::kMerge)));
  const auto receipt =
      core_->load(rows_of(many_items(0, 7, 100)), keyed("c", LoadMode::kOverwrite));

  ASSERT_GOOD(receipt);
  EXPECT_EQ(receipt->nodes_inserted, 2U);
  EXPECT_EQ(receipt->nodes_updated, 5U);
  reopen();
  EXPECT_EQ(count_of(*core_, "i000002"), 102);
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST_F(StagedLoad, OverwriteThatRemovesRowsMustFitARecord) {
  ASSERT_GOOD(core_->load(rows_of(many_items(0, 5)), keyed("a")));
  const auto before = objects();
  const auto refused =
      core_->load(rows_of(many_items(1, 6, 100)), keyed("b", LoadMode::kOverwrite));
  ASSERT_EQ(code_of(refused), ErrorCode::resource_limit);
  EXPECT_EQ(*refused.error().detail("removed"), "1");
  EXPECT_EQ(objects(), before);
  EXPECT_EQ(count_of(*core_, "i000000"), 0);

  // Rows of fragments are removed by a record.
  ASSERT_GOOD(core_->load(rows_of(many_items(2, 5)), keyed("c", LoadMode::kOverwrite)));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(count_of(*core_, "i000000"), std::nullopt);
    EXPECT_EQ(count_of(*core_, "i000003"), 3);
    EXPECT_EQ(findings_of(core_->verify()), "");
    reopen();
  }
}

TEST(StagedLoadInMemory, NeedsNoDirectory) {
  SimMachine machine;
  auto core = *engine::GraphCore::in_memory(machine.env, kSchema, staging_options());
  ASSERT_GOOD(core->load(rows_of(many_items(0, 5)), keyed("a")));
  EXPECT_EQ(count_of(*core, "i000003"), 3);
  EXPECT_EQ(findings_of(core->verify()), "");
}

// Loads that stage and loads that do not, over the same rows: each is one commit, none fails.
TEST(StagedLoadThreads, OfManyClientsAreAppliedOneAfterAnother) {
  const ScratchDirectory scratch;
  // The state in memory: ThreadSanitizer does not know what RocksDB's own threads do.
  auto core =
      *engine::GraphCore::init(env::real_env(), scratch.path("g"), kSchema, {}, staging_options());
  constexpr int kClients = 4;
  constexpr int kLoads = 15;
  std::atomic<int> given_up{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < kLoads; ++i) {
        const bool stages = (client + i) % 3 == 0;
        const std::string text = many_items(0, stages ? 6 : 2, 1000 * client + i);
        const auto receipt =
            core->load(rows_of(text), keyed(fmt::format("{}-{}", client, i), LoadMode::kMerge));
        if (receipt) continue;
        ASSERT_EQ(code_of(receipt), ErrorCode::read_set_changed) << text_of(receipt);
        ++given_up;
      }
    });
  }
  for (std::thread& client : clients) client.join();

  const auto commits = core->history("main", 0);
  ASSERT_GOOD(commits);
  std::set<std::string> keys;
  for (const CommitInfo& commit : *commits) EXPECT_TRUE(keys.insert(commit.key).second);
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(kClients * kLoads - given_up));
  // The newest commit wrote the first two rows, whoever sent it.
  const std::string& last = commits->front().key;
  const std::int64_t add = 1000 * std::stoll(last.substr(0, last.find('-'))) +
                           std::stoll(last.substr(last.find('-') + 1));
  EXPECT_EQ(count_of(*core, "i000001"), 1 + add);
  EXPECT_EQ(findings_of(core->verify()), "");
  EXPECT_GOOD(core->close());
}

}  // namespace
}  // namespace braid::graph_test
