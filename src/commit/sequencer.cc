// SPDX-License-Identifier: Apache-2.0
#include "commit/sequencer.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/coding.h"
#include "commit/group_decision.h"

namespace braid::commit {

namespace {

// What a waiter is told.
constexpr std::uint32_t kAnswered = 1;
constexpr std::uint32_t kLead = 2;

}  // namespace

// Shared by the client and whoever leads: a leader may still be telling a client that it is done
// when the client has seen it.
struct Sequencer::Waiter {
  PreparedChange change;
  std::optional<Result<Outcome>> result;
  /// The result holds only once the group is durable.
  bool needs_append = false;
  env::Event told;
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
  const auto waiter = std::make_shared<Waiter>();
  waiter->change = std::move(change);
  BRAID_ASSIGN(const bool leads, enqueue(waiter));
  if (leads || waiter->told.wait() == kLead) lead();
  BRAID_ASSERT(waiter->result.has_value());
  return *std::move(waiter->result);
}

Result<bool> Sequencer::enqueue(const std::shared_ptr<Waiter>& waiter) {
  const env::Lock lock(mutex_);
  if (closed_) return Error(ErrorCode::unavailable, "the graph is closed");
  if (queue_.size() >= options_.queue_batches_max) {
    return Error(ErrorCode::busy, "too many changes are waiting; try again")
        .with("limit", options_.queue_batches_max);
  }
  queue_.push_back(waiter);
  return !std::exchange(leading_, true);
}

void Sequencer::close() {
  const env::Lock lock(mutex_);
  closed_ = true;
  while (leading_) idle_.wait(mutex_);
}

void Sequencer::lead() noexcept {
  const Group group = take_group();
  run_group(group);
  answer(group);
}

Sequencer::Group Sequencer::take_group() {
  const env::Lock lock(mutex_);
  BRAID_ASSERT(!queue_.empty());
  Group group;
  while (!queue_.empty() && group.size() < options_.group_batches_max) {
    group.push_back(queue_.front());
    queue_.pop_front();
  }
  return group;
}

void Sequencer::answer(const Group& group) {
  // What did not fit is undecided: it goes back to the front, in order, and belongs to the next
  // leader from then on. Only the decided ones may be looked at after the lock is released.
  const auto undecided =
      std::find_if(group.begin(), group.end(), [](const auto& waiter) { return !waiter->result; });
  std::shared_ptr<Waiter> next;
  {
    const env::Lock lock(mutex_);
    queue_.insert(queue_.begin(), undecided, group.end());
    if (queue_.empty()) {
      leading_ = false;
      idle_.notify_all();
    } else {
      next = queue_.front();
    }
  }
  // The next leader is told first: the others only carry answers away.
  if (next) next->told.set(kLead);
  for (auto decided = group.begin(); decided != undecided; ++decided) {
    (*decided)->told.set(kAnswered);
  }
}

void Sequencer::run_group(const Group& group) {
  if (must_recover_) {
    if (Status recovered = catch_up(); !recovered) {
      const Error refusal =
          Error(ErrorCode::unavailable,
                "the log cannot be recovered yet and nothing was written; try again")
              .with("cause", to_string(recovered.error()));
      for (const auto& waiter : group) waiter->result = refusal;
      return;
    }
  }
  GroupDecision decision(parts_, options_, recent_);
  decide_group(group, decision);
  if (decision.empty()) return;
  append_group(group, decision);
}

void Sequencer::decide_group(const Group& group, GroupDecision& decision) {
  for (const auto& waiter : group) {
    // A refusal rests on the members before it as much as an answer does: if they are not durable
    // in the end, it says nothing.
    const bool rests_on_group = !decision.empty();
    auto verdict = decision.decide(waiter->change);
    if (!verdict) {
      waiter->needs_append = rests_on_group;
      waiter->result = std::move(verdict).error();
    } else if (*verdict) {
      waiter->needs_append = (*verdict)->needs_append;
      waiter->result = std::move((*verdict)->outcome);
    } else {
      return;  // full: this one and the rest go into the next group
    }
  }
}

void Sequencer::append_group(const Group& group, GroupDecision& decision) {
  const auto fail = [&](const std::function<Error(const Waiter&)>& error_for) {
    for (const auto& waiter : group) {
      if (waiter->needs_append) waiter->result = error_for(*waiter);
    }
  };
  decision.seal();
  if (Status status = parts_.failpoints.hit(env::Failpoint::commit_before_append); !status) {
    return fail([&](const Waiter&) { return status.error(); });
  }
  Error failure = append(decision);
  if (parts_.roots.get()->position >= decision.last()) return;  // all or nothing: one frame (C7)
  fail([&](const Waiter& waiter) {
    if (failure.code() != ErrorCode::outcome_unknown) return failure;
    return failure.with("batch_id", base::hex_of(waiter.change.batch.batch_id));
  });
}

Error Sequencer::append(GroupDecision& decision) {
  // Twice, because the first unknown outcome may be an older failure of the log's own (a seal) that
  // has nothing to do with this group. Once recovery has shown that the group is not there, the
  // root is still the one it was decided on.
  Error failure(ErrorCode::internal, "the group is published");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const log::AppendResult appended =
        parts_.log.append(decision.first(), decision.drafts(), decision.time_ms());
    if (appended.outcome == log::AppendOutcome::kDone) {
      if (publish(decision, appended.last_hash)) return failure;
    } else if (appended.outcome != log::AppendOutcome::kUnknown) {
      return *appended.error;
    }
    must_recover_ = true;
    if (Status recovered = catch_up(); !recovered) {
      return Error(ErrorCode::outcome_unknown,
                   "the log failed while writing; ask again with the same key")
          .with("cause", to_string(recovered.error()));
    }
    if (parts_.roots.get()->position >= decision.last()) return failure;
    failure = Error(ErrorCode::unavailable, "the log failed and nothing was written; try again");
    if (appended.error) failure = failure.with("cause", to_string(*appended.error));
  }
  return failure;
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
    BRAID_ASSIGN(Followed followed, follow(parts_.log, *root));
    parts_.roots.publish(std::move(followed.root));
    parts_.applier.add({tail.last, tail.hash, followed.records, std::move(followed.writes)});
  }
  // Whatever was prepared before is checked against nothing older than this.
  recent_ = RecentWrites(tail.last);
  must_recover_ = false;
  return Unit{};
}

}  // namespace braid::commit
