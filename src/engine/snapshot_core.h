// SPDX-License-Identifier: Apache-2.0
// One branch at one root, as queries see it. Immutable; any thread may read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "braid/graph.h"
#include "manifest/root.h"
#include "table/image.h"

namespace braid::engine {

class GraphCore;

class SnapshotCore {
 public:
  /// Requires: the root has the branch.
  SnapshotCore(std::shared_ptr<GraphCore> core, std::shared_ptr<const manifest::Root> root,
               std::string branch);

  const manifest::Branch& branch() const { return *branch_; }
  const manifest::Root& root() const { return *root_; }
  const table::Image& image() const { return image_; }
  Result<QueryResult> query(std::string_view text, const Parameters& parameters,
                            std::string_view name) const;
  Status export_jsonl(const ExportOptions& options, const ExportSink& sink) const;
  Status export_arrow(std::string_view type, const ExportSink& sink) const;

 private:
  std::shared_ptr<GraphCore> core_;  // keeps log and state alive
  std::shared_ptr<const manifest::Root> root_;
  const manifest::Branch* branch_;
  table::Image image_;
};

/// The image of a branch at a root, over the core's log.
table::Image image_of(const GraphCore& core, const std::shared_ptr<const manifest::Root>& root,
                      const manifest::Branch& branch);

}  // namespace braid::engine
