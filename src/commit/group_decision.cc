// SPDX-License-Identifier: Apache-2.0
#include "commit/group_decision.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "state/keys.h"

namespace braid::commit {

GroupDecision::GroupDecision(const SequencerParts& parts, const SequencerOptions& options,
                             RecentWrites& recent, std::shared_ptr<const manifest::Root> base,
                             std::shared_ptr<const GroupDecision> previous)
    : parts_(parts),
      options_(options),
      recent_(recent),
      root_(std::move(base)),
      previous_(std::move(previous)),
      heads_(heads_of(*root_)),
      time_ms_(parts.log.clock_ms()),
      source_(parts.changes, previous_ ? &previous_->source_ : nullptr) {}

void GroupDecision::forget_previous() {
  previous_.reset();
  source_.forget_previous();
}

void GroupDecision::give_back() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].changes == nullptr) continue;
    members_[i].change->changes_section = std::move(drafts_[i].sections[kChangesSection]);
    members_[i].change->encoded.bytes = *members_[i].changes;
  }
}

Result<std::optional<GroupDecision::Verdict>> GroupDecision::decide(PreparedChange& change) {
  BRAID_ASSIGN(auto replay, find_replay(change));
  if (replay) return std::optional(std::move(*replay));
  BRAID_TRY(check_preconditions(change));
  BRAID_ASSIGN(const std::uint32_t attempts, settle(change));
  if (!change.built.changes.empty()) return bind_commit(change, attempts);
  if (change.key_is_callers) return bind_receipt(change, attempts);
  // Nothing to change and nothing to remember: no record at all.
  Verdict verdict;
  verdict.outcome.attempts = attempts;
  verdict.outcome.receipt.version = branch_of(change).version;
  verdict.outcome.receipt.position = last();
  verdict.needs_append = rests_on_undurable();
  return std::optional(std::move(verdict));
}

Result<std::optional<GroupDecision::Verdict>> GroupDecision::find_member(
    const PreparedChange& change, const std::string& key) const {
  const auto member = by_key_.find(key);
  if (member == by_key_.end()) {
    return previous_ ? previous_->find_member(change, key) : std::optional<Verdict>();
  }
  const Member& stored = members_[member->second];
  BRAID_TRY(check_replay_identity(stored.change->batch, change.batch));
  return std::optional(Verdict{{stored.receipt, true, 1}, true});
}

Result<std::optional<GroupDecision::Verdict>> GroupDecision::find_replay(
    const PreparedChange& change) const {
  const std::string key = idempotency_state_key(change.batch.batch_id);
  BRAID_ASSIGN(auto member, find_member(change, key));
  if (member) return member;
  if (!recent_.may_be_written_after(change.key_unused_at, key)) return std::optional<Verdict>();
  BRAID_ASSIGN(auto outcome, find_outcome(*root_, parts_.log, change.batch));
  if (!outcome) return std::optional<Verdict>();
  return std::optional(Verdict{std::move(*outcome), false});
}

Status GroupDecision::check_preconditions(const PreparedChange& change) const {
  const auto found = heads_.branches.find(change.batch.scope.name);
  if (found == heads_.branches.end() || found->second.incarnation != change.token.branch) {
    return Error(ErrorCode::not_found, "the branch is not there any more")
        .with("branch", change.batch.scope.name);
  }
  if (change.batch.expected_version.kind == ExpectedVersion::Kind::native ||
      change.batch.placement_epoch != 0) {
    return Error(ErrorCode::unsupported, "native versions and placement are not there yet");
  }
  const manifest::Branch& branch = found->second;
  const ExpectedVersion& expected = change.batch.expected_version;
  if (expected.kind == ExpectedVersion::Kind::graph && expected.version != branch.version.value) {
    return Error(ErrorCode::stale_version, "the branch is at another version")
        .with("expected", expected.version)
        .with("actual", branch.version.value);
  }
  if (change.if_commit && (!branch.head || branch.head->id != *change.if_commit)) {
    return Error(ErrorCode::precondition_failed, "the branch's head is another commit")
        .with("expected", change.if_commit->to_string())
        .with("actual", branch.head ? branch.head->id.to_string() : "none");
  }
  return Unit{};
}

