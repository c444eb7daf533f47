// SPDX-License-Identifier: Apache-2.0
// Key ranges: where a scan over a prefix begins and ends. Threads: pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace braid::state {

/// The first key that a scan from `from` over `prefix` may visit.
inline std::string_view range_begin(std::string_view from, std::string_view prefix) {
  return std::max(from, prefix);
}

/// The first key beyond all keys that begin with `prefix`; nullopt: there is none.
inline std::optional<std::string> range_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (end.empty()) return std::nullopt;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

/// The key directly after `key`.
inline std::string key_after(std::string_view key) {
  std::string after(key);
  after.push_back('\0');
  return after;
}

}  // namespace braid::state
