// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/bitmap.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace braid::columnar::arrow {
namespace {

/// Bits of no regular pattern.
std::vector<bool> some_bits(std::size_t count, std::uint32_t seed) {
  std::vector<bool> bits;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    bits.push_back((seed >> 30) != 0);
  }
  return bits;
}

std::vector<bool> bits_of(const BitmapView& view) {
  std::vector<bool> bits;
  for (std::size_t i = 0; i < view.size(); ++i) bits.push_back(view[i]);
  return bits;
}

BitmapView view_of(const Buffer& buffer, std::size_t begin, std::size_t size) {
  return {buffer.data(), begin, size};
}

TEST(Bitmap, LowestBitOfTheFirstByteComesFirst) {
  BitmapBuilder builder;
  for (const bool bit : {true, false, false, false, false, false, false, true, true, true}) {
    builder.push(bit);
  }

  EXPECT_EQ(builder.finish().bytes(), "\x81\x03");
}

TEST(Bitmap, WithoutBytesAllBitsAreOnes) {
  const BitmapView view(nullptr, 0, 70);

  EXPECT_TRUE(view[69]);
  EXPECT_EQ(view.count_ones(), 70U);
  EXPECT_EQ(view.word(0), ~std::uint64_t{0});
  EXPECT_EQ(view.word(1), 0x3FU);
}

TEST(Bitmap, ViewsAtEveryOffsetSeeTheirBits) {
  const std::vector<bool> bits = some_bits(300, 7);
  BitmapBuilder builder;
  for (const bool bit : bits) builder.push(bit);
  const Buffer buffer = builder.finish();

  for (std::size_t begin = 0; begin < 70; ++begin) {
    for (const std::size_t size : {0U, 1U, 7U, 63U, 64U, 65U, 128U, 229U}) {
      const BitmapView view = view_of(buffer, begin, size);
      std::size_t ones = 0;
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(view.word(i / 64) >> (i % 64) & 1, bits[begin + i] ? 1U : 0U);
        ones += bits[begin + i] ? 1 : 0;
      }
      ASSERT_EQ(view.count_ones(), ones);
    }
  }
}

TEST(Bitmap, AppendedViewsAndRunsFollowEachOther) {
  const std::vector<bool> source = some_bits(200, 3);
  BitmapBuilder from;
  for (const bool bit : source) from.push(bit);
  const Buffer buffer = from.finish();

  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t begin = 0; begin < 10; ++begin) {
      BitmapBuilder builder;
      builder.append(true, before);
      builder.append(view_of(buffer, begin, 150));
      builder.append(false, 67);
      builder.push(true);

      std::vector<bool> expected(before, true);
      expected.insert(expected.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                      source.begin() + static_cast<std::ptrdiff_t>(begin + 150));
      expected.insert(expected.end(), 67, false);
      expected.push_back(true);
      const std::size_t size = builder.size();
      const Buffer out = builder.finish();
      ASSERT_EQ(bits_of(view_of(out, 0, size)), expected);
      ASSERT_EQ(out.size(), bitmap_bytes(size));
    }
  }
}

}  // namespace
}  // namespace braid::columnar::arrow
