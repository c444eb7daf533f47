// SPDX-License-Identifier: Apache-2.0
// Graph::log and Graph::show: commits as people see them, read from their records.
#include "commit/record.h"
#include "engine/graph_core.h"
#include "state/keys.h"
#include "state/registry.h"
#include "table/change_set.h"

namespace braid::engine {
namespace {

struct ReadCommit {
  log::Record record;
  commit::CommitRecord commit;
};

Result<ReadCommit> read_commit(const GraphCore& core, Position position) {
  BRAID_ASSIGN(log::Record record, log::read_one(core.log(), position));
  BRAID_ASSIGN(commit::CommitRecord decoded, commit::decode_commit(record, core.graph()));
  if (!decoded.meta) {
    return Error(ErrorCode::corrupt, "a commit's position holds no commit")
        .with("position", position.value);
  }
  return ReadCommit{std::move(record), std::move(decoded)};
}

std::string hex_of(const base::Hash128& hash) {
  std::string bytes;
  base::put_big_endian(bytes, hash.high);
  base::put_big_endian(bytes, hash.low);
  return base::hex(bytes);
}

CommitInfo to_info(const GraphCore& core, const manifest::Root& root, const ReadCommit& read) {
  const manifest::CommitMeta& meta = *read.commit.meta;
  const schema::Schema& schema = root.catalog->schema();
  CommitInfo info;
  info.id = meta.id;
  for (const manifest::CommitRef& parent : meta.parents) info.parents.push_back(parent.id);
  info.version = meta.version;
  info.position = read.record.position;
  info.sequence = meta.sequence;
  info.branch = read.commit.batch.scope.name;
  info.principal = read.commit.batch.context.principal;
  info.actor = core.names().find(info.principal);
  info.surface = read.commit.batch.operations.front().surface;
  info.purpose = read.commit.batch.context.purpose.value_or("");
  info.key = read.commit.batch.idempotency_key;
  info.authored_ms = meta.authored_ms;
  info.committed_ms = meta.committed_ms;
  info.content_hash = hex_of(meta.content_hash);
  info.record_hash = base::hex_of(read.record.hash);
  for (const manifest::TableCounts& counts : meta.tables) {
    const schema::RecordType* type = table::type_of(schema, counts.table);
    info.changes.push_back({type == nullptr ? "?" : type->name,
                            schema.edge_type(counts.table) != nullptr, counts.inserted,
                            counts.updated, counts.removed});
  }
  return info;
}

RowChange to_change(const table::RowChange& change, const schema::RecordType& type, bool is_edge) {
  RowChange out;
  switch (change.kind) {
    case table::ChangeKind::insert: out.kind = RowChange::Kind::kInserted; break;
    case table::ChangeKind::update: out.kind = RowChange::Kind::kUpdated; break;
    case table::ChangeKind::remove: out.kind = RowChange::Kind::kDeleted; break;
  }
  out.type = type.name;
  out.is_edge = is_edge;
  out.id = change.row.id;
  out.from = change.row.src;
  out.to = change.row.dst;
  for (std::size_t i = 0; i < change.row.values.size(); ++i) {
    if (change.row.values[i].is_null()) continue;
    out.after.names.push_back(type.properties[i].name);
    out.after.values.push_back(change.row.values[i]);
  }
  return out;
}

// The rows of a fragment, as changes.
Status append_rows(const FragmentStore& fragments, const table::Pin& pin,
                   const std::shared_ptr<const schema::Schema>& schema,
                   std::vector<RowChange>& rows) {
  const std::shared_ptr<const schema::RecordType> type(schema, table::type_of(*schema, pin.table));
  if (type == nullptr) return Error(ErrorCode::corrupt, "a pin names a table that is not there");
  const bool is_edge = schema->edge_type(pin.table) != nullptr;
  BRAID_ASSIGN(const auto fragment, fragments.fragment(pin, type, is_edge));
  table::FragmentCursor cursor(fragment);
  BRAID_TRY(cursor.seek(""));
  while (cursor.valid()) {
    BRAID_ASSIGN(table::FragmentRow row, cursor.row());
    const auto kind =
        row.previous == Position{} ? table::ChangeKind::insert : table::ChangeKind::update;
    rows.push_back(to_change({kind, row.previous, std::move(row.row)}, *type, is_edge));
    BRAID_TRY(cursor.next());
  }
  return Unit{};
}

}  // namespace

Result<std::vector<CommitInfo>> GraphCore::history(std::string_view branch, std::uint64_t limit) {
  BRAID_ASSIGN(const auto present, root());
  const manifest::Branch* found = present->branch(branch);
  if (found == nullptr) {
    return Error(ErrorCode::not_found, "there is no such branch")
        .with("branch", std::string(branch));
  }
  std::vector<CommitInfo> commits;
  std::optional<manifest::CommitRef> at = found->head;
  while (at && (limit == 0 || commits.size() < limit)) {
    BRAID_ASSIGN(const ReadCommit read, read_commit(*this, at->position));
    commits.push_back(to_info(*this, *present, read));
    const auto& parents = read.commit.meta->parents;
    at = parents.empty() ? std::nullopt : std::optional(parents.front());
  }
  return commits;
}

Result<CommitDetail> GraphCore::show(std::string_view commit) {
  const auto ulid = Ulid::parse(commit);
  if (!ulid) {
    return Error(ErrorCode::bad_request, "a commit id has 26 digits, as log prints them")
        .with("value", std::string(commit.substr(0, 80)));
  }
  BRAID_ASSIGN(const auto present, root());
  BRAID_ASSIGN(const auto value, present->view().get(state::commit_key(CommitId{*ulid})));
  if (!value) {
    return Error(ErrorCode::not_found, "there is no such commit").with("commit", ulid->to_string());
  }
  BRAID_ASSIGN(const Position position, state::decode_position_value(*value));
  BRAID_ASSIGN(const ReadCommit read, read_commit(*this, position));
  if (read.commit.meta->id.ulid != *ulid) {
    return Error(ErrorCode::corrupt, "the state names the wrong record for a commit")
        .with("position", position.value);
  }
  CommitDetail detail;
  detail.info = to_info(*this, *present, read);
  BRAID_ASSIGN(const std::string* body,
               commit::section_of(read.record, state::number_of(state::SectionTag::changes)));
  const schema::Schema& schema = present->catalog->schema();
  BRAID_ASSIGN(const table::ChangeSet changes, table::decode_change_set(*body, schema));
  for (const table::TableChanges& table : changes.tables) {
    const schema::RecordType* type = table::type_of(schema, table.table);
    const bool is_edge = schema.edge_type(table.table) != nullptr;
    for (const table::RowChange& change : table.rows) {
      detail.rows.push_back(to_change(change, *type, is_edge));
    }
  }
  const std::shared_ptr<const schema::Schema> shared(present->catalog, &schema);
  for (const table::Pin& pin : read.commit.pins) {
    BRAID_TRY(append_rows(*fragments_, pin, shared, detail.rows));
  }
  return detail;
}

}  // namespace braid::engine
