// SPDX-License-Identifier: Apache-2.0
// A schema with every kind of property, and short ways to read rows of it: for the tests of load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "load/jsonl_reader.h"
#include "schema/catalog.h"

namespace braid::load {

inline constexpr std::string_view kTestSchema = R"(
node Person { name: String @key
  age: I32? }
node Thing {
  text: String?
  blob: Blob?
  flag: Bool?
  i32: I32?
  u32: U32?
  i64: I64?
  u64: U64?
  f32: F32?
  f64: F64?
  date: Date?
  time: DateTime?
  colour: enum(red, green, dark-blue)?
  texts: [String]?
  flags: [Bool]?
  i32s: [I32]?
  u32s: [U32]?
  i64s: [I64]?
  u64s: [U64]?
  f32s: [F32]?
  f64s: [F64]?
  dates: [Date]?
  times: [DateTime]?
  vector: Vector(3)?
}
node Pair { second: I64
  first: String
  note: String?
  @key(first, second) }
node Measure { at: F64 @key }
node Own { id: String @key
  note: String? }
node Loose { id: I32?
  note: String? }
node Strict { must: String }
edge Knows: Person -> Person { since: Date?
  weight: F64? }
edge Likes: Person -> Person { strength: I32?
  @key(@src, @dst) }
)";

inline const schema::Schema& test_schema() {
  static const schema::Catalog catalog = [] {
    auto made = schema::make_catalog(kTestSchema);
    EXPECT_TRUE(made) << to_string(made.error());
    return *std::move(made);
  }();
  return catalog.schema();
}

/// All rows, or the first error.
inline Result<std::vector<LoadRow>> read_all(const schema::Schema& schema, ByteSource source,
                                             JsonlOptions options = {}) {
  JsonlReader reader(schema, std::move(source), std::move(options));
  std::vector<LoadRow> rows;
  for (;;) {
    LoadRow row;
    BRAID_ASSIGN(const bool found, reader.next(row));
    if (!found) return rows;
    rows.push_back(std::move(row));
  }
}

inline Result<std::vector<LoadRow>> read_all(std::string_view text, JsonlOptions options = {}) {
  return read_all(test_schema(), source_of(text), std::move(options));
}

/// The value that a row assigns to a property, or nullptr.
inline const Value* assigned(const LoadRow& row, std::string_view property) {
  const auto index = row.type().property_index(property);
  for (const auto& [at, value] : row.assigned) {
    if (index == at) return &value;
  }
  return nullptr;
}

}  // namespace braid::load
