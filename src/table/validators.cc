// SPDX-License-Identifier: Apache-2.0
#include "table/validators.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/hash.h"
#include "state/keys.h"
#include "table/effects.h"

namespace braid::table {
namespace {

bool in_range(const schema::Range& range, const Value& value) {
  if (const auto* i32 = value.as<std::int32_t>()) return range.admits(std::int64_t{*i32});
  if (const auto* i64 = value.as<std::int64_t>()) return range.admits(*i64);
  if (const auto* u32 = value.as<std::uint32_t>()) return range.admits(std::uint64_t{*u32});
  if (const auto* u64 = value.as<std::uint64_t>()) return range.admits(*u64);
  if (const auto* f32 = value.as<float>()) return range.admits(double{*f32});
  if (const auto* f64 = value.as<double>()) return range.admits(*f64);
  return false;
}

Error violation(std::string constraint, std::string message, const RowRef& row) {
  return row_error(ErrorCode::constraint_violation, std::move(message), row.type, row.ordinal,
                   row.change.row.id)
      .with("constraint", std::move(constraint));
}

std::string names_of(const schema::RecordType& type, const std::vector<schema::Member>& members) {
  std::string names;
  for (const schema::Member& member : members) {
    if (!names.empty()) names += ", ";
    switch (member.kind) {
      case schema::Member::Kind::source: names += "src"; break;
      case schema::Member::Kind::target: names += "dst"; break;
      case schema::Member::Kind::property: names += type.properties[member.property].name; break;
    }
  }
  return names;
}

RowRef row_at(const PendingRows::Table& table, std::size_t at) {
  return {*table.type, table.changes[at], table.ordinals[at]};
}

// One unique constraint over the rows written: among themselves, then against the image.
Status validate_unique(const PendingRows& rows, const PendingRows::Table& table,
                       std::uint32_t ordinal, Footprint& footprint) {
  const schema::RecordType& type = *table.type;
  std::map<std::string, const RowChange*> taken;
  for (std::size_t at = 0; at < table.changes.size(); ++at) {
    const RowChange& change = table.changes[at];
    if (change.kind == ChangeKind::remove) continue;
    const auto tuple = unique_tuple(type, type.uniques[ordinal], change.row);
    if (!tuple) continue;
    footprint.keys.push_back(
        state::unique_version_prefix(type.id, rows.image().branch(), ordinal, *tuple));
    const auto [other, fresh] = taken.try_emplace(*tuple, &change);
    std::optional<std::string> holder;
    if (fresh) {
      BRAID_ASSIGN(holder, rows.image().unique_holder(type.id, ordinal, *tuple));
      // A holder that this change rewrites either gave the tuple up or is in `taken`.
      if (holder && rows.find(type.id, *holder) != nullptr) holder.reset();
    } else {
      holder = other->second->row.id;
    }
    if (!holder || *holder == change.row.id) continue;
    const std::string names = names_of(type, type.uniques[ordinal]);
    return violation("unique",
                     fmt::format("{} \"{}\" has the same ({}) as \"{}\", which must be unique",
                                 type.name, change.row.id, names, *holder),
                     row_at(table, at))
        .with("field", names)
        .with("holder", *holder);
  }
  return Unit{};
}

Status validate_endpoint(const PendingRows& rows, const RowRef& edge,
                         const schema::NodeType& node_type, std::string_view id,
                         std::string_view which, Footprint& footprint) {
  const RowChange* pending = rows.find(node_type.id, id);
  bool exists = pending != nullptr && pending->kind != ChangeKind::remove;
  if (pending == nullptr) {  // else whoever wrote it has noted its key
    footprint.keys.push_back(state::row_version_prefix(node_type.id, rows.image().branch(), id));
    BRAID_ASSIGN(const auto stored, rows.find_stored(node_type.id, id));
    exists = stored.has_value();
  }
  if (exists) return Unit{};
  return violation("endpoint",
                   fmt::format("there is no {} \"{}\" for the edge {} to {}", node_type.name, id,
                               edge.type.name, which == "from" ? "leave" : "reach"),
                   edge)
      .with("field", std::string(which))
      .with("value", std::string(id));
}

// Both ends of each edge, in parts that do not know of each other.
Status validate_endpoints(const PendingRows& rows, const PendingRows::Table& table,
                          const schema::EdgeType& type, Footprint& footprint,
                          const env::Crew& crew) {
  const schema::Schema& schema = rows.image().schema();
  const schema::NodeType& from = schema.from_type(type);
  const schema::NodeType& to = schema.to_type(type);
  constexpr std::size_t kPartRows = 16'384;
  struct Part {
    Status status = Unit{};
    Footprint footprint;
  };
  std::vector<Part> parts((table.changes.size() + kPartRows - 1) / kPartRows);
  const auto check = [&](std::size_t begin, Footprint& read) -> Status {
    const std::size_t end = std::min(begin + kPartRows, table.changes.size());
    for (std::size_t at = begin; at < end; ++at) {
      const RowRef edge = row_at(table, at);
      if (edge.change.kind == ChangeKind::remove) continue;
      BRAID_TRY(validate_endpoint(rows, edge, from, edge.change.row.src, "from", read));
      BRAID_TRY(validate_endpoint(rows, edge, to, edge.change.row.dst, "to", read));
    }
    return Unit{};
  };
  crew.run(parts.size(),
           [&](std::size_t i) { parts[i].status = check(i * kPartRows, parts[i].footprint); });
  for (Part& part : parts) {  // in order: the first error is the same whoever found it
    BRAID_TRY(std::move(part.status));
    std::move(part.footprint.keys.begin(), part.footprint.keys.end(),
              std::back_inserter(footprint.keys));
  }
  return Unit{};
}

// How many edges of one type leave each touched node once the change is in.
Status validate_cardinality(const PendingRows& rows, const schema::EdgeType& type,
                            Footprint& footprint) {
  if (!type.cardinality.limits()) return Unit{};
  const schema::NodeType& from = rows.image().schema().from_type(type);
  struct Touched {
    std::int64_t change = 0;
    const PendingRows::Table* table = nullptr;
    std::size_t at = 0;
  };
  std::map<std::string_view, Touched> touched;
  if (const auto edges = rows.tables().find(type.id); edges != rows.tables().end()) {
    const PendingRows::Table& table = edges->second;
    for (std::size_t at = 0; at < table.changes.size(); ++at) {
      Touched& source = touched[table.changes[at].row.src];
      if (table.changes[at].kind == ChangeKind::insert) source.change += 1;
      if (table.changes[at].kind == ChangeKind::remove) source.change -= 1;
      source.table = &table;
      source.at = at;
    }
  }
  if (const auto nodes = rows.tables().find(from.id);
      nodes != rows.tables().end() && type.cardinality.min > 0) {
    const PendingRows::Table& table = nodes->second;
    for (std::size_t at = 0; at < table.changes.size(); ++at) {
      if (table.changes[at].kind != ChangeKind::insert) continue;
      touched.try_emplace(table.changes[at].row.id, Touched{0, &table, at});
    }
  }
  if (touched.empty()) return Unit{};
  footprint.tables.push_back(type.id);
  for (const auto& [id, source] : touched) {
    const RowChange* node = rows.find(from.id, id);
    if (node != nullptr && node->kind == ChangeKind::remove) continue;
    BRAID_ASSIGN(const std::uint64_t before, rows.out_degree(type.id, id));
    const auto degree =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(before) + source.change);
    const bool too_many = type.cardinality.max && degree > *type.cardinality.max;
    if (!too_many && degree >= type.cardinality.min) continue;
    const std::string upper =
        type.cardinality.max ? std::to_string(*type.cardinality.max) : std::string();
    return violation("cardinality",
                     fmt::format("{} \"{}\" would have {} {} edges; allowed are {}..{}", from.name,
                                 id, degree, type.name, type.cardinality.min, upper),
                     row_at(*source.table, source.at))
        .with("source", std::string(id))
        .with("actual", degree);
  }
  return Unit{};
}

bool is_removed(const PendingRows& rows, TableId table, std::string_view id) {
  const RowChange* change = rows.find(table, id);
  return change != nullptr && change->kind == ChangeKind::remove;
}

bool removes_rows(const PendingRows& rows, TableId table) {
  const auto found = rows.tables().find(table);
  if (found == rows.tables().end()) return false;
  const std::vector<RowChange>& changes = found->second.changes;
  return std::any_of(changes.begin(), changes.end(),
                     [](const RowChange& change) { return change.kind == ChangeKind::remove; });
}

// No edge that is there and stays as it is may lose an end.
Status validate_removed_ends(const PendingRows& rows, const schema::EdgeType& type,
                             Footprint& footprint) {
  const schema::Schema& schema = rows.image().schema();
  const schema::NodeType& from = schema.from_type(type);
  const schema::NodeType& to = schema.to_type(type);
  const bool from_goes = removes_rows(rows, from.id);
  const bool to_goes = removes_rows(rows, to.id);
  if (!from_goes && !to_goes) return Unit{};
  footprint.tables.push_back(type.id);
  return rows.image().scan(type.id, [&](const StoredRow& edge) -> Status {
    if (rows.find(type.id, edge.row.id) != nullptr) return Unit{};  // removed, or validated as new
    const bool loses_from = from_goes && is_removed(rows, from.id, edge.row.src);
    if (!loses_from && !(to_goes && is_removed(rows, to.id, edge.row.dst))) return Unit{};
    const schema::NodeType& node_type = loses_from ? from : to;
    const std::string& node = loses_from ? edge.row.src : edge.row.dst;
    return row_error(ErrorCode::constraint_violation,
                     fmt::format("{} \"{}\" would go while the {} \"{}\" ends there",
                                 node_type.name, node, type.name, edge.row.id),
                     type, kNoOrdinal, edge.row.id)
        .with("constraint", "endpoint")
        .with("field", loses_from ? "from" : "to")
        .with("value", node);
  });
}

std::size_t slot_of(std::string_view id, std::size_t slots) {
  return static_cast<std::size_t>(base::xxh3_128(id).low) & (slots - 1);
}

bool is_before(const RowChange& change, std::string_view id) { return change.row.id < id; }

}  // namespace

