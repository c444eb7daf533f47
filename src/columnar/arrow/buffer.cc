// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/buffer.h"

#include <array>

namespace braid::columnar::arrow {
namespace {

/// What std::allocator hands out uncleared: std::vector would clear what is about to be written.
struct alignas(kAlignment) Line {
  std::array<char, kAlignment> bytes;
};

}  // namespace

void BufferBuilder::grow(std::size_t size) {
  const std::size_t capacity = padded(std::max(size_ + size, capacity_ * 2));
  char* const data = std::allocator<Line>().allocate(capacity / kAlignment)->bytes.data();
  if (size_ > 0) std::memcpy(data, data_, size_);
  release();
  data_ = data;
  capacity_ = capacity;
}

void BufferBuilder::release() {
  if (data_ == nullptr) return;
  std::allocator<Line>().deallocate(reinterpret_cast<Line*>(data_), capacity_ / kAlignment);
  data_ = nullptr;
}

Buffer BufferBuilder::finish() {
  if (size_ == 0) return {};
  auto owner = std::make_shared<BufferBuilder>(std::move(*this));
  const std::string_view bytes = owner->bytes();
  return {bytes, std::move(owner)};
}

Buffer Buffer::copy_of(std::string_view bytes) {
  BufferBuilder copy;
  copy.append(bytes);
  return copy.finish();
}

}  // namespace braid::columnar::arrow
