// SPDX-License-Identifier: Apache-2.0
#include "commit/sequencer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/assert.h"
#include "base/coding.h"
#include "commit/group_decision.h"

namespace braid::commit {

namespace {

// What a waiter is told.
constexpr std::uint32_t kAnswered = 1;
constexpr std::uint32_t kLead = 2;

// A leader goes on while at least so many wait, at most for so many groups: waking another costs
// them all a switch between threads, going on costs the leader's client one group more.
constexpr std::size_t kWorthGoingOn = 4;
constexpr std::uint32_t kTurnsMax = 16;

// A footprint that is worth a look outside of the mutex, and how often while others keep writing.
constexpr std::size_t kEarlyKeysMin = 4'096;
constexpr int kEarlyLooksMax = 3;

}  // namespace

// Shared by the client and whoever leads: a leader may still be telling a client that it is done
// when the client has seen it.
struct Sequencer::Waiter {
  PreparedChange change;
  std::optional<Result<Outcome>> result;
  /// The result holds only once the group is durable.
  bool needs_append = false;
  /// Whom this one tells that they are answered, when it is.
  Waiters relay;
  env::Event told;

  void answer_and_relay() {
    for (const auto& waiter : relay) waiter->told.set(kAnswered);
  }
};

Sequencer::Sequencer(const SequencerParts& parts, const SequencerOptions& options)
    : parts_(parts), options_(options), recent_(parts.roots.get()->position) {}

Result<std::optional<Outcome>> Sequencer::replayed(const MutationBatch& batch) const {
  return find_outcome(*parts_.roots.get(), parts_.log, batch);
}

Result<Outcome> Sequencer::commit(PreparedChange change) {
  if (parts_.applier.lag_records() > options_.state_lag_records_max) {
    Error busy(ErrorCode::busy, "the state lags too far behind the log; try again");
    if (const auto cause = parts_.applier.last_error()) {
      busy = busy.with("cause", to_string(*cause));
    }
    return busy;
  }
  if (parts_.applier.lag_bytes() > options_.state_lag_bytes_max) {
    return Error(ErrorCode::busy, "the state lags too far behind the log; try again")
        .with("limit", options_.state_lag_bytes_max);
  }
  if (!change.pins.empty() && change.built.footprint.keys.size() >= kEarlyKeysMin) {
    look_early(change);
  }
  const auto waiter = std::make_shared<Waiter>();
  waiter->change = std::move(change);
  bool leads = false;
  {
    const env::Lock lock(mutex_);
    if (closed_) return Error(ErrorCode::unavailable, "the graph is closed");
    if (in_line() >= options_.queue_batches_max) {
      return Error(ErrorCode::busy, "too many changes are waiting; try again")
          .with("limit", options_.queue_batches_max);
    }
    decide_or_defer(waiter);
    if (waiter->result && !waiter->needs_append) return *std::move(waiter->result);
    leads = !std::exchange(leading_, true);
  }
  if (leads || waiter->told.wait() == kLead) {
    lead(waiter);
  } else {
    waiter->answer_and_relay();
  }
  BRAID_ASSERT(waiter->result.has_value());
  return *std::move(waiter->result);
}

void Sequencer::look_early(PreparedChange& change) {
  for (int look = 0; look < kEarlyLooksMax; ++look) {
    std::optional<RecentWrites> recent;
    std::shared_ptr<const manifest::Root> root;
    {
      const env::Lock lock(mutex_);
      recent = recent_;
      root = parts_.roots.get();  // what it shows has been noted
    }
    const Position since = change.token.based_on;
    if (root->position == since || root->counters.catalog != change.token.catalog) return;
    const std::string member = touched_part(*recent, change.built.footprint, since, root->position,
                                            [&] { return root->view(); });
    if (!member.empty()) return;  // to be told in line, after what comes before it: the key
    change.token.based_on = root->position;
  }
}

std::size_t Sequencer::in_line() const {
  return (open_ ? open_->waiters.size() : 0) + deferred_.size();
}

std::size_t Sequencer::waiting() const {
  const env::Lock lock(mutex_);
  return in_line();
}

void Sequencer::close() {
  const env::Lock lock(mutex_);
  closed_ = true;
  while (leading_) idle_.wait(mutex_);
}

void Sequencer::decide_or_defer(const std::shared_ptr<Waiter>& waiter) noexcept {
  if (!deferred_.empty() || !decide(waiter)) deferred_.push_back(waiter);
}

bool Sequencer::decide(const std::shared_ptr<Waiter>& waiter) {
  if (!open_) open_group();
  if (open_->waiters.size() >= options_.group_batches_max) return false;
  // A refusal rests on what came before it as much as an answer does: if that is not durable in
  // the end, it says nothing.
  const bool rests_on_others = open_->decision->rests_on_undurable();
  auto verdict = open_->decision->decide(waiter->change);
  if (!verdict) {
    waiter->needs_append = rests_on_others;
    waiter->result = std::move(verdict).error();
  } else if (*verdict) {
    waiter->needs_append = (*verdict)->needs_append;
    waiter->result = std::move((*verdict)->outcome);
  } else {
    return false;
  }
  if (waiter->needs_append) {
    open_->waiters.push_back(waiter);
  } else if (open_->waiters.empty()) {
    open_.reset();  // the root may move before anybody comes
  }
  return true;
}

void Sequencer::open_group() {
  std::shared_ptr<const manifest::Root> base =
      in_flight_ ? in_flight_->pending_root() : parts_.roots.get();
  open_.emplace();
  open_->decision =
      std::make_shared<GroupDecision>(parts_, options_, recent_, std::move(base), in_flight_);
}

void Sequencer::decide_again(Waiters& answered) {  // C10
  // What was noted may not have come to be, what recovery found was not noted.
  recent_ = RecentWrites(parts_.roots.get()->position);
  if (!open_) return;
  const Group undone = std::move(*open_);
  open_.reset();
  undone.decision->give_back();
  deferred_.insert(deferred_.begin(), undone.waiters.begin(), undone.waiters.end());
  take_deferred(answered);
}

void Sequencer::take_deferred(Waiters& answered) {
  while (!deferred_.empty()) {
    const std::shared_ptr<Waiter> waiter = deferred_.front();
    if (!decide(waiter)) return;
    deferred_.pop_front();
    if (!waiter->needs_append) answered.push_back(waiter);
  }
}

void Sequencer::lead(const std::shared_ptr<Waiter>& self) noexcept {
  Turn turn{.go_on = true, .next = {}};
  for (std::uint32_t turns = 1; turn.go_on; ++turns) {
    Waiters answered;
    if (must_recover_) recover(answered);
    if (must_recover_) {
      static_cast<void>(parts_.failpoints.hit(env::Failpoint::commit_recovery_failed).ok());
    }
    // Whoever came after a recovery that failed is decided on a root that may not be the log's.
    const Group group = must_recover_ ? Group{} : close_group(answered);
    const bool undisturbed = append_group(group);
    answered.insert(answered.end(), group.waiters.begin(), group.waiters.end());
    turn = end_turn(undisturbed, turns, answered);
    // The next leader is told first: the others only carry answers away.
    if (turn.next) turn.next->told.set(kLead);
    std::erase(answered, self);
    if (turn.go_on && !answered.empty()) {
      // One wakes the rest, so that the next group does not wait for that.
      const std::shared_ptr<Waiter> first = answered.back();
      answered.pop_back();
      first->relay = std::move(answered);
      first->told.set(kAnswered);
    } else {
      for (const auto& waiter : answered) waiter->told.set(kAnswered);
    }
  }
}

void Sequencer::recover(Waiters& answered) {
  const Status recovered = catch_up();
  const env::Lock lock(mutex_);
  if (recovered) return decide_again(answered);
  const Error refusal = Error(ErrorCode::unavailable,
                              "the log cannot be recovered yet and nothing was written; try again")
                            .with("cause", to_string(recovered.error()));
  if (open_) answered.insert(answered.end(), open_->waiters.begin(), open_->waiters.end());
  answered.insert(answered.end(), deferred_.begin(), deferred_.end());
  for (const auto& waiter : answered) waiter->result = refusal;
  open_.reset();
  deferred_.clear();
  recent_ = RecentWrites(parts_.roots.get()->position);  // what they noted did not come to be
}

Sequencer::Group Sequencer::close_group(Waiters& answered) {
  const env::Lock lock(mutex_);
  if (!open_) return {};
  Group group = std::move(*open_);
  open_.reset();
  if (!group.decision->empty()) {
    group.decision->seal();
    in_flight_ = group.decision;
  }
  take_deferred(answered);
  return group;
}

Sequencer::Turn Sequencer::end_turn(bool undisturbed, std::uint32_t turns, Waiters& answered) {
  const env::Lock lock(mutex_);
  in_flight_.reset();
  if (!undisturbed) {
    decide_again(answered);
  } else if (open_) {
    open_->decision->forget_previous();
  }
  BRAID_ASSERT(open_.has_value() || deferred_.empty());
  if (!open_) {
    leading_ = false;
    idle_.notify_all();
    return {};
  }
  BRAID_ASSERT(!open_->waiters.empty());
  if (turns < kTurnsMax && open_->waiters.size() >= kWorthGoingOn) return {true, {}};
  return {false, open_->waiters.front()};
}

bool Sequencer::append_group(const Group& group) {
  if (group.decision == nullptr || group.decision->empty()) return true;
  GroupDecision& decision = *group.decision;
  const auto fail = [&](const std::function<Error(const Waiter&)>& error_for) {
    for (const auto& waiter : group.waiters) waiter->result = error_for(*waiter);
    return false;
  };
  if (Status status = parts_.failpoints.hit(env::Failpoint::commit_before_append); !status) {
    return fail([&](const Waiter&) { return status.error(); });
  }
  const std::optional<Error> failure = append(decision);
  const bool undisturbed = !std::exchange(was_disturbed_, false);
  if (!failure) return undisturbed;
  return fail([&](const Waiter& waiter) {  // all or nothing: one frame (C7)
    if (failure->code() != ErrorCode::outcome_unknown) return *failure;
    return Error(*failure).with("batch_id", base::hex_of(waiter.change.batch.batch_id));
  });
}

std::optional<Error> Sequencer::append(GroupDecision& decision) {
  // Twice, because the first unknown outcome may be an older failure of the log's own (a seal) that
  // has nothing to do with this group. Once recovery has shown that nothing is there, the root is
  // still the one it was decided on.
  std::optional<Error> failure;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const log::AppendResult appended =
        parts_.log.append(decision.first(), decision.drafts(), decision.time_ms());
    if (appended.outcome == log::AppendOutcome::kDone) {
      if (publish(decision, appended.last_hash)) return std::nullopt;
    } else if (appended.outcome != log::AppendOutcome::kUnknown) {
      return *appended.error;
    }
    was_disturbed_ = true;
    must_recover_ = true;
    const Result<bool> is_there = find_after_recovery(decision);
    if (!is_there) {
      return Error(ErrorCode::outcome_unknown,
                   "the log failed while writing; ask again with the same key")
          .with("cause", to_string(is_there.error()));
    }
    if (*is_there) return std::nullopt;
    failure = Error(ErrorCode::unavailable, "the log failed and nothing was written; try again");
    if (appended.error) failure = failure->with("cause", to_string(*appended.error));
    if (parts_.roots.get()->position >= decision.first()) break;  // its place is taken
  }
  return failure;
}

