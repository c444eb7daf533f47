// SPDX-License-Identifier: Apache-2.0
// A schema with its stable identities, and the bytes that store both (docs/formats/schema.md).
//
// A name may change and come back; an identity never does. Data is stored under identities, so an
// old snapshot stays readable after a rename, and what was dropped and added again is new.
//
// Invariants
//   P3  The ids of a catalog are distinct, not zero and below next_id().
//   P4  An id names one lifetime: the counter only grows, and an id goes on only under its exact
//       name or an explicit @rename_from.
//   P5  A catalog has exactly one encoding: decode_catalog() refuses all other bytes.
// Layer: schema.
// Threads: immutable; any thread may read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ids.h"
#include "braid/result.h"
#include "schema/schema.h"

namespace braid::schema {

/// The identities of a schema's types, in the order of node_types() and edge_types().
struct StableIds {
  struct OfType {
    TableId id;
    /// In the order of RecordType::properties.
    std::vector<PropertyId> properties;
    friend bool operator==(const OfType&, const OfType&) = default;
  };
  /// What the next new type or property gets.
  std::uint64_t next_id = 1;
  std::vector<OfType> nodes;
  std::vector<OfType> edges;
  friend bool operator==(const StableIds&, const StableIds&) = default;
};

class Catalog {
 public:
  /// A schema under given identities, e.g. those that a merge chose.
  /// Errors: corrupt when they do not match the schema one to one or break P3; resource_limit when
  /// the canonical text is over kSourceBytesMax.
  static Result<Catalog> make(Schema schema, const StableIds& ids);

  /// Identities are set throughout, and key members are in their final order.
  const Schema& schema() const { return schema_; }
  std::uint64_t next_id() const { return next_id_; }
  /// The canonical `.pg` text.
  const std::string& text() const { return text_; }
  StableIds ids() const;

 private:
  Catalog() = default;

  Schema schema_;
  std::uint64_t next_id_ = 1;
  std::string text_;
};

/// Where new identities come from.
struct IdentityOptions {
  /// The catalog that the schema replaces; nullptr for a new graph.
  const Catalog* previous = nullptr;
  /// At least this for every new id: the graph's counter, which other branches may have moved.
  std::uint64_t next_id_min = 1;
};

/// Gives each type and property of `schema` the identity of its predecessor, or else a new one.
/// A predecessor has the same exact name; failing that, it has the name in @rename_from.
/// New ids are drawn for node types, then edge types, in the order declared, each type before its
/// properties.
/// Errors: type_error when two claim one predecessor; resource_limit when the ids run out.
Result<Catalog> assign_identities(Schema schema, const IdentityOptions& options = {});

/// parse(), resolve() and assign_identities().
Result<Catalog> make_catalog(std::string_view source, const IdentityOptions& options = {});

/// The stored form; see docs/formats/schema.md.
std::string encode(const Catalog& catalog);
/// Errors: format_mismatch for another version; corrupt for everything else.
Result<Catalog> decode_catalog(std::string_view bytes);

/// SHA-256 of the encoding: equal for equal texts under equal identities.
std::array<std::uint8_t, 32> schema_identity(const Catalog& catalog);

}  // namespace braid::schema
