// SPDX-License-Identifier: Apache-2.0
#include "commit/state_applier.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
    lag_bytes_ += group.bytes();
    waiting_.push_back(std::move(group));
    wake = !scheduled_;
    scheduled_ = true;
  }
  if (wake) job_->wake();
}

std::optional<Error> StateApplier::last_error() const {
  const env::Lock lock(mutex_);
  return last_error_;
}

Result<bool> StateApplier::apply_some() {
  const env::Lock applying(apply_mutex_);
  if (in_flight_.records == 0) {
    const env::Lock lock(mutex_);
    while (!waiting_.empty() && in_flight_.writes.size() < kWritesMax) {
      PublishedGroup& group = waiting_.front();
      std::move(group.writes.begin(), group.writes.end(), std::back_inserter(in_flight_.writes));
      in_flight_.last = group.last;
      in_flight_.hash = group.hash;
      in_flight_.records += group.records;
      waiting_.pop_front();
    }
  }
  if (in_flight_.records == 0) return false;
  Status status = state_.apply(in_flight_.writes, {in_flight_.last, in_flight_.hash});
  {
    const env::Lock lock(mutex_);
    last_error_.reset();
    if (!status) last_error_ = status.error();
  }
  if (!status) return std::move(status).error();  // it stays in flight, first in order (C5)
  lag_records_ -= in_flight_.records;
  lag_bytes_ -= in_flight_.bytes();
  roots_.applied(in_flight_.last);
  in_flight_ = {};
  return true;
}

std::uint64_t PublishedGroup::bytes() const {
  std::uint64_t sum = 0;
  for (const state::StateWrite& write : writes) {
    sum += write.key.size() + (write.value ? write.value->size() : 0);
  }
  return sum;
}

void StateApplier::while_paused(const std::function<void()>& work) {
  const env::Lock applying(apply_mutex_);
  work();
}

Status StateApplier::drain() {
  for (;;) {
    BRAID_ASSIGN(const bool more, apply_some());
    if (!more) return Unit{};
  }
}

env::NextStep StateApplier::step() {
  {
    const env::Lock lock(mutex_);
    // Woken by the first group after an idle time: more will come, apply them together.
    if (!std::exchange(gathering_, true)) return env::NextStep::after_ms(kIdleDelayMs);
  }
  const Result<bool> result = apply_some();
  if (!result) return env::NextStep::after_ms(kRetryDelayMs);
  const env::Lock lock(mutex_);
  // Also what another caller took and could not apply.
  if (!waiting_.empty() || lag_records_ > 0) return env::NextStep::after_ms(kIdleDelayMs);
  scheduled_ = false;
  gathering_ = false;
  return env::NextStep::when_woken();
}

}  // namespace braid::commit
