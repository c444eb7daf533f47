// SPDX-License-Identifier: Apache-2.0
// One group being decided: each change in arrival order, on the image that includes those decided
// before it. Nothing here is visible to anyone until the sequencer has appended and published it.
// Threads: the leader's.
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
  GroupDecision(const SequencerParts& parts, const SequencerOptions& options, RecentWrites& recent);

  struct Verdict {
    Outcome outcome;
    /// The outcome holds only once the group is durable.
    bool needs_append = false;
  };
  /// Decides one change, which stays where it is until the group is answered; nullopt: it does not
  /// fit into this group any more and can go into the next.
  Result<std::optional<Verdict>> decide(PreparedChange& change);

  bool empty() const { return drafts_.empty(); }
  Position first() const { return root_->position.next(); }
  Position last() const { return Position{root_->position.value + drafts_.size()}; }
  std::int64_t time_ms() const { return time_ms_; }
  const std::vector<log::RecordDraft>& drafts() const { return drafts_; }

  /// Takes the memory that publishing will need, and the group's writes (C9).
  void seal();
  /// After the append: the root with the group in it.
  std::shared_ptr<manifest::Root> take_root(const base::Digest& last_hash);
  /// Hands the change sets to the readers' cache.
  void remember_in(const LogChangeSource& changes) const;
  /// The group for the applier.
  PublishedGroup take_group(const base::Digest& last_hash);

 private:
  struct Member {
    /// Of the waiting client, which outlives the group.
    const MutationBatch* batch = nullptr;
    StoredReceipt receipt;
    std::vector<TableId> tables;
    /// Null for a receipt without a commit.
    std::shared_ptr<const std::string> changes;
    Position position;
  };

  /// The answer that the key was given before, by an earlier member of the group too (C8).
  Result<std::optional<Verdict>> find_replay(const PreparedChange& change) const;
  Status check_preconditions(const PreparedChange& change) const;
  /// Builds again on the group's image if others wrote what the change relied on; returns how often
  /// the change has been prepared.
  Result<std::uint32_t> settle(PreparedChange& change);
  table::Image image_for(const PreparedChange& change) const;
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
  Heads heads_;
  std::int64_t time_ms_;
  GroupChangeSource source_;
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::vector<log::RecordDraft> drafts_;
  std::uint64_t bytes_ = 0;
  std::vector<state::StateWrite> writes_;
  std::shared_ptr<manifest::Root> next_root_;
};

}  // namespace braid::commit
