// SPDX-License-Identifier: Apache-2.0
// One JSON record as a typed row (docs/languages/jsonl.md).
//
// Two forms: {"type": T, "data": {…}} and {"edge": E, "from": id, "to": id, "data": {…}}, members
// in any order, `data` optional. In `data` stand properties and, unless the type has a property of
// that name, `id`: the identity, optional. A type with a property `id` takes `@id` instead. For a
// keyed type an identity that is given must be the text of the key.
//
// Invariants
//   J3  A row is accepted only whole: every member known and given once, every value of its type.
// Layer: load.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "load/json_text.h"
#include "load/load_row.h"
#include "load/value_reader.h"
#include "schema/schema.h"

namespace braid::load {

/// What is wrong with a record, and where in its text.
struct RecordFault {
  ErrorCode code = ErrorCode::parse_error;
  std::string message;
  std::size_t at = 0;
  std::size_t length = 0;
  /// The property (`tags[2]` for an element of it) or member; empty: none.
  std::string field;
  std::string expected;
};

class RecordParser {
 public:
  /// `schema` outlives the parser and its rows; its identities are assigned.
  explicit RecordParser(const schema::Schema& schema) : schema_(schema) {}

  /// Fills `row`, but for its line and byte. Requires: UTF-8.
  std::optional<RecordFault> parse(std::string_view text, LoadRow& row);

 private:
  using Kind = JsonToken::Kind;

  // False: fault_ says why.
  bool read_record();
  bool read_member(const JsonToken& name);
  bool read_type(const JsonToken& name, bool is_edge);
  bool read_string_member(const JsonToken& name, std::optional<JsonToken>& at, std::string& out);
  bool skip_data(const JsonToken& name);
  bool check_members();
  bool read_data();
  bool read_data_member(const JsonToken& name);
  bool read_property(const JsonToken& name, std::size_t index);
  bool identify();
  bool key_of_row(std::string& out);

  bool syntax_fault();
  bool type_fault(const JsonToken& token, std::string message, std::string expected);
  bool repeated(const JsonToken& name);
  bool unknown(const JsonToken& name, std::string expected);
  bool value_fault(ValueProblem problem, const std::string& property);
  std::size_t extent(const JsonToken& token) const;

  const schema::Schema& schema_;
  // Of the record being parsed.
  std::string_view text_;
  JsonCursor cursor_{std::string_view()};
  LoadRow* row_ = nullptr;
  const schema::RecordType* type_ = nullptr;
  RecordFault fault_;
  std::string field_;
  std::optional<JsonToken> type_at_;
  std::optional<JsonToken> from_at_;
  std::optional<JsonToken> to_at_;
  std::optional<JsonToken> data_at_;
  /// Where a `data` begins that came before the type; nothing once it is read.
  std::optional<std::size_t> data_left_;
  std::optional<JsonToken> id_at_;
  /// In which record a property was last assigned, and where: no clearing between records.
  struct Assigned {
    std::uint64_t record = 0;
    JsonToken at;
    std::size_t position = 0;
  };
  std::vector<Assigned> assigned_;
  std::uint64_t record_ = 0;
};

}  // namespace braid::load
