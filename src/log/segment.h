// SPDX-License-Identifier: Apache-2.0
// A segment: one file of the log. Block 0 is its header; frames follow (docs/formats/log.md).
//
// Invariants
//   L9  A file gets a segment's name only after its header, and the frames that were written with
//       it, were synced: a named segment never has a torn header, so a bad one is damage.
// Threads: functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "env/random.h"
#include "log/frame.h"

namespace braid::log {

inline constexpr std::uint32_t kSegmentFormat = 1;
/// The segment made ahead of need, and the one kept for recovery on a full disk.
inline constexpr std::string_view kSpareName = "spare.seg";
inline constexpr std::string_view kReserveName = "reserve.seg";
/// Files in the making end so; whoever opens the log for writing removes them.
inline constexpr std::string_view kUnfinishedSuffix = ".tmp";

struct SegmentHeader {
  SegmentKey key;
  /// The position with which the segment begins; its name.
  Position first;
  /// Of the session that made it; a newer epoch supersedes older segments from `first` on.
  Epoch epoch;
  /// The size of the file until its last frame is written.
  std::uint64_t segment_bytes = 0;
  /// The first position that the log held when the segment was made.
  Position log_first;
  /// Frames that were synced with the header, before the file got its name.
  std::uint32_t initial_frames = 0;
  /// The log's clock when it was made.
  std::int64_t time_ms = 0;
  /// The chain hash before `first`.
  base::Digest hash_before{};
  friend bool operator==(const SegmentHeader& a, const SegmentHeader& b) {
    return a.key.life == b.key.life && a.first == b.first && a.epoch == b.epoch;
  }
};

/// A fresh life and salt.
SegmentKey make_segment_key(const GraphId& graph, env::Random& random);

/// One block.
std::string encode_segment_header(const SegmentHeader& header);
/// `corrupt` with `expected` and `actual`, or `format_mismatch`.
Result<SegmentHeader> decode_segment_header(std::string_view block);

/// "<20 digits>.seg".
std::string segment_name(Position first);
/// The position in such a name; nullopt for any other name.
std::optional<Position> parse_segment_name(std::string_view name);

/// `corrupt` {file, offset, expected, actual}.
Error corrupt_at(std::string_view path, std::uint64_t offset, std::string_view message,
                 std::string expected, std::string actual);
/// An error of a decoder, with the place added.
Error at_place(const Error& error, std::string_view path, std::uint64_t offset);

}  // namespace braid::log
