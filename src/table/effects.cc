// SPDX-License-Identifier: Apache-2.0
#include "table/effects.h"

#include "base/assert.h"
#include "columnar/value_codec.h"
#include "state/keys.h"

namespace braid::table {
namespace {

// Both zeros are one value to a unique constraint.
Value without_negative_zero(const Value& value) {
  if (const float* f32 = value.as<float>(); f32 != nullptr && *f32 == 0) return 0.0F;
  if (const double* f64 = value.as<double>(); f64 != nullptr && *f64 == 0) return 0.0;
  return value;
}

void append_row(const RowChange& change, RowPlace row_place, const schema::RecordType& type,
                const schema::EdgeType* edge, RecordPlace place,
                std::vector<state::StateWrite>& writes) {
  const bool live = change.kind != ChangeKind::remove;
  writes.push_back({state::row_key(type.id, place.branch, change.row.id, place.position),
                    row_value(live ? std::optional(row_place) : std::nullopt)});
  if (edge != nullptr) {
    for (const auto direction : {state::Direction::kOut, state::Direction::kIn}) {
      const std::string& node =
          direction == state::Direction::kOut ? change.row.src : change.row.dst;
      writes.push_back({state::adjacency_key(direction, type.id, place.branch,
                                             {node, change.row.id}, place.position),
                        adjacency_value(live)});
    }
  }
  append_index_effects(change.row, live, type, place, writes);
}

}  // namespace

bool has_index_effects(const schema::RecordType& type) { return !type.uniques.empty(); }

void append_index_effects(const RowImage& row, bool live, const schema::RecordType& type,
                          RecordPlace place, std::vector<state::StateWrite>& writes) {
  if (!live) return;
  for (std::uint32_t ordinal = 0; ordinal < type.uniques.size(); ++ordinal) {
    const auto tuple = unique_tuple(type, type.uniques[ordinal], row);
    if (!tuple) continue;
    writes.push_back(
        {state::unique_key(type.id, place.branch, ordinal, *tuple, place.position), row.id});
  }
}

void append_effects(const ChangeSet& changes, const EncodedChangeSet& encoded,
                    const schema::Schema& schema, RecordPlace place,
                    std::vector<state::StateWrite>& writes) {
  BRAID_ASSERT(encoded.places.size() == changes.tables.size());
  for (std::size_t t = 0; t < changes.tables.size(); ++t) {
    const TableChanges& table = changes.tables[t];
    const schema::RecordType* type = type_of(schema, table.table);
    BRAID_ASSERT(type != nullptr);
    const schema::EdgeType* edge = schema.edge_type(table.table);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      append_row(table.rows[r], encoded.places[t][r], *type, edge, place, writes);
    }
  }
}

std::optional<std::string> unique_tuple(const schema::RecordType& type,
                                        const std::vector<schema::Member>& members,
                                        const RowImage& row) {
  base::ByteWriter writer;
  for (const schema::Member& member : members) {
    switch (member.kind) {
      case schema::Member::Kind::source: writer.bytes(row.src); break;
      case schema::Member::Kind::target: writer.bytes(row.dst); break;
      case schema::Member::Kind::property: {
        const Value& value = row.values[member.property];
        if (value.is_null()) return std::nullopt;
        columnar::encode_value(writer, type.properties[member.property].type,
                               without_negative_zero(value));
        break;
      }
    }
  }
  return std::move(writer).take();
}

std::string row_value(std::optional<RowPlace> place) {
  base::ByteWriter writer;
  writer.u8(place ? 1 : 0);
  if (place) {
    writer.varint(place->offset);
    writer.varint(place->size_bytes);
  }
  return std::move(writer).take();
}

Result<std::optional<RowPlace>> decode_row_value(std::string_view value) {
  base::ByteReader reader(value);
  const std::uint8_t live = reader.u8();
  std::optional<RowPlace> place;
  if (live == 1) {
    const std::uint64_t offset = reader.varint();
    place = RowPlace{offset, reader.varint()};
  } else if (live != 0) {
    reader.fail();
  }
  BRAID_TRY(reader.finish("row entry of the state"));
  return place;
}

std::string adjacency_value(bool live) { return live ? "\x01" : std::string(1, '\0'); }

Result<bool> decode_adjacency_value(std::string_view value) {
  base::ByteReader reader(value);
  const std::uint8_t live = reader.u8();
  if (live > 1) reader.fail();
  BRAID_TRY(reader.finish("adjacency entry of the state"));
  return live == 1;
}

}  // namespace braid::table
