// SPDX-License-Identifier: Apache-2.0
// The rows of one branch as of one position: key to row without a scan, unique values to their
// holder, nodes to their edges. What no commit has written since the fork is read through
// the branch's lineage.
//
// Invariants
//   T4  An image never changes: it shows what was committed up to its position, and nothing newer,
//       whatever is committed or applied meanwhile (state S3).
//   T11 Of a row's delta rows and its rows in fragments, along the lineage and up to each step's
//       position, the one with the newest stamp counts; if that removes the row, there is none.
//   T12 edges(t, n, d) is exactly the visible rows of t whose source (kOut) or destination (kIn) is
//       n. It rests on this: while an edge is there its ends stay, and what removes it says where
//       they were.
// Errors: `corrupt` when the state points at something that the log does not hold, or a pin at
// something that the objects do not hold.
// Threads: immutable; any thread may read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/result.h"
#include "schema/schema.h"
#include "state/state_view.h"
#include "table/change_set.h"
#include "table/layers.h"

namespace braid::table {

/// Finds the encoded change set of a commit's record.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;
  virtual Result<std::shared_ptr<const std::string>> changes_at(Position position) const = 0;
};

/// One branch and how far up its own history counts; the branch it was forked from comes next.
struct LineageStep {
  BranchIncarnation branch;
  Position up_to;
};

struct StoredRow {
  /// The position that wrote it.
  Position stamp;
  RowImage row;
};

/// A row of a fragment.
struct FragmentPointer {
  std::shared_ptr<const Fragment> fragment;
  FragmentPlace place;
};

/// Where a row is.
struct RowPointer {
  Position stamp;
  /// In the change set of the stamp's record, or in a fragment.
  std::variant<RowPlace, FragmentPointer> place;
};

/// An edge of a node.
struct AdjacentEdge {
  /// Until the next one comes.
  std::string_view id;
  /// For Image::read().
  RowPointer pointer;
};

/// The fragments of an image.
struct Pinned {
  std::shared_ptr<const Layers> layers = Layers::none();
  /// Outlives the image; may be nullptr if there are no layers.
  const FragmentSource* source = nullptr;
};

class Image {
 public:
  /// `lineage`: newest first, at least one step. `source` must outlive the image.
  Image(state::StateView view, std::vector<LineageStep> lineage,
        std::shared_ptr<const schema::Schema> schema, const ChangeSource& source,
        Pinned pinned = {})
      : view_(std::move(view)),
        lineage_(std::move(lineage)),
        schema_(std::move(schema)),
        source_(&source),
        pinned_(std::move(pinned)) {}

  const schema::Schema& schema() const { return *schema_; }
  BranchIncarnation branch() const { return lineage_.front().branch; }

  /// Where the row is, without reading it; nullopt if there is none.
  Result<std::optional<RowPointer>> find(TableId table, std::string_view id) const;
  Result<std::optional<StoredRow>> row(TableId table, std::string_view id) const;
  /// True if the table never had a row here: neither delta rows nor fragments. One seek a step.
  Result<bool> never_written(TableId table) const;
  /// The row that a pointer of find() means.
  Result<StoredRow> read(TableId table, const RowPointer& pointer) const;
  /// Id of the row whose unique tuple this is.
  Result<std::optional<std::string>> unique_holder(TableId table, std::uint32_t constraint,
                                                   std::string_view tuple) const;
  /// Every edge of the table that leaves the node (kOut) or reaches it (kIn), by id; an error of
  /// `visit` ends it and is passed on. Looks at versions of this node's edges only, and holds them
  /// in memory without their properties.
  Status edges(TableId edge_table, std::string_view node, state::Direction direction,
               const std::function<Status(const AdjacentEdge&)>& visit) const;
  /// How many edges() there are.
  Result<std::uint64_t> degree(TableId edge_table, std::string_view node,
                               state::Direction direction) const;
  /// Edges of the table that leave the node.
  Result<std::uint64_t> out_degree(TableId edge_table, std::string_view src) const;
  /// Every row of the table, by id; an error ends the scan and is passed on. Holds the places of
  /// the table's delta rows in memory, and one row of each fragment.
  Status scan(TableId table, const std::function<Status(const StoredRow&)>& visit) const;

 private:
  /// The newest entry of the prefixes that `prefix_on` makes, along the lineage.
  Result<std::optional<state::VersionedEntry>> newest(
      const std::function<std::string(BranchIncarnation)>& prefix_on) const;

  /// What the delta rows or the fragments say last of a row.
  struct Version {
    Position stamp;
    /// nullopt: removed.
    std::optional<std::variant<RowPlace, FragmentPointer>> place;
  };
  using DeltaVersions = std::map<std::string, Version, std::less<>>;

  Result<std::optional<Version>> newest_delta(TableId table, const LineageStep& step,
                                              std::string_view id) const;
  /// The newest row of the step's fragments with a stamp after `after`.
  Result<std::optional<Version>> newest_pinned(TableId table, const LineageStep& step,
                                               std::string_view id, Position after) const;
  Result<DeltaVersions> delta_versions(TableId table) const;

  class NodeEdges;
  Status collect_delta_edges(TableId table, const LineageStep& step, NodeEdges& edges) const;
  Status collect_pinned_edges(const PinnedFragment& pinned, NodeEdges& edges) const;
  Result<NodeEdges> node_edges(TableId table, std::string_view node,
                               state::Direction direction) const;
  Result<std::shared_ptr<const Fragment>> open(const PinnedFragment& pinned) const;

  state::StateView view_;
  std::vector<LineageStep> lineage_;
  std::shared_ptr<const schema::Schema> schema_;
  const ChangeSource* source_;
  Pinned pinned_;
};

}  // namespace braid::table
