// SPDX-License-Identifier: Apache-2.0
// The state on disk: RocksDB with its own log off. What was applied since the last flush is lost by
// a crash, and applied again from the commit log. One column family; the applied position and the
// stamp are entries of the same batches as everything else. Layer: state.
//
// Invariants: S1 to S3 (state.h), and
//   S10  A directory is used only if its stamp names this graph and this format.
//   S11  A reader creates, changes and locks nothing in the directory.
// Any error of open() with kind `corrupt` or `not_found` has one remedy: destroy() and rebuild from
// the log. RocksDB reads and writes its files itself, not through env; simulations use MemoryState.
// Keys of versioned families must be as keys.h makes them: look-ups of versions use a filter over
// their prefixes, which does not know others.
// RocksDB runs two background threads for the whole process (flush, compaction) and a timer.
// Threads: as State; close() when no other call runs.
#pragma once

#include "env/env.h"
#include "env/mutex.h"
#include "state/key_filter.h"
#include "state/state.h"

namespace rocksdb {
class Status;
}

namespace braid::state {

struct RocksOptions {
  /// A full write buffer is flushed; at most two exist.
  std::uint64_t write_buffer_bytes = 32ull << 20;
  /// Blocks, filters and indexes of files, together.
  std::uint64_t block_cache_bytes = 64ull << 20;
  /// Files that a writer keeps open; a reader opens all at once and keeps them.
  std::uint32_t open_files_max = 512;
};
/// `bad_request` for a write buffer below 64 KiB, a block cache below 1 MiB, or fewer than 16
/// files.
Status validate(const RocksOptions& options);

class RocksState final : public State {
  struct Token {
    explicit Token() = default;
  };
  struct Database;

 public:
  /// A new state at position 0 in `directory`, created if absent (its parent must exist);
  /// `already_exists` if a state is there.
  static Result<std::unique_ptr<RocksState>> create(env::Env& env, std::string_view directory,
                                                    const GraphId& graph,
                                                    const RocksOptions& options = {});
  /// The state that is there. `not_found`: no directory, or an empty one. `corrupt`: damaged, or
  /// of another graph {expected, actual}. `format_mismatch` {found, supported}. `locked`: open in
  /// this process or another one.
  static Result<std::unique_ptr<RocksState>> open(env::Env& env, std::string_view directory,
                                                  const GraphId& graph,
                                                  const RocksOptions& options = {});
  /// What a writer has flushed so far, also while it goes on, and without the right to write there
  /// (S11). Errors as open(), never `locked`; the caller may rebuild in memory. It stays at its
  /// position: follow the log from there.
  static Result<std::unique_ptr<RocksState>> open_read_only(env::Env& env,
                                                            std::string_view directory,
                                                            const GraphId& graph,
                                                            const RocksOptions& options = {});
  /// Removes the directory and all in it; fine if there is none. Interrupted, it leaves what open()
  /// refuses. Requires: no handle is open on it.
  static Status destroy(env::Env& env, std::string_view directory);

  RocksState(Token, env::Env& env, std::unique_ptr<Database> database, const Applied& applied);
  /// Closes, and ignores what close() would have told.
  ~RocksState() override;

  Applied applied() const override;
  /// `no_space`, `io_error`: nothing was applied; the same call succeeds when there is room again
  /// (RocksDB looks every 5 s). `read_only` on a reader's handle, as flush() and checkpoint().
  Status apply(const std::vector<StateWrite>& writes, const Applied& applied) override;
  Result<std::optional<std::string>> get(std::string_view key) const override;
  Result<std::optional<std::pair<std::string, std::string>>> seek(
      std::string_view from, std::string_view prefix) const override;
  /// Sees one state of the entries, however many batches are applied meanwhile.
  Status scan(std::string_view from, std::string_view prefix,
              const EntryVisitor& visit) const override;
  Status flush() override;
  /// Files of its own, also on the file system of the state: damage to one is no damage to both.
  /// `already_exists` if the directory exists.
  Status checkpoint(std::string_view directory) override;
  /// Flushes and closes; after it, only the destructor may be called. Safe to repeat.
  Status close();

 private:
  Status recover_from_failure() BRAID_EXCLUDES(mutex_);
  Error remember(const rocksdb::Status& status) BRAID_REQUIRES(mutex_);
  /// Adds what the state held when it was opened to the filter, a bounded part a step.
  env::NextStep fill_filter_step();

  env::Env& env_;
  std::unique_ptr<Database> database_;
  /// Of a writer: complete at once for a new state, after a scan for an old one (S12).
  KeyFilter filter_;
  /// Where the scan goes on; its job's alone.
  std::string filter_from_;
  std::unique_ptr<env::Job> filter_job_;
  mutable env::Mutex mutex_;
  Applied applied_ BRAID_GUARDED_BY(mutex_);
  /// The last write or flush failed: RocksDB refuses more until it is told to go on.
  std::optional<Error> failure_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::state
