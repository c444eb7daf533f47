// SPDX-License-Identifier: Apache-2.0
// A schema with every rule checked: the types of a graph, and fast ways to find them.
//
// Invariants
//   P2  A Schema obeys every rule of docs/languages/pg.md: whoever holds one checks none again.
// Layer: schema.
// Threads: immutable; any thread may read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/ids.h"
#include "braid/result.h"
#include "schema/ast.h"
#include "schema/types.h"

namespace braid::schema {

class Schema {
 public:
  /// What was written.
  const Document& document() const { return document_; }
  /// In the order declared.
  const std::vector<NodeType>& node_types() const { return node_types_; }
  const std::vector<EdgeType>& edge_types() const { return edge_types_; }

  /// By exact name, or nullptr. Pointers live as long as the schema.
  const NodeType* node_type(std::string_view name) const;
  const EdgeType* edge_type(std::string_view name) const;
  /// By a query's spelling: `worksAt` or `worksat` for `WorksAt`.
  const EdgeType* edge_type_folded(std::string_view spelling) const;
  /// By identity, once identities are assigned, or nullptr.
  const NodeType* node_type(TableId id) const;
  const EdgeType* edge_type(TableId id) const;

  const NodeType& from_type(const EdgeType& edge) const { return node_types_[edge.from]; }
  const NodeType& to_type(const EdgeType& edge) const { return node_types_[edge.to]; }

 private:
  friend class Resolver;
  friend class Catalog;
  void rebuild_lookups();

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using ByName = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;

  Document document_;
  std::vector<NodeType> node_types_;
  std::vector<EdgeType> edge_types_;
  ByName nodes_by_name_;
  ByName edges_by_name_;
  ByName edges_by_folded_name_;
  std::unordered_map<TableId, std::size_t> nodes_by_id_;
  std::unordered_map<TableId, std::size_t> edges_by_id_;
};

/// The form under which edge names must differ: ASCII letters in lower case.
std::string folded_name(std::string_view name);

/// Checks the rules, adds what interfaces give and compiles patterns. Ids stay zero.
/// Errors: type_error at the first fault; resource_limit when interfaces multiply to more than
/// kInjectedBytesMax, or there are more than kPatternsMax different patterns.
Result<Schema> resolve(Document document);

/// What all properties that interfaces add may take, about, in memory: a short text can ask for a
/// thousand interfaces in a thousand types.
inline constexpr std::size_t kInjectedBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kPatternsMax = 10'000;

}  // namespace braid::schema
