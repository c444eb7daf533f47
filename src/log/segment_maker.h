// SPDX-License-Identifier: Apache-2.0
// Makes the files that become segments: written with zeros, so that a sync of a group changes no
// metadata of the file system. One ahead of need (the spare) and one for recovery on a full disk
// (the reserve) are made in the background, a chunk a step. What stands in such a file does not
// matter (L7): only its blocks do.
// Threads: any. The background job holds its own lock while it writes; nobody waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/file_system.h"
#include "env/mutex.h"

namespace braid::log {

/// A file that has no segment's name yet.
struct FreshFile {
  std::unique_ptr<env::File> file;
  std::string path;
  std::uint64_t size_bytes = 0;
  bool is_reserve = false;
};

class SegmentMaker {
 public:
  SegmentMaker(env::FileSystem& files, std::string directory);

  /// Takes over the spare and the reserve of an earlier session and removes unfinished files.
  Status adopt(const std::vector<std::string>& names);

  /// The spare, if it holds `bytes_min`; else a new file of `bytes_wanted`, or of `bytes_min` if
  /// there is no room for more. A new file is not synced yet.
  Result<FreshFile> take(std::uint64_t bytes_min, std::uint64_t bytes_wanted);
  /// The reserve, else the spare, else a new file, of at least `bytes_min`.
  Result<FreshFile> take_for_recovery(std::uint64_t bytes_min, std::uint64_t bytes_wanted);
  /// Gives it its name. The caller has synced it, and syncs the directory.
  Status install(const FreshFile& fresh, const std::string& path);
  /// A file that could not be used.
  void discard(FreshFile fresh);

  /// Asks for a spare or a larger reserve, unless there is one. True: wake the background job.
  bool want_spare(std::uint64_t size_bytes);
  bool want_reserve(std::uint64_t size_bytes);
  std::uint64_t reserve_bytes() const;

  /// One chunk of background work; false when nothing is left to do. A failure drops the file and
  /// what was wanted: it is wanted again sooner or later.
  bool step();
  /// All of it, at once.
  Status make_reserve_now(std::uint64_t size_bytes);

  /// Files made, in this session.
  std::uint64_t made_count() const { return made_count_.load(std::memory_order_relaxed); }

 private:
  enum class Goal : std::uint8_t { kNone, kSpare, kReserve };
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;

  std::string path_of(std::string_view name) const { return env::join(directory_, name); }
  Result<FreshFile> create(std::string_view name, std::uint64_t size_bytes);
  Result<FreshFile> make(std::uint64_t size_bytes);
  Result<FreshFile> open_made(std::string_view name, std::uint64_t size_bytes);
  Status write_chunk() BRAID_REQUIRES(background_mutex_);
  /// Names the finished file as the spare or the reserve.
  Status put_aside() BRAID_REQUIRES(background_mutex_);
  void drop_unfinished() BRAID_REQUIRES(background_mutex_);
  /// True while more chunks are to come.
  Result<bool> go_on() BRAID_REQUIRES(background_mutex_);

  env::FileSystem& files_;
  const std::string directory_;
  std::atomic<std::uint64_t> made_count_{0};

  /// Taken before mutex_.
  env::Mutex background_mutex_;
  Goal goal_ BRAID_GUARDED_BY(background_mutex_) = Goal::kNone;
  FreshFile unfinished_ BRAID_GUARDED_BY(background_mutex_);
  std::uint64_t written_bytes_ BRAID_GUARDED_BY(background_mutex_) = 0;

  mutable env::Mutex mutex_;
  /// Sizes; 0: there is none.
  std::uint64_t spare_bytes_ BRAID_GUARDED_BY(mutex_) = 0;
  std::uint64_t reserve_bytes_ BRAID_GUARDED_BY(mutex_) = 0;
  std::uint64_t spare_wanted_bytes_ BRAID_GUARDED_BY(mutex_) = 0;
  std::uint64_t reserve_wanted_bytes_ BRAID_GUARDED_BY(mutex_) = 0;
  /// The file of that name is being filled by a recovery: nothing may be renamed over it.
  bool reserve_in_use_ BRAID_GUARDED_BY(mutex_) = false;
};

}  // namespace braid::log
