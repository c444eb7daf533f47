// SPDX-License-Identifier: Apache-2.0
// The bytes of a file in memory, as pages that copies share until one of them writes: a copy costs
// a pointer a page, and ranges of zeros cost no memory.
//
// Invariants
//   E7  Bytes beyond the size are zero, in the last page too: growing reveals zeros.
// Threads: a value; copies that share pages must be used under one lock or by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace braid::env {

class PagedBytes {
 public:
  static constexpr std::size_t kPageSize = 4096;

  std::uint64_t size() const { return size_; }
  /// Copies up to `size` bytes at `offset`; fewer at the end.
  std::size_t read(std::uint64_t offset, char* out, std::size_t size) const;
  /// Overwrites or appends; a gap before `offset` reads as zeros.
  void write(std::uint64_t offset, std::string_view bytes);
  /// The whole pages around [offset, offset + size), cut at the end; shares them.
  PagedBytes pages_around(std::uint64_t offset, std::uint64_t size) const;
  /// Overwrites [offset, offset + size) with the bytes of `from` at `from_offset`, sharing whole
  /// pages. Requires: `from` has them; both offsets are equal modulo the page size.
  void copy_range(const PagedBytes& from, std::uint64_t from_offset, std::uint64_t offset,
                  std::uint64_t size);
  void resize(std::uint64_t size);

 private:
  using Page = std::array<char, kPageSize>;

  /// The page, owned by this object alone.
  Page& own(std::size_t index);

  std::uint64_t size_ = 0;
  std::vector<std::shared_ptr<Page>> pages_;  // null: zeros
};

}  // namespace braid::env
