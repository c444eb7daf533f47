// SPDX-License-Identifier: Apache-2.0
// Reads records by position, beside an appender: what is published is durable and never changes.
//
// Invariants
//   L5 (log.h) is kept here by reading nothing behind the published tail.
// A read that fails while segments change (a recovery replaced one, a truncation removed one) looks
// again at the new ones; an error is reported only if the segments it was found in are still those
// of the log.
// Threads: any; published values are swapped under one short lock, files are read without.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "env/file_system.h"
#include "env/mutex.h"
#include "log/survey.h"

namespace braid::log {

/// An open segment and the places of its groups, found as far as reads asked for them.
class ReadableSegment {
 public:
  ReadableSegment(std::shared_ptr<const SegmentFile> segment, std::unique_ptr<env::File> file);

  const SegmentFile& segment() const { return *segment_; }
  const env::File& file() const { return *file_; }
  /// The state before the group that holds `position`. Requires: the segment holds it, durable.
  Result<WalkState> locate(Position position);

 private:
  struct Place {
    Position first;
    WalkState before;
  };
  /// A state is kept for one group in so many: a walk over the rest is short.
  static constexpr std::uint64_t kGroupsBetweenPlaces = 16;

  const std::shared_ptr<const SegmentFile> segment_;
  const std::unique_ptr<env::File> file_;
  env::Mutex mutex_;
  std::vector<Place> places_ BRAID_GUARDED_BY(mutex_);
  WalkState end_ BRAID_GUARDED_BY(mutex_);
  std::uint64_t groups_count_ BRAID_GUARDED_BY(mutex_) = 0;
};

class LogReader {
 public:
  explicit LogReader(env::FileSystem& files) : files_(files) {}

  /// Called when a read fails, before it is decided whether segments changed: a follower refreshes.
  /// Set before the first read.
  void set_on_doubt(std::function<void()> on_doubt) { on_doubt_ = std::move(on_doubt); }

  void publish(SegmentTable table, const LogTail& tail);
  void publish_tail(const LogTail& tail);

  LogTail tail() const;
  Position first() const;
  Status read(Position first, Position last, const RecordVisitor& visit) const;
  Status verify() const;

 private:
  struct View {
    std::shared_ptr<const SegmentTable> table;
    LogTail tail;
  };
  /// How far a read came.
  struct Progress {
    Position next;
    base::Digest hash{};
    bool has_hash = false;
    /// The visitor's own refusal: passed on, never retried.
    bool was_refused = false;
  };
  static constexpr std::size_t kOpenSegmentsMax = 64;

  View view() const;
  /// Whether the segments changed since, so that what failed is worth another try.
  bool has_changed_since(const View& before) const;
  Status read_segment(const View& view, std::size_t index, Position last,
                      const RecordVisitor& visit, Progress& progress) const;
  Status verify_segment(const View& view, std::size_t index) const;
  /// Behind the published tail there may be frames in flight, but no damage before one.
  Status verify_end(const ReadableSegment& opened, WalkState state) const;
  Result<bool> has_only_initial_frames(const SegmentFile& segment) const;
  Result<std::shared_ptr<ReadableSegment>> open(
      const std::shared_ptr<const SegmentFile>& segment) const;

  env::FileSystem& files_;
  std::function<void()> on_doubt_;
  mutable env::Mutex mutex_;
  std::shared_ptr<const SegmentTable> table_ BRAID_GUARDED_BY(mutex_) =
      std::make_shared<const SegmentTable>();
  LogTail tail_ BRAID_GUARDED_BY(mutex_);
  /// The most recently read segments, by life; the front is the latest.
  mutable std::list<std::shared_ptr<ReadableSegment>> open_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::log
