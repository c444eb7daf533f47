// SPDX-License-Identifier: Apache-2.0
// The sequencer: the one place where order is made. Decides each change in arrival order on the
// image that includes everything decided before it, appends a group as one frame with one sync,
// publishes one root, acknowledges each (docs/architecture.md).
//
// There is no sequencer thread. Each client decides its own change, one at a time under the mutex,
// into the group that is open; the one that finds nobody appending closes that group and appends
// it, while others decide theirs into the next. Those rest on a group in flight: if it fails, they
// are decided again (C10). Whoever appends goes on while many wait and then hands over to one of
// them.
//
// Invariants
//   C6  A change is acknowledged only after its group is durable and its root published.
//   C7  A failed append publishes nothing of its group; one refused change leaves the others alone.
//   C8  An idempotency key is applied at most once: it is looked up again here, in-group members
//       included, after the last moment at which another could have used it.
//   C9  After the log said `done` nothing can fail: what publishing needs is built before, and
//       memory that runs out while deciding or leading ends the process.
//   C10 Whatever was decided on a group that did not come to be as it was decided, is decided
//       again before it is appended or answered.
// Threads: commit() from any number of threads; close() once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  const table::FragmentSource& fragments;
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

  /// How many are in line behind the group in flight.
  std::size_t waiting() const BRAID_EXCLUDES(mutex_);

  /// Waits for those in line and refuses who comes later.
  void close() BRAID_EXCLUDES(mutex_);

 private:
  struct Waiter;
  using Waiters = std::vector<std::shared_ptr<Waiter>>;
  /// What is appended together, in order of arrival.
  struct Group {
    Waiters waiters;
    std::shared_ptr<GroupDecision> decision;
  };

  /// Looks a large footprint up before the change gets in line, where all others wait: where it
  /// still holds, only what is written later is left to ask there.
  void look_early(PreparedChange& change) BRAID_EXCLUDES(mutex_);

  // Memory that runs out in these ends the process (C9): half a group can be neither answered nor
  // taken back.

  /// Into the open group, or behind it in line where that is full.
  void decide_or_defer(const std::shared_ptr<Waiter>& waiter) noexcept BRAID_REQUIRES(mutex_);
  /// False: it does not fit into the open group.
  bool decide(const std::shared_ptr<Waiter>& waiter) BRAID_REQUIRES(mutex_);
  void open_group() BRAID_REQUIRES(mutex_);
  std::size_t in_line() const BRAID_REQUIRES(mutex_);
  /// C10. After a group that failed, or whose log was recovered. Appends to `answered` whoever need
  /// not wait any more.
  void decide_again(Waiters& answered) BRAID_REQUIRES(mutex_);
  void take_deferred(Waiters& answered) BRAID_REQUIRES(mutex_);

  /// Appends group after group, until nobody waits or another leads.
  void lead(const std::shared_ptr<Waiter>& self) noexcept BRAID_EXCLUDES(mutex_);
  /// After an unknown outcome, before anything else is appended. Refuses all if it cannot.
  void recover(Waiters& answered) BRAID_EXCLUDES(mutex_);
  /// Closes the open group, which is in flight from then on.
  Group close_group(Waiters& answered) BRAID_EXCLUDES(mutex_);
  /// Success is only what is durable and published (C6); of a failed group, nothing is (C7). False
  /// if what came after it must be decided again (C10).
  bool append_group(const Group& group) BRAID_EXCLUDES(mutex_);
  /// Appends and publishes; why it did not, if so.
  std::optional<Error> append(GroupDecision& decision) BRAID_EXCLUDES(mutex_);
  /// After an unknown outcome: recovers, and tells whether the group is in the log after all.
  Result<bool> find_after_recovery(const GroupDecision& decision) BRAID_EXCLUDES(mutex_);
  /// After the append, so that every head is durable (M1).
  Status publish(GroupDecision& decision, const base::Digest& last_hash);
  /// After an unknown outcome: recovers the log and replays what it holds beyond the root.
  Status catch_up() BRAID_EXCLUDES(mutex_);
  struct Turn {
    bool go_on = false;
    /// Leads next, if anybody.
    std::shared_ptr<Waiter> next;
  };
  Turn end_turn(bool undisturbed, std::uint32_t turns, Waiters& answered) BRAID_EXCLUDES(mutex_);

  SequencerParts parts_;
  SequencerOptions options_;

  mutable env::Mutex mutex_;
  env::CondVar idle_;
  std::optional<Group> open_ BRAID_GUARDED_BY(mutex_);
  /// Closed and not settled.
  std::shared_ptr<GroupDecision> in_flight_ BRAID_GUARDED_BY(mutex_);
  /// Undecided, because the open group is full.
  std::deque<std::shared_ptr<Waiter>> deferred_ BRAID_GUARDED_BY(mutex_);
  RecentWrites recent_ BRAID_GUARDED_BY(mutex_);
  bool leading_ BRAID_GUARDED_BY(mutex_) = false;
  bool closed_ BRAID_GUARDED_BY(mutex_) = false;

  // The leader's alone; leadership hands over under mutex_.
  bool must_recover_ = false;
  /// The log was recovered while the group was appended.
  bool was_disturbed_ = false;
};

}  // namespace braid::commit
