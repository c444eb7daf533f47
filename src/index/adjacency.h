// SPDX-License-Identifier: Apache-2.0
// The adjacency of one fragment of edges, both directions: a file that is mapped and read in place
// (docs/formats/adjacency.md). Opening costs its header, whatever its size; finding a node one
// probe of a hash table, whose expected length does not depend on how many nodes there are.
//
// The file is derived from its fragment, and says from which: whoever finds it missing, damaged or
// another fragment's builds it again (adjacency_builder.h).
//
// Invariants
//   I1  Of a file that the builder made, edges_of(n, d) is the ordinals, ascending, of exactly the
//       rows whose source (kOut) or destination (kIn) is n.
//   I2  Bytes of any kind are refused or read without leaving them, and what edges_of() gives are
//       ascending ordinals below rows(). Which ones, in damaged bytes, only check() knows.
//   I3  One fragment, one index: the builder's bytes depend on the fragment and its pin alone.
//   I4  A file is opened only for the fragment (object, size, digest) that it names.
// Errors: `corrupt`, `format_mismatch`.
// Threads: immutable; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "columnar/arrow/buffer.h"
#include "index/adjacency_layout.h"
#include "table/layers.h"

namespace braid::index {

/// A node of the index, and what finding it took.
struct NodeLookup {
  std::optional<std::uint32_t> node;
  std::uint64_t slots_read = 0;
  std::uint64_t ids_read = 0;
};

class Adjacency final : public table::FragmentEdges {
  struct Token {
    explicit Token() = default;
  };

 public:
  /// `file` is the whole file. `corrupt` unless it is the index of the fragment that `pin` names
  /// (I4).
  static Result<std::shared_ptr<const Adjacency>> open(columnar::arrow::Buffer file,
                                                       const table::Pin& pin);

  std::uint64_t rows() const { return header_.rows; }
  /// Nodes at either end of the fragment's edges.
  std::uint64_t nodes() const { return header_.nodes; }
  std::string_view bytes() const { return file_.bytes(); }

  NodeLookup find(std::string_view id) const;
  Result<std::span<const std::uint32_t>> edges_of(std::string_view node,
                                                  state::Direction direction) const override;
  /// How many edges_of() are; looks at none of them.
  Result<std::uint64_t> degree(std::string_view node, state::Direction direction) const;
  /// Reads the whole file: `corrupt` unless its bytes are those that were written.
  Status check() const;

  Adjacency(Token, columnar::arrow::Buffer file, Header header);

 private:
  template <class T>
  std::span<const T> section(const Section& section) const;
  std::string_view id_of(std::uint32_t node) const;
  Result<std::span<const std::uint32_t>> rows_of(std::string_view node,
                                                 state::Direction direction) const;

  columnar::arrow::Buffer file_;
  Header header_;
  Layout layout_;
  NodeHash hash_;
};

}  // namespace braid::index