bool PendingRows::add(Row row) {
  Table& table = tables_[row.type->id];
  table.type = row.type;
  const std::string& id = row.change.row.id;
  const auto at = std::lower_bound(table.changes.begin(), table.changes.end(), id, is_before);
  if (at != table.changes.end() && at->row.id == id) return false;
  table.slots.clear();
  table.ordinals.insert(table.ordinals.begin() + (at - table.changes.begin()), row.ordinal);
  table.changes.insert(at, std::move(row.change));
  return true;
}

void PendingRows::add_table(TableId id, Table table) {
  BRAID_ASSERT(table.changes.size() == table.ordinals.size());
  const bool added = tables_.emplace(id, std::move(table)).second;
  BRAID_ASSERT(added);
}

void PendingRows::index() {
  constexpr std::size_t kRowsMin = 64;
  for (auto& [id, table] : tables_) {
    // Edges are looked for only where something of them is unique.
    const bool is_node = image_->schema().node_type(id) != nullptr;
    if (table.changes.size() < kRowsMin || (!is_node && table.type->uniques.empty())) continue;
    table.slots.assign(std::bit_ceil(table.changes.size() * 2), 0);
    for (std::size_t at = 0; at < table.changes.size(); ++at) {
      std::size_t slot = slot_of(table.changes[at].row.id, table.slots.size());
      while (table.slots[slot] != 0) slot = (slot + 1) & (table.slots.size() - 1);
      table.slots[slot] = static_cast<std::uint32_t>(at + 1);
    }
  }
}

