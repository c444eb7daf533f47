// SPDX-License-Identifier: Apache-2.0
#include "table/change_builder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "columnar/value_codec.h"
#include "columnar/value_text.h"
#include "state/keys.h"
#include "table/row_hash.h"
#include "table/validators.h"

namespace braid::table {
namespace {

// The row that a write makes of nothing: takes its ends and values.
Result<RowImage> fresh_row(RowWrite& write) {
  RowImage row;
  row.src = std::move(write.src);
  row.dst = std::move(write.dst);
  row.values.resize(write.type->properties.size());
  for (auto& [index, value] : write.assigned) {
    BRAID_ASSERT(index < row.values.size());
    row.values[index] = std::move(value);
    if (row.values[index].is_null()) continue;
    Status fits = columnar::check_value(write.type->properties[index].type, row.values[index]);
    if (fits) continue;
    return std::move(fits)
        .error()
        .with("row", write.ordinal)
        .with("type", write.type->name)
        .with("field", write.type->properties[index].name);
  }
  return row;
}

Status set_id(const RowWrite& write, RowImage& row) {
  const schema::RecordType& type = *write.type;
  auto keyed = key_id(type, row);
  if (!keyed) return std::move(keyed).error().with("row", write.ordinal);
  if (*keyed) {
    row.id = **keyed;
    if (write.id && *write.id != row.id) {
      return row_error(
                 ErrorCode::constraint_violation,
                 fmt::format("the id of a keyed {} must be its key \"{}\"", type.name, row.id),
                 type, write.ordinal, *write.id)
          .with("constraint", "key")
          .with("field", "id");
    }
  } else {
    row.id = write.id ? *write.id : write.fresh_id;
  }
  if (row.id.empty()) {
    return row_error(ErrorCode::constraint_violation, "an id may not be empty", type, write.ordinal,
                     row.id)
        .with("constraint", "key")
        .with("field", "id");
  }
  for (const std::string* id : {&row.id, &row.src, &row.dst}) {
    if (id->size() <= kRowIdBytesMax) continue;
    return row_error(ErrorCode::resource_limit, "an id is too long", type, write.ordinal, *id)
        .with("resource", "row_id_bytes")
        .with("limit", kRowIdBytesMax)
        .with("actual", id->size());
  }
  return Unit{};
}

bool same_row(const RowImage& left, const RowImage& right) {
  for (std::size_t i = 0; i < left.values.size(); ++i) {
    if (!columnar::same_value(left.values[i], right.values[i])) return false;
  }
  return true;
}

Error conflict(ErrorCode code, std::string message, const RowWrite& write, std::string_view id) {
  return row_error(code, std::move(message), *write.type, write.ordinal, id);
}

// Lays the write over the row that is there; false if nothing changes.
Result<bool> lay_over(const RowWrite& write, WriteMode mode, const StoredRow& stored,
                      RowChange& change) {
  if (stored.row.src != change.row.src || stored.row.dst != change.row.dst) {
    return conflict(ErrorCode::key_conflict,
                    fmt::format("{} \"{}\" already joins \"{}\" to \"{}\"", write.type->name,
                                stored.row.id, stored.row.src, stored.row.dst),
                    write, stored.row.id);
  }
  change.kind = ChangeKind::update;
  change.previous = stored.stamp;
  if (mode == WriteMode::merge) {
    RowImage merged = stored.row;
    for (const auto& [index, value] : write.assigned) {
      merged.values[index] = change.row.values[index];
    }
    change.row = std::move(merged);
  }
  return !same_row(change.row, stored.row);
}

// Nodes first, whatever the order of the rows, so that the first error does not depend on it.
struct Turn {
  bool is_edge = false;
  std::size_t index = 0;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};

struct Failure {
  Turn turn;
  Error error;
};

void keep_first(std::optional<Failure>& first, Failure failure) {
  if (!first || failure.turn < first->turn) first = std::move(failure);
}

// The rows of one table that one part of the work made, in their order.
struct PartTable {
  std::vector<RowChange> changes;
  std::vector<std::size_t> indexes;
  std::vector<std::size_t> ordinals;
  // Rows that are as the client wants them already.
  std::vector<bool> unchanged;
};

// What a run of rows comes to, each on its own. Reads the rows and the image, and nothing else
// (T6).
class Part {
 public:
  Part(const BuildOptions& options, const PendingRows& stored)
      : mode_(options.mode), stored_(&stored), hash_(options.hash_salt) {}

