// SPDX-License-Identifier: Apache-2.0
// The constraints of a schema, evaluated on the final image of a change: one evaluator for whatever
// writes rows.
//
// Threads: a PendingRows belongs to one thread; the functions are pure.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "braid/result.h"
#include "env/crew.h"
#include "table/change_set.h"
#include "table/footprint.h"
#include "table/image.h"

namespace braid::table {

/// The rows that a change writes, by table and id, over the image that it was built on.
class PendingRows {
 public:
  explicit PendingRows(const Image& image) : image_(&image) {}

  struct Row {
    const schema::RecordType* type = nullptr;
    RowChange change;
    /// The client's ordinal, for errors.
    std::size_t ordinal = 0;
  };
  /// Of one table, by id; an ordinal for each change.
  struct Table {
    const schema::RecordType* type = nullptr;
    std::vector<RowChange> changes;
    std::vector<std::size_t> ordinals;
    /// Places in `changes` by hash of the id, plus one; 0: free. Empty: search by id.
    std::vector<std::uint32_t> slots;
  };

  /// False if the row is there already.
  bool add(Row row);
  /// Takes all rows of one table. Requires: it has none yet; ids ascend.
  void add_table(TableId id, Table table);
  /// Makes find() fast where it will be asked often.
  void index();
  const RowChange* find(TableId table, std::string_view id) const;
  const std::map<TableId, Table>& tables() const { return tables_; }
  std::map<TableId, Table> take() && { return std::move(tables_); }
  const Image& image() const { return *image_; }

  /// Notes tables that were never written: of those, the image need not be asked. Costs a seek for
  /// each type of the schema.
  Status look_for_unwritten();
  /// As the functions of the image.
  Result<std::optional<RowPointer>> find_stored(TableId table, std::string_view id) const;
  Result<std::uint64_t> out_degree(TableId edge_table, std::string_view src) const;

 private:
  const Image* image_;
  std::map<TableId, Table> tables_;
  std::set<TableId> unwritten_;
};

/// The ordinal of a row that the client did not name.
inline constexpr std::size_t kNoOrdinal = std::numeric_limits<std::size_t>::max();

/// A row as it will be, with what errors need.
struct RowRef {
  const schema::RecordType& type;
  const RowChange& change;
  std::size_t ordinal;
};

/// `constraint_violation` (or nothing) for required, range and check of one row.
Status validate_row(const RowRef& row);
/// Unique tuples, endpoints of edges and cardinality over the final image; adds what it reads to
/// the footprint. Where nodes are removed, it reads all edges of the types that may end there.
Status validate_image(const PendingRows& rows, Footprint& footprint, const env::Crew& crew = {});

/// An error about a row, with the details that every caller needs.
Error row_error(ErrorCode code, std::string message, const schema::RecordType& type,
                std::size_t ordinal, std::string_view id);

}  // namespace braid::table
