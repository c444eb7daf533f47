// SPDX-License-Identifier: Apache-2.0
#include "log/segment.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"

namespace braid::log {
namespace {

constexpr std::string_view kSegmentMagic = "BraidLog";
constexpr std::size_t kCrcOffset = kBlockBytes - 4;
constexpr std::string_view kNameSuffix = ".seg";
constexpr std::size_t kNameDigits = 20;

Error bad_header(std::string expected, std::string actual) {
  return Error(ErrorCode::corrupt, "the header of a log segment is damaged")
      .with("expected", std::move(expected))
      .with("actual", std::move(actual));
}

bool is_consistent(const SegmentHeader& header) {
  return header.segment_bytes % kBlockBytes == 0 && header.segment_bytes >= 2 * kBlockBytes &&
         header.first.value > 0 && header.log_first.value > 0 && header.log_first <= header.first;
}

}  // namespace

SegmentKey make_segment_key(const GraphId& graph, env::Random& random) {
  SegmentKey key;
  key.graph = graph;
  key.life = random.u64();
  random.fill(key.salt.data(), key.salt.size());
  return key;
}

std::string encode_segment_header(const SegmentHeader& header) {
  BRAID_ASSERT(is_consistent(header));
  base::ByteWriter out;
  out.reserve(kBlockBytes);
  out.raw(kSegmentMagic);
  out.u32(kSegmentFormat);
  out.u32(header.initial_frames);
  out.array(header.key.graph.ulid.bytes);
  out.u64(header.key.life);
  out.array(header.key.salt);
  out.u64(header.first.value);
  out.u64(header.epoch.value);
  out.u64(header.segment_bytes);
  out.u64(header.log_first.value);
  out.u64(static_cast<std::uint64_t>(header.time_ms));
  out.array(header.hash_before);
  out.raw(std::string(kCrcOffset - out.size(), '\0'));
  out.u32(base::crc32c(out.view()));
  return std::move(out).take();
}

Result<SegmentHeader> decode_segment_header(std::string_view block) {
  if (block.size() != kBlockBytes) {
    return bad_header(fmt::format("{} bytes", kBlockBytes), fmt::format("{}", block.size()));
  }
  const std::uint32_t stored_crc = base::ByteReader(block.substr(kCrcOffset)).u32();
  const std::uint32_t crc = base::crc32c(block.substr(0, kCrcOffset));
  if (stored_crc != crc) {
    return bad_header(fmt::format("checksum {:08x}", stored_crc), fmt::format("{:08x}", crc));
  }
  base::ByteReader in(block);
  if (in.raw(kSegmentMagic.size()) != kSegmentMagic) {
    return bad_header(std::string(kSegmentMagic), "another kind of file");
  }
  const std::uint32_t format = in.u32();
  if (format != kSegmentFormat) {
    return Error(ErrorCode::format_mismatch, "the log has another format")
        .with("found", std::uint64_t{format})
        .with("supported", std::uint64_t{kSegmentFormat});
  }
  SegmentHeader header;
  header.initial_frames = in.u32();
  header.key.graph.ulid.bytes = in.array<std::array<std::uint8_t, 16>>();
  header.key.life = in.u64();
  header.key.salt = in.array<std::array<std::uint8_t, 32>>();
  header.first = {in.u64()};
  header.epoch = {in.u64()};
  header.segment_bytes = in.u64();
  header.log_first = {in.u64()};
  header.time_ms = static_cast<std::int64_t>(in.u64());
  header.hash_before = in.array<base::Digest>();
  const std::string_view padding = in.raw(kCrcOffset - in.offset());
  in.u32();
  BRAID_TRY(in.finish("a segment header"));
  if (padding.find_first_not_of('\0') != std::string_view::npos || !is_consistent(header)) {
    return bad_header("fields that agree", "fields that do not");
  }
  return header;
}

std::string segment_name(Position first) {
  return fmt::format("{:0{}}{}", first.value, kNameDigits, kNameSuffix);
}

std::optional<Position> parse_segment_name(std::string_view name) {
  if (name.size() != kNameDigits + kNameSuffix.size() || !name.ends_with(kNameSuffix)) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const char c : name.substr(0, kNameDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return Position{value};
}

Error corrupt_at(std::string_view path, std::uint64_t offset, std::string_view message,
                 std::string expected, std::string actual) {
  return Error(ErrorCode::corrupt, std::string(message))
      .with("file", std::string(path))
      .with("offset", offset)
      .with("expected", std::move(expected))
      .with("actual", std::move(actual));
}

Error at_place(const Error& error, std::string_view path, std::uint64_t offset) {
  Error placed(error.code(), error.message());
  placed = placed.with("file", std::string(path)).with("offset", offset);
  for (const auto& [name, value] : error.details()) {
    if (name != "file" && name != "offset") placed = placed.with(name, value);
  }
  return placed;
}

}  // namespace braid::log
