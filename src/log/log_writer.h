// SPDX-License-Identifier: Apache-2.0
// The one who writes a file log: appends groups, seals, goes on to the next segment, recovers.
//
// Invariants
//   L3, L6 (log.h): a frame is written in one piece and synced before the next one, and before
//       anyone is told.
//   L13 After a failed write or sync nothing more is written to that file but the marker that ends
//       it: what survived is written again, to another file, before it is served (E2).
//   L14 A new segment's name is durable before a `continued` frame, or any frame of its own
//       session, relies on it.
// Threads: one lock over everything that writes; the background jobs take it too. Readers do not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "env/env.h"
#include "env/failpoints.h"
#include "env/mutex.h"
#include "log/log_reader.h"
#include "log/segment_maker.h"

namespace braid::log {

struct LogOptions {
  /// Segments start at this size and double with the log, up to the maximum; multiples of 4 KiB.
  std::uint64_t segment_bytes_min = std::uint64_t{1} << 20;
  std::uint64_t segment_bytes_max = std::uint64_t{64} << 20;
  GroupLimits group;
  /// A log idle for so long has its last group sealed; 0: never.
  std::int64_t seal_idle_ms = 50;
  /// Of the database; nullptr: none is ever hit.
  env::Failpoints* failpoints = nullptr;
};
/// `bad_request` for options that contradict each other.
Status validate(const LogOptions& options);

/// Counted since the log was opened.
struct LogStats {
  std::uint64_t records = 0;
  std::uint64_t groups = 0;
  std::uint64_t markers = 0;
  std::uint64_t bytes_written = 0;
  /// Of segment files; directories not included.
  std::uint64_t syncs = 0;
  std::uint64_t segments_started = 0;
  std::uint64_t files_made = 0;
  std::uint64_t recoveries = 0;
};

class LogWriter {
 public:
  /// `reader` gets what becomes durable.
  LogWriter(env::Env& env, std::string directory, GraphId graph, const LogOptions& options,
            LogReader& reader);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Makes the first segment. The directory exists and holds no log.
  Status create(const std::vector<std::string>& names);
  /// Begins a session on a log that was surveyed.
  Status start(const Survey& survey);

  AppendResult append(Position first, std::span<const RecordDraft> group, std::int64_t time_ms);
  Result<LogTail> recover();
  Status truncate_below(Position keep_from);
  Status close();
  LogStats stats() const;

 private:
  // log_writer.cc
  FrameHeader next_header(FrameKind kind) const BRAID_REQUIRES(mutex_);
  Status write_frame(const EncodedFrame& frame) BRAID_REQUIRES(mutex_);
  Status write_marker(FrameKind kind, std::string_view payload = {}) BRAID_REQUIRES(mutex_);
  Status make_room(std::uint64_t bytes) BRAID_REQUIRES(mutex_);
  Status switch_segment(std::uint64_t bytes_min) BRAID_REQUIRES(mutex_);
  Status grow_reserve(std::uint64_t frame_bytes) BRAID_REQUIRES(mutex_);
  std::uint64_t next_segment_bytes() const BRAID_REQUIRES(mutex_);
  Status poison(Error cause) BRAID_REQUIRES(mutex_);
  Status check_usable() const BRAID_REQUIRES(mutex_);
  LogTail tail() const BRAID_REQUIRES(mutex_);
  void look_ahead() BRAID_REQUIRES(mutex_);
  env::NextStep seal_step();

  // log_recovery.cc
  SegmentHeader new_header(const WalkState& at, const FreshFile& fresh,
                           std::uint32_t initial_frames) const BRAID_REQUIRES(mutex_);
  Status write_and_sync(env::File& file, std::uint64_t offset, std::string_view bytes)
      BRAID_REQUIRES(mutex_);
  /// Writes header and frames, syncs, gives the file its name, makes the name durable.
  Status install(FreshFile& fresh, const SegmentHeader& header, std::string_view frames,
                 bool& was_named) BRAID_REQUIRES(mutex_);
  void begin_segment(std::shared_ptr<const SegmentFile> segment, std::unique_ptr<env::File> file)
      BRAID_REQUIRES(mutex_);
  Status resume_clean(const Survey& survey) BRAID_REQUIRES(mutex_);
  Status rebuild_tail(const Survey& survey) BRAID_REQUIRES(mutex_);
  Status end_segment(const SegmentFile& segment, const WalkState& place, Position next,
                     const base::Digest& hash) BRAID_REQUIRES(mutex_);
  Status remove_leftovers(const std::vector<std::string>& names) BRAID_REQUIRES(mutex_);

  env::Env& env_;
  const std::string directory_;
  const GraphId graph_;
  const LogOptions options_;
  LogReader& reader_;
  SegmentMaker maker_;

  mutable env::Mutex mutex_;
  Epoch epoch_ BRAID_GUARDED_BY(mutex_);
  SegmentTable table_ BRAID_GUARDED_BY(mutex_);
  std::unique_ptr<env::File> file_ BRAID_GUARDED_BY(mutex_);
  /// Where the next frame goes, in the last segment of table_.
  WalkState at_ BRAID_GUARDED_BY(mutex_);
  std::uint64_t bytes_total_ BRAID_GUARDED_BY(mutex_) = 0;
  /// Why no more may be written to this file (L13).
  std::optional<Error> poisoned_ BRAID_GUARDED_BY(mutex_);
  bool is_closed_ BRAID_GUARDED_BY(mutex_) = false;
  bool is_spare_wanted_ BRAID_GUARDED_BY(mutex_) = false;
  /// The seal job will look at the log again by itself.
  bool is_seal_due_ BRAID_GUARDED_BY(mutex_) = false;
  /// The next position when it looked last.
  Position seal_watch_ BRAID_GUARDED_BY(mutex_);
  LogStats stats_ BRAID_GUARDED_BY(mutex_);

  // Last: they stop before anything that their steps use goes away.
  std::unique_ptr<env::Job> maker_job_;
  std::unique_ptr<env::Job> seal_job_;
};

}  // namespace braid::log
