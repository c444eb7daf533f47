// SPDX-License-Identifier: Apache-2.0
// Bits as Arrow stores them: bit i of a map is bit i % 8, lowest first, of byte i / 8.
// Layer: columnar.
// Threads: views of immutable bytes; a BitmapBuilder belongs to one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "columnar/arrow/buffer.h"

namespace braid::columnar::arrow {

constexpr std::size_t bitmap_bytes(std::size_t bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

/// Some bits of somebody's map. Without bytes it stands for a map of ones: no bit is missing.
class BitmapView {
 public:
  BitmapView() = default;
  /// Requires: `bytes` has bitmap_bytes(begin + size) bytes, or is nullptr.
  BitmapView(const std::uint8_t* bytes, std::size_t begin, std::size_t size)
      : bytes_(bytes), begin_(begin), size_(size) {}

  std::size_t size() const { return size_; }
  bool is_all_ones() const { return bytes_ == nullptr; }
  /// Requires: index < size().
  bool operator[](std::size_t index) const {
    if (bytes_ == nullptr) return true;
    const std::size_t bit = begin_ + index;
    return (bytes_[bit / 8] >> (bit % 8) & 1U) != 0;
  }
  std::size_t word_count() const { return size_ / 64 + (size_ % 64 != 0 ? 1 : 0); }
  /// Bits [64 index, 64 index + 64), lowest first; zeros behind the end. Requires:
  /// index < word_count().
  std::uint64_t word(std::size_t index) const;
  std::size_t count_ones() const;
  BitmapView slice(std::size_t begin, std::size_t size) const {
    return {bytes_, begin_ + begin, size};
  }

 private:
  const std::uint8_t* bytes_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

/// Appends bits.
class BitmapBuilder {
 public:
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return bytes_.capacity(); }
  void reserve(std::size_t bits) {
    const std::size_t needed = bitmap_bytes(size_ + bits);
    if (needed > bytes_.size()) bytes_.reserve(needed - bytes_.size());
  }
  void push(bool bit) {
    if (size_ % 8 == 0) bytes_.push<std::uint8_t>(0);
    if (bit) last_byte() |= static_cast<std::uint8_t>(1U << (size_ % 8));
    ++size_;
  }
  void append(bool bit, std::size_t count);
  void append(const BitmapView& bits);
  /// The bytes; bits behind the last one are zero.
  Buffer finish() {
    size_ = 0;
    return bytes_.finish();
  }

 private:
  std::uint8_t& last_byte() {
    return reinterpret_cast<std::uint8_t*>(bytes_.data())[bytes_.size() - 1];
  }
  /// The lowest `count` bits of `word`. Requires: the other bits are zero; count <= 64.
  void append_word(std::uint64_t word, std::size_t count);

  BufferBuilder bytes_;
  std::size_t size_ = 0;
};

}  // namespace braid::columnar::arrow
