// SPDX-License-Identifier: Apache-2.0
// Repeated measurements and how they are printed.
#pragma once

#include <string>
#include <vector>

namespace braid::bench {

/// Median, least and greatest of a few repetitions.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};

/// Requires: at least one value.
Spread spread_of(std::vector<double> values);
/// The value below which the share `quantile` (0 to 1) of the values lies.
double quantile_of(std::vector<double> values, double quantile);
/// "12.3 k/s (11.9 … 12.8)".
std::string per_second(const Spread& spread);

}  // namespace braid::bench
