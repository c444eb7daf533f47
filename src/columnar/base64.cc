// SPDX-License-Identifier: Apache-2.0
#include "columnar/base64.h"

#include <array>
#include <cstdint>

namespace braid::columnar {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group =
        byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    const std::size_t left = bytes.size() - i;
    out += kAlphabet[group >> 18];
    out += kAlphabet[group >> 12 & 63];
    out += left > 1 ? kAlphabet[group >> 6 & 63] : '=';
    out += left > 2 ? kAlphabet[group & 63] : '=';
  }
}

std::optional<std::string> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t digits = text.size() - padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint8_t digit = kDigits[static_cast<std::uint8_t>(text[i])];
    if (digit == kNone) return std::nullopt;
    group = group << 6 | digit;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(static_cast<std::uint8_t>(group >> bits));
      group &= (1U << bits) - 1;
    }
  }
  if (group != 0) return std::nullopt;  // stray bits: another text has the same bytes
  return out;
}

}  // namespace braid::columnar
