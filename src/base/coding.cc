// SPDX-License-Identifier: Apache-2.0
#include "base/coding.h"

#include "base/assert.h"

namespace braid::base {

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    u8(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  u8(static_cast<std::uint8_t>(value));
}

std::uint64_t ByteReader::fixed(std::size_t size) {
  const std::string_view from = raw(size);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(from[i])) << (8 * i);
  }
  return value;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = u8();
    if (failed_) return 0;
    const std::uint64_t part = byte & 0x7F;
    const bool too_large = shift == 63 && part > 1;
    const bool padded = byte == 0 && shift > 0;
    if (too_large || padded) break;
    value |= part << shift;
    if ((byte & 0x80) == 0) return value;
  }
  failed_ = true;
  return 0;
}

std::string_view ByteReader::raw(std::uint64_t size) {
  if (failed_ || size > bytes_.size() - offset_) {
    failed_ = true;
    return {};
  }
  const std::string_view out = bytes_.substr(offset_, static_cast<std::size_t>(size));
  offset_ += static_cast<std::size_t>(size);
  return out;
}

Status ByteReader::finish(std::string_view what) const {
  if (failed_) {
    return Error(ErrorCode::corrupt, std::string(what) + " is cut short or malformed")
        .with("offset", offset_);
  }
  if (offset_ != bytes_.size()) {
    return Error(ErrorCode::corrupt, std::string(what) + " has bytes after its end")
        .with("offset", offset_);
  }
  return Unit{};
}

void put_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void put_big_endian(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

std::uint32_t big_endian_u32(std::string_view four_bytes) {
  BRAID_ASSERT(four_bytes.size() >= 4);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(four_bytes[i]);
  return value;
}

std::uint64_t big_endian_u64(std::string_view eight_bytes) {
  BRAID_ASSERT(eight_bytes.size() >= 8);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value = value << 8 | static_cast<std::uint8_t>(eight_bytes[i]);
  }
  return value;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

}  // namespace braid::base
