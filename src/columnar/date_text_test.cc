// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "columnar/value_text.h"

namespace braid::columnar {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

// V3
TEST(DateText, DaysAndTextsGoTogether) {
  const std::pair<std::int32_t, std::string> examples[] = {
      {0, "1970-01-01"},
      {-1, "1969-12-31"},
      {10'957, "2000-01-01"},
      {11'016, "2000-02-29"},   // 400 divides the year
      {-25'508, "1900-03-01"},  // 100 divides it: 1900 had no 29 February
      {-25'509, "1900-02-28"},
      {19'782, "2024-02-29"},
      {20'587, "2026-05-14"},
      {-141'427, "1582-10-15"},
      {-719'528, "0000-01-01"},
      {-719'469, "0000-02-29"},
      {-719'529, "-000001-12-31"},
      {2'932'896, "9999-12-31"},
      {2'932'897, "+010000-01-01"},
      {std::numeric_limits<std::int32_t>::max(), "+5881580-07-11"},
      {std::numeric_limits<std::int32_t>::min(), "-5877641-06-23"},
  };
  for (const auto& [days, text] : examples) {
    EXPECT_EQ(to_text(Date{days}), text);
    const auto parsed = parse_date(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->days, days);
  }
}

TEST(DateText, SignedYearsMayBeShorterThanPrinted) {
  EXPECT_EQ(parse_date("-0001-12-31")->days, -719'529);
  EXPECT_EQ(parse_date("+1970-01-01")->days, 0);
  EXPECT_EQ(parse_date("+10000-01-01")->days, 2'932'897);
  EXPECT_EQ(parse_date("+0000-01-01")->days, -719'528);
}

TEST(DateText, WhatIsNoDateIsATypeError) {
  for (const char* text : {"",
                           "1970",
                           "1970-01",
                           "1970-1-01",
                           "1970-01-1",
                           "1970-00-01",
                           "1970-13-01",
                           "1970-01-00",
                           "1970-01-32",
                           "1900-02-29",
                           "2023-02-29",
                           "2100-02-29",
                           "2024-04-31",
                           "-0000-01-01",
                           "-000000-01-01",
                           "10000-01-01",
                           "+010-01-01",
                           "+1234567890-01-01",
                           "1970-01-01 ",
                           " 1970-01-01",
                           "1970-01-01T00:00:00Z",
                           "1970/01/01",
                           "1970-01-0a",
                           "19700101",
                           "0x70-01-01",
                           "1970-01-001",
                           "\xE2\x88\x92"
                           "0001-01-01",
                           "+5881580-07-12",
                           "-5877641-06-22"}) {
    const auto date = parse_date(text);
    ASSERT_FALSE(date) << text;
    EXPECT_EQ(date.error().code(), ErrorCode::type_error);
    EXPECT_NE(date.error().detail("expected"), nullptr);
  }
}

// V3
TEST(DateTimeText, MillisecondsAndTextsGoTogether) {
  const std::pair<std::int64_t, std::string> examples[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {-1, "1969-12-31T23:59:59.999Z"},
      {-1'500, "1969-12-31T23:59:58.500Z"},
      {-kDayMs, "1969-12-31T00:00:00.000Z"},
      {-kDayMs - 1, "1969-12-30T23:59:59.999Z"},
      {951'825'599'007, "2000-02-29T11:59:59.007Z"},
      {1'778'716'800'000, "2026-05-14T00:00:00.000Z"},
      {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
      {253'402'300'800'000, "+010000-01-01T00:00:00.000Z"},
      {-62'167'219'200'001, "-000001-12-31T23:59:59.999Z"},
      {std::numeric_limits<std::int64_t>::max(), "+292278994-08-17T07:12:55.807Z"},
      {std::numeric_limits<std::int64_t>::min(), "-292275055-05-16T16:47:04.192Z"},
  };
  for (const auto& [ms, text] : examples) {
    EXPECT_EQ(to_text(DateTime{ms}), text);
    const auto parsed = parse_date_time(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->ms, ms);
  }
}

TEST(DateTimeText, OtherWaysToWriteATimeAreRead) {
  const std::pair<std::string, std::int64_t> examples[] = {
      {"1970-01-01T00:00:01Z", 1'000},
      {"1970-01-01T00:00:00.5Z", 500},
      {"1970-01-01T00:00:00.12Z", 120},
      {"1970-01-01T00:00:00.123000000000000000000000Z", 123},
      {"1969-12-31T23:59:59.9Z", -100},
      {"1970-01-01T02:00:00+02:00", 0},
      {"1969-12-31T19:00:00-05:00", 0},
      {"1970-01-01T00:00:00+00:01", -60'000},
      {"1970-01-01T00:00:00.001-00:00", 1},
      {"1970-01-01T23:59:59.999-23:59", 2 * kDayMs - 60'000 - 1},
      {"1970-01-01T00:00:00+23:59", -kDayMs + 60'000},
      {"1970-01-01t00:00:00z", 0},
      {"1970-01-01 00:00:00Z", 0},
      {"1970-01-01T00:00:00", 0},
      {"1970-01-02", kDayMs},
      {"-0001-12-31T23:59:59.999Z", -62'167'219'200'001},
  };
  for (const auto& [text, ms] : examples) {
    const auto parsed = parse_date_time(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->ms, ms) << text;
  }
}

TEST(DateTimeText, WhatIsNoTimeIsATypeError) {
  for (const char* text : {"",
                           "1970-01-01T",
                           "1970-01-01T00:00Z",
                           "1970-01-01T0:00:00Z",
                           "1970-01-01T24:00:00Z",
                           "1970-01-01T00:60:00Z",
                           "1970-01-01T23:59:60Z",
                           "1970-01-01T00:00:00.Z",
                           "1970-01-01T00:00:00,5Z",
                           "1970-01-01T00:00:00+0200",
                           "1970-01-01T00:00:00+02",
                           "1970-01-01T00:00:00+24:00",
                           "1970-01-01T00:00:00+00:60",
                           "1970-01-01T00:00:00 Z",
                           "1970-01-01T00:00:00ZZ",
                           "1970-01-01  00:00:00Z",
                           "1970-01-01_00:00:00Z",
                           "1970-02-30T00:00:00Z",
                           "1970-01-01T00:00:00.0001Z",
                           "1970-01-01T00:00:00.123456Z",
                           "1970-01-01T00:00:00.000000001Z",
                           "+292278994-08-17T07:12:55.808Z",
                           "-292275055-05-16T16:47:04.191Z",
                           "+999999999-12-31T00:00:00Z",
                           "-999999999-01-01T00:00:00Z",
                           "+292278994-08-17T07:12:55.807-00:01",
                           "0"}) {
    const auto time = parse_date_time(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code(), ErrorCode::type_error);
    EXPECT_NE(time.error().detail("expected"), nullptr);
  }
}

TEST(DateTimeText, ZoneBringsAnEdgeOfTheRangeBackIn) {
  EXPECT_EQ(parse_date_time("+292278994-08-17T07:13:55.807+00:01")->ms,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_date_time("-292275055-05-16T16:46:04.192-00:01")->ms,
            std::numeric_limits<std::int64_t>::min());
}

// V3
TEST(DateText, EveryDayOfEightCenturiesFollowsTheOneBefore) {
  // Counts the calendar up by its own rule: 30 days have November, and so on.
  unsigned year = 1599;
  unsigned month = 12;
  unsigned day = 31;
  for (std::int32_t days = -135'141; days < 157'054; ++days) {  // 1599-12-31 to 2399-12-31
    char text[16];
    std::snprintf(text, sizeof text, "%04u-%02u-%02u", year, month, day);
    ASSERT_EQ(to_text(Date{days}), text);
    ASSERT_EQ(parse_date(text)->days, days);
    const bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
    const bool thirty = month == 4 || month == 6 || month == 9 || month == 11;
    const unsigned last = month == 2 ? (leap ? 29 : 28) : (thirty ? 30 : 31);
    if (++day > last) {
      day = 1;
      if (++month > 12) {
        month = 1;
        ++year;
      }
    }
  }
  EXPECT_EQ(year, 2400U);
}

}  // namespace
}  // namespace braid::columnar
