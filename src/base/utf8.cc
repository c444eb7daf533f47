// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace braid::base {
namespace {

struct Lead {
  std::size_t size;
  std::uint8_t second_low;
  std::uint8_t second_high;
};

/// What may follow a first byte of 0x80 or more; size 0: nothing, it starts no sequence.
Lead lead_of(std::uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view rest) {
  if (rest.empty()) return {};
  const auto byte = [rest](std::size_t i) { return static_cast<std::uint8_t>(rest[i]); };
  if (byte(0) < 0x80) return {static_cast<char32_t>(byte(0)), 1};
  const Lead lead = lead_of(byte(0));
  if (lead.size == 0 || rest.size() < lead.size) return {};
  if (byte(1) < lead.second_low || byte(1) > lead.second_high) return {};
  char32_t value = byte(0) & (0x7FU >> lead.size);
  for (std::size_t i = 1; i < lead.size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  return {value, lead.size};
}

std::size_t utf8_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = decode_utf8(text.substr(at)).size;
    if (size == 0) break;
    at += size;
  }
  return at;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&put, code_point](unsigned shift) {
    put(0x80U | (code_point >> shift & 0x3FU));
  };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | code_point >> 6U);
    tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0U | code_point >> 12U);
    tail(6);
    tail(0);
  } else {
    put(0xF0U | code_point >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace braid::base
