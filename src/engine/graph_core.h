// SPDX-License-Identifier: Apache-2.0
// An open graph: owns lock, log, state, root and sequencer, and is the only place where the write
// stack and the query stack meet. The public handle (include/braid/graph.h) is a pointer to it.
//
// Invariants
//   G1  Every change goes through the sequencer: nothing else appends to the log of an open graph.
//   G2  A read-only core changes no file and takes no lock.
// Threads: any, for every public function.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/graph.h"
#include "commit/change_source.h"
#include "commit/sequencer.h"
#include "commit/state_applier.h"
#include "engine/fragment_store.h"
#include "engine/graph_directory.h"
#include "engine/names.h"
#include "env/env.h"
#include "env/failpoints.h"
#include "log/log.h"
#include "log/log_writer.h"
#include "manifest/root.h"

namespace braid::engine {

/// What tests and the simulator choose besides the public options.
struct CoreOptions {
  OpenOptions open;
  /// Keeps the state in memory, for file systems that RocksDB cannot be on.
  bool memory_state = false;
  /// Small segments let a short test cross many.
  log::LogOptions log = {};
  /// A small budget lets small loads be staged.
  commit::InlineBudget inline_budget = {};
  /// A handle that only reads keeps what it followed in memory, up to so many bytes; then it looks
  /// whether the writer's state has them.
  std::uint64_t followed_bytes_max = std::uint64_t{64} << 20;
};

class GraphCore : public std::enable_shared_from_this<GraphCore> {
  struct Token {
    explicit Token() = default;
  };

 public:
  /// As the functions of Graph, on any machine.
  static Result<std::shared_ptr<GraphCore>> init(env::Env& env, std::string_view path,
                                                 std::string_view schema,
                                                 const InitOptions& init_options,
                                                 const CoreOptions& options);
  static Result<std::shared_ptr<GraphCore>> open(env::Env& env, std::string_view path,
                                                 const CoreOptions& options);
  static Result<std::shared_ptr<GraphCore>> in_memory(env::Env& env, std::string_view schema,
                                                      const CoreOptions& options);

  GraphCore(Token, env::Env& env, const CoreOptions& options, GraphId graph);
  ~GraphCore();

  Result<std::shared_ptr<const SnapshotCore>> snapshot(std::string_view branch);
  Result<Receipt> load(std::vector<LoadSource> sources, const LoadOptions& options);
  Result<std::vector<CommitInfo>> history(std::string_view branch, std::uint64_t limit);
  Result<CommitDetail> show(std::string_view commit);
  Result<VerifyReport> verify();
  Status close();

  env::Env& env() { return env_; }
  GraphId graph() const { return graph_; }
  const CoreOptions& options() const { return options_; }
  /// As the log writes it.
  const std::string& graph_text() const { return graph_text_; }
  env::Failpoints& failpoints() { return failpoints_; }
  const log::CommitLog& log() const { return *log_; }
  const commit::LogChangeSource& changes() const { return *changes_; }
  FragmentStore& fragments() const { return *fragments_; }
  const Names& names() const { return *names_; }
  /// The root that readers get: of a read-only core, after looking for what the writer has done.
  Result<std::shared_ptr<const manifest::Root>> root();
  /// nullptr when read-only.
  commit::Sequencer* sequencer() { return sequencer_.get(); }
  /// Where everything committed so far has been applied to the state.
  Status drain_state();
  Names& mutable_names() { return *names_; }
  /// `read_only` or `unavailable` unless changes are possible.
  Status check_writable() const;

 private:
  Status check_open() const;
  /// Of a handle that only reads: the root up to the log's tail.
  Result<std::shared_ptr<const manifest::Root>> follow();
  /// The writer's state as it was flushed, or an empty one.
  std::unique_ptr<state::State> read_state();
  /// Starts again from the state that the writer has flushed, if that has more than ours: what was
  /// followed in memory leaves it.
  Status reopen_state() BRAID_REQUIRES(follow_mutex_);
  /// What close() does once.
  Status finish();
  /// Lets go of the state, so that whoever opens the graph next finds it free; snapshots that are
  /// still alive keep theirs.
  void release_state();
  /// Makes root, applier and sequencer over log_ and state.
  Status start(std::shared_ptr<state::State> state);

  env::Env& env_;
  CoreOptions options_;
  const GraphId graph_;
  const std::string graph_text_;
  const std::uint64_t hash_salt_;
  env::Failpoints failpoints_;
  std::string state_directory_;
  std::unique_ptr<env::FileLock> lock_;
  std::unique_ptr<log::CommitLog> log_;
  std::shared_ptr<state::State> state_;
  std::unique_ptr<Names> names_;
  std::unique_ptr<commit::LogChangeSource> changes_;
  std::unique_ptr<env::FileSystem> memory_files_;  // of a graph without a directory
  std::unique_ptr<FragmentStore> fragments_;
  manifest::RootHolder roots_;
  std::unique_ptr<commit::StateApplier> applier_;
  std::unique_ptr<commit::Sequencer> sequencer_;
  env::Mutex follow_mutex_;  // one follower at a time, read-only cores only
  /// Bytes in memory at which to look at the writer's state.
  std::uint64_t reopen_at_bytes_ BRAID_GUARDED_BY(follow_mutex_) = 0;
  env::Mutex closing_mutex_;  // held while closing; taken before close_mutex_
  std::optional<Status> close_status_ BRAID_GUARDED_BY(closing_mutex_);
  mutable env::Mutex close_mutex_;
  bool closed_ BRAID_GUARDED_BY(close_mutex_) = false;
};

/// What an unopened graph's first record holds: the catalog and who made it.
Status append_creation(env::Env& env, log::CommitLog& log, std::string_view schema,
                       std::string_view actor);

}  // namespace braid::engine
