// SPDX-License-Identifier: Apache-2.0
// Walking from frame to frame through a segment by their headers, and finding frames again after
// bytes that are none.
//
// Invariants
//   L10  A walk goes on only to a frame that continues positions, chain hash, epoch and time of
//        those before it. A believed frame (L7) that does not is `corrupt`, never skipped.
// Threads: a walker belongs to one thread; states are values.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "env/file_system.h"
#include "log/log.h"
#include "log/segment.h"

namespace braid::log {

/// A segment file, as the log's directory lists it.
struct SegmentFile {
  std::string path;
  SegmentHeader header;
};

/// What is known at a place between two frames.
struct WalkState {
  /// Where the next frame begins.
  std::uint64_t offset = kBlockBytes;
  /// The next position, and the chain hash before it.
  Position next;
  base::Digest hash{};
  Epoch epoch;
  std::int64_t time_ms = 0;
  /// The first position of the log, as far as headers and markers say.
  Position log_first;
  std::uint64_t frames_count = 0;
  /// The kind of the frame before; nullopt at the first.
  std::optional<FrameKind> last_kind;

  LogTail tail() const;
};

/// Before the segment's first frame.
WalkState start_of(const SegmentHeader& header);
/// After `frame`, which is a valid successor; `log_first` for a kTruncated frame.
void advance(WalkState& state, const FrameHeader& frame);

/// Reads ahead through one window; short only at the end of the file.
class WindowReader {
 public:
  WindowReader(const env::File& file, std::size_t window_bytes)
      : file_(file), window_bytes_(window_bytes) {}
  /// `size` bytes at `offset`, fewer at the end. Valid until the next call.
  Result<std::string_view> view(std::uint64_t offset, std::size_t size);

 private:
  const env::File& file_;
  const std::size_t window_bytes_;
  std::uint64_t begin_ = 0;
  std::string window_;
};

class SegmentWalker {
 public:
  /// `file` outlives the walker.
  SegmentWalker(const env::File& file, const SegmentFile& segment,
                std::size_t window_bytes = std::size_t{64} << 10)
      : segment_(segment), reader_(file, window_bytes) {}

  /// The header of the frame at `state`, and moves `state` behind it; nullopt if no valid frame is
  /// there, see why_not(). Markers are checked as a whole, records by their header.
  Result<std::optional<FrameHeader>> step(WalkState& state);
  /// The bytes of a frame that step() found; short at the end of a file that was cut.
  Result<std::string_view> frame_bytes(const FrameHeader& header);
  /// The first valid frame behind `offset`: a place where frames may begin, at least one block on.
  Result<std::optional<std::uint64_t>> find_frame_after(std::uint64_t offset,
                                                        std::uint64_t bytes_max = UINT64_MAX);
  /// `corrupt` at `state`: a frame was expected there.
  Error missing_frame(const WalkState& state, std::string_view message) const;

 private:
  Status check_successor(const WalkState& state, const FrameHeader& header) const;

  const SegmentFile& segment_;
  WindowReader reader_;
  std::optional<Error> why_not_;
};

}  // namespace braid::log
