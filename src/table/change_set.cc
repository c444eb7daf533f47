// SPDX-License-Identifier: Apache-2.0
#include "table/change_set.h"

#include "base/assert.h"
#include "columnar/value_codec.h"

namespace braid::table {
namespace {

// The whole row, whatever changed in it (T1).
void encode_row(base::ByteWriter& writer, const RowChange& change, const schema::RecordType& type,
                bool is_edge) {
  writer.u8(static_cast<std::uint8_t>(change.kind));
  writer.varint(change.previous.value);
  writer.bytes(change.row.id);
  if (is_edge) {
    writer.bytes(change.row.src);
    writer.bytes(change.row.dst);
  }
  std::uint64_t present = 0;
  for (const Value& value : change.row.values) present += value.is_null() ? 0 : 1;
  writer.varint(present);
  for (std::size_t i = 0; i < change.row.values.size(); ++i) {
    if (change.row.values[i].is_null()) continue;
    writer.varint(type.properties[i].id.value);
    columnar::encode_value(writer, type.properties[i].type, change.row.values[i]);
  }
}

Status read_values(base::ByteReader& reader, const schema::RecordType& type,
                   std::vector<Value>& values) {
  const std::uint64_t present = reader.varint();
  std::uint64_t floor = 0;  // indices ascend: one row has one encoding (T3)
  for (std::uint64_t i = 0; i < present && !reader.failed(); ++i) {
    const auto index = type.property_index(PropertyId{reader.varint()});
    if (!index || *index < floor) {
      return Error(ErrorCode::corrupt, "a row holds a property that its type does not have")
          .with("type", type.name)
          .with("offset", reader.offset());
    }
    floor = *index + 1;
    BRAID_ASSIGN(values[*index], columnar::decode_value(reader, type.properties[*index].type));
    if (values[*index].is_null()) reader.fail();
  }
  return Unit{};
}

Result<RowChange> read_row(base::ByteReader& reader, const schema::RecordType& type, bool is_edge) {
  RowChange change;
  const std::uint8_t kind = reader.u8();
  if (kind < 1 || kind > 3) reader.fail();
  change.kind = static_cast<ChangeKind>(kind);
  change.previous.value = reader.varint();
  if ((change.kind == ChangeKind::insert) != (change.previous.value == 0)) reader.fail();
  change.row.id = reader.bytes();
  if (is_edge) {
    change.row.src = reader.bytes();
    change.row.dst = reader.bytes();
  }
  change.row.values.resize(type.properties.size());
  const std::size_t values_at = reader.offset();
  BRAID_TRY(read_values(reader, type, change.row.values));
  // Of a removed row only id and ends: the count of values, zero, is all that follows (T3).
  if (change.kind == ChangeKind::remove && reader.offset() != values_at + 1) reader.fail();
  return change;
}

Result<TableChanges> read_table(base::ByteReader& reader, const schema::Schema& schema) {
  TableChanges changes;
  changes.table.value = reader.varint();
  const std::uint64_t row_count = reader.varint();
  const schema::RecordType* type = type_of(schema, changes.table);
  if (type == nullptr || row_count == 0) {
    return Error(ErrorCode::corrupt, "a change set names a table that the schema does not have")
        .with("table", changes.table.value);
  }
  const bool is_edge = schema.edge_type(changes.table) != nullptr;
  for (std::uint64_t i = 0; i < row_count && !reader.failed(); ++i) {
    base::ByteReader row(reader.bytes());
    BRAID_ASSIGN(RowChange change, read_row(row, *type, is_edge));
    BRAID_TRY(row.finish("row of a change set"));
    // By id, none twice (T2).
    if (!changes.rows.empty() && change.row.id <= changes.rows.back().row.id) reader.fail();
    changes.rows.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

const schema::RecordType* type_of(const schema::Schema& schema, TableId table) {
  if (const schema::NodeType* node = schema.node_type(table)) return node;
  return schema.edge_type(table);
}

std::uint64_t ChangeSet::row_count() const {
  std::uint64_t count = 0;
  for (const TableChanges& changes : tables) count += changes.rows.size();
  return count;
}

base::Hash128 ChangeSet::hash_delta() const {
  base::Hash128 sum;
  for (const HashPart& part : hash_parts) sum += part.delta;
  return sum;
}

EncodedChangeSet encode(const ChangeSet& changes, const schema::Schema& schema) {
  base::ByteWriter writer;
  EncodedChangeSet out;
  writer.varint(changes.tables.size());
  TableId floor;
  for (const TableChanges& table : changes.tables) {
    BRAID_ASSERT(table.table > floor);  // T2
    floor = table.table;
    const schema::RecordType* type = type_of(schema, table.table);
    BRAID_ASSERT(type != nullptr);
    const bool is_edge = schema.edge_type(table.table) != nullptr;
    writer.varint(table.table.value);
    writer.varint(table.rows.size());
    std::vector<RowPlace>& places = out.places.emplace_back();
    for (const RowChange& change : table.rows) {
      base::ByteWriter row;
      encode_row(row, change, *type, is_edge);
      writer.varint(row.size());
      places.push_back({writer.size(), row.size()});
      writer.raw(row.view());
    }
  }
  writer.varint(changes.hash_parts.size());
  for (const HashPart& part : changes.hash_parts) {
    writer.varint(part.table.value);
    writer.varint(part.property.value);
    writer.u64(part.delta.low);
    writer.u64(part.delta.high);
  }
  out.bytes = std::move(writer).take();
  return out;
}

Result<ChangeSet> decode_change_set(std::string_view bytes, const schema::Schema& schema) {
  base::ByteReader reader(bytes);
  ChangeSet changes;
  const std::uint64_t table_count = reader.varint();
  for (std::uint64_t i = 0; i < table_count && !reader.failed(); ++i) {
    BRAID_ASSIGN(TableChanges table, read_table(reader, schema));
    if (!changes.tables.empty() && table.table <= changes.tables.back().table) reader.fail();
    changes.tables.push_back(std::move(table));
  }
  const std::uint64_t part_count = reader.varint();
  for (std::uint64_t i = 0; i < part_count && !reader.failed(); ++i) {
    HashPart part;
    part.table.value = reader.varint();
    part.property.value = reader.varint();
    part.delta.low = reader.u64();
    part.delta.high = reader.u64();
    const bool ascends =
        changes.hash_parts.empty() ||
        std::pair(part.table, part.property) >
            std::pair(changes.hash_parts.back().table, changes.hash_parts.back().property);
    if (!ascends || part.delta.is_zero()) reader.fail();
    changes.hash_parts.push_back(part);
  }
  BRAID_TRY(reader.finish("change set"));
  return changes;
}

Result<RowChange> decode_row_at(std::string_view change_set, RowPlace place,
                                const schema::RecordType& type, bool is_edge) {
  if (place.offset > change_set.size() || place.size_bytes > change_set.size() - place.offset) {
    return Error(ErrorCode::corrupt, "a row lies outside its change set")
        .with("offset", place.offset);
  }
  base::ByteReader reader(change_set.substr(place.offset, place.size_bytes));
  BRAID_ASSIGN(RowChange change, read_row(reader, type, is_edge));
  BRAID_TRY(reader.finish("row of a change set"));
  return change;
}

}  // namespace braid::table