const RowChange* PendingRows::find(TableId table, std::string_view id) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return nullptr;
  const std::vector<RowChange>& changes = found->second.changes;
  const std::vector<std::uint32_t>& slots = found->second.slots;
  if (slots.empty()) {
    const auto at = std::lower_bound(changes.begin(), changes.end(), id, is_before);
    return at == changes.end() || at->row.id != id ? nullptr : &*at;
  }
  for (std::size_t slot = slot_of(id, slots.size()); slots[slot] != 0;
       slot = (slot + 1) & (slots.size() - 1)) {
    if (changes[slots[slot] - 1].row.id == id) return &changes[slots[slot] - 1];
  }
  return nullptr;
}

Status PendingRows::look_for_unwritten() {
  const auto look = [&](TableId table) -> Status {
    BRAID_ASSIGN(const bool unwritten, image_->never_written(table));
    if (unwritten) unwritten_.insert(table);
    return Unit{};
  };
  for (const auto& type : image_->schema().node_types()) BRAID_TRY(look(type.id));
  for (const auto& type : image_->schema().edge_types()) BRAID_TRY(look(type.id));
  return Unit{};
}

Result<std::optional<RowPointer>> PendingRows::find_stored(TableId table,
                                                           std::string_view id) const {
  if (unwritten_.contains(table)) return std::optional<RowPointer>();
  return image_->find(table, id);
}

