// SPDX-License-Identifier: Apache-2.0
#include "table/image.h"

#include <algorithm>
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

Result<std::shared_ptr<const Fragment>> Image::open(const PinnedFragment& pinned) const {
  BRAID_ASSERT(pinned_.source != nullptr);
  const TableId table = pinned.pin->table;
  const schema::RecordType* type = type_of(*schema_, table);
  if (type == nullptr) {
    return Error(ErrorCode::corrupt, "a pin names a table that the schema does not have")
        .with("table", table.value);
  }
  const std::shared_ptr<const schema::RecordType> shared(schema_, type);
  return pinned_.source->fragment(*pinned.pin, shared, schema_->edge_type(table) != nullptr);
}

Result<std::optional<Image::Version>> Image::newest_delta(TableId table, const LineageStep& step,
                                                          std::string_view id) const {
  BRAID_ASSIGN(
      const auto entry,
      state::newest_at(view_, state::row_version_prefix(table, step.branch, id), step.up_to));
  if (!entry) return std::optional<Version>();
  BRAID_ASSIGN(const auto place, decode_row_value(entry->value));
  Version version{entry->position, {}};
  if (place) version.place = *place;
  return std::optional(std::move(version));
}

Result<std::optional<Image::Version>> Image::newest_pinned(TableId table, const LineageStep& step,
                                                           std::string_view id,
                                                           Position after) const {
  std::optional<Version> newest;
  const auto fragments = pinned_.layers->of(table, step.branch);
  for (auto pinned = fragments.rbegin(); pinned != fragments.rend(); ++pinned) {
    if (pinned->position > step.up_to) continue;  // T4
    // No row is younger than its pin.
    if (pinned->position <= (newest ? newest->stamp : after)) break;
    if (!pinned->pin->may_have(id)) continue;
    BRAID_ASSIGN(const auto fragment, open(*pinned));
    BRAID_ASSIGN(const auto place, fragment->find(id));
    if (!place) continue;
    BRAID_ASSIGN(const auto stamp, fragment->stamp(*place));
    Version version{stamp.value_or(pinned->position), FragmentPointer{fragment, *place}};
    if (version.stamp > (newest ? newest->stamp : after)) newest = std::move(version);
  }
  return newest;
}

Result<std::optional<RowPointer>> Image::find(TableId table, std::string_view id) const {
  // What a branch wrote is younger than whatever it was forked from: the nearest step answers.
  for (const LineageStep& step : lineage_) {
    BRAID_ASSIGN(auto version, newest_delta(table, step, id));
    BRAID_ASSIGN(auto pinned,
                 newest_pinned(table, step, id, version ? version->stamp : Position{}));
    if (pinned) version = std::move(pinned);  // T11
    if (!version) continue;
    if (!version->place) return std::optional<RowPointer>();
    return std::optional(RowPointer{version->stamp, *std::move(version->place)});
  }
  return std::optional<RowPointer>();
}

Result<bool> Image::never_written(TableId table) const {
  for (const LineageStep& step : lineage_) {
    if (!pinned_.layers->of(table, step.branch).empty()) return false;
    const std::string prefix = state::row_prefix(table, step.branch);
    BRAID_ASSIGN(const auto entry, view_.seek(prefix, prefix));
    if (entry) return false;
  }
  return true;
}

Result<StoredRow> Image::read(TableId table, const RowPointer& pointer) const {
  if (const auto* pinned = std::get_if<FragmentPointer>(&pointer.place)) {
    BRAID_ASSIGN(FragmentRow row, pinned->fragment->read(pinned->place));
    return StoredRow{pointer.stamp, std::move(row.row)};
  }
  BRAID_ASSIGN(const auto changes, source_->changes_at(pointer.stamp));
  const schema::RecordType* type = type_of(*schema_, table);
  BRAID_ASSERT(type != nullptr);
  const bool is_edge = schema_->edge_type(table) != nullptr;
  BRAID_ASSIGN(RowChange change,
               decode_row_at(*changes, std::get<RowPlace>(pointer.place), *type, is_edge));
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

Result<Image::DeltaVersions> Image::delta_versions(TableId table) const {
  DeltaVersions newest_by_id;
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
      Version version{decoded->position, {}};
      if (*place) version.place = **place;
      newest_by_id.try_emplace(decoded->id,
                               std::move(version));  // newest first, nearest step first
      return true;
    }));
    BRAID_TRY(std::move(status));
  }
  return newest_by_id;
}

namespace {

/// The fragments of a scan, by id, of equal ids all of them before the next id.
class FragmentMerge {
 public:
  struct Entry {
    Position pinned;
    std::shared_ptr<const Fragment> fragment;
    FragmentCursor cursor;
  };

  Status add(Position pinned, std::shared_ptr<const Fragment> fragment) {
    auto entry = std::make_unique<Entry>(Entry{pinned, fragment, FragmentCursor(fragment)});
    BRAID_TRY(entry->cursor.seek(""));
    if (!entry->cursor.valid()) return Unit{};
    heap_.push_back(std::move(entry));
    std::push_heap(heap_.begin(), heap_.end(), is_later);
    return Unit{};
  }
  bool valid() const { return !heap_.empty(); }
  const Entry& front() const { return *heap_.front(); }
  Status next() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    BRAID_TRY(heap_.back()->cursor.next());
    if (heap_.back()->cursor.valid()) {
      std::push_heap(heap_.begin(), heap_.end(), is_later);
    } else {
      heap_.pop_back();
    }
    return Unit{};
  }

 private:
  static bool is_later(const std::unique_ptr<Entry>& a, const std::unique_ptr<Entry>& b) {
    return a->cursor.id() > b->cursor.id();
  }
  std::vector<std::unique_ptr<Entry>> heap_;
};

}  // namespace

Status Image::scan(TableId table, const std::function<Status(const StoredRow&)>& visit) const {
  BRAID_ASSIGN(const DeltaVersions deltas, delta_versions(table));
  FragmentMerge fragments;
  for (const LineageStep& step : lineage_) {
    for (const PinnedFragment& pinned : pinned_.layers->of(table, step.branch)) {
      if (pinned.position > step.up_to) continue;  // T4
      BRAID_ASSIGN(auto fragment, open(pinned));
      BRAID_TRY(fragments.add(pinned.position, std::move(fragment)));
    }
  }
  auto delta = deltas.begin();
  while (delta != deltas.end() || fragments.valid()) {
    const bool delta_first = delta != deltas.end() &&
                             (!fragments.valid() || delta->first <= fragments.front().cursor.id());
    const std::string id(delta_first ? std::string_view(delta->first)
                                     : fragments.front().cursor.id());
    Version newest;
    if (delta != deltas.end() && delta->first == id) newest = (delta++)->second;
    for (; fragments.valid() && fragments.front().cursor.id() == id;) {
      const FragmentMerge::Entry& entry = fragments.front();
      BRAID_ASSIGN(const auto stamp, entry.cursor.stamp());
      const Position position = stamp.value_or(entry.pinned);
      if (position > newest.stamp) {  // T11
        newest = {position, FragmentPointer{entry.fragment, entry.cursor.place()}};
      }
      BRAID_TRY(fragments.next());
    }
    if (!newest.place) continue;
    BRAID_ASSIGN(const StoredRow row, read(table, {newest.stamp, *newest.place}));
    if (row.row.id != id) return lost_row(id, newest.stamp);
    BRAID_TRY(visit(row));
  }
  return Unit{};
}

}  // namespace braid::table
