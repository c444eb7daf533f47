// SPDX-License-Identifier: Apache-2.0
// Bytes that arrays are made of: a view that keeps its owner alive (a mapped file, a decompressed
// body, a builder's storage), and the growable storage of builders.
// Layer: columnar.
// Threads: a Buffer is immutable and may be shared; a BufferBuilder belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace braid::columnar::arrow {

/// Where buffers begin, in memory and in files: a cache line.
inline constexpr std::size_t kAlignment = 64;

constexpr std::size_t padded(std::size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// A range of bytes, shared with whoever owns them.
class Buffer {
 public:
  Buffer() = default;
  /// Borrows `bytes` for as long as `owner` is kept.
  Buffer(std::string_view bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}
  /// Its own aligned copy.
  static Buffer copy_of(std::string_view bytes);

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(bytes_.data()); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  bool is_aligned(std::size_t alignment) const {
    return reinterpret_cast<std::uintptr_t>(bytes_.data()) % alignment == 0;
  }
  /// Requires: aligned for T.
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes_.data());
  }

 private:
  std::string_view bytes_;
  std::shared_ptr<const void> owner_;
};

/// Appends bytes to aligned storage that is never cleared first and at least doubles.
class BufferBuilder {
 public:
  BufferBuilder() = default;
  BufferBuilder(BufferBuilder&& other) noexcept { swap(other); }
  BufferBuilder& operator=(BufferBuilder&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BufferBuilder() { release(); }

  /// Room for `size` bytes more.
  void reserve(std::size_t size) {
    if (capacity_ - size_ < size) grow(size);
  }
  /// Makes the buffer `size` bytes longer; their values are not set.
  char* extend(std::size_t size) {
    reserve(size);
    char* const begin = data_ + size_;
    size_ += size;
    return begin;
  }
  void append(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  template <class T>
  void push(T value) {
    std::memcpy(extend(sizeof(T)), &value, sizeof(T));
  }
  void append_zeros(std::size_t size) {
    if (size > 0) std::memset(extend(size), 0, size);
  }
  /// Requires: size <= size().
  void shrink(std::size_t size) {
    BRAID_ASSERT(size <= size_);
    size_ = size;
  }

  char* data() { return data_; }
  std::string_view bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  /// What it takes of memory.
  std::size_t capacity() const { return capacity_; }
  /// The bytes, now immutable; the builder is empty again.
  Buffer finish();

 private:
  void grow(std::size_t size);
  void release();
  void swap(BufferBuilder& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace braid::columnar::arrow
