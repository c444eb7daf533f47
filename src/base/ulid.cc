// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"
#include "braid/ids.h"

namespace braid {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kTextSize = 26;
constexpr std::size_t kTimeBytes = 6;

int digit_of(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const std::size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string Ulid::to_string() const {
  // 26 digits hold 130 bits: the first digit carries the top three only.
  std::string text(kTextSize, '0');
  for (std::size_t digit = 0; digit < kTextSize; ++digit) {
    unsigned value = 0;
    for (std::size_t bit = 0; bit < 5; ++bit) {
      const std::size_t at = digit * 5 + bit;  // from the left of 130 bits
      value <<= 1;
      if (at < 2) continue;
      value |= (bytes[(at - 2) / 8] >> (7 - (at - 2) % 8)) & 1U;
    }
    text[digit] = kAlphabet[value];
  }
  return text;
}

std::uint64_t Ulid::time_ms() const {
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < kTimeBytes; ++i) time = time << 8 | bytes[i];
  return time;
}

std::optional<Ulid> Ulid::parse(std::string_view text) {
  if (text.size() != kTextSize || digit_of(text[0]) > 7) return std::nullopt;
  Ulid out;
  for (std::size_t digit = 0; digit < kTextSize; ++digit) {
    const int value = digit_of(text[digit]);
    if (value < 0) return std::nullopt;
    for (std::size_t bit = 0; bit < 5; ++bit) {
      const std::size_t at = digit * 5 + bit;
      if (at < 2 || ((value >> (4 - bit)) & 1) == 0) continue;
      out.bytes[(at - 2) / 8] =
          static_cast<std::uint8_t>(out.bytes[(at - 2) / 8] | (1U << (7 - (at - 2) % 8)));
    }
  }
  return out;
}

Ulid Ulid::make(std::uint64_t time_ms, std::array<std::uint8_t, 10> chance) {
  BRAID_ASSERT(time_ms < (std::uint64_t{1} << 48));
  Ulid out;
  for (std::size_t i = 0; i < kTimeBytes; ++i) {
    out.bytes[i] = static_cast<std::uint8_t>(time_ms >> (8 * (kTimeBytes - 1 - i)));
  }
  for (std::size_t i = 0; i < chance.size(); ++i) out.bytes[kTimeBytes + i] = chance[i];
  return out;
}

}  // namespace braid
