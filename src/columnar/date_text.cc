// SPDX-License-Identifier: Apache-2.0
// The calendar: proleptic Gregorian, as ISO 8601 prescribes. Algorithms days_from_civil and
// civil_from_days: Howard Hinnant, https://howardhinnant.github.io/date_algorithms.html
#include <algorithm>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "columnar/value_text.h"

namespace braid::columnar {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

struct Civil {
  std::int64_t year = 0;
  unsigned month = 1;
  unsigned day = 1;
};

std::int64_t days_from_civil(Civil civil) {
  const std::int64_t year = civil.month <= 2 ? civil.year - 1 : civil.year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = (civil.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + civil.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

Civil civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = static_cast<unsigned>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  civil.month =
      static_cast<unsigned>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  return civil;
}

unsigned days_in_month(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

void append_date(std::string& out, std::int64_t days) {
  const Civil civil = civil_from_days(days);
  if (civil.year >= 0 && civil.year <= 9999) {
    append_padded(out, static_cast<std::uint64_t>(civil.year), 4);
  } else {
    out += civil.year < 0 ? '-' : '+';
    append_padded(out, static_cast<std::uint64_t>(civil.year < 0 ? -civil.year : civil.year), 6);
  }
  out += '-';
  append_padded(out, civil.month, 2);
  out += '-';
  append_padded(out, civil.day, 2);
}

/// Reads from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool skip_any(std::string_view chars) {
    return std::any_of(chars.begin(), chars.end(), [this](char c) { return skip(c); });
  }
  std::size_t digits_ahead() const {
    const std::size_t end = text_.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text_.size() : end;
  }
  std::optional<char> digit() {
    if (digits_ahead() == 0) return std::nullopt;
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }
  /// Exactly `width` digits (at most 9), then no further one.
  std::optional<unsigned> number(std::size_t width) {
    if (digits_ahead() != width) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = value * 10 + static_cast<unsigned>(text_[i] - '0');
    }
    text_.remove_prefix(width);
    return value;
  }
  std::optional<unsigned> number_up_to(std::size_t width, unsigned max) {
    const auto value = number(width);
    return value && *value <= max ? value : std::nullopt;
  }

 private:
  std::string_view text_;
};

std::optional<std::int64_t> scan_year(Scanner& scanner) {
  const bool negative = scanner.skip('-');
  const bool expanded = negative || scanner.skip('+');
  const std::size_t width = scanner.digits_ahead();
  if (expanded ? width < 4 || width > 9 : width != 4) return std::nullopt;
  const auto year = scanner.number(width);
  if (negative && *year == 0) return std::nullopt;
  return negative ? -std::int64_t{*year} : std::int64_t{*year};
}

/// Days since the epoch.
std::optional<std::int64_t> scan_date(Scanner& scanner) {
  const auto year = scan_year(scanner);
  if (!year || !scanner.skip('-')) return std::nullopt;
  const auto month = scanner.number_up_to(2, 12);
  if (!month || *month == 0 || !scanner.skip('-')) return std::nullopt;
  const auto day = scanner.number_up_to(2, days_in_month(*year, *month));
  if (!day || *day == 0) return std::nullopt;
  return days_from_civil({*year, *month, *day});
}

enum class Fraction : std::uint8_t { good, malformed, too_fine };

Fraction scan_fraction(Scanner& scanner, std::int64_t& ms) {
  if (!scanner.skip('.')) return Fraction::good;
  if (scanner.digits_ahead() == 0) return Fraction::malformed;
  auto result = Fraction::good;
  std::int64_t unit = 100;
  while (const auto digit = scanner.digit()) {
    if (unit == 0 && *digit != '0') result = Fraction::too_fine;
    ms += unit * (*digit - '0');
    unit /= 10;
  }
  return result;
}

/// How far local time is ahead of UTC; no zone means UTC.
std::optional<std::int64_t> scan_zone_ms(Scanner& scanner) {
  if (scanner.done() || scanner.skip_any("Zz")) return 0;
  const bool behind = scanner.skip('-');
  if (!behind && !scanner.skip('+')) return std::nullopt;
  const auto hours = scanner.number_up_to(2, 23);
  if (!hours || !scanner.skip(':')) return std::nullopt;
  const auto minutes = scanner.number_up_to(2, 59);
  if (!minutes) return std::nullopt;
  const std::int64_t ms = (std::int64_t{*hours} * 60 + *minutes) * 60'000;
  return behind ? -ms : ms;
}

