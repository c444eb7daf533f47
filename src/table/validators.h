// SPDX-License-Identifier: Apache-2.0
// The constraints of a schema, evaluated on the final image of a change: one evaluator for whatever
// writes rows.
//
// Threads: a PendingRows belongs to one thread; the functions are pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "braid/result.h"
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
  using ById = std::map<std::string, Row, std::less<>>;

  /// False if the row is there already.
  bool add(Row row);
  const Row* find(TableId table, std::string_view id) const;
  const std::map<TableId, ById>& tables() const { return tables_; }
  std::map<TableId, ById> take() && { return std::move(tables_); }
  const Image& image() const { return *image_; }

 private:
  const Image* image_;
  std::map<TableId, ById> tables_;
};

/// `constraint_violation` (or nothing) for required, range and check of one row.
Status validate_row(const PendingRows::Row& row);
/// Unique tuples, endpoints of edges and cardinality over the final image; adds what it reads to
/// the footprint.
Status validate_image(const PendingRows& rows, Footprint& footprint);

/// An error about a row, with the details that every caller needs.
Error row_error(ErrorCode code, std::string message, const schema::RecordType& type,
                std::size_t ordinal, std::string_view id);

}  // namespace braid::table
