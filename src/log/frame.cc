// SPDX-License-Identifier: Apache-2.0
#include "log/frame.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"
#include "log/record_codec.h"

namespace braid::log {
namespace {

constexpr std::string_view kFrameMagic = "BraidFrm";
constexpr std::size_t kSealOffset = 144;
constexpr std::size_t kSealBytes = 16;
constexpr std::size_t kCrcOffset = 164;

std::string_view as_view(const std::array<std::uint8_t, 32>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What stands before the seal: bytes 0 to 143.
void put_sealed_fields(base::ByteWriter& out, const SegmentKey& key, const FrameHeader& header) {
  out.raw(kFrameMagic);
  out.u16(static_cast<std::uint16_t>(header.kind));
  out.u16(0);
  out.u32(header.record_count);
  out.array(key.graph.ulid.bytes);
  out.u64(header.epoch.value);
  out.u64(key.life);
  out.u64(header.offset);
  out.u64(header.first.value);
  out.u64(static_cast<std::uint64_t>(header.time_ms));
  out.array(header.hash_before);
  out.array(header.hash_after);
  out.u32(header.payload_bytes);
  out.u32(header.payload_crc);
}

std::string encode_header(const SegmentKey& key, const FrameHeader& header) {
  base::ByteWriter out;
  out.reserve(kFrameHeaderBytes);
  put_sealed_fields(out, key, header);
  BRAID_ASSERT(out.size() == kSealOffset);
  const base::Digest seal = base::sha256({as_view(key.salt), out.view()});  // L7
  out.raw(base::as_view(seal).substr(0, kSealBytes));
  out.u32(0);
  out.u32(base::crc32c(out.view(), key.crc_seed()));  // L8
  return std::move(out).take();
}

/// `frame` is the header's room, the payload and its padding.
EncodedFrame finish_frame(const SegmentKey& key, FrameHeader header, std::string frame,
                          std::size_t payload_bytes) {
  header.payload_bytes = static_cast<std::uint32_t>(payload_bytes);
  header.payload_crc =
      base::crc32c(std::string_view(frame).substr(kFrameHeaderBytes), key.crc_seed());  // L8
  BRAID_ASSERT(frame.size() == header.frame_bytes());
  BRAID_ASSERT(header.offset % kBlockBytes == 0);
  frame.replace(0, kFrameHeaderBytes, encode_header(key, header));
  return {header, std::move(frame)};
}

Error not_a_frame(std::string_view expected, std::string actual) {
  return Error(ErrorCode::corrupt, "there is no valid frame here")
      .with("expected", std::string(expected))
      .with("actual", std::move(actual));
}

Error bad_payload(std::string_view expected, std::string actual) {
  return Error(ErrorCode::corrupt, "the payload of a frame is damaged")
      .with("expected", std::string(expected))
      .with("actual", std::move(actual));
}

bool is_known(std::uint16_t kind) {
  return kind >= static_cast<std::uint16_t>(FrameKind::kRecords) &&
         kind <= static_cast<std::uint16_t>(FrameKind::kTruncated);
}

/// Rules that hold between the fields of any header.
bool is_consistent(const FrameHeader& header) {
  if (header.kind == FrameKind::kRecords) {
    return header.record_count > 0 &&
           header.payload_bytes / kRecordHeaderBytes >= header.record_count &&
           header.first.value > 0 && header.next() > header.first;
  }
  const std::uint32_t payload_bytes = header.kind == FrameKind::kTruncated ? 8 : 0;
  return header.record_count == 0 && header.payload_bytes == payload_bytes &&
         header.hash_before == header.hash_after;
}

}  // namespace

std::string_view name_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kRecords: return "records";
    case FrameKind::kSeal: return "seal";
    case FrameKind::kOpened: return "opened";
    case FrameKind::kContinued: return "continued";
    case FrameKind::kCleanStop: return "clean_stop";
    case FrameKind::kTruncated: return "truncated";
  }
  return "unknown";
}

std::uint32_t SegmentKey::crc_seed() const {
  return base::ByteReader(as_view(salt).substr(0, 4)).u32();
}

EncodedFrame encode_frame(const SegmentKey& key, FrameHeader header, std::string_view payload) {
  std::string frame;
  frame.reserve(frame_bytes_of(payload.size()));
  frame.resize(kFrameHeaderBytes);
  frame.append(payload);
  frame.resize(frame_bytes_of(payload.size()));
  return finish_frame(key, header, std::move(frame), payload.size());
}

EncodedFrame encode_group(const SegmentKey& key, FrameHeader header,
                          std::span<const RecordDraft> group) {
  std::size_t payload_bytes = 0;
  for (const RecordDraft& draft : group) payload_bytes += encoded_size(draft);
  base::ByteWriter out;
  out.reserve(frame_bytes_of(payload_bytes));
  out.raw(std::string(kFrameHeaderBytes, '\0'));
  base::Digest hash = header.hash_before;
  Position position = header.first;
  for (const RecordDraft& draft : group) {
    encode_record(out, draft);
    hash = chain_hash(hash, position, draft.type, draft.sections);
    position = position.next();
  }
  header.kind = FrameKind::kRecords;
  header.record_count = static_cast<std::uint32_t>(group.size());
  header.hash_after = hash;
  std::string frame = std::move(out).take();
  frame.resize(frame_bytes_of(payload_bytes));
  return finish_frame(key, header, std::move(frame), payload_bytes);
}

