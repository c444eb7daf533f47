// SPDX-License-Identifier: Apache-2.0
#include "commit/state_applier.h"

namespace braid::commit {
namespace {

// A lone commit wakes nobody: the job looks again after this long, and the overlay answers until
// then.
constexpr std::int64_t kIdleDelayMs = 20;
constexpr std::int64_t kRetryDelayMs = 200;
constexpr std::size_t kWritesMax = 16'384;

}  // namespace

StateApplier::StateApplier(state::State& state, manifest::RootHolder& roots, env::Workers& workers)
    : state_(state), roots_(roots) {
  job_ = workers.start("state-apply", [this] { return step(); });
}

StateApplier::~StateApplier() { stop(); }

void StateApplier::stop() { job_->stop(); }

void StateApplier::add(PublishedGroup group) {
  bool wake = false;
  {
    const env::Lock lock(mutex_);
    lag_records_ += group.records;
    waiting_.push_back(std::move(group));
    wake = !scheduled_;
    scheduled_ = true;
  }
  if (wake) job_->wake();
}

std::uint64_t StateApplier::lag_records() const {
  const env::Lock lock(mutex_);
  return lag_records_;
}

std::optional<Error> StateApplier::last_error() const {
  const env::Lock lock(mutex_);
  return last_error_;
}

Result<bool> StateApplier::apply_some() {
  const env::Lock applying(apply_mutex_);
  std::vector<state::StateWrite> writes;
  state::Applied applied;
  std::uint64_t records = 0;
  std::size_t groups = 0;
  {
    const env::Lock lock(mutex_);
    while (groups < waiting_.size() && writes.size() < kWritesMax) {
      const PublishedGroup& group = waiting_[groups++];
      writes.insert(writes.end(), group.writes.begin(), group.writes.end());
      applied = {group.last, group.hash};
      records += group.records;
    }
  }
  if (groups == 0) return false;
  Status status = state_.apply(writes, applied);
  const env::Lock lock(mutex_);
  if (!status) {
    last_error_ = status.error();  // they stay waiting, in order (C5)
    return std::move(status).error();
  }
  last_error_.reset();
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(groups));
  lag_records_ -= records;
  roots_.applied(applied.position);
  return true;
}

Status StateApplier::drain() {
  for (;;) {
    BRAID_ASSIGN(const bool more, apply_some());
    if (!more) return Unit{};
  }
}

env::NextStep StateApplier::step() {
  const Result<bool> result = apply_some();
  if (!result) return env::NextStep::after_ms(kRetryDelayMs);
  const env::Lock lock(mutex_);
  if (!waiting_.empty()) return env::NextStep::after_ms(kIdleDelayMs);
  scheduled_ = false;
  return env::NextStep::when_woken();
}

}  // namespace braid::commit
