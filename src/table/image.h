// SPDX-License-Identifier: Apache-2.0
// The rows of one branch as of one position: key to row without a scan, unique values to their
// holder, source nodes to their edges. What no commit has written since the fork is read through
// the branch's lineage.
//
// Invariants
//   T4  An image never changes: it shows what was committed up to its position, and nothing newer,
//       whatever is committed or applied meanwhile (state S3).
// Errors: `corrupt` when the state points at something that the log does not hold.
// Threads: immutable; any thread may read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/result.h"
#include "schema/schema.h"
#include "state/state_view.h"
#include "table/change_set.h"

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

/// What the state says about a row.
struct RowPointer {
  Position stamp;
  RowPlace place;
};

class Image {
 public:
  /// `lineage`: newest first, at least one step. `source` must outlive the image.
  Image(state::StateView view, std::vector<LineageStep> lineage,
        std::shared_ptr<const schema::Schema> schema, const ChangeSource& source)
      : view_(std::move(view)),
        lineage_(std::move(lineage)),
        schema_(std::move(schema)),
        source_(&source) {}

  const schema::Schema& schema() const { return *schema_; }
  BranchIncarnation branch() const { return lineage_.front().branch; }

  /// Where the row is, without reading it; nullopt if there is none.
  Result<std::optional<RowPointer>> find(TableId table, std::string_view id) const;
  Result<std::optional<StoredRow>> row(TableId table, std::string_view id) const;
  /// The row that a pointer of find() means.
  Result<StoredRow> read(TableId table, const RowPointer& pointer) const;
  /// Id of the row whose unique tuple this is.
  Result<std::optional<std::string>> unique_holder(TableId table, std::uint32_t constraint,
                                                   std::string_view tuple) const;
  /// Edges of the table that leave the node. Only for edge tables with a limited cardinality.
  Result<std::uint64_t> out_degree(TableId edge_table, std::string_view src) const;
  /// Every row of the table, by id; an error ends the scan and is passed on.
  Status scan(TableId table, const std::function<Status(const StoredRow&)>& visit) const;

 private:
  /// The newest entry of the prefixes that `prefix_on` makes, along the lineage.
  Result<std::optional<state::VersionedEntry>> newest(
      const std::function<std::string(BranchIncarnation)>& prefix_on) const;

  state::StateView view_;
  std::vector<LineageStep> lineage_;
  std::shared_ptr<const schema::Schema> schema_;
  const ChangeSource* source_;
};

}  // namespace braid::table
