// SPDX-License-Identifier: Apache-2.0
// Durable commits beside the limits of the machine. Threads: one caller.
#pragma once

#include <cstdint>
#include <string>

#include "braid/result.h"

namespace braid::bench {

struct CommitBenchOptions {
  /// On the disk that is to be measured; emptied and removed.
  std::string directory;
  std::uint32_t repetitions = 5;
  std::int64_t duration_ms = 2000;
  /// Not 0: only this many clients, without the limits: for profilers.
  std::uint32_t only_clients = 0;
};

/// Durable single-row commits with the full batch (state, receipt, version, fence, audit, outbox),
/// with one client and with 32, beside F and the raw group-commit log. Prints a table.
Status bench_commit(const CommitBenchOptions& options);

}  // namespace braid::bench
