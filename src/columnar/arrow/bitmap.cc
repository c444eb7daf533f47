// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/bitmap.h"

#include <algorithm>
#include <cstring>

namespace braid::columnar::arrow {
namespace {

static_assert(std::endian::native == std::endian::little, "Arrow buffers are used as they lie");

constexpr std::uint64_t low_bits(std::size_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

std::uint64_t BitmapView::word(std::size_t index) const {
  const std::size_t count = std::min<std::size_t>(64, size_ - index * 64);
  if (bytes_ == nullptr) return low_bits(count);
  const std::size_t bit = begin_ + index * 64;
  const std::size_t shift = bit % 8;
  const std::uint8_t* const from = bytes_ + bit / 8;
  const std::size_t available = bitmap_bytes(shift + count);  // 1 to 9 bytes
  std::uint64_t word = 0;
  if (available >= 8) {
    std::memcpy(&word, from, 8);
  } else {
    std::memcpy(&word, from, available);
  }
  word >>= shift;
  if (available == 9) word |= std::uint64_t{from[8]} << (64 - shift);
  return word & low_bits(count);
}

std::size_t BitmapView::count_ones() const {
  if (bytes_ == nullptr) return size_;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < word_count(); ++i) {
    ones += static_cast<std::size_t>(std::popcount(word(i)));
  }
  return ones;
}

void BitmapBuilder::append_word(std::uint64_t word, std::size_t count) {
  if (count == 0) return;
  const std::size_t shift = size_ % 8;
  if (shift > 0) last_byte() |= static_cast<std::uint8_t>(word << shift);
  size_ += count;
  const std::size_t used = shift > 0 ? 8 - shift : 0;  // bits that went into the old last byte
  if (count <= used) return;
  word >>= used;
  std::memcpy(bytes_.extend(bitmap_bytes(count - used)), &word, bitmap_bytes(count - used));
}

void BitmapBuilder::append(bool bit, std::size_t count) {
  reserve(count);
  while (count > 0) {
    const std::size_t step = std::min<std::size_t>(64, count);
    append_word(bit ? low_bits(step) : 0, step);
    count -= step;
  }
}

void BitmapBuilder::append(const BitmapView& bits) {
  reserve(bits.size());
  for (std::size_t i = 0; i < bits.word_count(); ++i) {
    append_word(bits.word(i), std::min<std::size_t>(64, bits.size() - i * 64));
  }
}

}  // namespace braid::columnar::arrow
