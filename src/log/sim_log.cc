// SPDX-License-Identifier: Apache-2.0
#include "log/sim_log.h"

#include "base/assert.h"
#include "log/append_result.h"

namespace braid::log {
namespace {

Error injected(ErrorCode code) { return Error(code, "injected by the simulated log"); }

}  // namespace

SimLog::SimLog(std::shared_ptr<MemoryLogStore> store, const env::Clock& clock, SimLogFaults faults,
               GroupLimits limits)
    : log_(std::move(store), clock, limits), faults_(std::move(faults)), chance_(faults_.seed) {}

Status SimLog::check_alive() const {
  if (is_crashed_) return injected(ErrorCode::io_error);
  if (pending_.has_value()) return outcome_unknown_error(injected(ErrorCode::io_error));
  return Unit{};
}

LogTail SimLog::tail() const { return log_.tail(); }

AppendResult SimLog::leave_unknown(Position first, std::span<const RecordDraft> group,
                                   std::int64_t time_ms) {
  pending_ = Pending{first, {group.begin(), group.end()}, time_ms, chance_.one_in(2)};
  return unknown(outcome_unknown_error(injected(ErrorCode::io_error)));
}

AppendResult SimLog::append(Position first, std::span<const RecordDraft> group,
                            std::int64_t time_ms) {
  std::function<void()> delay;
  {
    const env::Lock lock(mutex_);
    delay = faults_.delay;
  }
  if (delay) delay();
  const env::Lock lock(mutex_);
  if (Status alive = check_alive(); !alive) return unknown(std::move(alive).error());
  const bool would_land = first == log_.tail().last.next() && !group.empty();
  if (would_land && chance_.one_in(faults_.refused_in)) {
    return refused(injected(ErrorCode::no_space));
  }
  if (would_land && chance_.one_in(faults_.lost_in)) {
    RecordDraft rival;
    rival.type = faults_.rival_type;
    const AppendResult taken = log_.append(first, {&rival, 1}, time_ms);
    if (taken.outcome == AppendOutcome::kDone) return lost(log_.tail().last.next(), first);
  }
  if (would_land && chance_.one_in(faults_.unknown_in)) return leave_unknown(first, group, time_ms);
  if (would_land && chance_.one_in(faults_.crash_in)) {
    AppendResult result = leave_unknown(first, group, time_ms);
    if (pending_->landed) static_cast<void>(log_.append(first, group, time_ms));
    is_crashed_ = true;
    return result;
  }
  return log_.append(first, group, time_ms);
}

Result<LogTail> SimLog::recover() {
  const env::Lock lock(mutex_);
  if (is_crashed_ || chance_.one_in(faults_.recover_fails_in)) {
    return injected(ErrorCode::io_error);
  }
  if (pending_.has_value() && pending_->landed) {
    static_cast<void>(log_.append(pending_->first, pending_->group, pending_->time_ms));
  }
  pending_.reset();
  return log_.tail();
}

Status SimLog::read(Position first, Position last, const RecordVisitor& visit) const {
  {
    const env::Lock lock(mutex_);
    if (is_crashed_) return injected(ErrorCode::io_error);
  }
  return log_.read(first, last, visit);
}

Status SimLog::truncate_below(Position keep_from) {
  const env::Lock lock(mutex_);
  BRAID_TRY(check_alive());
  return log_.truncate_below(keep_from);
}

Status SimLog::close() {
  const env::Lock lock(mutex_);
  BRAID_TRY(check_alive());
  return log_.close();
}

void SimLog::crash() {
  const env::Lock lock(mutex_);
  if (pending_.has_value() && pending_->landed && !is_crashed_) {
    static_cast<void>(log_.append(pending_->first, pending_->group, pending_->time_ms));
  }
  is_crashed_ = true;
}

bool SimLog::is_crashed() const {
  const env::Lock lock(mutex_);
  return is_crashed_;
}

void SimLog::heal() {
  const env::Lock lock(mutex_);
  const std::uint64_t seed = faults_.seed;
  faults_ = SimLogFaults{.seed = seed, .delay = {}};
}

}  // namespace braid::log
