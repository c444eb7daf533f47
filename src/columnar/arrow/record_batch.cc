// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/record_batch.h"

namespace braid::columnar::arrow {

Result<RecordBatch> RecordBatch::make(SchemaPointer schema, std::size_t length,
                                      std::vector<ArrayPointer> columns) {
  if (columns.size() != schema->fields.size()) {
    return Error(ErrorCode::type_error, "as many columns as fields are needed")
        .with("fields", std::uint64_t{schema->fields.size()})
        .with("columns", std::uint64_t{columns.size()});
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Field& field = schema->fields[i];
    BRAID_ASSERT(columns[i] != nullptr);
    const Array& column = *columns[i];
    if (!(column.type() == field.type)) {
      return Error(ErrorCode::type_error, "a column is not of its field's type")
          .with("field", field.name)
          .with("expected", to_string(field.type))
          .with("actual", to_string(column.type()));
    }
    if (column.length() != length) {
      return Error(ErrorCode::type_error, "a column has not as many rows as its batch")
          .with("field", field.name)
          .with("expected", std::uint64_t{length})
          .with("actual", std::uint64_t{column.length()});
    }
    if (!field.nullable && column.null_count() > 0) {
      return Error(ErrorCode::type_error, "a null in a column that has none")
          .with("field", field.name);
    }
  }
  return RecordBatch(std::move(schema), length, std::move(columns));
}

}  // namespace braid::columnar::arrow
