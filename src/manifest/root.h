// SPDX-License-Identifier: Apache-2.0
// The root: one immutable object that says everything a reader needs about a graph at one durable
// position. Commits publish by swapping the pointer to it.
//
// Invariants
//   M3  A root shows a durable position, whole: keys and heads of all branches change together.
//   M4  Roots are published in order of position; a reader's root never changes.
// Threads: a Root is immutable; RootHolder may be used from any thread and holds its lock for the
// copy of a pointer only, never across I/O.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "env/mutex.h"
#include "manifest/branch.h"
#include "schema/catalog.h"
#include "state/state_view.h"
#include "table/layers.h"

namespace braid::manifest {

using BranchMap = std::map<std::string, Branch, std::less<>>;

struct Root {
  Position position;
  base::Digest hash{};
  Counters counters;
  std::shared_ptr<const schema::Catalog> catalog;
  std::shared_ptr<const BranchMap> branches;
  /// The fragments of all branches.
  std::shared_ptr<const table::Layers> layers = table::Layers::none();
  /// Effects of durable records that the state has not applied yet.
  std::shared_ptr<const state::Overlay> overlay;
  std::shared_ptr<const state::State> state;

  state::StateView view() const { return {overlay, state}; }
  /// The branch, or nullptr.
  const Branch* branch(std::string_view name) const;
  const Branch* branch(BranchIncarnation incarnation) const;
  /// The branch and what it was forked from, for table::Image.
  std::vector<table::LineageStep> lineage(const Branch& branch) const;
};

class RootHolder {
 public:
  std::shared_ptr<const Root> get() const BRAID_EXCLUDES(mutex_);
  /// Requires: not older than the present root (M4). What the state has applied meanwhile leaves
  /// the overlay of `next`.
  void publish(std::shared_ptr<Root> next) BRAID_EXCLUDES(mutex_);
  /// Drops what the state has applied from the overlay of the present root.
  void applied(Position position) BRAID_EXCLUDES(mutex_);
  /// Up to where the state has applied, as it was last told.
  Position applied() const BRAID_EXCLUDES(mutex_);

 private:
  mutable env::Mutex mutex_;
  std::shared_ptr<const Root> root_ BRAID_GUARDED_BY(mutex_);
  Position applied_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::manifest
