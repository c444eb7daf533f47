// SPDX-License-Identifier: Apache-2.0
#include "engine/verify.h"

#include <map>

#include <fmt/format.h>

#include "commit/replay.h"
#include "engine/graph_core.h"
#include "state/keys.h"
#include "state/memory_state.h"
#include "state/registry.h"
#include "table/row_hash.h"

namespace braid::engine {
namespace {

constexpr std::size_t kFindingsMax = 100;

using Entries = std::map<std::string, std::string, std::less<>>;

void add_finding(VerifyReport& report, const Error& error) {
  if (report.findings_truncated) return;
  // Two passes over the log meet the same damage.
  for (const Error& known : report.findings) {
    if (to_string(known) == to_string(error)) return;
  }
  if (report.findings.size() < kFindingsMax) {
    report.findings.push_back(error);
  } else {
    report.findings_truncated = true;
  }
}

std::string to_text(const table::FragmentSummary& summary) {
  return fmt::format("{} rows, {} to {}", summary.rows, summary.first_id, summary.last_id);
}

class Verifier {
 public:
  Verifier(const log::CommitLog& log, StateImage state, const FragmentStore& fragments)
      : log_(log),
        fragments_(fragments),
        salt_(table::content_hash_salt(log.graph())),
        state_(std::move(state)),
        replay_(log.graph(), {}, fragments) {}

  VerifyReport run() && {
    note(log_.verify());
    compared_ = state_.applied.position == Position{} && state_.entries.empty();
    const Status read = log_.read(log_.first(), log_.tail().last,
                                  [&](const log::Record& record) { return visit(record); });
    note(read);
    if (!compared_ && report_.findings.empty()) {
      note(Error(ErrorCode::corrupt, "the state is at a position that the log does not have")
               .with("position", state_.applied.position.value)
               .with("remedy", "close the graph and delete its state directory"));
    }
    report_.rows = rows_.size();
    return std::move(report_);
  }

 private:
  struct RowKey {
    BranchIncarnation branch;
    TableId table;
    std::string id;
    friend auto operator<=>(const RowKey&, const RowKey&) = default;
  };
  struct LiveRow {
    Position stamp;
    table::RowImage row;
  };

  void note(const Status& status) {
    if (!status) note(status.error());
  }
  void note(const Error& error) { add_finding(report_, error); }

  Status visit(const log::Record& record) {
    std::vector<state::StateWrite> writes;
    BRAID_TRY(replay_.apply(record, writes));
    report_.records += 1;
    for (const state::StateWrite& write : writes) expected_[write.key] = *write.value;
    if (record.type == state::number_of(state::RecordType::commit) ||
        record.type == state::number_of(state::RecordType::staged_commit)) {
      report_.commits += 1;
      BRAID_TRY(check_rows(record));
    }
    if (record.position == state_.applied.position) compare_state(record);
    return Unit{};
  }

  // Rows follow on what was there, and the content hash is what their values make it.
  Status check_rows(const log::Record& record) {
    const schema::Schema& schema = replay_.heads().catalog->schema();
    BRAID_ASSIGN(const commit::CommitRecord commit, commit::decode_commit(record, log_.graph()));
    BRAID_ASSIGN(const std::string* body,
                 commit::section_of(record, state::number_of(state::SectionTag::changes)));
    BRAID_ASSIGN(const table::ChangeSet changes, table::decode_change_set(*body, schema));
    table::RowHash hash(salt_);
    std::vector<manifest::TableCounts> counts = commit::counts_of(changes);
    for (const table::TableChanges& table : changes.tables) {
      for (const table::RowChange& change : table.rows) {
        check_row(record.position, commit.meta->branch, table.table, change, schema, hash);
      }
    }
    for (const table::Pin& pin : commit.pins) {
      auto counted = check_fragment(record.position, commit.meta->branch, pin, hash);
      if (!counted) {
        // What it holds is not known: neither are hash and counts.
        note(counted.error());
        return Unit{};
      }
      counts.push_back(*counted);
    }
    if (hash.parts() != changes.hash_parts) {
      note(Error(ErrorCode::corrupt, "a commit's content hash is not that of its rows")
               .with("position", record.position.value)
               .with("commit", commit.meta->id.to_string()));
    }
    if (counts != commit.meta->tables) {
      note(Error(ErrorCode::corrupt, "a commit's row counts are not those of its rows")
               .with("position", record.position.value));
    }
    return Unit{};
  }

