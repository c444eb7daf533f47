// SPDX-License-Identifier: Apache-2.0
#include "commit/change_source.h"

#include "commit/record.h"
#include "state/registry.h"

namespace braid::commit {

std::shared_ptr<const std::string> LogChangeSource::cached(Position position) const {
  const env::Lock lock(mutex_);
  const auto found = by_position_.find(position);
  if (found == by_position_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->changes;
}

void LogChangeSource::remember(Position position,
                               std::shared_ptr<const std::string> changes) const {
  if (changes->size() > cache_bytes_max_) return;
  const env::Lock lock(mutex_);
  if (by_position_.contains(position)) return;
  bytes_ += changes->size();
  entries_.push_front({position, std::move(changes)});
  by_position_[position] = entries_.begin();
  while (bytes_ > cache_bytes_max_) {
    bytes_ -= entries_.back().changes->size();
    by_position_.erase(entries_.back().position);
    entries_.pop_back();
  }
}

Result<std::shared_ptr<const std::string>> LogChangeSource::changes_at(Position position) const {
  if (auto changes = cached(position)) return changes;
  BRAID_ASSIGN(const log::Record record, log::read_one(log_, position));
  BRAID_ASSIGN(const std::string* body,
               section_of(record, state::number_of(state::SectionTag::changes)));
  auto changes = std::make_shared<const std::string>(*body);
  remember(position, changes);
  return std::shared_ptr<const std::string>(std::move(changes));
}

Result<std::shared_ptr<const std::string>> GroupChangeSource::changes_at(Position position) const {
  const auto pending = pending_.find(position);
  if (pending != pending_.end()) return pending->second;
  return previous_ != nullptr ? previous_->changes_at(position) : log_.changes_at(position);
}

}  // namespace braid::commit
