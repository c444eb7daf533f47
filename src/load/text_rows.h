// SPDX-License-Identifier: Apache-2.0
// All rows of a text that stands in memory, packed, read by several threads at once.
//
// The text comes in segments that end where a line does. Each is read as if a record began with it;
// whether one does is known once all before it have been read: the first segment in which something
// is wrong is read again, from there on one row after another, to the end of the text. So values
// may spread over lines and segments.
//
// Invariants
//   J7  Rows, their places and the error are those of one JsonlReader over the whole text, whatever
//       the segments and the threads.
// Layer: load.
// Threads: read_rows() belongs to its caller; TextRows are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "braid/result.h"
#include "env/crew.h"
#include "load/jsonl_reader.h"
#include "schema/schema.h"
#include "table/row_source.h"

namespace braid::load {

/// The text of one file in order; none is empty, and only the last may end within a line.
struct Text {
  std::string file;
  std::vector<std::string> segments;
};

/// Where a row begins: lines count from 1, bytes from 0.
struct RowPlace {
  std::uint64_t line = 1;
  std::uint64_t byte = 0;
};

/// The rows of one segment, more or less.
struct RowBlock {
  table::PackedBlock rows;
  RowPlace place_of(std::size_t row) const {
    return {first.line + places[row].line, first.byte + places[row].byte};
  }

  /// Of each row, from `first` on.
  struct Offset {
    std::uint32_t line = 0;
    std::uint32_t byte = 0;
  };
  RowPlace first;
  std::vector<Offset> places;
};

/// How many rows a load may have, and how many other texts have taken.
struct RowLimit {
  std::uint64_t max = 0;
  std::uint64_t before = 0;
};

/// In the order of the text. Ids that are to be drawn are not.
/// `parsed` is told how many rows more there are, one call at a time, on any of the crew's threads.
/// Errors: those of JsonlReader; `resource_limit` {file, line} for too many rows.
Result<std::vector<RowBlock>> read_rows(const schema::Schema& schema, const Text& text,
                                        RowLimit limit, const env::Crew& crew,
                                        const std::function<void(std::uint64_t)>& parsed = {});

}  // namespace braid::load