Result<FrameHeader> decode_frame_header(const SegmentKey& key, std::string_view bytes,
                                        std::uint64_t offset) {
  if (bytes.size() < kFrameHeaderBytes) return not_a_frame("a frame header", "the end of the file");
  bytes = bytes.substr(0, kFrameHeaderBytes);
  base::ByteReader in(bytes);
  if (in.raw(kFrameMagic.size()) != kFrameMagic) {
    const bool is_zero = bytes.find_first_not_of('\0') == std::string_view::npos;
    return not_a_frame("a frame header", is_zero ? "zeros" : "other bytes");
  }
  const std::uint32_t stored_crc = base::ByteReader(bytes.substr(kCrcOffset)).u32();
  const std::uint32_t crc = base::crc32c(bytes.substr(0, kCrcOffset), key.crc_seed());
  if (crc != stored_crc) {
    return not_a_frame(fmt::format("header checksum {:08x}", stored_crc),
                       fmt::format("{:08x}", crc));
  }
  const base::Digest seal = base::sha256({as_view(key.salt), bytes.substr(0, kSealOffset)});
  if (base::as_view(seal).substr(0, kSealBytes) != bytes.substr(kSealOffset, kSealBytes)) {
    return not_a_frame("the seal of this segment", "another seal");  // L7
  }
  FrameHeader header;
  const std::uint16_t kind = in.u16();
  const std::uint16_t reserved = in.u16();
  header.kind = static_cast<FrameKind>(kind);
  header.record_count = in.u32();
  const GraphId graph{Ulid{in.array<std::array<std::uint8_t, 16>>()}};
  header.epoch = {in.u64()};
  const std::uint64_t life = in.u64();
  header.offset = in.u64();
  header.first = {in.u64()};
  header.time_ms = static_cast<std::int64_t>(in.u64());
  header.hash_before = in.array<base::Digest>();
  header.hash_after = in.array<base::Digest>();
  header.payload_bytes = in.u32();
  header.payload_crc = in.u32();
  in.raw(kSealBytes);
  const std::uint32_t reserved_end = in.u32();
  in.u32();
  BRAID_TRY(in.finish("a frame header"));
  if (graph != key.graph) return not_a_frame(key.graph.to_string(), graph.to_string());
  if (life != key.life)
    return not_a_frame(fmt::format("life {:016x}", key.life), fmt::format("{:016x}", life));
  if (header.offset != offset) {
    return not_a_frame(fmt::format("offset {}", offset), fmt::format("{}", header.offset));
  }
  if (!is_known(kind) || reserved != 0 || reserved_end != 0 || !is_consistent(header)) {
    return not_a_frame("a header whose fields agree", fmt::format("kind {}", kind));
  }
  return header;
}

bool has_frame_magic(std::string_view bytes) { return bytes.starts_with(kFrameMagic); }

Status check_frame_bytes(const SegmentKey& key, const FrameHeader& header, std::string_view frame) {
  if (frame.size() != header.frame_bytes()) {
    return bad_payload(fmt::format("{} bytes", header.frame_bytes()),
                       fmt::format("{}", frame.size()));
  }
  const std::uint32_t crc = base::crc32c(frame.substr(kFrameHeaderBytes), key.crc_seed());
  if (crc != header.payload_crc) {
    return bad_payload(fmt::format("payload checksum {:08x}", header.payload_crc),
                       fmt::format("{:08x}", crc));
  }
  const std::string_view padding = frame.substr(kFrameHeaderBytes + header.payload_bytes);
  if (padding.find_first_not_of('\0') != std::string_view::npos) {
    return bad_payload("zeros after the payload", "other bytes");
  }
  return Unit{};
}

std::string_view payload_of(const FrameHeader& header, std::string_view frame) {
  BRAID_ASSERT(frame.size() == header.frame_bytes());
  return frame.substr(kFrameHeaderBytes, header.payload_bytes);
}

Result<std::vector<Record>> decode_frame_records(const SegmentKey& key, const FrameHeader& header,
                                                 std::string_view frame) {
  BRAID_TRY(check_frame_bytes(key, header, frame));
  std::vector<Record> records;
  if (header.kind != FrameKind::kRecords) return records;
  base::ByteReader in(payload_of(header, frame));
  base::Digest hash = header.hash_before;
  for (std::uint32_t i = 0; i < header.record_count; ++i) {
    BRAID_ASSIGN(RecordDraft draft, decode_record(in));
    Record record;
    record.position = {header.first.value + i};
    for (const Section& section : draft.sections) {
      if (digest_matches(section)) continue;  // L2
      return bad_payload("the digest of a section", "another digest")
          .with("position", record.position.value)
          .with("tag", std::uint64_t{section.tag});
    }
    record.type = draft.type;
    record.epoch = header.epoch;
    record.time_ms = header.time_ms;
    record.previous_hash = hash;
    record.hash = hash = chain_hash(hash, record.position, draft.type, draft.sections);
    record.sections = std::move(draft.sections);
    records.push_back(std::move(record));
  }
  BRAID_TRY(in.finish("a group of records"));
  if (hash != header.hash_after) {  // L1
    return bad_payload(base::hex_of(header.hash_after), base::hex_of(hash));
  }
  return records;
}

Result<Position> decode_truncated(const FrameHeader& header, std::string_view frame) {
  base::ByteReader in(payload_of(header, frame));
  const Position first{in.u64()};
  BRAID_TRY(in.finish("a truncation marker"));
  if (header.kind != FrameKind::kTruncated || first.value == 0 || first > header.first) {
    return bad_payload("a position of the log", fmt::format("{}", first.value));
  }
  return first;
}

}  // namespace braid::log
