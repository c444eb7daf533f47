// SPDX-License-Identifier: Apache-2.0
// Bytes in, bytes out: little-endian fixed numbers, LEB128 varints, length-prefixed strings.
// Every decoder of stored or received bytes is written with ByteReader and ends in finish().
//
// Owned bytes are std::string, borrowed bytes std::string_view.
// Threads: values; no sharing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "braid/result.h"

namespace braid::base {

/// Appends to a string that it owns.
class ByteWriter {
 public:
  ByteWriter() = default;
  /// Goes on behind what is there.
  explicit ByteWriter(std::string bytes) : bytes_(std::move(bytes)) {}

  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u16(std::uint16_t value) { fixed(value); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  /// LEB128, at most 10 bytes.
  void varint(std::uint64_t value);
  void raw(std::string_view bytes) { bytes_.append(bytes); }
  /// varint length, then the bytes.
  void bytes(std::string_view value) {
    varint(value.size());
    raw(value);
  }
  template <class Array>
  void array(const Array& value) {
    raw({reinterpret_cast<const char*>(value.data()), value.size()});
  }

  std::size_t size() const { return bytes_.size(); }
  const std::string& view() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }
  void reserve(std::size_t size) { bytes_.reserve(size); }

 private:
  template <class T>
  void fixed(T value) {
    char out[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      out[i] = static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    bytes_.append(out, sizeof(T));
  }

  std::string bytes_;
};

/// Reads what ByteWriter wrote. The first short or malformed read makes it fail for good: later
/// reads return zeros and empty views, and finish() reports it. Views point into the input.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  /// Refuses encodings longer than needed: one value has one encoding.
  std::uint64_t varint();
  std::string_view raw(std::uint64_t size);
  std::string_view bytes() { return raw(varint()); }
  template <class Array>
  Array array() {
    Array out{};
    const std::string_view from = raw(out.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      out[i] = static_cast<typename Array::value_type>(from[i]);
    }
    return out;
  }

  /// Marks the input as malformed, for rules that the caller checks.
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return failed_ ? 0 : bytes_.size() - offset_; }
  /// `corrupt`, naming `what`, unless every read succeeded and nothing is left over.
  Status finish(std::string_view what) const;

 private:
  std::uint64_t fixed(std::size_t size);

  std::string_view bytes_;
  std::size_t offset_ = 0;
  bool failed_ = false;
};

/// Big-endian, so that byte order is number order: for ordered keys.
void put_big_endian(std::string& out, std::uint32_t value);
void put_big_endian(std::string& out, std::uint64_t value);
std::uint32_t big_endian_u32(std::string_view four_bytes);
std::uint64_t big_endian_u64(std::string_view eight_bytes);

/// Lower-case hexadecimal.
std::string hex(std::string_view bytes);
template <class Array>
std::string hex_of(const Array& value) {
  return hex({reinterpret_cast<const char*>(value.data()), value.size()});
}

}  // namespace braid::base
