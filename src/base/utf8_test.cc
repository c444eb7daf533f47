// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace braid::base {
namespace {

TEST(Utf8, TheStandardsExamplesAreTheseBytes) {  // Unicode 15, table 3-4
  const auto bytes_of = [](char32_t code_point) {
    std::string out;
    append_utf8(out, code_point);
    return out;
  };
  EXPECT_EQ(bytes_of(0x4D), "\x4D");
  EXPECT_EQ(bytes_of(0x430), "\xD0\xB0");
  EXPECT_EQ(bytes_of(0x4E8C), "\xE4\xBA\x8C");
  EXPECT_EQ(bytes_of(0x10302), "\xF0\x90\x8C\x82");
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, value);
    const CodePoint point = decode_utf8(text);
    ASSERT_EQ(point.value, value);
    ASSERT_EQ(point.size, text.size());
  }
}

TEST(Utf8, CutAndOverlongSequencesHaveNoSize) {
  for (const std::string_view text :
       {"", "\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE4\xB8", "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(decode_utf8(text).size, 0U);
    EXPECT_EQ(utf8_end(text), 0U);
  }
}

TEST(Utf8, ATextEndsAtItsFirstFault) {
  EXPECT_EQ(utf8_end(""), 0U);
  EXPECT_EQ(utf8_end("a\xC3\xA9\xF0\x9F\x98\x80"), 7U);
  EXPECT_EQ(utf8_end("a\xC3\xA9\xF0\x9F\x98"), 3U);
  EXPECT_EQ(utf8_end("a\xC3(b"), 1U);
  EXPECT_EQ(utf8_end(std::string_view("a\0b\xFF", 4)), 3U);
}

}  // namespace
}  // namespace braid::base