Error malformed(std::string_view text, std::string_view type, std::string expected) {
  std::string message(type);
  message += " expected, written " + expected;
  return Error(ErrorCode::type_error, std::move(message))
      .with("expected", std::move(expected))
      .with("actual", std::string(text.substr(0, 80)));
}

Error bad_time(std::string_view text) {
  return malformed(text, "a DateTime", "YYYY-MM-DDTHH:MM:SS[.mmm][Z|+HH:MM]");
}

/// day * 86 400 000 + ms, unless it leaves 64 bits. Requires: 0 <= ms < kDayMs.
std::optional<std::int64_t> time_ms(std::int64_t day, std::int64_t ms) {
  // The first day is only partly in range: multiply by what is nearer to zero.
  const std::int64_t whole = day < 0 ? day + 1 : day;
  const std::int64_t rest = day < 0 ? ms - kDayMs : ms;
  std::int64_t out = 0;
  if (__builtin_mul_overflow(whole, kDayMs, &out)) return std::nullopt;
  if (__builtin_add_overflow(out, rest, &out)) return std::nullopt;
  return out;
}

}  // namespace

std::string to_text(Date date) {  // V3: years beyond four digits too
  std::string out;
  append_date(out, date.days);
  return out;
}

std::string to_text(DateTime time) {
  std::int64_t day = time.ms / kDayMs;
  std::int64_t ms = time.ms % kDayMs;
  if (ms < 0) {  // floor: a time before the epoch belongs to the day that it follows
    ms += kDayMs;
    --day;
  }
  std::string out;
  append_date(out, day);
  const auto part = [&](char before, std::int64_t value, std::size_t width) {
    out += before;
    append_padded(out, static_cast<std::uint64_t>(value), width);
  };
  part('T', ms / 3'600'000, 2);
  part(':', ms / 60'000 % 60, 2);
  part(':', ms / 1'000 % 60, 2);
  part('.', ms % 1'000, 3);
  out += 'Z';
  return out;
}

Result<Date> parse_date(std::string_view text) {
  Scanner scanner(text);
  const auto days = scan_date(scanner);
  if (!days || !scanner.done()) return malformed(text, "a Date", "YYYY-MM-DD");
  if (*days < std::numeric_limits<std::int32_t>::min() ||
      *days > std::numeric_limits<std::int32_t>::max()) {
    return malformed(text, "a Date", "YYYY-MM-DD between -5877641-06-23 and +5881580-07-11");
  }
  return Date{static_cast<std::int32_t>(*days)};
}

Result<DateTime> parse_date_time(std::string_view text) {
  Scanner scanner(text);
  const auto days = scan_date(scanner);
  if (!days) return bad_time(text);
  std::int64_t ms = 0;
  std::int64_t zone_ms = 0;
  if (!scanner.done()) {
    if (!scanner.skip_any("Tt ")) return bad_time(text);
    const auto hours = scanner.number_up_to(2, 23);
    if (!hours || !scanner.skip(':')) return bad_time(text);
    const auto minutes = scanner.number_up_to(2, 59);
    if (!minutes || !scanner.skip(':')) return bad_time(text);
    const auto seconds = scanner.number_up_to(2, 59);
    if (!seconds) return bad_time(text);
    ms = ((std::int64_t{*hours} * 60 + *minutes) * 60 + *seconds) * 1'000;
    const Fraction fraction = scan_fraction(scanner, ms);
    const auto zone = scan_zone_ms(scanner);
    if (fraction == Fraction::malformed || !zone || !scanner.done()) return bad_time(text);
    if (fraction == Fraction::too_fine) {
      return malformed(text, "a DateTime", "with no digit but 0 after the millisecond");
    }
    zone_ms = *zone;
  }
  const std::int64_t utc_ms = ms - zone_ms;  // of the day; less than a day outside of it
  const std::int64_t carry = utc_ms < 0 ? -1 : utc_ms / kDayMs;
  const auto time = time_ms(*days + carry, utc_ms - carry * kDayMs);
  if (!time) return malformed(text, "a DateTime", "within 64 bits of milliseconds");
  return DateTime{*time};
}

}  // namespace braid::columnar
