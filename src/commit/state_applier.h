// SPDX-License-Identifier: Apache-2.0
// Applies published groups to the state, off the acknowledgement path: until then readers find
// their effects in the root's overlay.
//
// Invariants
//   C5  Groups are applied in order of position, each whole, only after they were published (S2).
// Threads: add() by the sequencer's leader; the rest by any thread.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "env/mutex.h"
#include "env/worker.h"
#include "manifest/root.h"
#include "state/state.h"

namespace braid::commit {

/// One published group.
struct PublishedGroup {
  Position last;
  base::Digest hash{};
  std::uint64_t records = 0;
  std::vector<state::StateWrite> writes;
  /// Of keys and values.
  std::uint64_t bytes() const;
};

class StateApplier {
 public:
  StateApplier(state::State& state, manifest::RootHolder& roots, env::Workers& workers);
  ~StateApplier();

  void add(PublishedGroup group) BRAID_EXCLUDES(mutex_);
  /// Records that are published and not applied.
  std::uint64_t lag_records() const { return lag_records_.load(std::memory_order_relaxed); }
  /// Bytes of their effects.
  std::uint64_t lag_bytes() const { return lag_bytes_.load(std::memory_order_relaxed); }
  /// Runs `work` while nothing is applied: the state stands still at its position.
  void while_paused(const std::function<void()>& work) BRAID_EXCLUDES(apply_mutex_);
  /// Applies everything that is waiting, on the calling thread.
  Status drain() BRAID_EXCLUDES(mutex_, apply_mutex_);
  /// Why the last attempt failed, if it did.
  std::optional<Error> last_error() const BRAID_EXCLUDES(mutex_);
  /// Stops the background job; what waits stays unapplied.
  void stop();

 private:
  env::NextStep step();
  /// Applies one batch of groups; false when nothing waits.
  Result<bool> apply_some() BRAID_EXCLUDES(mutex_, apply_mutex_);

  state::State& state_;
  manifest::RootHolder& roots_;
  env::Mutex apply_mutex_;  // one applier at a time; taken before mutex_
  /// Groups that are being applied, as one; empty when none are.
  PublishedGroup in_flight_ BRAID_GUARDED_BY(apply_mutex_);
  mutable env::Mutex mutex_;
  std::deque<PublishedGroup> waiting_ BRAID_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> lag_records_{0};
  std::atomic<std::uint64_t> lag_bytes_{0};
  bool scheduled_ BRAID_GUARDED_BY(mutex_) = false;
  bool gathering_ BRAID_GUARDED_BY(mutex_) = false;
  std::optional<Error> last_error_ BRAID_GUARDED_BY(mutex_);
  std::unique_ptr<env::Job> job_;
};

}  // namespace braid::commit