  void build(const RowSource& rows, std::size_t begin, std::size_t end) {
    RowWrite write;
    for (std::size_t index = begin; index < end; ++index) {
      rows.read(index, write);
      const Turn turn{write.is_edge, index};
      if (failure_ && failure_->turn < turn) continue;
      Status added = add(write, index);
      if (!added) keep_first(failure_, {turn, std::move(added).error()});
    }
  }

  std::optional<Failure>& failure() { return failure_; }
  std::map<const schema::RecordType*, PartTable>& tables() { return tables_; }
  void take(BuiltChanges& out, RowHash& hash, std::vector<std::string>& edge_keys) {
    std::move(keys_[0].begin(), keys_[0].end(), std::back_inserter(out.footprint.keys));
    std::move(keys_[1].begin(), keys_[1].end(), std::back_inserter(edge_keys));
    for (auto& keys : keys_) std::vector<std::string>().swap(keys);
    hash.add(hash_);
    out.counts.nodes_inserted += counts_.nodes_inserted;
    out.counts.nodes_updated += counts_.nodes_updated;
    out.counts.edges_inserted += counts_.edges_inserted;
    out.counts.edges_updated += counts_.edges_updated;
  }

 private:
  Status add(RowWrite& write, std::size_t index) {
    RowChange change;
    BRAID_ASSIGN(change.row, fresh_row(write));
    BRAID_TRY(set_id(write, change.row));
    const TableId table = write.type->id;
    keys_[write.is_edge ? 1 : 0].push_back(
        state::row_version_prefix(table, stored_->image().branch(), change.row.id));
    BRAID_ASSIGN(const auto pointer, stored_->find_stored(table, change.row.id));
    std::optional<StoredRow> stored;
    bool changes = true;
    if (pointer) {
      if (mode_ == WriteMode::append) {
        return conflict(ErrorCode::key_conflict,
                        fmt::format("{} \"{}\" exists already", write.type->name, change.row.id),
                        write, change.row.id);
      }
      BRAID_ASSIGN(stored, stored_->image().row(table, change.row.id));
      BRAID_ASSIGN(changes, lay_over(write, mode_, *stored, change));
    }
    BRAID_TRY(validate_row({*write.type, change, write.ordinal}));
    if (changes) count(write, stored, change);
    if (!changes) change.row.values = {};
    PartTable& made = tables_[write.type];
    made.changes.push_back(std::move(change));
    made.indexes.push_back(index);
    made.ordinals.push_back(write.ordinal);
    made.unchanged.push_back(!changes);
    return Unit{};
  }

  void count(const RowWrite& write, const std::optional<StoredRow>& stored,
             const RowChange& change) {
    hash_.replace(*write.type, write.is_edge, stored ? &stored->row : nullptr, &change.row);
    if (write.is_edge) {
      (stored ? counts_.edges_updated : counts_.edges_inserted) += 1;
    } else {
      (stored ? counts_.nodes_updated : counts_.nodes_inserted) += 1;
    }
  }

  WriteMode mode_;
  const PendingRows* stored_;
  std::map<const schema::RecordType*, PartTable> tables_;
  std::vector<std::string> keys_[2];  // of nodes, of edges
  RowHash hash_;
  RowCounts counts_;
  std::optional<Failure> failure_;
};

// The rows of one table by id, of all parts.
class TableSorter {
 public:
  TableSorter(const schema::RecordType& type, bool is_edge) : type_(&type), is_edge_(is_edge) {}

  void add(PartTable& part) {
    parts_.push_back(&part);
    size_ += part.changes.size();
  }
  std::size_t size() const { return size_; }
  TableId id() const { return type_->id; }
  std::optional<Failure>& failure() { return failure_; }
  PendingRows::Table& rows() { return rows_; }

  // Empties the parts.
  void sort() {
    const std::vector<Entry> entries = sorted();
    rows_.type = type_;
    rows_.changes.reserve(size_);
    rows_.ordinals.reserve(size_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Of rows of one id, the second in the order of the client is one too many.
      const bool second = i > 0 && id_of(entries[i]) == id_of(entries[i - 1]);
      if (second) keep_first(failure_, twice(entries[i]));
    }
    if (failure_) return;
    for (const Entry& entry : entries) {
      PartTable& part = *parts_[entry.part];
      if (part.unchanged[entry.at]) {
        unchanged_.push_back(std::move(part.changes[entry.at].row.id));
        continue;
      }
      rows_.changes.push_back(std::move(part.changes[entry.at]));
      rows_.ordinals.push_back(part.ordinals[entry.at]);
    }
    for (PartTable* part : parts_) *part = {};
  }

