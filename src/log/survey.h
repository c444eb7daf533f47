// SPDX-License-Identifier: Apache-2.0
// What a log's directory holds: its segments, whether they line up, where the log ends, and what of
// the end is proven durable. Reads only; writers repair by what it found (file_log_recovery.cc),
// read-only handles serve it as it is.
//
// Invariants
//   L11  A frame is proven durable by any valid frame, or segment, behind it: those are written
//        only after its sync succeeded (L6). So only the last valid frame may be lost by a crash.
//   L12  Damage is told from a torn tail: a bad frame with a valid frame or a later segment behind
//        it is `corrupt`; a missing, short, renamed or foreign segment is `corrupt`; only the last
//        frame of the last segment may be torn.
// Threads: functions of their arguments.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/file_system.h"
#include "log/segment_walk.h"

namespace braid::log {

/// Segments in order; what readers share.
struct SegmentTable {
  std::vector<std::shared_ptr<const SegmentFile>> segments;
  /// The first position of the log.
  Position first;
};

/// A group at the very end, whole, that a crash may still take.
struct UnprovenGroup {
  FrameHeader header;
  std::string payload;
};

struct Survey {
  SegmentTable table;
  /// Names of segments below the log's first position: a truncation was interrupted.
  std::vector<std::string> leftover_names;
  /// Other names: *.tmp, the spare, the reserve, strangers.
  std::vector<std::string> other_names;
  /// Tells the last segment's file from another one of the same name.
  std::uint64_t last_inode = 0;
  std::uint64_t bytes_total = 0;

  /// Before the last valid frame of the last segment, or its start: everything up to here is
  /// durable (L11).
  WalkState before_last;
  /// After it; equal to before_last if there is none or if it was a torn group.
  WalkState end;
  /// The last frame, if it is a whole group.
  std::optional<UnprovenGroup> unproven;
  /// The last valid frame is a clean stop.
  bool is_clean = false;

  /// Set while the last segment holds nothing but its initial frames: then the segment before it
  /// may lack its `continued` frame, whose place this is.
  std::optional<WalkState> continued_place;

  const SegmentFile& last() const { return *table.segments.back(); }
  /// What no crash can take: up to before_last, and past it if the last frame is a marker (L11).
  LogTail proven_tail() const;
  /// The newest session that left a trace.
  Epoch epoch() const { return end.epoch; }
};

/// Looks at all segments' headers and ends, and walks the last one. `graph`: whose log it must be;
/// nullopt takes any.
Result<Survey> survey_log(env::FileSystem& files, const std::string& directory,
                          const std::optional<GraphId>& graph);

/// As survey_log, at the cost of the new frames: nullopt if segments changed, so that a whole
/// survey is due. Damage behind the end is looked for only nearby.
Result<std::optional<Survey>> survey_growth(env::FileSystem& files, const std::string& directory,
                                            const Survey& before);

/// Opens and decodes the header of one segment. `corrupt` unless it fits its name and graph.
Result<SegmentHeader> read_segment_header(const env::File& file, const std::string& path);

}  // namespace braid::log