Result<std::uint32_t> GroupDecision::settle(PreparedChange& change) {
  const std::string member = touched_part(change);
  if (member.empty()) return std::uint32_t{1};
  if (!change.build || !change.pins.empty()) return read_set_changed(change, member, last());
  // Also if it fails: what is built then is not what the change says (C10).
  change.built_in_group = true;
  BRAID_ASSIGN(const bool is_inline, prepare_inline(change, image_for(change), parts_.env.random));
  // Now too large for one record: to be staged.
  if (!is_inline) return read_set_changed(change, member, last());
  change.token.catalog = heads_.counters.catalog;
  return std::uint32_t{2};
}

std::string GroupDecision::touched_part(const PreparedChange& change) const {
  if (change.token.catalog != heads_.counters.catalog) return "schema";
  if (change.built_in_group) return "group";
  return commit::touched_part(recent_, change.built.footprint, change.token.based_on, last(),
                              [this] { return group_view(); });
}

state::StateView GroupDecision::group_view() const {
  if (members_.empty()) return root_->view();
  return {root_->overlay->with({first(), last()}, writes_), root_->state};
}

table::Image GroupDecision::image_for(const PreparedChange& change) const {
  const manifest::Branch* branch = root_->branch(change.batch.scope.name);
  BRAID_ASSERT(branch != nullptr);
  std::vector<table::LineageStep> lineage = root_->lineage(*branch);
  lineage.front().up_to = last();
  std::shared_ptr<const schema::Schema> schema(heads_.catalog, &heads_.catalog->schema());
  return {group_view(),
          std::move(lineage),
          std::move(schema),
          source_,
          {heads_.layers, &parts_.fragments}};
}

manifest::Branch& GroupDecision::branch_of(const PreparedChange& change) {
  const auto found = heads_.branches.find(change.batch.scope.name);
  BRAID_ASSERT(found != heads_.branches.end());
  return found->second;
}

bool GroupDecision::fits(const log::RecordDraft& draft) const {
  return drafts_.empty() || bytes_ + log::encoded_size(draft) <= options_.group_bytes_max;
}

void GroupDecision::add(Member member, log::RecordDraft draft, std::size_t writes_before) {
  // Noted before it is durable: if it never will be, a change or two is prepared again for nothing.
  recent_.add(member.position, std::span(writes_).subspan(writes_before), member.tables);
  if (member.changes) source_.add(member.position, member.changes);
  by_key_.emplace(idempotency_state_key(member.change->batch.batch_id), members_.size());
  bytes_ += log::encoded_size(draft);
  members_.push_back(std::move(member));
  drafts_.push_back(std::move(draft));
}

