// SPDX-License-Identifier: Apache-2.0
// Delta rows: what one commit does to the rows of each table, as it stands in the `changes` section
// of its record (docs/formats/records.md). The change set of a commit is what merges and feeds
// read.
//
// Invariants
//   T1  A change carries the whole row after it, so that one record answers a lookup.
//   T2  A table appears once, tables in ascending id, rows of a table by id;
//       a row appears at most once.
//   T3  Bytes have one meaning: decode(encode(x)) = x, and every other input is `corrupt`.
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "braid/value.h"
#include "schema/schema.h"

namespace braid::table {

/// A row of a node table (src and dst empty) or of an edge table.
struct RowImage {
  std::string id;
  std::string src;
  std::string dst;
  /// One value a property, in the order of RecordType::properties; absent ones are null.
  std::vector<Value> values;
  friend bool operator==(const RowImage&, const RowImage&) = default;
};

enum class ChangeKind : std::uint8_t { insert = 1, update = 2, remove = 3 };

struct RowChange {
  ChangeKind kind = ChangeKind::insert;
  /// The stamp of the row that this change replaces; 0 for an insert.
  Position previous;
  /// After the change; of a removed row only id, src and dst.
  RowImage row;
  friend bool operator==(const RowChange&, const RowChange&) = default;
};

struct TableChanges {
  TableId table;
  std::vector<RowChange> rows;
  friend bool operator==(const TableChanges&, const TableChanges&) = default;
};

/// How much a commit adds to the content hash of one property of a table, modulo 2^128; property 0
/// is the existence of rows (docs/formats/content-hash.md).
struct HashPart {
  TableId table;
  PropertyId property;
  base::Hash128 delta;
  friend bool operator==(const HashPart&, const HashPart&) = default;
};

struct ChangeSet {
  std::vector<TableChanges> tables;
  /// Ascending by (table, property), none zero.
  std::vector<HashPart> hash_parts;
  friend bool operator==(const ChangeSet&, const ChangeSet&) = default;

  bool empty() const { return tables.empty(); }
  std::uint64_t row_count() const;
  /// The sum of the hash parts: what the commit adds to the branch's content hash.
  base::Hash128 hash_delta() const;
};

/// Where a row's bytes lie in an encoded change set.
struct RowPlace {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

struct EncodedChangeSet {
  std::string bytes;
  /// By table, then by row, as in the change set.
  std::vector<std::vector<RowPlace>> places;
};

/// The node or edge type with this id, or nullptr.
const schema::RecordType* type_of(const schema::Schema& schema, TableId table);
/// The edge type with this id, or nullptr.
inline const schema::EdgeType* edge_type_of(const schema::Schema& schema, TableId table) {
  return schema.edge_type(table);
}

/// Requires: a change set that fits the schema.
EncodedChangeSet encode(const ChangeSet& changes, const schema::Schema& schema);
/// `corrupt` unless it is exactly what encode() makes under this schema.
Result<ChangeSet> decode_change_set(std::string_view bytes, const schema::Schema& schema);
/// The row at `place` of an encoded change set.
Result<RowChange> decode_row_at(std::string_view change_set, RowPlace place,
                                const schema::RecordType& type, bool is_edge);

}  // namespace braid::table