Result<bool> Sequencer::find_after_recovery(const GroupDecision& decision) {
  BRAID_TRY(catch_up());
  const std::shared_ptr<const manifest::Root> root = parts_.roots.get();
  if (root->position < decision.last()) return false;
  // That something stands at its positions does not make it this group.
  BRAID_ASSIGN(const auto found, find_outcome(*root, parts_.log, decision.last_batch()));
  return found && found->receipt.position == decision.last();
}

Status Sequencer::publish(GroupDecision& decision, const base::Digest& last_hash) {
  BRAID_TRY(parts_.failpoints.hit(env::Failpoint::commit_after_append));
  decision.remember_in(parts_.changes);
  parts_.roots.publish(decision.take_root(last_hash));
  parts_.applier.add(decision.take_group(last_hash));
  return parts_.failpoints.hit(env::Failpoint::commit_after_publish);
}

Status Sequencer::catch_up() {
  BRAID_ASSIGN(const log::LogTail tail, parts_.log.recover());
  const std::shared_ptr<const manifest::Root> root = parts_.roots.get();
  if (tail.last > root->position) {
    BRAID_ASSIGN(Followed followed, follow(parts_.log, *root, parts_.fragments));
    parts_.roots.publish(std::move(followed.root));
    parts_.applier.add({tail.last, tail.hash, followed.records, std::move(followed.writes)});
  }
  must_recover_ = false;
  return Unit{};
}

}  // namespace braid::commit
