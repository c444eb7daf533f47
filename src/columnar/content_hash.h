// SPDX-License-Identifier: Apache-2.0
// What a graph contains, as sums of hashes: one a (table, property) and one a table's rows.
// docs/formats/content-hash.md describes every byte.
//
// Each cell and each row adds one XXH3-128 modulo 2^128, so a commit costs two hashes a changed
// cell, parts of a load add up, and how rows are stored never matters. It guards against our own
// faults, not against an adversary, and nothing decides equality by it.
//
// Invariants
//   V5  The sums depend on the cells and rows only: not on the order of changes, nor on values that
//       were there in between.
//   V6  A number hashes by its value, whatever its width; null and the initial default add nothing.
//   V7  No part is zero: equal contents have equal parts, equal encodings and equal totals.
// Layer: columnar.
// Threads: values; functions are pure.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "braid/value.h"

namespace braid::columnar {

/// What names a row within its table.
class RowIdentity {
 public:
  /// `id` is the text of the key, or of the ULID.
  static RowIdentity node(std::string_view id);
  static RowIdentity edge(std::string_view id, std::string_view source, std::string_view target);
  /// As it enters the hash.
  const std::string& bytes() const { return bytes_; }

 private:
  explicit RowIdentity(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

/// The bytes by which a value enters the hash: equal for equal numbers of any width. The number
/// -0.0 differs from 0. Requires: not an object.
std::string hashed_form(const Value& value);

/// A graph's salt and a table: what its cells and rows have in common.
struct HashScope {
  /// Drawn once a graph.
  std::uint64_t salt = 0;
  TableId table;
};

/// What the existence of a row adds.
base::Hash128 row_hash(const HashScope& scope, const RowIdentity& row);
/// What a cell adds: nothing if it is null or equals `initial_default` (nullptr: there is none).
base::Hash128 cell_hash(const HashScope& scope, PropertyId property, const RowIdentity& row,
                        const Value& value, const Value* initial_default = nullptr);

/// The sums.
class ContentHash {
 public:
  /// A property of a table; without a property, the existence of its rows.
  struct Part {
    TableId table;
    PropertyId property;
    friend auto operator<=>(const Part&, const Part&) = default;
  };

  void add(Part part, const base::Hash128& hash);
  void remove(Part part, const base::Hash128& hash);
  void add_row(const HashScope& scope, const RowIdentity& row);
  void remove_row(const HashScope& scope, const RowIdentity& row);
  void add_cell(const HashScope& scope, PropertyId property, const RowIdentity& row,
                const Value& value, const Value* initial_default = nullptr);
  void remove_cell(const HashScope& scope, PropertyId property, const RowIdentity& row,
                   const Value& value, const Value* initial_default = nullptr);

  /// Adds the parts of a layer, or takes them away.
  ContentHash& operator+=(const ContentHash& other);
  ContentHash& operator-=(const ContentHash& other);

  /// Zero for a part that is not there.
  base::Hash128 part(Part part) const;
  /// In order; none is zero (V7).
  const std::map<Part, base::Hash128>& parts() const { return parts_; }
  /// One digest of all parts.
  base::Digest total() const;

  void encode(base::ByteWriter& writer) const;
  /// `corrupt` unless the next bytes are what encode() writes.
  static Result<ContentHash> decode(base::ByteReader& reader);

  friend bool operator==(const ContentHash&, const ContentHash&) = default;

 private:
  std::map<Part, base::Hash128> parts_;
};

}  // namespace braid::columnar
