// SPDX-License-Identifier: Apache-2.0
#include "manifest/root.h"

#include "base/assert.h"

namespace braid::manifest {

const Branch* Root::branch(std::string_view name) const {
  const auto it = branches->find(name);
  return it == branches->end() ? nullptr : &it->second;
}

const Branch* Root::branch(BranchIncarnation incarnation) const {
  for (const auto& [name, branch] : *branches) {
    if (branch.incarnation == incarnation) return &branch;
  }
  return nullptr;
}

std::vector<table::LineageStep> Root::lineage(const Branch& branch) const {
  std::vector<table::LineageStep> steps{{branch.incarnation, position}};
  const Branch* at = &branch;
  Position limit = position;
  while (at != nullptr && at->fork) {
    limit = std::min(limit, at->fork->position);
    steps.push_back({at->fork->branch, limit});
    at = this->branch(at->fork->branch);
  }
  return steps;
}

std::shared_ptr<const Root> RootHolder::get() const {
  const env::Lock lock(mutex_);
  return root_;
}

void RootHolder::publish(std::shared_ptr<Root> next) {
  std::shared_ptr<const Root> previous;  // destroyed after the lock is released
  const env::Lock lock(mutex_);
  BRAID_ASSERT(root_ == nullptr || root_->position <= next->position);  // M4
  next->overlay = next->overlay->without(applied_);
  // M3: keys and heads of all branches with one pointer.
  previous = std::exchange(root_, std::move(next));
}

void RootHolder::applied(Position position) {
  std::shared_ptr<const Root> previous;
  const env::Lock lock(mutex_);
  BRAID_ASSERT(root_ != nullptr);
  applied_ = position;
  auto next = std::make_shared<Root>(*root_);
  next->overlay = root_->overlay->without(position);
  previous = std::exchange(root_, std::move(next));
}

Position RootHolder::applied() const {
  const env::Lock lock(mutex_);
  return applied_;
}

}  // namespace braid::manifest
