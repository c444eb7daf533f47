// SPDX-License-Identifier: Apache-2.0
// What a resolved schema says about its types: properties, keys and constraints, ready to use.
//
// Positions: constraints name properties by index into `properties`. Every rule of
// docs/languages/pg.md holds.
// Layer: schema.
// Threads: immutable once resolved; any thread may read.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "braid/error.h"
#include "braid/ids.h"
#include "columnar/type.h"
#include "schema/ast.h"
#include "schema/pattern.h"

namespace braid::schema {

/// What people wrote about a type or property.
struct Notes {
  /// Empty: none.
  std::string description;
  /// For agents. Empty: none.
  std::string instruction;
  /// The name before a migration. Empty: none.
  std::string rename_from;
  /// Annotations that Braid does not know: kept, never interpreted.
  std::vector<Annotation> unknown_annotations;
};

/// One property of a node or edge type.
struct Property {
  /// Zero until identities are assigned.
  PropertyId id;
  std::string name;
  columnar::PropertyType type;
  Notes notes;
  /// The interface that it came from; empty when the type declares it itself.
  std::string from_interface;
  SourceSpan span;
};

/// A part of a key, unique tuple or index: a property, or an edge's endpoint.
struct Member {
  enum class Kind : std::uint8_t { source = 1, target = 2, property = 3 };
  Kind kind = Kind::property;
  /// Only of a property.
  std::size_t property = 0;
  friend auto operator<=>(const Member&, const Member&) = default;
};

/// A bound in the width of the property's kind: std::int64_t for I32 and I64, std::uint64_t for
/// U32 and U64, double for F32 (rounded to F32) and F64.
using RangeLimit = std::variant<std::int64_t, std::uint64_t, double>;

/// `@range`: a value that is there lies between the limits, both included.
struct Range {
  std::size_t property = 0;
  std::optional<RangeLimit> low;
  std::optional<RangeLimit> high;

  /// Use the overload of the property's kind (see RangeLimit). NaN lies in no range.
  bool admits(std::int64_t value) const;
  bool admits(std::uint64_t value) const;
  bool admits(double value) const;
};

/// `@check`: the pattern is found somewhere in a value that is there.
struct Check {
  std::size_t property = 0;
  Pattern pattern;
};

/// `@card`: how many edges of the type may leave one source node.
struct Cardinality {
  std::uint64_t min = 0;
  /// None: no upper limit.
  std::optional<std::uint64_t> max;
  bool limits() const { return min > 0 || max.has_value(); }
  friend bool operator==(const Cardinality&, const Cardinality&) = default;
};

/// `@embed`: the vector is computed from a text of the same row.
struct Embed {
  /// The vector property.
  std::size_t property = 0;
  /// The String property.
  std::size_t source = 0;
  /// Empty: the configured default.
  std::string model;
};

/// What node and edge types have in common.
struct RecordType {
  /// Zero until identities are assigned.
  TableId id;
  std::string name;
  Notes notes;
  SourceSpan span;
  /// As declared, then what the interfaces add, in the order they are named.
  std::vector<Property> properties;
  /// Empty: rows get a ULID. Before identities are assigned in the order declared; afterwards
  /// source, target, then the properties by id: the order of the parts of an identity.
  std::vector<Member> key;
  /// No tuple twice, none with a member twice.
  std::vector<std::vector<Member>> uniques;
  /// Declared intent, and the key's implied one is not repeated here.
  std::vector<std::vector<Member>> indexes;
  /// At most one a property.
  std::vector<Range> ranges;
  std::vector<Check> checks;

  /// The index into `properties`, or nothing.
  std::optional<std::size_t> property_index(std::string_view property_name) const;
  std::optional<std::size_t> property_index(PropertyId property_id) const;
  /// The property, or nullptr.
  const Property* property(std::string_view property_name) const;
  const Property* property(PropertyId property_id) const;
  bool is_keyed() const { return !key.empty(); }
  bool is_key_member(std::size_t property_position) const;
  /// The range on a property, or nullptr.
  const Range* range_of(std::size_t property_position) const;

  /// Makes the look-ups answer; called by whoever fills or renumbers `properties`.
  void rebuild_lookups();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> by_name_;
  std::unordered_map<PropertyId, std::size_t> by_id_;
};

struct NodeType : RecordType {
  std::vector<std::string> interfaces;
  std::vector<Embed> embeds;
  /// The embed that fills a vector property, or nullptr.
  const Embed* embed_of(std::size_t property_position) const;
};

struct EdgeType : RecordType {
  /// Index into Schema::node_types().
  std::size_t from = 0;
  std::size_t to = 0;
  Cardinality cardinality;
};

}  // namespace braid::schema
