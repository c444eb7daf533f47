// SPDX-License-Identifier: Apache-2.0
// Some rows of some columns.
// Layer: columnar.
// Threads: immutable; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/array.h"
#include "columnar/arrow/data_type.h"

namespace braid::columnar::arrow {

using SchemaPointer = std::shared_ptr<const Schema>;

class RecordBatch {
 public:
  /// `type_error` with detail `field` unless there is a column of `length` rows for each field, of
  /// its type, without nulls where the field has none.
  static Result<RecordBatch> make(SchemaPointer schema, std::size_t length,
                                  std::vector<ArrayPointer> columns);

  const Schema& schema() const { return *schema_; }
  const SchemaPointer& shared_schema() const { return schema_; }
  std::size_t length() const { return length_; }
  const std::vector<ArrayPointer>& columns() const { return columns_; }
  /// Requires: index < columns().size().
  const Array& column(std::size_t index) const {
    BRAID_ASSERT(index < columns_.size());
    return *columns_[index];
  }

 private:
  RecordBatch(SchemaPointer schema, std::size_t length, std::vector<ArrayPointer> columns)
      : schema_(std::move(schema)), length_(length), columns_(std::move(columns)) {}

  SchemaPointer schema_;
  std::size_t length_;
  std::vector<ArrayPointer> columns_;
};

}  // namespace braid::columnar::arrow
