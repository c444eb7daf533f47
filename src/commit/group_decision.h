// SPDX-License-Identifier: Apache-2.0
// One group being decided: each change in arrival order, on the image that includes those decided
// before it, in this group and in the one before it, which may be in flight. Nothing here is
// visible to anyone until the sequencer has appended and published it.
// Threads: one at a time (the sequencer's mutex) up to seal(), then its leader's; but for
// pending_root() and the look-ups of the next group, which only read what seal() left.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commit/sequencer.h"

namespace braid::commit {

class GroupDecision {
 public:
  /// `base`: the published root, or the pending root of `previous`, the group in flight.
  GroupDecision(const SequencerParts& parts, const SequencerOptions& options, RecentWrites& recent,
                std::shared_ptr<const manifest::Root> base,
                std::shared_ptr<const GroupDecision> previous);

  struct Verdict {
    Outcome outcome;
    /// The outcome holds only once the group is durable.
    bool needs_append = false;
  };
  /// Decides one change, which stays where it is until the group is answered; nullopt: it does not
  /// fit into this group any more and can go into the next.
  Result<std::optional<Verdict>> decide(PreparedChange& change);

  bool empty() const { return drafts_.empty(); }
  /// Whether a verdict may rest on something that is not durable yet.
  bool rests_on_undurable() const { return !empty() || previous_ != nullptr; }
  Position first() const { return root_->position.next(); }
  Position last() const { return Position{root_->position.value + drafts_.size()}; }
  std::int64_t time_ms() const { return time_ms_; }
  /// Of the last record. Requires: not empty.
  const MutationBatch& last_batch() const { return members_.back().change->batch; }
  const std::vector<log::RecordDraft>& drafts() const { return drafts_; }

  /// Takes the memory that publishing will need, and the group's writes (C9).
  void seal();
  /// After seal(): the root as it will be, without its hash, for the next group to be decided on.
  std::shared_ptr<const manifest::Root> pending_root() const { return pending_root_; }
  /// The previous group is durable and published: it is found like any other.
  void forget_previous();
  /// Returns to each member's change what deciding took from it: it can be decided anew.
  void give_back();
  /// After the append: the root with the group in it.
  std::shared_ptr<manifest::Root> take_root(const base::Digest& last_hash);
  /// Hands the change sets to the readers' cache.
  void remember_in(const LogChangeSource& changes) const;
  /// The group for the applier.
  PublishedGroup take_group(const base::Digest& last_hash);

 private:
  struct Member {
    /// Of the waiting client, which outlives the group.
    PreparedChange* change = nullptr;
    StoredReceipt receipt;
    std::vector<TableId> tables;
    /// Null for a receipt without a commit.
    std::shared_ptr<const std::string> changes;
    Position position;
  };

  /// The verdict of this group or of the one in flight on the key, if any (C8).
  Result<std::optional<Verdict>> find_member(const PreparedChange& change,
                                             const std::string& key) const;
  /// The answer that the key was given before, by an earlier member of the group too (C8).
  Result<std::optional<Verdict>> find_replay(const PreparedChange& change) const;
  Status check_preconditions(const PreparedChange& change) const;
  /// Builds again on the group's image if others wrote what the change relied on; returns how often
  /// the change has been prepared.
  Result<std::uint32_t> settle(PreparedChange& change);
  table::Image image_for(const PreparedChange& change) const;
  /// What of the change's footprint others wrote since it was prepared; empty if nothing.
  std::string touched_part(const PreparedChange& change) const;
  /// The state with the group's effects.
  state::StateView group_view() const;
  manifest::Branch& branch_of(const PreparedChange& change);
  bool fits(const log::RecordDraft& draft) const;
  /// `writes_before`: how many writes there were before the member's were appended.
  void add(Member member, log::RecordDraft draft, std::size_t writes_before);
  std::optional<Verdict> bind_commit(PreparedChange& change, std::uint32_t attempts);
  std::optional<Verdict> bind_receipt(PreparedChange& change, std::uint32_t attempts);

  const SequencerParts& parts_;
  const SequencerOptions& options_;
  RecentWrites& recent_;
  std::shared_ptr<const manifest::Root> root_;
  std::shared_ptr<const GroupDecision> previous_;
  Heads heads_;
  std::int64_t time_ms_;
  GroupChangeSource source_;
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::vector<log::RecordDraft> drafts_;
  std::uint64_t bytes_ = 0;
  std::vector<state::StateWrite> writes_;
  std::shared_ptr<manifest::Root> next_root_;
  std::shared_ptr<const manifest::Root> pending_root_;
};

}  // namespace braid::commit
