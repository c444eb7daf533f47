// SPDX-License-Identifier: Apache-2.0
// The sequencer: the one place where order is made. Takes what waits, decides each change in
// arrival order on the image that includes the group's earlier members, appends the group as one
// frame with one sync, publishes one root, acknowledges each (commit-protocol 4).
//
// There is no sequencer thread: the client that finds nobody at work leads one group, its own
// change first in line, and hands over to the next that waits.
//
// Invariants
//   C6  A change is acknowledged only after its group is durable and its root published.
//   C7  A failed append publishes nothing of its group; one refused change leaves the others alone.
//   C8  An idempotency key is applied at most once: it is looked up again here, in-group members
//       included, after the last moment at which another could have used it.
//   C9  After the log said `done` nothing can fail: what publishing needs is built before, and
//   memory
//       that runs out while leading ends the process.
// Threads: commit() from any number of threads; close() once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "commit/change_source.h"
#include "commit/prepared_change.h"
#include "commit/recent_writes.h"
#include "commit/replay.h"
#include "commit/state_applier.h"
#include "env/env.h"
#include "env/event.h"
#include "env/failpoints.h"
#include "env/mutex.h"
#include "log/log.h"
#include "manifest/root.h"

namespace braid::commit {

struct SequencerOptions {
  /// Batches that may wait; then `busy`.
  std::uint32_t queue_batches_max = 4'096;
  /// Records the state may lag behind the log; then `busy`.
  std::uint32_t state_lag_records_max = 65'536;
  /// Bytes of effects that wait to be applied; then `busy`.
  std::uint64_t state_lag_bytes_max = std::uint64_t{256} << 20;
  std::uint32_t group_batches_max = 1'024;
  std::uint64_t group_bytes_max = std::uint64_t{4} << 20;
};

/// What the sequencer works on; all outlive it.
struct SequencerParts {
  env::Env& env;
  log::CommitLog& log;
  manifest::RootHolder& roots;
  const LogChangeSource& changes;
  StateApplier& applier;
  env::Failpoints& failpoints;
};

class GroupDecision;

class Sequencer {
 public:
  /// Requires: a root is published whose position is the log's tail.
  Sequencer(const SequencerParts& parts, const SequencerOptions& options);

  /// Blocks until the change is durable and visible, or refused. Errors: `busy`, `unavailable`
  /// (closed), whatever deciding finds (`idempotency_conflict`, `precondition_failed`,
  /// `stale_version`, `read_set_changed`, `not_found` for the branch, those of building again),
  /// `no_space`, `fenced`, `outcome_unknown` {batch_id}.
  Result<Outcome> commit(PreparedChange change) BRAID_EXCLUDES(mutex_);

  /// The stored answer to a batch, if its key was used: read from root and log.
  Result<std::optional<Outcome>> replayed(const MutationBatch& batch) const;

  /// Waits for the group at work and refuses what comes later.
  void close() BRAID_EXCLUDES(mutex_);

 private:
  struct Waiter;
  using Group = std::vector<std::shared_ptr<Waiter>>;

  /// True if nobody leads and the caller must.
  Result<bool> enqueue(const std::shared_ptr<Waiter>& waiter) BRAID_EXCLUDES(mutex_);
  /// Memory that runs out here ends the process (C9): half a group can be neither answered nor
  /// taken back.
  void lead() noexcept BRAID_EXCLUDES(mutex_);
  Group take_group() BRAID_EXCLUDES(mutex_);
  void run_group(const Group& group);
  void decide_group(const Group& group, GroupDecision& decision);
  /// Success is only what is durable and published (C6); of a failed group, nothing is (C7).
  void append_group(const Group& group, GroupDecision& decision);
  /// Appends and publishes. What it returns counts only if the root did not reach the group.
  Error append(GroupDecision& decision);
  /// After the append, so that every head is durable (M1).
  Status publish(GroupDecision& decision, const base::Digest& last_hash);
  /// After an unknown outcome: recovers the log and replays what it holds beyond the root.
  Status catch_up();
  void answer(const Group& group) BRAID_EXCLUDES(mutex_);

  SequencerParts parts_;
  SequencerOptions options_;

  env::Mutex mutex_;
  env::CondVar idle_;
  std::deque<std::shared_ptr<Waiter>> queue_ BRAID_GUARDED_BY(mutex_);
  bool leading_ BRAID_GUARDED_BY(mutex_) = false;
  bool closed_ BRAID_GUARDED_BY(mutex_) = false;

  // The leader's alone; leadership hands over under mutex_.
  RecentWrites recent_;
  bool must_recover_ = false;
};

}  // namespace braid::commit
