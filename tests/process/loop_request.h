// SPDX-License-Identifier: Apache-2.0
// What commit_loop asks for under a key, and kill_test asks for again: most requests are one row,
// some are more than a log record may carry.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace braid::graph_test {

inline constexpr std::uint64_t kStagedEvery = 64;
/// More than the inline budget of 4,096.
inline constexpr std::uint64_t kStagedRows = 4'200;

/// How many rows the request with this count has.
inline std::uint64_t loop_rows(std::uint64_t count) {
  return count % kStagedEvery == kStagedEvery - 1 ? kStagedRows : 1;
}

/// The first row has the key as its slug and the count as its count.
inline std::string loop_text(const std::string& key, std::uint64_t count) {
  std::string text;
  for (std::uint64_t row = 0; row < loop_rows(count); ++row) {
    const std::string slug = row == 0 ? key : fmt::format("{}/{}", key, row);
    text += fmt::format(R"({{"type":"Item","data":{{"slug":"{}","count":{}}}}})"
                        "\n",
                        slug, count);
  }
  return text;
}

}  // namespace braid::graph_test