  // After sort(): what the image has besides goes.
  Status remove_others(const Image& image, RowHash& hash) {
    PendingRows::Table all;
    all.type = type_;
    std::size_t next = 0;
    const auto take_until = [&](std::string_view id) {
      for (; next < rows_.changes.size() && rows_.changes[next].row.id < id; ++next) {
        all.changes.push_back(std::move(rows_.changes[next]));
        all.ordinals.push_back(rows_.ordinals[next]);
      }
    };
    BRAID_TRY(image.scan(type_->id, [&](const StoredRow& stored) -> Status {
      const std::string& id = stored.row.id;
      take_until(id);
      const bool stays = (next < rows_.changes.size() && rows_.changes[next].row.id == id) ||
                         std::binary_search(unchanged_.begin(), unchanged_.end(), id);
      if (stays) return Unit{};
      hash.replace(*type_, is_edge_, &stored.row, nullptr);
      RowImage gone{id, stored.row.src, stored.row.dst, {}};
      gone.values.resize(type_->properties.size());
      all.changes.push_back({ChangeKind::remove, stored.stamp, std::move(gone)});
      all.ordinals.push_back(kNoOrdinal);
      return Unit{};
    }));
    for (; next < rows_.changes.size(); ++next) {
      all.changes.push_back(std::move(rows_.changes[next]));
      all.ordinals.push_back(rows_.ordinals[next]);
    }
    rows_ = std::move(all);
    return Unit{};
  }

 private:
  struct Entry {
    // What follows the beginning that all ids have in common, as a number.
    std::uint64_t head = 0;
    std::uint32_t part = 0;
    std::uint32_t at = 0;
  };

  const std::string& id_of(const Entry& entry) const {
    return parts_[entry.part]->changes[entry.at].row.id;
  }

  std::vector<Entry> sorted() const {
    const std::size_t common = common_size();
    std::vector<Entry> entries;
    entries.reserve(size_);
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      for (std::uint32_t at = 0; at < parts_[part]->changes.size(); ++at) {
        char head[8] = {};
        parts_[part]->changes[at].row.id.copy(head, sizeof head, common);
        entries.push_back({base::big_endian_u64({head, sizeof head}), part, at});
      }
    }
    std::sort(entries.begin(), entries.end(), [&](const Entry& left, const Entry& right) {
      if (left.head != right.head) return left.head < right.head;
      const int order = id_of(left).compare(id_of(right));
      if (order != 0) return order < 0;
      return std::pair(left.part, left.at) < std::pair(right.part, right.at);
    });
    return entries;
  }

  std::size_t common_size() const {
    const std::string& first = parts_.front()->changes.front().row.id;
    std::size_t common = first.size();
    for (const PartTable* part : parts_) {
      for (const RowChange& change : part->changes) {
        const std::string& id = change.row.id;
        const auto end = first.begin() + static_cast<std::ptrdiff_t>(std::min(common, id.size()));
        const auto differs = std::mismatch(first.begin(), end, id.begin()).first;
        common = static_cast<std::size_t>(differs - first.begin());
      }
    }
    return common;
  }

  Failure twice(const Entry& entry) const {
    const PartTable& part = *parts_[entry.part];
    const std::string& id = id_of(entry);
    return {{is_edge_, part.indexes[entry.at]},
            row_error(ErrorCode::key_conflict,
                      fmt::format("{} \"{}\" occurs twice in this load", type_->name, id), *type_,
                      part.ordinals[entry.at], id)};
  }

