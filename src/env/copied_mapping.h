// SPDX-License-Identifier: Apache-2.0
// A mapping for file systems without pages to share: a copy of the bytes (E15).
// Threads: immutable.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "env/file_system.h"
#include "env/paged_bytes.h"

namespace braid::env {

class CopiedMapping final : public MappedFile {
 public:
  explicit CopiedMapping(const PagedBytes& from)
      : size_(static_cast<std::size_t>(from.size())), lines_((size_ + kLineSize - 1) / kLineSize) {
    if (size_ > 0) from.read(0, lines_.front().bytes.data(), size_);
  }

  std::string_view bytes() const override {
    if (size_ == 0) return {};
    return {lines_.front().bytes.data(), size_};
  }

 private:
  static constexpr std::size_t kLineSize = 64;
  struct alignas(kLineSize) Line {
    std::array<char, kLineSize> bytes;
  };

  std::size_t size_;
  std::vector<Line> lines_;
};

}  // namespace braid::env
