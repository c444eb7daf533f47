// SPDX-License-Identifier: Apache-2.0
// Layers: which fragments stand beside the delta rows of each table, per branch. A record that
// publishes fragments names them by pins; what a reader sees of a row is the newest of its delta
// rows and its rows in fragments (image.h).
//
// Invariants
//   T10  A pin names the fragment's bytes (object, size, digest) and says which ids it may have: an
//        id outside of [first_id, last_id] is in none of its rows.
// Threads: values; Layers is immutable.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "state/keys.h"
#include "table/fragment.h"

namespace braid::table {

/// A fragment as a record names it.
struct Pin {
  TableId table;
  /// Its name in the object store.
  std::string object;
  std::uint64_t size_bytes = 0;
  base::Digest digest{};
  FragmentSummary summary;

  bool may_have(std::string_view id) const {
    return summary.first_id <= id && id <= summary.last_id;  // T10
  }
  friend bool operator==(const Pin&, const Pin&) = default;
};

std::string encode_pins(const std::vector<Pin>& pins);
/// `corrupt` unless it is exactly what encode_pins() makes, of pins with rows and an id range.
Result<std::vector<Pin>> decode_pins(std::string_view bytes);

/// Which edges of one fragment a node has (layer index).
class FragmentEdges {
 public:
  virtual ~FragmentEdges() = default;
  /// Ordinals of the fragment's rows that leave the node (kOut) or reach it (kIn), ascending. They
  /// stay as long as this object. `corrupt` where damage is met.
  virtual Result<std::span<const std::uint32_t>> edges_of(std::string_view node,
                                                          state::Direction direction) const = 0;
};

/// Opens what pins name.
class FragmentSource {
 public:
  virtual ~FragmentSource() = default;
  /// `corrupt` {file} if the object is missing or not what the pin says; io errors.
  virtual Result<std::shared_ptr<const Fragment>> fragment(
      const Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
      bool is_edge) const = 0;
  /// The adjacency of a fragment of edges; errors as of fragment().
  virtual Result<std::shared_ptr<const FragmentEdges>> edges(
      const Pin& pin, const std::shared_ptr<const schema::RecordType>& type) const = 0;
};

struct PinnedFragment {
  /// The record that pinned it: the stamp of its rows that have none of their own.
  Position position;
  std::shared_ptr<const Pin> pin;
};

class Layers {
 public:
  static std::shared_ptr<const Layers> none();

  /// These and the pins of one more record. Requires: `position` is newer than all of the branch.
  std::shared_ptr<const Layers> with(Position position, BranchIncarnation branch,
                                     const std::vector<Pin>& pins) const;
  /// For whoever builds them before anybody else sees them; as with().
  void add(Position position, BranchIncarnation branch, Pin pin);
  /// Oldest first.
  std::span<const PinnedFragment> of(TableId table, BranchIncarnation branch) const;
  /// All of them, for those who check or sweep objects.
  std::vector<PinnedFragment> all() const;
  bool empty() const { return fragments_.empty(); }

 private:
  std::map<std::pair<TableId, BranchIncarnation>, std::vector<PinnedFragment>> fragments_;
};

}  // namespace braid::table