std::optional<GroupDecision::Verdict> GroupDecision::bind_commit(PreparedChange& change,
                                                                 std::uint32_t attempts) {
  manifest::Branch& branch = branch_of(change);
  const Position position = last().next();
  manifest::CommitMeta meta;
  meta.id = change.commit_id;
  meta.branch = branch.incarnation;
  if (branch.head) meta.parents.push_back(*branch.head);
  meta.version = heads_.counters.version.next();
  meta.sequence = heads_.counters.sequence.next();
  meta.committed_ms = std::max(time_ms_, branch.committed_ms);
  meta.authored_ms = change.batch.created_at_ms;
  meta.catalog = heads_.counters.catalog;
  meta.content_hash = branch.content_hash;
  meta.content_hash += change.built.changes.hash_delta();
  meta.tables = counts_of(change.built.changes);

  change.batch.authoritative_state =
      AuthoritativeState{change.changes_section.digest, heads_.counters.version, meta.version};
  std::vector<OutboxEvent> outbox;
  Sequence previous = branch.last_sequence;
  Sequence sequence = meta.sequence;
  for (const std::string& kind : change.batch.outbox) {
    outbox.push_back(
        {sequence, previous, branch.incarnation, VersionScope::graph, meta.version, kind});
    previous = sequence;
    sequence = sequence.next();
  }
  Member member;
  member.receipt = {meta.id,       meta.version,        position,
                    meta.sequence, change.built.counts, meta.committed_ms + kKeyValidMs};
  log::RecordDraft draft =
      make_commit({change.batch, meta, member.receipt, outbox}, std::move(change.changes_section),
                  change.pins, parts_.env.random);
  change.batch.authoritative_state.reset();  // it may be decided again, as no commit at all (C10)
  if (!fits(draft)) {
    change.changes_section = std::move(draft.sections[kChangesSection]);
    return std::nullopt;
  }
  const std::size_t writes_before = writes_.size();
  const schema::Schema& schema = heads_.catalog->schema();
  const EffectSource source{change.batch.batch_id, &meta, change.pins};
  if (change.pins.empty()) {
    append_commit_effects(source, position, change.built.changes, change.encoded, schema, writes_);
  } else {
    append_commit_effects(source, position, {}, {}, schema, writes_);
    append_staged_row_effects(change.built.changes, schema, {meta.branch, position}, writes_);
    heads_.layers = heads_.layers->with(position, meta.branch, change.pins);
  }
  const Status advanced = advance(heads_, meta, position, change.built.changes, outbox.size());
  BRAID_ASSERT(advanced.ok());
  member.tables = tables_of(change.built.changes);
  member.changes = std::make_shared<const std::string>(std::move(change.encoded.bytes));
  member.position = position;
  member.change = &change;
  Verdict verdict{{member.receipt, false, attempts}, true};
  add(std::move(member), std::move(draft), writes_before);
  if (!change.pins.empty()) recent_.add_staged(position, change.staged_rows);
  return verdict;
}

std::optional<GroupDecision::Verdict> GroupDecision::bind_receipt(PreparedChange& change,
                                                                  std::uint32_t attempts) {
  const manifest::Branch& branch = branch_of(change);
  Member member;
  member.receipt.version = branch.version;
  member.receipt.position = last().next();
  member.receipt.key_valid_until_ms = std::max(time_ms_, branch.committed_ms) + kKeyValidMs;
  log::RecordDraft draft = make_receipt_only(change.batch, member.receipt, parts_.env.random);
  if (!fits(draft)) return std::nullopt;
  const std::size_t writes_before = writes_.size();
  append_commit_effects({change.batch.batch_id, nullptr, {}}, member.receipt.position, {}, {},
                        heads_.catalog->schema(), writes_);
  member.position = member.receipt.position;
  member.change = &change;
  Verdict verdict{{member.receipt, false, attempts}, true};
  add(std::move(member), std::move(draft), writes_before);
  return verdict;
}

void GroupDecision::seal() {
  append_branch_effects(heads_, writes_);
  next_root_ = std::make_shared<manifest::Root>();
  next_root_->position = last();
  next_root_->counters = heads_.counters;
  next_root_->catalog = heads_.catalog;
  next_root_->branches = std::make_shared<const manifest::BranchMap>(heads_.branches);
  next_root_->layers = heads_.layers;
  // Under constant load a root is made from the one before it, never from the published one: what
  // the state has applied leaves here, or never.
  next_root_->overlay =
      root_->overlay->without(parts_.roots.applied())->with({first(), last()}, writes_);
  next_root_->state = root_->state;
  pending_root_ = std::make_shared<const manifest::Root>(*next_root_);
}

std::shared_ptr<manifest::Root> GroupDecision::take_root(const base::Digest& last_hash) {
  next_root_->hash = last_hash;
  return std::move(next_root_);
}

void GroupDecision::remember_in(const LogChangeSource& changes) const {
  for (const Member& member : members_) {
    if (member.changes) changes.remember(member.position, member.changes);
  }
}

PublishedGroup GroupDecision::take_group(const base::Digest& last_hash) {
  return {last(), last_hash, drafts_.size(), std::move(writes_)};
}

}  // namespace braid::commit
