// SPDX-License-Identifier: Apache-2.0
// Dictionary messages and batch messages, as both containers have them. Internal to columnar/arrow.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/ipc_frame.h"
#include "columnar/arrow/ipc_reader.h"

namespace braid::columnar::arrow {

/// Which dictionaries a schema has: of each, in the order of the fields, id, type and entries.
struct DictionarySet {
  const Schema& schema;
  std::span<const std::int64_t> ids;
  std::vector<ArrayPointer>& entries;
  /// A stream may replace a dictionary; a file has one, in one or several parts.
  bool may_replace = false;
};

/// Takes in a dictionary message. Requires: it is one.
Status take_dictionary(const MessageView& message, const ReadOptions& options,
                       const DictionarySet& set);

/// The columns `columns` of a record batch message. `corrupt` if it is none.
Result<RecordBatch> read_batch(const MessageView& message, const ReadOptions& options,
                               const SchemaPointer& schema, std::span<const std::size_t> columns,
                               const std::vector<ArrayPointer>& dictionaries);

}  // namespace braid::columnar::arrow
