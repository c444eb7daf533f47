// SPDX-License-Identifier: Apache-2.0
// A stream of JSON records as typed rows: JSON Lines, or values of several lines one after the
// other. Files of any size in bounded memory; a byte order mark, CRLF, blank lines and a missing
// final newline are accepted.
//
// Every error has the details file, line, byte, field, value and expected (field and value where
// there is one) and a span. Lines count from 1, bytes from 0 with the byte order mark.
//
// Invariants
//   J4  Rows and errors do not depend on how the source cuts its text.
//   J5  The rows before an error are those of the text before the faulty record.
// Layer: load.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "load/json_text.h"
#include "load/load_row.h"
#include "load/record_parser.h"
#include "schema/schema.h"

namespace braid::load {

/// Writes the next bytes to `out`, at most `size` of them, and returns how many; 0 at the end.
using ByteSource = std::function<Result<std::size_t>(char* out, std::size_t size)>;

/// Requires: `text` outlives the source.
ByteSource source_of(std::string_view text);

struct JsonlOptions {
  /// For errors.
  std::string file;
  /// Where the text begins in its file; a byte order mark may stand only at byte 0.
  std::uint64_t first_byte = 0;
  std::uint32_t first_line = 1;
  /// How much is read at a time.
  std::size_t buffer_bytes = std::size_t{1} << 20;
  /// The largest record as text. A value may have 64 MiB, in base 64 a third more.
  std::size_t record_bytes_max = std::size_t{256} << 20;
};

class JsonlReader {
 public:
  /// `schema` outlives the reader and its rows; its identities are assigned.
  JsonlReader(const schema::Schema& schema, ByteSource source, JsonlOptions options = {});

  /// Fills `row` with the next record, or returns false at the end of the text.
  /// Errors, after which the reader gives nothing but that error: parse_error for what is no JSON
  /// or names a member twice, type_error for what does not fit the schema, unsupported for a Blob
  /// that lies elsewhere, resource_limit for a record or value that is too large, and those of the
  /// source.
  Result<bool> next(LoadRow& row);

 private:
  /// A place in the whole text.
  struct Place {
    std::uint64_t byte = 0;
    std::uint32_t line = 1;
    /// In code points, from 1.
    std::uint32_t column = 1;
  };

  Result<bool> read(LoadRow& row);
  /// False at the end of the text.
  Result<bool> fill();
  Result<bool> skip_to_record();
  /// The text of the record at the front of the window, all of it.
  Result<std::string_view> frame_record(LoadRow& row);
  Error unframed(JsonFrame::Outcome outcome, std::size_t at, LoadRow& row);
  Error fault_error(std::string_view text, const RecordFault& fault) const;
  std::string_view window() const;
  /// The place behind `text`, which begins at place_.
  Place place_after(std::string_view text) const;
  void consume(std::size_t size);

  RecordParser parser_;
  ByteSource source_;
  JsonlOptions options_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  /// Of begin_.
  Place place_;
  std::optional<Error> failed_;
};

}  // namespace braid::load