Result<std::uint64_t> PendingRows::out_degree(TableId edge_table, std::string_view src) const {
  if (unwritten_.contains(edge_table)) return std::uint64_t{0};
  return image_->out_degree(edge_table, src);
}

Error row_error(ErrorCode code, std::string message, const schema::RecordType& type,
                std::size_t ordinal, std::string_view id) {
  Error error(code, std::move(message));
  if (ordinal != kNoOrdinal) error = error.with("row", ordinal);
  return error.with("type", type.name).with("id", std::string(id.substr(0, 80)));
}

Status validate_row(const RowRef& row) {
  const schema::RecordType& type = row.type;
  const std::vector<Value>& values = row.change.row.values;
  BRAID_ASSERT(values.size() == type.properties.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_null() || type.properties[i].type.nullable) continue;
    return violation("required",
                     fmt::format("{} needs a value for {}", type.name, type.properties[i].name),
                     row)
        .with("field", type.properties[i].name)
        .with("expected", columnar::to_string(type.properties[i].type));
  }
  for (const schema::Range& range : type.ranges) {
    const Value& value = values[range.property];
    if (value.is_null() || in_range(range, value)) continue;
    const std::string& name = type.properties[range.property].name;
    return violation("range", fmt::format("{} of {} is outside its @range", name, type.name), row)
        .with("field", name);
  }
  for (const schema::Check& check : type.checks) {
    const auto* text = values[check.property].as<std::string>();
    if (text == nullptr || check.pattern.matches(*text)) continue;
    const std::string& name = type.properties[check.property].name;
    return violation("check", fmt::format("{} of {} does not match its @check", name, type.name),
                     row)
        .with("field", name)
        .with("expected", std::string(check.pattern.text()));
  }
  return Unit{};
}

Status validate_image(const PendingRows& rows, Footprint& footprint, const env::Crew& crew) {
  const schema::Schema& schema = rows.image().schema();
  for (const auto& [id, table] : rows.tables()) {
    for (std::uint32_t ordinal = 0; ordinal < table.type->uniques.size(); ++ordinal) {
      BRAID_TRY(validate_unique(rows, table, ordinal, footprint));
    }
    const schema::EdgeType* edge_type = schema.edge_type(id);
    if (edge_type == nullptr) continue;
    BRAID_TRY(validate_endpoints(rows, table, *edge_type, footprint, crew));
  }
  for (const schema::EdgeType& edge_type : schema.edge_types()) {
    BRAID_TRY(validate_removed_ends(rows, edge_type, footprint));
  }
  for (const schema::EdgeType& edge_type : schema.edge_types()) {
    BRAID_TRY(validate_cardinality(rows, edge_type, footprint));
  }
  return Unit{};
}

}  // namespace braid::table
