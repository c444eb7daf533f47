// SPDX-License-Identifier: Apache-2.0
#include "table/validators.h"

#include <set>

#include <fmt/format.h>

#include "base/assert.h"
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

Error violation(std::string constraint, std::string message, const PendingRows::Row& row) {
  return row_error(ErrorCode::constraint_violation, std::move(message), *row.type, row.ordinal,
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

// One unique constraint over the rows written: among themselves, then against the image.
Status validate_unique(const PendingRows& rows, const PendingRows::ById& by_id,
                       const schema::RecordType& type, std::uint32_t ordinal,
                       Footprint& footprint) {
  std::map<std::string, const PendingRows::Row*> taken;
  for (const auto& [id, row] : by_id) {
    if (row.change.kind == ChangeKind::remove) continue;
    const auto tuple = unique_tuple(type, type.uniques[ordinal], row.change.row);
    if (!tuple) continue;
    footprint.keys.push_back(
        state::unique_version_prefix(type.id, rows.image().branch(), ordinal, *tuple));
    const auto [other, fresh] = taken.try_emplace(*tuple, &row);
    std::optional<std::string> holder;
    if (fresh) {
      BRAID_ASSIGN(holder, rows.image().unique_holder(type.id, ordinal, *tuple));
      // A holder that this change rewrites either gave the tuple up or is in `taken`.
      if (holder && rows.find(type.id, *holder) != nullptr) holder.reset();
    } else {
      holder = other->second->change.row.id;
    }
    if (!holder || *holder == id) continue;
    const std::string names = names_of(type, type.uniques[ordinal]);
    return violation("unique",
                     fmt::format("{} \"{}\" has the same ({}) as \"{}\", which must be unique",
                                 type.name, id, names, *holder),
                     row)
        .with("field", names)
        .with("holder", *holder);
  }
  return Unit{};
}

Status validate_endpoint(const PendingRows& rows, const PendingRows::Row& edge,
                         const schema::NodeType& node_type, std::string_view id,
                         std::string_view which, Footprint& footprint) {
  const PendingRows::Row* pending = rows.find(node_type.id, id);
  bool exists = pending != nullptr && pending->change.kind != ChangeKind::remove;
  if (pending == nullptr) {  // else whoever wrote it has noted its key
    footprint.keys.push_back(state::row_version_prefix(node_type.id, rows.image().branch(), id));
    BRAID_ASSIGN(const auto stored, rows.image().find(node_type.id, id));
    exists = stored.has_value();
  }
  if (exists) return Unit{};
  return violation("endpoint",
                   fmt::format("there is no {} \"{}\" for the edge {} to {}", node_type.name, id,
                               edge.type->name, which == "from" ? "leave" : "reach"),
                   edge)
      .with("field", std::string(which))
      .with("value", std::string(id));
}

// How many edges of one type leave each touched node once the change is in.
Status validate_cardinality(const PendingRows& rows, const schema::EdgeType& type,
                            Footprint& footprint) {
  if (!type.cardinality.limits()) return Unit{};
  const schema::NodeType& from = rows.image().schema().from_type(type);
  struct Touched {
    std::int64_t change = 0;
    const PendingRows::Row* row = nullptr;
  };
  std::map<std::string, Touched> touched;
  if (const auto edges = rows.tables().find(type.id); edges != rows.tables().end()) {
    for (const auto& [id, row] : edges->second) {
      Touched& source = touched[row.change.row.src];
      if (row.change.kind == ChangeKind::insert) source.change += 1;
      if (row.change.kind == ChangeKind::remove) source.change -= 1;
      source.row = &row;
    }
  }
  if (const auto nodes = rows.tables().find(from.id);
      nodes != rows.tables().end() && type.cardinality.min > 0) {
    for (const auto& [id, row] : nodes->second) {
      if (row.change.kind == ChangeKind::insert) touched.try_emplace(id, Touched{0, &row});
    }
  }
  if (touched.empty()) return Unit{};
  footprint.tables.push_back(type.id);
  for (const auto& [id, source] : touched) {
    BRAID_ASSIGN(const std::uint64_t before, rows.image().out_degree(type.id, id));
    const auto degree =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(before) + source.change);
    const bool too_many = type.cardinality.max && degree > *type.cardinality.max;
    if (!too_many && degree >= type.cardinality.min) continue;
    const std::string upper =
        type.cardinality.max ? std::to_string(*type.cardinality.max) : std::string();
    return violation("cardinality",
                     fmt::format("{} \"{}\" would have {} {} edges; allowed are {}..{}", from.name,
                                 id, degree, type.name, type.cardinality.min, upper),
                     *source.row)
        .with("source", id)
        .with("actual", degree);
  }
  return Unit{};
}

}  // namespace

bool PendingRows::add(Row row) {
  std::string id = row.change.row.id;
  const TableId table = row.type->id;
  return tables_[table].try_emplace(std::move(id), std::move(row)).second;
}

const PendingRows::Row* PendingRows::find(TableId table, std::string_view id) const {
  const auto by_id = tables_.find(table);
  if (by_id == tables_.end()) return nullptr;
  const auto row = by_id->second.find(id);
  return row == by_id->second.end() ? nullptr : &row->second;
}

Error row_error(ErrorCode code, std::string message, const schema::RecordType& type,
                std::size_t ordinal, std::string_view id) {
  return Error(code, std::move(message))
      .with("row", ordinal)
      .with("type", type.name)
      .with("id", std::string(id.substr(0, 80)));
}

Status validate_row(const PendingRows::Row& row) {
  const schema::RecordType& type = *row.type;
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

Status validate_image(const PendingRows& rows, Footprint& footprint) {
  const schema::Schema& schema = rows.image().schema();
  for (const auto& [table, by_id] : rows.tables()) {
    const schema::RecordType* type = type_of(schema, table);
    BRAID_ASSERT(type != nullptr);
    for (std::uint32_t ordinal = 0; ordinal < type->uniques.size(); ++ordinal) {
      BRAID_TRY(validate_unique(rows, by_id, *type, ordinal, footprint));
    }
    const schema::EdgeType* edge_type = schema.edge_type(table);
    if (edge_type == nullptr) continue;
    for (const auto& [id, edge] : by_id) {
      if (edge.change.kind == ChangeKind::remove) continue;
      BRAID_TRY(validate_endpoint(rows, edge, schema.from_type(*edge_type), edge.change.row.src,
                                  "from", footprint));
      BRAID_TRY(validate_endpoint(rows, edge, schema.to_type(*edge_type), edge.change.row.dst, "to",
                                  footprint));
    }
  }
  for (const schema::EdgeType& edge_type : schema.edge_types()) {
    BRAID_TRY(validate_cardinality(rows, edge_type, footprint));
  }
  return Unit{};
}

}  // namespace braid::table
