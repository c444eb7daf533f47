// SPDX-License-Identifier: Apache-2.0
// A commit log whose appends are refused, lost, left unknown, or cut short by a crash, as a seed
// decides: for everything that stands on the log. What it answers is always what a real log might
// answer; its store never holds half a group.
// Threads: as CommitLog; with one thread the seed decides everything.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "env/manual.h"
#include "env/mutex.h"
#include "log/memory_log.h"

namespace braid::log {

/// About one append in so many has the fault; 0: none.
struct SimLogFaults {
  std::uint64_t seed = 1;
  /// Nothing written, `no_space`.
  std::uint64_t refused_in = 0;
  /// kUnknown; recover() finds the group there or not, an even chance.
  std::uint64_t unknown_in = 0;
  /// kLost: another appender took the position with a record of type `rival_type`.
  std::uint64_t lost_in = 0;
  std::uint16_t rival_type = 0xFFFF;
  /// kUnknown, and the handle is dead; the store has the group or not, an even chance.
  std::uint64_t crash_in = 0;
  /// recover() fails (`io_error`) about so often before it succeeds.
  std::uint64_t recover_fails_in = 0;
  /// Called at the start of each append without a lock: to move a clock, to run other steps, to
  /// wait.
  std::function<void()> delay;
};

class SimLog final : public CommitLog {
 public:
  SimLog(std::shared_ptr<MemoryLogStore> store, const env::Clock& clock, SimLogFaults faults,
         GroupLimits limits = {});

  GraphId graph() const override { return log_.graph(); }
  LogTail tail() const override;
  AppendResult append(Position first, std::span<const RecordDraft> group,
                      std::int64_t time_ms) override;
  Result<LogTail> recover() override;
  Status read(Position first, Position last, const RecordVisitor& visit) const override;
  std::int64_t clock_ms() const override { return log_.clock_ms(); }
  Status truncate_below(Position keep_from) override;
  Position first() const override { return log_.first(); }
  Result<LogTail> refresh() override { return log_.refresh(); }
  Status verify() const override { return log_.verify(); }
  Status close() override;

  /// The process is gone: every later call fails. Open another handle on the store.
  void crash();
  bool is_crashed() const;
  /// Ends all faults; an unknown outcome stays to be recovered.
  void heal();

 private:
  struct Pending {
    Position first;
    std::vector<RecordDraft> group;
    std::int64_t time_ms = 0;
    bool landed = false;
  };
  Status check_alive() const BRAID_REQUIRES(mutex_);
  AppendResult leave_unknown(Position first, std::span<const RecordDraft> group,
                             std::int64_t time_ms) BRAID_REQUIRES(mutex_);

  MemoryLog log_;
  mutable env::Mutex mutex_;
  SimLogFaults faults_ BRAID_GUARDED_BY(mutex_);
  env::Xoshiro256 chance_ BRAID_GUARDED_BY(mutex_);
  std::optional<Pending> pending_ BRAID_GUARDED_BY(mutex_);
  bool is_crashed_ BRAID_GUARDED_BY(mutex_) = false;
};

}  // namespace braid::log
