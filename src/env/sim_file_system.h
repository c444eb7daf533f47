// SPDX-License-Identifier: Apache-2.0
// A disk that keeps only what it must: files and names as far as they were synced, and of the rest
// whatever a seed decides, torn at sectors of 512 bytes. Errors come at the call that a test names.
//
// Invariants
//   E10  What was synced (E1) survives every crash, byte for byte, until it is overwritten.
//   E11  After a crash each sector of a file holds what was durable, or what programs saw there
//        right after one of the unsynced writes to it; where an unsynced write grew the file also
//        zeros or any bytes. Nothing else.
//   E12  A failed sync() leaves any part of the changes durable and the cache clean: readers see
//        all of them, a second sync() succeeds and makes none of them durable (E2).
//   E13  Changes of names are kept or lost one by one, but never one without the earlier ones to
//        the same name. A rename happens as a whole. Syncing a file does not sync its name.
//   E14  The same seed and the same calls have the same outcome.
// What is not modelled: bytes that change after they were synced (but see flip_bit), devices that
// lie about sync, symbolic and hard links, access rights.
// Threads: any; one lock. Files and locks must not outlive the SimFileSystem.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/file_system.h"
#include "env/manual.h"
#include "env/mutex.h"
#include "env/sim_disk.h"

// X(name): every kind of call; the names are those of FileSystem and File, but `stat` is also
// File::size.
#define BRAID_FILE_OPERATIONS(X) \
  X(open)                        \
  X(read)                        \
  X(write)                       \
  X(sync)                        \
  X(truncate)                    \
  X(list)                        \
  X(stat)                        \
  X(create_directory)            \
  X(remove)                      \
  X(remove_directory)            \
  X(rename)                      \
  X(sync_directory)              \
  X(lock)                        \
  X(canonical)                   \
  X(map)

namespace braid::env {

enum class FileOperation : std::uint8_t {
#define BRAID_FILE_OPERATION_ENUM(name) name,
  BRAID_FILE_OPERATIONS(BRAID_FILE_OPERATION_ENUM)
#undef BRAID_FILE_OPERATION_ENUM
};

inline constexpr auto kFileOperations = std::to_array<FileOperation>({
#define BRAID_FILE_OPERATION_VALUE(name) FileOperation::name,
    BRAID_FILE_OPERATIONS(BRAID_FILE_OPERATION_VALUE)
#undef BRAID_FILE_OPERATION_VALUE
});

std::string_view name_of(FileOperation operation);

/// The error of a call that was made to fail.
Error failed_call(ErrorCode code, FileOperation operation, std::string_view path);

/// How often each kind of call was made, failed ones included.
struct FileCounters {
  std::array<std::uint64_t, kFileOperations.size()> calls{};
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;

