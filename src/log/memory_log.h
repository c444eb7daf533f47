// SPDX-License-Identifier: Apache-2.0
// The commit log in memory: for graphs without a directory, and beneath the simulated log. Same
// answers as the file log; nothing outlives the MemoryLogStore, which stands for the disk.
// Threads: as CommitLog.
#pragma once

#include <memory>
#include <vector>

#include "env/clock.h"
#include "env/mutex.h"
#include "log/log.h"

namespace braid::log {

/// One group, as it was appended.
struct StoredGroup {
  std::vector<Record> records;
};

/// What is left when a handle goes: open another MemoryLog on it.
class MemoryLogStore {
 public:
  explicit MemoryLogStore(GraphId graph);

 private:
  friend class MemoryLog;
  mutable env::Mutex mutex_;
  const GraphId graph_;
  std::vector<std::shared_ptr<const StoredGroup>> groups_ BRAID_GUARDED_BY(mutex_);
  Position first_ BRAID_GUARDED_BY(mutex_){1};
  LogTail tail_ BRAID_GUARDED_BY(mutex_);
};

class MemoryLog final : public CommitLog {
 public:
  /// A session (epoch + 1) on the store.
  MemoryLog(std::shared_ptr<MemoryLogStore> store, const env::Clock& clock,
            GroupLimits limits = {});
  /// A new log with a store of its own.
  MemoryLog(GraphId graph, const env::Clock& clock, GroupLimits limits = {});

  GraphId graph() const override { return store_->graph_; }
  LogTail tail() const override;
  AppendResult append(Position first, std::span<const RecordDraft> group,
                      std::int64_t time_ms) override;
  /// Nothing is ever unknown here.
  Result<LogTail> recover() override { return tail(); }
  Status read(Position first, Position last, const RecordVisitor& visit) const override;
  std::int64_t clock_ms() const override;
  /// A group is what a segment is to the file log.
  Status truncate_below(Position keep_from) override;
  Position first() const override;
  Result<LogTail> refresh() override { return tail(); }
  Status verify() const override;
  Status close() override;

 private:
  /// Groups that hold positions first to last.
  std::vector<std::shared_ptr<const StoredGroup>> groups_of(Position first, Position last) const;

  const std::shared_ptr<MemoryLogStore> store_;
  const env::Clock& clock_;
  const GroupLimits limits_;
  bool closed_ BRAID_GUARDED_BY(store_->mutex_) = false;
};

}  // namespace braid::log
