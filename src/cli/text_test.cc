// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace braid::cli {
namespace {

TEST(CliText, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(printable("Zoë \\ 東京 🙂 \"q\""), "Zoë \\ 東京 🙂 \"q\"");
}

TEST(CliText, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\x07"), "\\u001b[31mred\\u001b]0;title\\u0007");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\u0000\\u007f");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\u009b31m\\u0085");
  EXPECT_EQ(printable("\u202egnp.exe\u2066\u2029"), "\\u202egnp.exe\\u2066\\u2029");
  EXPECT_EQ(printable("\U000E0041"), "\\U000e0041");
}

TEST(CliText, MalformedBytesAreWrittenOut) {
  EXPECT_EQ(printable("a\xff\xc3("), "a\\xff\\xc3(");
  EXPECT_EQ(well_formed("a\xff\xc3(é"), "a\uFFFD\uFFFD(é");
}

// K2
TEST(CliText, NoCodePointBelowSpaceOrInC1Survives) {
  for (char32_t point = 0; point <= 0x2FFF; ++point) {
    std::string text;
    base::append_utf8(text, point);
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    const bool override_mark = (point >= 0x202A && point <= 0x202E) || point == 0x2028 ||
                               point == 0x2029 || (point >= 0x2066 && point <= 0x2069);
    if (control || override_mark) {
      ASSERT_EQ(printable(text).front(), '\\') << static_cast<unsigned>(point);
    }
  }
}

TEST(CliText, WidthCountsColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("東京"), 4U);
  EXPECT_EQ(display_width("한글"), 4U);
  EXPECT_EQ(display_width("🙂"), 2U);
  EXPECT_EQ(display_width("ｆｕ"), 4U);
}

}  // namespace
}  // namespace braid::cli