  std::uint64_t of(FileOperation operation) const {
    return calls[static_cast<std::size_t>(operation)];
  }
  std::uint64_t total() const;
  friend bool operator==(const FileCounters&, const FileCounters&) = default;
};

/// A scripted error.
struct FileFault {
  /// Which kind of call fails; any kind if empty.
  std::optional<FileOperation> operation = {};
  /// Only calls whose path contains this.
  std::string path_part = {};
  /// How many such calls succeed first.
  std::uint64_t after_calls = 0;
  /// How many fail then; the fault is over after them.
  std::uint64_t times = 1;
  /// `io_error`, `no_space`, `permission` or `read_only`.
  ErrorCode code = ErrorCode::io_error;
};

struct SimFileSystemOptions {
  /// Decides what failing calls leave behind, and random faults.
  std::uint64_t seed = 1;
  /// Writes beyond it write what fits and fail with `no_space`.
  std::uint64_t capacity_bytes = std::numeric_limits<std::uint64_t>::max();
};

class SimFileSystem final : public FileSystem {
 public:
  explicit SimFileSystem(SimFileSystemOptions options = {});

  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override;
  /// A copy: it outlives crashes and the SimFileSystem.
  Result<std::shared_ptr<const MappedFile>> map(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  Result<FileInfo> stat(std::string_view path) override;
  Status create_directory(std::string_view path) override;
  Status remove(std::string_view path) override;
  Status remove_directory(std::string_view path) override;
  Status rename(std::string_view from, std::string_view to) override;
  Status sync_directory(std::string_view path) override;
  Result<std::unique_ptr<FileLock>> try_lock(std::string_view path,
                                             std::string_view holder) override;
  Result<std::string> canonical(std::string_view path) override;

  /// The machine loses power and comes back: open files and locks are dead (`io_error`), and what
  /// was not synced is kept, lost or torn. Faults stay; a halt ends.
  void crash(std::uint64_t seed, CrashMode mode = CrashMode::kRandom);
  /// The process dies: open files and locks are dead, but the cache stays, unsynced, for the next
  /// process to see and a later crash to take. A halt ends.
  void kill();
  /// After `calls` more calls everything stops: each call is `io_error` and does nothing, until
  /// crash() or kill(). For runs that are stopped at each of their steps in turn.
  void halt_after(std::uint64_t calls);
  bool is_halted() const;

  /// Adds a scripted fault. A failing write has written a part, a failing sync made a part durable
  /// (E12), a failing sync_directory likewise; other failing calls do nothing.
  void fail(FileFault fault);
  /// About one call in `calls` fails with `code`; 0: none.
  void fail_randomly(std::uint64_t calls, ErrorCode code = ErrorCode::io_error);
  /// Ends scripted and random faults.
  void clear_faults();
  /// Called before each call, in its thread and without a lock: to move a clock, or to look.
  void set_hook(std::function<void(FileOperation, std::string_view path)> hook);
  /// Damages the medium: flips bit 0..7 of a byte, in the cache and in what is durable.
  Status flip_bit(std::string_view path, std::uint64_t offset, unsigned bit);

  FileCounters counters() const;
  void reset_counters();
  /// Writes, truncations and changes of names that a crash may still take.
  std::size_t unsynced_changes() const;
  /// The same disk, to crash in another way: cache, durable state and unsynced changes, without
  /// files, locks, faults, hook and counters. Shares memory: use both in one thread.
  std::unique_ptr<SimFileSystem> copy() const;

 private:
  friend class SimFile;
  friend class SimLock;
  using NodePointer = std::shared_ptr<SimNode>;

  struct Failure {
    ErrorCode code;
    bool is_halt;  ///< then the call does nothing at all
  };

  /// Counts the call, calls the hook, and says whether the call must fail.
  std::optional<Failure> begin(FileOperation operation, std::string_view path)
      BRAID_EXCLUDES(mutex_);
  std::optional<ErrorCode> due_fault(FileOperation operation, std::string_view path)
      BRAID_REQUIRES(mutex_);
  /// As begin, for calls that do nothing when they fail.
  Status check(FileOperation operation, std::string_view path) BRAID_EXCLUDES(mutex_);
  Status write_locked(SimNode& node, std::string_view path, std::uint64_t offset,
                      std::string_view bytes) BRAID_REQUIRES(mutex_);
  NodePointer make_node(bool is_directory) BRAID_REQUIRES(mutex_);
  std::uint64_t free_bytes() const BRAID_REQUIRES(mutex_);
  CrashDice next_dice() BRAID_REQUIRES(mutex_);
  void kill_handles() BRAID_REQUIRES(mutex_);

  const SimFileSystemOptions options_;
  mutable Mutex mutex_;
  NodePointer root_ BRAID_GUARDED_BY(mutex_);
  NameJournal journal_ BRAID_GUARDED_BY(mutex_);
  std::uint64_t next_number_ BRAID_GUARDED_BY(mutex_) = 2;
  /// Files and locks of earlier generations are dead.
  std::uint64_t generation_ BRAID_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<NodePointer, std::string>> locks_ BRAID_GUARDED_BY(mutex_);

  Xoshiro256 chance_ BRAID_GUARDED_BY(mutex_);
  std::vector<FileFault> faults_ BRAID_GUARDED_BY(mutex_);
  std::uint64_t random_fault_calls_ BRAID_GUARDED_BY(mutex_) = 0;
  ErrorCode random_fault_code_ BRAID_GUARDED_BY(mutex_) = ErrorCode::io_error;
  std::optional<std::uint64_t> calls_until_halt_ BRAID_GUARDED_BY(mutex_);
  std::shared_ptr<const std::function<void(FileOperation, std::string_view)>> hook_
      BRAID_GUARDED_BY(mutex_);
  FileCounters counters_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::env
