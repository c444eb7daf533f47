// SPDX-License-Identifier: Apache-2.0
// The state in memory: for tests, simulation, and readers that may not open the one on disk.
// Layer: state. Invariants: S1 to S3 (state.h).
// Threads: as State; every call holds one lock for a look-up, a chunk of a scan, or one batch, and
// no lock while a visitor runs.
#pragma once

#include <map>

#include "env/mutex.h"
#include "state/state.h"

namespace braid::state {

class MemoryState final : public State {
 public:
  /// Empty: position 0, and the stamp of `graph`.
  explicit MemoryState(const GraphId& graph);

  Applied applied() const override;
  Status apply(const std::vector<StateWrite>& writes, const Applied& applied) override;
  Result<std::optional<std::string>> get(std::string_view key) const override;
  Result<std::optional<std::pair<std::string, std::string>>> seek(
      std::string_view from, std::string_view prefix) const override;
  /// Visits every entry that is there from beginning to end exactly once, and of those that are
  /// added or removed meanwhile, some.
  Status scan(std::string_view from, std::string_view prefix,
              const EntryVisitor& visit) const override;
  /// Nothing to do: memory does not survive a restart.
  Status flush() override;
  /// Always `unsupported`.
  Status checkpoint(std::string_view directory) override;

 private:
  using Entry = std::pair<std::string, std::string>;
  std::vector<Entry> chunk(std::string_view from, std::string_view prefix,
                           std::size_t count_max) const BRAID_EXCLUDES(mutex_);

  mutable env::Mutex mutex_;
  std::map<std::string, std::string, std::less<>> entries_ BRAID_GUARDED_BY(mutex_);
  Applied applied_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::state
