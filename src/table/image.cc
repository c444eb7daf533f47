// SPDX-License-Identifier: Apache-2.0
#include "table/image.h"

#include <map>

#include "base/assert.h"
#include "state/keys.h"
#include "table/effects.h"

namespace braid::table {
namespace {

Error lost_row(std::string_view id, Position stamp) {
  return Error(ErrorCode::corrupt, "the state names a row that the log does not hold")
      .with("id", std::string(id))
      .with("position", stamp.value);
}

}  // namespace

Result<std::optional<state::VersionedEntry>> Image::newest(
    const std::function<std::string(BranchIncarnation)>& prefix_on) const {
  for (const LineageStep& step : lineage_) {  // T4: nothing beyond a step's position
    BRAID_ASSIGN(auto entry, state::newest_at(view_, prefix_on(step.branch), step.up_to));
    if (entry) return entry;
  }
  return std::optional<state::VersionedEntry>();
}

Result<std::optional<RowPointer>> Image::find(TableId table, std::string_view id) const {
  BRAID_ASSIGN(const auto entry, newest([&](BranchIncarnation branch) {
                 return state::row_version_prefix(table, branch, id);
               }));
  if (!entry) return std::optional<RowPointer>();
  BRAID_ASSIGN(const auto place, decode_row_value(entry->value));
  if (!place) return std::optional<RowPointer>();
  return std::optional(RowPointer{entry->position, *place});
}

Result<StoredRow> Image::read(TableId table, const RowPointer& pointer) const {
  BRAID_ASSIGN(const auto changes, source_->changes_at(pointer.stamp));
  const schema::RecordType* type = type_of(*schema_, table);
  BRAID_ASSERT(type != nullptr);
  const bool is_edge = schema_->edge_type(table) != nullptr;
  BRAID_ASSIGN(RowChange change, decode_row_at(*changes, pointer.place, *type, is_edge));
  return StoredRow{pointer.stamp, std::move(change.row)};
}

Result<std::optional<StoredRow>> Image::row(TableId table, std::string_view id) const {
  BRAID_ASSIGN(const auto pointer, find(table, id));
  if (!pointer) return std::optional<StoredRow>();
  BRAID_ASSIGN(StoredRow row, read(table, *pointer));
  if (row.row.id != id) return lost_row(id, pointer->stamp);
  return std::optional(std::move(row));
}

Result<std::optional<std::string>> Image::unique_holder(TableId table, std::uint32_t constraint,
                                                        std::string_view tuple) const {
  BRAID_ASSIGN(const auto entry, newest([&](BranchIncarnation branch) {
                 return state::unique_version_prefix(table, branch, constraint, tuple);
               }));
  if (!entry) return std::optional<std::string>();
  // T5: the last taker holds it only if its present values still are the tuple.
  BRAID_ASSIGN(const auto holder, row(table, entry->value));
  if (!holder) return std::optional<std::string>();
  const schema::RecordType* type = type_of(*schema_, table);
  BRAID_ASSERT(type != nullptr);
  BRAID_ASSERT(constraint < type->uniques.size());
  const auto present = unique_tuple(*type, type->uniques[constraint], holder->row);
  if (!present || *present != tuple) return std::optional<std::string>();
  return std::optional(entry->value);
}

Result<std::uint64_t> Image::out_degree(TableId edge_table, std::string_view src) const {
  std::map<std::string, bool, std::less<>> live;  // by edge; what a nearer step says counts
  for (const LineageStep& step : lineage_) {
    const std::string prefix =
        state::adjacency_endpoint_prefix(state::Direction::kOut, edge_table, step.branch, src);
    Status status = Unit{};
    BRAID_TRY(view_.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
      const auto decoded = state::decode_adjacency_key(key);
      const auto is_live = decode_adjacency_value(value);
      if (!decoded || !is_live) {
        status = decoded ? is_live.error() : decoded.error();
        return false;
      }
      if (decoded->position <= step.up_to) live.try_emplace(decoded->edge, *is_live);
      return true;
    }));
    BRAID_TRY(std::move(status));
  }
  std::uint64_t degree = 0;
  for (const auto& [edge, is_live] : live) degree += is_live ? 1 : 0;
  return degree;
}

Status Image::scan(TableId table, const std::function<Status(const StoredRow&)>& visit) const {
  std::map<std::string, std::optional<RowPointer>> newest_by_id;
  for (const LineageStep& step : lineage_) {
    const std::string prefix = state::row_prefix(table, step.branch);
    Status status = Unit{};
    BRAID_TRY(view_.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
      const auto decoded = state::decode_row_key(key);
      const auto place = decode_row_value(value);
      if (!decoded || !place) {
        status = decoded ? place.error() : decoded.error();
        return false;
      }
      if (decoded->position > step.up_to) return true;
      std::optional<RowPointer> pointer;
      if (*place) pointer = RowPointer{decoded->position, **place};
      newest_by_id.try_emplace(decoded->id, pointer);
      return true;
    }));
    BRAID_TRY(std::move(status));
  }
  for (const auto& [id, pointer] : newest_by_id) {
    if (!pointer) continue;
    BRAID_ASSIGN(const StoredRow row, read(table, *pointer));
    if (row.row.id != id) return lost_row(id, pointer->stamp);
    BRAID_TRY(visit(row));
  }
  return Unit{};
}

}  // namespace braid::table
