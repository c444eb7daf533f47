// SPDX-License-Identifier: Apache-2.0
// A frame: one group of records, or a marker, in whole 4 KiB blocks (docs/formats/log.md, "Frame").
//
// Invariants
//   L7  A frame is believed only if its seal, SHA-256(the segment's secret salt, its header), and
//       the offset, life and graph in that header are those of the place where it stands. So no
//       bytes that a client chose, that were copied, or that an older life left are ever a frame.
//   L8  Every byte of a frame, padding included, is covered by the header's or the payload's CRC.
// Threads: functions of their arguments.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "log/record.h"

namespace braid::log {

/// Frames begin at multiples of this, where a scan finds them again after damage.
inline constexpr std::uint64_t kBlockBytes = 4096;
inline constexpr std::size_t kFrameHeaderBytes = 168;

enum class FrameKind : std::uint16_t {
  kRecords = 1,    ///< a group of records
  kSeal = 2,       ///< the log is idle: what stands before is durable
  kOpened = 3,     ///< a session begins
  kContinued = 4,  ///< the last frame of its segment: a later segment exists
  kCleanStop = 5,  ///< a session ended; believed only as the last frame
  kTruncated = 6,  ///< payload: u64, the first position of the log from now on
};

/// The kind's name, e.g. "clean_stop".
std::string_view name_of(FrameKind kind);

/// What ties a frame to its segment. The salt never leaves the segment's file.
struct SegmentKey {
  GraphId graph;
  /// Drawn for each segment file: bytes of an earlier use of the same blocks have another.
  std::uint64_t life = 0;
  std::array<std::uint8_t, 32> salt{};

  /// Where the CRCs start.
  std::uint32_t crc_seed() const;
};

/// The header's fields that differ from frame to frame.
struct FrameHeader {
  FrameKind kind = FrameKind::kRecords;
  Epoch epoch;
  /// Of the frame in its segment file.
  std::uint64_t offset = 0;
  /// The first record's; of a marker, which takes none: the next position.
  Position first;
  std::uint32_t record_count = 0;
  std::uint32_t payload_bytes = 0;
  std::int64_t time_ms = 0;
  /// The chain hash before the first and after the last record; equal in a marker.
  base::Digest hash_before{};
  base::Digest hash_after{};
  std::uint32_t payload_crc = 0;

  /// The position after this frame.
  Position next() const { return {first.value + record_count}; }
  /// Whole blocks.
  std::uint64_t frame_bytes() const;
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

/// Bytes on disk of a frame with such a payload: what a group costs.
constexpr std::uint64_t frame_bytes_of(std::uint64_t payload_bytes) {
  return (kFrameHeaderBytes + payload_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}
inline std::uint64_t FrameHeader::frame_bytes() const { return frame_bytes_of(payload_bytes); }

/// A whole frame, ready to be written at header.offset.
struct EncodedFrame {
  FrameHeader header;
  std::string bytes;
};

/// Fills in payload_bytes and payload_crc.
EncodedFrame encode_frame(const SegmentKey& key, FrameHeader header, std::string_view payload);
/// Fills in the counts, the hash after and the payload from `group`.
EncodedFrame encode_group(const SegmentKey& key, FrameHeader header,
                          std::span<const RecordDraft> group);

/// The header at the start of `bytes`, read at `offset` of the segment (L7). `corrupt` with details
/// `expected` and `actual` if it is none.
Result<FrameHeader> decode_frame_header(const SegmentKey& key, std::string_view bytes,
                                        std::uint64_t offset);
/// Whether a frame may begin here at all: a cheap test before decode_frame_header.
bool has_frame_magic(std::string_view bytes);
/// Checks a whole frame whose header is decoded: payload CRC, zero padding (L8).
Status check_frame_bytes(const SegmentKey& key, const FrameHeader& header, std::string_view frame);
/// The records of a whole frame, everything checked: bytes, digests and the chain (L1, L2).
Result<std::vector<Record>> decode_frame_records(const SegmentKey& key, const FrameHeader& header,
                                                 std::string_view frame);
/// The payload of a kTruncated frame. Requires: check_frame_bytes passed.
Result<Position> decode_truncated(const FrameHeader& header, std::string_view frame);
/// The payload of a frame; requires a whole frame.
std::string_view payload_of(const FrameHeader& header, std::string_view frame);

}  // namespace braid::log
