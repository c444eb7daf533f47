// SPDX-License-Identifier: Apache-2.0
#include "table/change_builder.h"

#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "columnar/value_codec.h"
#include "columnar/value_text.h"
#include "state/keys.h"
#include "table/row_hash.h"
#include "table/validators.h"

namespace braid::table {
namespace {

// The row that a write makes of nothing.
Result<RowImage> fresh_row(const RowWrite& write) {
  RowImage row;
  row.src = write.src;
  row.dst = write.dst;
  row.values.resize(write.type->properties.size());
  for (const auto& [index, value] : write.assigned) {
    BRAID_ASSERT(index < row.values.size());
    row.values[index] = value;
    if (value.is_null()) continue;
    Status fits = columnar::check_value(write.type->properties[index].type, value);
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
Result<bool> merge_into(const RowWrite& write, const StoredRow& stored, RowChange& change) {
  if (stored.row.src != write.src || stored.row.dst != write.dst) {
    return conflict(ErrorCode::key_conflict,
                    fmt::format("{} \"{}\" already joins \"{}\" to \"{}\"", write.type->name,
                                stored.row.id, stored.row.src, stored.row.dst),
                    write, stored.row.id);
  }
  change.kind = ChangeKind::update;
  change.previous = stored.stamp;
  RowImage merged = stored.row;
  for (const auto& [index, value] : write.assigned) merged.values[index] = value;
  change.row = std::move(merged);
  return !same_row(change.row, stored.row);
}

// Reads the writes and the image, and nothing else (T6).
class Builder {
 public:
  Builder(const BuildOptions& options, const Image& image)
      : mode_(options.mode), image_(image), rows_(image), hash_(options.hash_salt) {}

  Status add(const RowWrite& write) {
    BRAID_ASSIGN(RowImage row, fresh_row(write));
    BRAID_TRY(set_id(write, row));
    const TableId table = write.type->id;
    out_.footprint.keys.push_back(state::row_version_prefix(table, image_.branch(), row.id));
    BRAID_ASSIGN(const auto pointer, image_.find(table, row.id));
    RowChange change;
    change.row = std::move(row);
    std::optional<StoredRow> stored;
    bool changes = true;
    if (pointer) {
      if (mode_ == WriteMode::append) {
        return conflict(ErrorCode::key_conflict,
                        fmt::format("{} \"{}\" exists already", write.type->name, change.row.id),
                        write, change.row.id);
      }
      BRAID_ASSIGN(stored, image_.row(table, change.row.id));
      BRAID_ASSIGN(changes, merge_into(write, *stored, change));
    }
    PendingRows::Row pending{write.type, std::move(change), write.ordinal};
    BRAID_TRY(validate_row(pending));
    return add_pending(write, std::move(pending), stored, changes);
  }

  Result<BuiltChanges> finish() && {
    // T7: with validate_row() of each row, all that the schema demands.
    BRAID_TRY(validate_image(rows_, out_.footprint));
    for (auto& [table, by_id] : std::move(rows_).take()) {
      TableChanges& changes = out_.changes.tables.emplace_back();
      changes.table = table;
      changes.rows.reserve(by_id.size());
      for (auto& [id, row] : by_id) changes.rows.push_back(std::move(row.change));
    }
    out_.changes.hash_parts = hash_.parts();
    return std::move(out_);
  }

 private:
  Status add_pending(const RowWrite& write, PendingRows::Row pending,
                     const std::optional<StoredRow>& stored, bool changes) {
    const std::string id = pending.change.row.id;
    const bool is_new = rows_.find(write.type->id, id) == nullptr &&
                        (changes ? !unchanged_.contains({write.type->id, id})
                                 : unchanged_.emplace(write.type->id, id).second);
    if (!is_new) {
      return conflict(ErrorCode::key_conflict,
                      fmt::format("{} \"{}\" occurs twice in this load", write.type->name, id),
                      write, id);
    }
    if (!changes) return Unit{};
    hash_.replace(*write.type, write.is_edge, stored ? &stored->row : nullptr, &pending.change.row);
    if (write.is_edge) {
      (stored ? out_.counts.edges_updated : out_.counts.edges_inserted) += 1;
    } else {
      (stored ? out_.counts.nodes_updated : out_.counts.nodes_inserted) += 1;
    }
    const bool added = rows_.add(std::move(pending));
    BRAID_ASSERT(added);
    return Unit{};
  }

  WriteMode mode_;
  const Image& image_;
  PendingRows rows_;
  /// Rows that are as the client wants them already.
  std::set<std::pair<TableId, std::string>> unchanged_;
  RowHash hash_;
  BuiltChanges out_;
};

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

Result<BuiltChanges> build_changes(const std::vector<RowWrite>& writes, const BuildOptions& options,
                                   const Image& image) {
  Builder builder(options, image);
  // Nodes first, whatever the order, so that the first error does not depend on it.
  for (const RowWrite& write : writes) {
    if (!write.is_edge) BRAID_TRY(builder.add(write));
  }
  for (const RowWrite& write : writes) {
    if (write.is_edge) BRAID_TRY(builder.add(write));
  }
  return std::move(builder).finish();
}

}  // namespace braid::table