  Result<manifest::TableCounts> check_fragment(Position position, BranchIncarnation branch,
                                               const table::Pin& pin, table::RowHash& hash) {
    const auto catalog = replay_.heads().catalog;
    const schema::Schema& schema = catalog->schema();
    const std::shared_ptr<const schema::RecordType> type(catalog,
                                                         table::type_of(schema, pin.table));
    const bool is_edge = schema.edge_type(pin.table) != nullptr;
    BRAID_TRY(fragments_.verify(pin, type, is_edge));
    if (is_edge) note(fragments_.verify_index(pin, type));  // G5
    BRAID_ASSIGN(const auto fragment, fragments_.fragment(pin, type, is_edge));
    manifest::TableCounts counts;
    counts.table = pin.table;
    table::FragmentSummary summary;
    table::FragmentCursor cursor(fragment);
    BRAID_TRY(cursor.seek(""));
    while (cursor.valid()) {
      BRAID_ASSIGN(table::FragmentRow row, cursor.row());
      if (summary.rows++ == 0) summary.first_id = row.row.id;
      summary.last_id = row.row.id;
      const bool is_insert = row.previous == Position{};
      (is_insert ? counts.inserted : counts.updated) += 1;
      check_row(position, branch, pin.table,
                {is_insert ? table::ChangeKind::insert : table::ChangeKind::update, row.previous,
                 std::move(row.row)},
                schema, hash);
      BRAID_TRY(cursor.next());
    }
    if (summary != pin.summary) {  // T10
      note(Error(ErrorCode::corrupt, "a pin says other rows of a fragment than these are")
               .with("position", position.value)
               .with("object", pin.object)
               .with("expected", to_text(pin.summary))
               .with("actual", to_text(summary)));
    }
    return counts;
  }

  void check_row(Position position, BranchIncarnation branch, TableId table,
                 const table::RowChange& change, const schema::Schema& schema,
                 table::RowHash& hash) {
    const schema::RecordType* type = table::type_of(schema, table);
    const bool is_edge = schema.edge_type(table) != nullptr;
    const RowKey key{branch, table, change.row.id};
    const auto before = rows_.find(key);
    const Position stamp = before == rows_.end() ? Position{} : before->second.stamp;
    if (stamp != change.previous) {
      note(Error(ErrorCode::corrupt, "a row does not follow on the row that was there")
               .with("position", position.value)
               .with("type", type->name)
               .with("id", change.row.id)
               .with("expected", stamp.value)
               .with("actual", change.previous.value));
    }
    const bool removed = change.kind == table::ChangeKind::remove;
    hash.replace(*type, is_edge, before == rows_.end() ? nullptr : &before->second.row,
                 removed ? nullptr : &change.row);
    if (removed) {
      rows_.erase(key);
    } else {
      rows_[key] = {position, change.row};
    }
  }

  void compare_state(const log::Record& record) {
    compared_ = true;
    if (record.hash != state_.applied.hash) {
      note(Error(ErrorCode::corrupt, "the state names another hash than the record has")
               .with("position", record.position.value));
    }
    std::vector<state::StateWrite> branches;
    commit::append_branch_effects(replay_.heads(), branches);
    for (const state::StateWrite& write : branches) expected_[write.key] = *write.value;
    for (const auto& [key, value] : expected_) {
      const auto found = state_.entries.find(key);
      if (found != state_.entries.end() && found->second == value) continue;
      note(Error(ErrorCode::corrupt, found == state_.entries.end()
                                         ? "the state lacks an entry that the log makes"
                                         : "the state has another value than the log makes")
               .with("key", base::hex(key))
               .with("remedy", "close the graph and delete its state directory"));
    }
    for (const auto& [key, value] : state_.entries) {
      if (expected_.contains(key)) continue;
      note(Error(ErrorCode::corrupt, "the state has an entry that the log does not make")
               .with("key", base::hex(key))
               .with("remedy", "close the graph and delete its state directory"));
    }
  }

  const log::CommitLog& log_;
  const FragmentStore& fragments_;
  const std::uint64_t salt_;
  const StateImage state_;
  commit::Replay replay_;
  Entries expected_;
  std::map<RowKey, LiveRow> rows_;
  bool compared_ = false;
  VerifyReport report_;
};

}  // namespace

Result<StateImage> read_state_image(const state::State& state) {
  StateImage image;
  image.applied = state.applied();
  BRAID_TRY(state.scan("", "", [&](std::string_view key, std::string_view value) {
    if (!state::is_meta_key(key)) image.entries.emplace(key, value);
    return true;
  }));
  return image;
}

VerifyReport verify_graph(const log::CommitLog& log, StateImage state,
                          const FragmentStore& fragments) {
  return Verifier(log, std::move(state), fragments).run();
}

Result<VerifyReport> GraphCore::verify() {
  BRAID_ASSIGN(const auto present, root());
  // A state that cannot be brought up to date is compared at the position where it stands.
  static_cast<void>(drain_state().ok());
  Result<StateImage> image = StateImage{};
  const auto read = [&] { image = read_state_image(*present->state); };
  if (applier_ != nullptr) {
    applier_->while_paused(read);
  } else {
    read();
  }
  const Status readable = image ? Status(Unit{}) : Status(image.error());
  VerifyReport report = verify_graph(*log_, image ? *std::move(image) : StateImage{}, *fragments_);
  if (!readable) {
    add_finding(report,
                readable.error().with("remedy", "close the graph and delete its state directory"));
  }
  names_->verify(graph_, [&report](const Error& found) { add_finding(report, found); });
  return report;
}

}  // namespace braid::engine
