// SPDX-License-Identifier: Apache-2.0
// A graph up to its sequencer, in memory, where nothing happens by itself: for the tests of commit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commit/group_decision.h"
#include "env/manual.h"
#include "env/memory_file_system.h"
#include "log/sim_log.h"
#include "state/memory_state.h"
#include "table/fragment_fixture.h"
#include "table/row_hash.h"
#include "table/table_fixture.h"

namespace braid::commit {

using table::edge;
using table::kAgeAt;
using table::kPerson;
using table::node;
using table::person;

inline GraphId test_graph() {
  GraphId graph;
  graph.ulid.bytes.fill(0x11);
  return graph;
}

inline MutationBatch batch_with_key(std::string key) {
  MutationBatch batch;
  batch.context.request_id = "request";
  batch.context.principal = principal_of(test_graph(), "ada");
  batch.scope.name = "main";
  batch.scope.incarnation = test_graph().to_string();
  batch.scope.branch = BranchIncarnation{1};
  batch.idempotency_key = std::move(key);
  batch.batch_id = batch_id_of(test_graph(), batch.context.principal, batch.idempotency_key);
  batch.request_digest = base::sha256("request");
  batch.operations.push_back({0, "load", Domain::graph_rows});
  batch.outbox.emplace_back(kProjectionRebuild);
  batch.created_at_ms = 1'600'000'000'000;
  return batch;
}

inline table::RowWrite aged(std::string_view email, std::int32_t age) {
  return person(email, {{kAgeAt, age}});
}

class Bench {
 public:
  explicit Bench(log::SimLogFaults faults = {}, SequencerOptions options = {})
      : options_(options),
        store_(std::make_shared<log::MemoryLogStore>(test_graph())),
        state_(std::make_shared<state::MemoryState>(test_graph())) {
    create();
    log_ = std::make_unique<log::SimLog>(store_, clock, std::move(faults));
    changes_ = std::make_unique<LogChangeSource>(*log_);
    auto followed = *replay(state_);
    EXPECT_TRUE(state_->apply(followed.writes, {log_->tail().last, log_->tail().hash}).ok());
    roots.publish(std::move(followed.root));
    applier = std::make_unique<StateApplier>(*state_, roots, workers);
    sequencer = std::make_unique<Sequencer>(parts(), options_);
  }
  ~Bench() { sequencer->close(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Everything from the log, as who has lost the state reads it.
  Result<Followed> replay(std::shared_ptr<const state::State> state =
                              std::make_shared<state::MemoryState>(test_graph())) const {
    manifest::Root nothing;
    nothing.branches = std::make_shared<const manifest::BranchMap>();
    nothing.overlay = state::Overlay::empty();
    nothing.state = std::move(state);
    return follow(*log_, nothing, fragments);
  }
  SequencerParts parts() { return {env, *log_, roots, *changes_, fragments, *applier, failpoints}; }
  const SequencerOptions& options() const { return options_; }
  log::SimLog& log() { return *log_; }
  state::State& state() { return *state_; }
  const manifest::Branch& main_branch() const { return *roots.get()->branch("main"); }

  /// A change prepared on the present root. An empty key: one that the client did not choose.
  PreparedChange prepare(const std::vector<table::RowWrite>& writes, std::string key = "",
                         table::WriteMode mode = table::WriteMode::merge) {
    const auto root = roots.get();
    const manifest::Branch& branch = *root->branch("main");
    PreparedChange change;
    change.key_is_callers = !key.empty();
    change.batch =
        batch_with_key(key.empty() ? env::make_ulid(clock, random).to_string() : std::move(key));
    change.commit_id = CommitId{env::make_ulid(clock, random)};
    change.token = {root->position, branch.incarnation,
                    branch.head ? std::optional(branch.head->id) : std::nullopt,
                    root->counters.catalog};
    const table::BuildOptions build{mode, table::content_hash_salt(test_graph())};
    change.build = [writes, build](const table::Image& image) {
      return table::build_changes(writes, build, image);
    };
    const auto is_inline = prepare_inline(change, image(), random);
    EXPECT_TRUE(is_inline.ok() && *is_inline);
    return change;
  }
  Result<Outcome> commit(PreparedChange change) { return sequencer->commit(std::move(change)); }
  /// As a client does it: a key is looked up before anything is prepared.
  Result<Outcome> load(const std::vector<table::RowWrite>& writes, std::string key = "") {
    if (!key.empty()) {
      BRAID_ASSIGN(auto replayed, sequencer->replayed(batch_with_key(key)));
      if (replayed) return *std::move(replayed);
    }
    return commit(prepare(writes, std::move(key)));
  }

  table::Image image() const {
    const auto root = roots.get();
    std::shared_ptr<const schema::Schema> schema(root->catalog, &root->catalog->schema());
    return {root->view(),
            root->lineage(*root->branch("main")),
            std::move(schema),
            *changes_,
            {root->layers, &fragments}};
  }
  /// "a=1 b=null": the persons and their ages.
  std::string persons() const {
    std::string out;
    EXPECT_TRUE(image()
                    .scan(kPerson,
                          [&](const table::StoredRow& row) -> Status {
                            const auto* age = row.row.values[kAgeAt].as<std::int32_t>();
                            if (!out.empty()) out += ' ';
                            out +=
                                row.row.id + "=" + (age == nullptr ? "null" : std::to_string(*age));
                            return Unit{};
                          })
                    .ok());
    return out;
  }
  std::vector<log::Record> records() const {
    std::vector<log::Record> out;
    EXPECT_TRUE(log_->read(Position{1}, log_->tail().last,
                           [&](const log::Record& record) -> Status {
                             out.push_back(record);
                             return Unit{};
                           })
                    .ok());
    return out;
  }
  CommitRecord decoded(Position position) const {
    return *decode_commit(*log::read_one(*log_, position), test_graph());
  }

  env::ManualClock clock;
  env::SeededRandom random{1};
  env::ManualWorkers workers{clock};
  env::MemoryFileSystem files;
  env::Env env{files, clock, random, workers};
  env::Failpoints failpoints;
  table::MemoryFragments fragments;
  manifest::RootHolder roots;
  std::unique_ptr<StateApplier> applier;
  std::unique_ptr<Sequencer> sequencer;

 private:
  void create() {
    log::MemoryLog log(store_, clock);
    MutationBatch batch = batch_with_key("init");
    batch.scope.branch = {};
    batch.operations = {{0, "init", Domain::lifecycle}};
    batch.outbox.clear();
    const schema::Catalog catalog = *schema::make_catalog(table::kTestSchema);
    const std::vector<log::RecordDraft> group = {make_graph_created(batch, catalog, random)};
    EXPECT_EQ(log.append(Position{1}, group, log.clock_ms()).outcome, log::AppendOutcome::kDone);
  }

  SequencerOptions options_;
  std::shared_ptr<log::MemoryLogStore> store_;
  std::shared_ptr<state::MemoryState> state_;
  std::unique_ptr<log::SimLog> log_;
  std::unique_ptr<LogChangeSource> changes_;
};

/// The code of the error, or "ok".
template <class T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().code()));
}

/// Every entry of the state, in order.
inline std::vector<std::pair<std::string, std::string>> entries_of(const state::State& state) {
  std::vector<std::pair<std::string, std::string>> out;
  EXPECT_TRUE(state
                  .scan("", "",
                        [&](std::string_view key, std::string_view value) {
                          out.emplace_back(base::hex(key), base::hex(value));
                          return true;
                        })
                  .ok());
  return out;
}

}  // namespace braid::commit
