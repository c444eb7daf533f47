// SPDX-License-Identifier: Apache-2.0
// Change sets by position: from the log, through a small cache, and from a group that is being
// decided and is in no log yet.
// Threads: LogChangeSource any thread; GroupChangeSource its leader's.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "env/mutex.h"
#include "log/log.h"
#include "table/image.h"

namespace braid::commit {

class LogChangeSource : public table::ChangeSource {
 public:
  /// Keeps up to `cache_bytes_max` of recently read change sets.
  explicit LogChangeSource(const log::CommitLog& log, std::size_t cache_bytes_max = 16U << 20)
      : log_(log), cache_bytes_max_(cache_bytes_max) {}

  Result<std::shared_ptr<const std::string>> changes_at(Position position) const override;
  /// Spares the first reader of a fresh commit the way to the disk.
  void remember(Position position, std::shared_ptr<const std::string> changes) const;

 private:
  struct Entry {
    Position position;
    std::shared_ptr<const std::string> changes;
  };
  std::shared_ptr<const std::string> cached(Position position) const;

  const log::CommitLog& log_;
  const std::size_t cache_bytes_max_;
  mutable env::Mutex mutex_;
  mutable std::list<Entry> entries_ BRAID_GUARDED_BY(mutex_);  // most recently used first
  mutable std::unordered_map<Position, std::list<Entry>::iterator> by_position_
      BRAID_GUARDED_BY(mutex_);
  mutable std::size_t bytes_ BRAID_GUARDED_BY(mutex_) = 0;
};

class GroupChangeSource : public table::ChangeSource {
 public:
  /// `previous`: of the group in flight before this one, or nullptr.
  GroupChangeSource(const table::ChangeSource& log, const GroupChangeSource* previous)
      : log_(log), previous_(previous) {}
  void add(Position position, std::shared_ptr<const std::string> changes) {
    pending_.emplace(position, std::move(changes));
  }
  /// What it had is in the log.
  void forget_previous() { previous_ = nullptr; }
  Result<std::shared_ptr<const std::string>> changes_at(Position position) const override;

 private:
  const table::ChangeSource& log_;
  const GroupChangeSource* previous_;
  std::map<Position, std::shared_ptr<const std::string>> pending_;
};

}  // namespace braid::commit