  const schema::RecordType* type_;
  bool is_edge_;
  std::vector<PartTable*> parts_;
  std::size_t size_ = 0;
  PendingRows::Table rows_;
  // Ids of rows that are as the client wants them, ascending.
  std::vector<std::string> unchanged_;
  std::optional<Failure> failure_;
};

constexpr std::size_t kPartRows = 4'096;
// From so many rows on, looking for tables that were never written pays.
constexpr std::size_t kLookRows = 1'024;

std::vector<Part> build_parts(const RowSource& rows, const BuildOptions& options,
                              const PendingRows& stored) {
  std::vector<Part> parts((rows.size() + kPartRows - 1) / kPartRows, Part(options, stored));
  options.crew.run(parts.size(), [&](std::size_t i) {
    parts[i].build(rows, i * kPartRows, std::min((i + 1) * kPartRows, rows.size()));
  });
  return parts;
}

// By table. The largest tables come first, so that none is left over for one thread alone.
std::vector<TableSorter> sort_tables(std::vector<Part>& parts, const schema::Schema& schema,
                                     const env::Crew& crew) {
  std::map<TableId, TableSorter> by_table;
  for (Part& part : parts) {
    for (auto& [type, table] : part.tables()) {
      const bool is_edge = schema.edge_type(type->id) != nullptr;
      by_table.try_emplace(type->id, *type, is_edge).first->second.add(table);
    }
  }
  std::vector<TableSorter> sorters;
  for (auto& [table, sorter] : by_table) sorters.push_back(std::move(sorter));
  std::stable_sort(sorters.begin(), sorters.end(),
                   [](const auto& left, const auto& right) { return left.size() > right.size(); });
  crew.run(sorters.size(), [&](std::size_t i) { sorters[i].sort(); });
  return sorters;
}

}  // namespace

Result<std::optional<std::string>> key_id(const schema::RecordType& type, const RowImage& row) {
  if (!type.is_keyed()) return std::optional<std::string>();
  static const columnar::PropertyType kEndpointType;  // a String
  const Value src(row.src);
  const Value dst(row.dst);
  std::vector<columnar::KeyMember> members;
  for (const schema::Member& member : type.key) {
    switch (member.kind) {
      case schema::Member::Kind::source: members.push_back({&kEndpointType, &src}); break;
      case schema::Member::Kind::target: members.push_back({&kEndpointType, &dst}); break;
      case schema::Member::Kind::property: {
        const schema::Property& property = type.properties[member.property];
        const Value& value = row.values[member.property];
        if (value.is_null()) {
          return Error(ErrorCode::constraint_violation,
                       fmt::format("{} needs a value for its key {}", type.name, property.name))
              .with("type", type.name)
              .with("constraint", "required")
              .with("field", property.name);
        }
        members.push_back({&property.type, &value});
        break;
      }
    }
  }
  auto text = columnar::key_text(members);
  if (!text) return std::move(text).error().with("type", type.name);
  return std::optional(*std::move(text));
}

Result<BuiltChanges> build_changes(const RowSource& rows, const BuildOptions& options,
                                   const Image& image) {
  PendingRows pending(image);
  if (rows.size() >= kLookRows) BRAID_TRY(pending.look_for_unwritten());
  std::vector<Part> parts = build_parts(rows, options, pending);
  // What is one part is not worth the waking of others.
  const env::Crew crew = parts.size() > 1 ? options.crew : env::Crew();
  std::vector<TableSorter> tables = sort_tables(parts, image.schema(), crew);
  std::optional<Failure> failure;
  for (Part& part : parts) {
    if (part.failure()) keep_first(failure, *std::move(part.failure()));
  }
  for (TableSorter& table : tables) {
    if (table.failure()) keep_first(failure, *std::move(table.failure()));
  }
  if (failure) return std::move(failure->error);

  BuiltChanges out;
  RowHash hash(options.hash_salt);
  std::vector<std::string> edge_keys;
  for (Part& part : parts) part.take(out, hash, edge_keys);
  std::move(edge_keys.begin(), edge_keys.end(), std::back_inserter(out.footprint.keys));
  for (TableSorter& table : tables) {
    if (options.mode == WriteMode::overwrite) {
      out.footprint.tables.push_back(table.id());
      BRAID_TRY(table.remove_others(image, hash));
    }
    if (!table.rows().changes.empty()) pending.add_table(table.id(), std::move(table.rows()));
  }
  pending.index();
  // T7: with validate_row() of each row, all that the schema demands.
  BRAID_TRY(validate_image(pending, out.footprint, crew));
  for (auto& [id, table] : std::move(pending).take()) {
    out.changes.tables.push_back({id, std::move(table.changes)});
  }
  out.changes.hash_parts = hash.parts();
  return out;
}

}  // namespace braid::table
