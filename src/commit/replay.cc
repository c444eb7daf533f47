// SPDX-License-Identifier: Apache-2.0
#include "commit/replay.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "state/keys.h"
#include "state/registry.h"
#include "table/effects.h"

namespace braid::commit {
namespace {

using state::RecordType;
using state::SectionTag;

constexpr BranchIncarnation kMainIncarnation{1};

Error does_not_follow(Position position, std::string_view what) {
  return Error(ErrorCode::corrupt,
               fmt::format("record {}: its {} does not go on from what came before", position.value,
                           what))
      .with("position", position.value);
}

// The commit's first event names the last one of its branch.
Status check_event_link(const Heads& heads, const CommitRecord& commit, Position position) {
  for (const auto& [name, branch] : heads.branches) {
    if (branch.incarnation != commit.meta->branch) continue;
    if (commit.outbox.front().previous == branch.last_sequence) return Unit{};
    return does_not_follow(position, "outbox event");
  }
  return Unit{};  // advance() reports a branch that is not there
}

}  // namespace

Status advance(Heads& heads, const manifest::CommitMeta& meta, Position position,
               const table::ChangeSet& changes, std::size_t outbox_events) {
  manifest::Branch* branch = nullptr;
  for (auto& [name, candidate] : heads.branches) {
    if (candidate.incarnation == meta.branch) branch = &candidate;
  }
  if (branch == nullptr) return does_not_follow(position, "branch");
  std::vector<manifest::CommitRef> parents;  // M2: the old head
  if (branch->head) parents.push_back(*branch->head);
  if (meta.parents != parents) return does_not_follow(position, "parent");
  if (meta.version != heads.counters.version.next()) return does_not_follow(position, "version");
  if (meta.sequence != heads.counters.sequence.next()) {
    return does_not_follow(position, "outbox sequence");
  }
  if (meta.committed_ms < branch->committed_ms) return does_not_follow(position, "time");
  if (meta.catalog != heads.counters.catalog) return does_not_follow(position, "schema");
  base::Hash128 content = branch->content_hash;
  content += changes.hash_delta();
  if (meta.content_hash != content) return does_not_follow(position, "content hash");
  heads.counters.version = meta.version;
  heads.counters.sequence.value += outbox_events;
  branch->head = manifest::CommitRef{meta.id, position};
  branch->version = meta.version;
  branch->content_hash = content;
  branch->committed_ms = meta.committed_ms;
  branch->last_sequence = heads.counters.sequence;
  return Unit{};
}

std::vector<TableId> tables_of(const table::ChangeSet& changes) {
  std::vector<TableId> tables;
  for (const table::TableChanges& table : changes.tables) tables.push_back(table.table);
  return tables;
}

std::vector<manifest::TableCounts> counts_of(const table::ChangeSet& changes) {
  std::vector<manifest::TableCounts> out;
  for (const table::TableChanges& table : changes.tables) {
    manifest::TableCounts counts;
    counts.table = table.table;
    for (const table::RowChange& row : table.rows) {
      switch (row.kind) {
        case table::ChangeKind::insert: counts.inserted += 1; break;
        case table::ChangeKind::update: counts.updated += 1; break;
        case table::ChangeKind::remove: counts.removed += 1; break;
      }
    }
    out.push_back(counts);
  }
  return out;
}

Result<std::optional<Outcome>> find_outcome(const manifest::Root& root, const log::CommitLog& log,
                                            const MutationBatch& batch) {
  BRAID_ASSIGN(const auto value, root.view().get(idempotency_state_key(batch.batch_id)));
  if (!value) return std::optional<Outcome>();
  BRAID_ASSIGN(const Position position, state::decode_position_value(*value));
  BRAID_ASSIGN(const log::Record record, log::read_one(log, position));
  BRAID_ASSIGN(CommitRecord stored, decode_commit(record, log.graph()));
  if (stored.batch.batch_id != batch.batch_id) {
    return Error(ErrorCode::corrupt, "the state names the wrong record for an idempotency key")
        .with("position", position.value);
  }
  BRAID_TRY(check_replay_identity(stored.batch, batch));
  return std::optional(Outcome{std::move(stored.receipt), true, 1});
}

std::string idempotency_state_key(const base::Digest& batch_id) {
  state::BatchIdPrefix prefix{};
  for (std::size_t i = 0; i < prefix.size(); ++i) prefix[i] = batch_id[i];
  return state::idempotency_key(prefix);
}

void append_commit_effects(const EffectSource& commit, Position position,
                           const table::ChangeSet& changes, const table::EncodedChangeSet& encoded,
                           const schema::Schema& schema, std::vector<state::StateWrite>& writes) {
  writes.push_back({idempotency_state_key(commit.batch_id), state::position_value(position)});
  if (commit.meta == nullptr) return;
  writes.push_back({state::commit_key(commit.meta->id), state::position_value(position)});
  for (std::uint32_t ordinal = 0; ordinal < commit.pins.size(); ++ordinal) {
    const table::Pin& pin = commit.pins[ordinal];
    writes.push_back({state::pin_key({pin.table, commit.meta->branch, position, ordinal}),
                      table::encode_pins({pin})});
  }
  table::append_effects(changes, encoded, schema, {commit.meta->branch, position}, writes);
}

void append_staged_row_effects(const table::ChangeSet& changes, const schema::Schema& schema,
                               table::RecordPlace place, std::vector<state::StateWrite>& writes) {
  for (const table::TableChanges& table : changes.tables) {
    const schema::RecordType* type = table::type_of(schema, table.table);
    BRAID_ASSERT(type != nullptr);
    if (!table::has_index_effects(*type)) continue;
    for (const table::RowChange& change : table.rows) {
      table::append_index_effects(change.row, true, *type, place, writes);
    }
  }
}

Heads heads_of(const manifest::Root& root) {
  return {root.counters, root.catalog, *root.branches, root.layers};
}

void append_branch_effects(const Heads& heads, std::vector<state::StateWrite>& writes) {
  for (const auto& [name, branch] : heads.branches) {
    writes.push_back({state::branch_key(branch.incarnation), encode(branch, heads.counters)});
  }
}

Status Replay::apply(const log::Record& record, std::vector<state::StateWrite>& writes) {
  const auto type = state::record_type_of(record.type);
  if (type == RecordType::graph_created) return apply_created(record);
  if (type == RecordType::commit || type == RecordType::staged_commit ||
      type == RecordType::receipt_only) {
    return apply_commit(record, writes);
  }
  return Error(ErrorCode::format_mismatch, "a record of a type that this version does not know")
      .with("position", record.position.value)
      .with("found", record.type);
}

Status Replay::apply_created(const log::Record& record) {
  if (record.position != Position{1}) return does_not_follow(record.position, "type");
  BRAID_ASSIGN(GraphCreated created, decode_graph_created(record, graph_));
  heads_.catalog = std::make_shared<const schema::Catalog>(std::move(created.catalog));
  heads_.counters.catalog = record.position;
  manifest::Branch main;
  main.incarnation = kMainIncarnation;
  main.name = manifest::kMainBranch;
  heads_.branches.emplace(main.name, main);
  return Unit{};
}

// C3: of the record and the heads only. C4: advance() and append_commit_effects() are what the
// committer calls.
Status Replay::apply_commit(const log::Record& record, std::vector<state::StateWrite>& writes) {
  if (heads_.catalog == nullptr) return does_not_follow(record.position, "type");
  BRAID_ASSIGN(const CommitRecord commit, decode_commit(record, graph_));
  table::ChangeSet changes;
  table::EncodedChangeSet encoded;
  if (commit.meta) {
    BRAID_ASSIGN(const std::string* body,
                 section_of(record, state::number_of(SectionTag::changes)));
    BRAID_ASSIGN(changes, table::decode_change_set(*body, heads_.catalog->schema()));
    encoded = table::encode(changes, heads_.catalog->schema());
    BRAID_TRY(check_event_link(heads_, commit, record.position));
    if (encoded.bytes != *body) return does_not_follow(record.position, "encoding");
    if (!commit.pins.empty() && !changes.tables.empty()) {
      return does_not_follow(record.position, "change set");
    }
    BRAID_TRY(advance(heads_, *commit.meta, record.position, changes, commit.outbox.size()));
  }
  append_commit_effects({commit.batch.batch_id, commit.meta ? &*commit.meta : nullptr, commit.pins},
                        record.position, changes, encoded, heads_.catalog->schema(), writes);
  return commit.pins.empty() ? Status(Unit{}) : apply_pins(commit, record.position, writes);
}

Status Replay::apply_pins(const CommitRecord& commit, Position position,
                          std::vector<state::StateWrite>& writes) {
  const BranchIncarnation branch = commit.meta->branch;
  heads_.layers = heads_.layers->with(position, branch, commit.pins);
  const std::shared_ptr<const schema::Schema> schema(heads_.catalog, &heads_.catalog->schema());
  for (const table::Pin& pin : commit.pins) {
    const std::shared_ptr<const schema::RecordType> type(schema,
                                                         table::type_of(*schema, pin.table));
    if (type == nullptr) return does_not_follow(position, "pin");
    if (!table::has_index_effects(*type)) continue;
    const bool is_edge = schema->edge_type(pin.table) != nullptr;
    BRAID_ASSIGN(const auto fragment, fragments_.fragment(pin, type, is_edge));
    table::FragmentCursor cursor(fragment);
    BRAID_TRY(cursor.seek(""));
    while (cursor.valid()) {
      BRAID_ASSIGN(const table::FragmentRow row, cursor.row());
      table::append_index_effects(row.row, true, *type, {branch, position}, writes);
      BRAID_TRY(cursor.next());
    }
  }
  return Unit{};
}

Result<Followed> follow(const log::CommitLog& log, const manifest::Root& root,
                        const table::FragmentSource& fragments) {
  const log::LogTail tail = log.tail();
  Followed followed;
  followed.root = std::make_shared<manifest::Root>(root);
  if (tail.last <= root.position) return followed;
  Replay replay(log.graph(), heads_of(root), fragments);
  BRAID_TRY(log.read(root.position.next(), tail.last, [&](const log::Record& record) {
    ++followed.records;
    return replay.apply(record, followed.writes);
  }));
  append_branch_effects(replay.heads(), followed.writes);
  manifest::Root& next = *followed.root;
  next.position = tail.last;
  next.hash = tail.hash;
  next.counters = replay.heads().counters;
  next.catalog = replay.heads().catalog;
  next.branches = std::make_shared<const manifest::BranchMap>(replay.heads().branches);
  next.layers = replay.heads().layers;
  next.overlay = root.overlay->with({root.position.next(), tail.last}, followed.writes);
  return followed;
}

}  // namespace braid::commit
