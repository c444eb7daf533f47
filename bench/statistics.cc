// SPDX-License-Identifier: Apache-2.0
#include "statistics.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace braid::bench {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

double quantile_of(std::vector<double> values, double quantile) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1));
  return values[at];
}

std::string per_second(const Spread& spread) {
  return fmt::format("{:8.2f} k/s ({:.2f} … {:.2f})", spread.median / 1000, spread.min / 1000,
                     spread.max / 1000);
}

}  // namespace braid::bench
