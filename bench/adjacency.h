// SPDX-License-Identifier: Apache-2.0
// Building the adjacency of a fragment, and looking nodes up in it, beside what the machine can do.
#pragma once

#include <cstdint>

#include "braid/result.h"

namespace braid::bench {

struct AdjacencyBenchOptions {
  std::uint32_t repetitions = 5;
  /// Between a tenth as many nodes.
  std::uint32_t edges = 10'000'000;
};
/// Prints edges per second of a build from short and from long ids, in the order of the sources and
/// in none; of a copy of the bytes that go in and come out; and of the two counting sorts alone, of
/// ends that are numbers already.
Status bench_adjacency(const AdjacencyBenchOptions& options);

}  // namespace braid::bench
