// SPDX-License-Identifier: Apache-2.0
// Rows of a result in the formats of --format; docs/user/cli.md describes each.
// Layer: cli.
// Threads: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "braid/graph.h"
#include "braid/result.h"
#include "cli/console.h"

namespace braid::cli {

enum class Format : std::uint8_t {
  table,  ///< aligned columns, for people
  kv,     ///< `name: value` lines, a blank line between rows, for people
  csv,    ///< RFC 4180, with a header
  jsonl,  ///< one object a line
  json,   ///< one object: columns and rows
};

struct RowOptions {
  Format format = Format::table;
  /// Of json and jsonl: integers beyond ±(2^53 - 1) as strings.
  bool safe_integers = false;
};

/// A value on one line without quotes, safe for a terminal: objects, lists and vectors as JSON.
std::string cell_text(const Value& value);

Status write_rows(Console& console, const QueryResult& result, const RowOptions& options);

/// `name: value` lines, one a member.
std::string object_lines(const Value::Object& object);

}  // namespace braid::cli
