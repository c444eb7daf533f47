// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot_core.h"

#include "base/assert.h"
#include "engine/graph_core.h"
#include "lang/gq/key_lookup.h"

namespace braid::engine {

table::Image image_of(const GraphCore& core, const std::shared_ptr<const manifest::Root>& root,
                      const manifest::Branch& branch) {
  std::shared_ptr<const schema::Schema> schema(root->catalog, &root->catalog->schema());
  return {root->view(),
          root->lineage(branch),
          std::move(schema),
          core.changes(),
          {root->layers, &core.fragments()}};
}

namespace {

const manifest::Branch* present(const manifest::Branch* branch) {
  BRAID_ASSERT(branch != nullptr);
  return branch;
}

}  // namespace

SnapshotCore::SnapshotCore(std::shared_ptr<GraphCore> core,
                           std::shared_ptr<const manifest::Root> root, std::string branch)
    : core_(std::move(core)),
      root_(std::move(root)),
      branch_(present(root_->branch(branch))),
      image_(image_of(*core_, root_, *branch_)) {}

Result<QueryResult> SnapshotCore::query(std::string_view text, const Parameters& parameters,
                                        std::string_view name) const {
  BRAID_ASSIGN(const gq::KeyLookup lookup,
               gq::prepare(text, name, parameters, root_->catalog->schema()));
  QueryResult result;
  for (const gq::Column& column : lookup.columns) result.columns.push_back(column.name);
  if (lookup.impossible) return result;
  BRAID_ASSIGN(const auto row, image_.row(lookup.type->id, lookup.id));
  if (row && gq::accepts(lookup, row->row.values)) {
    result.rows.push_back(gq::project(lookup, row->row.id, row->row.values));
  }
  return result;
}

}  // namespace braid::engine
