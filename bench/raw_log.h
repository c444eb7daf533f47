// SPDX-License-Identifier: Apache-2.0
// The machine's limits that commits are compared with, measured in the same run: the time of one
// small sync, and a bare group-commit log that does nothing but write and sync what waits.
#pragma once

#include <cstdint>
#include <string>

#include "braid/result.h"

namespace braid::bench {

/// F: milliseconds of one 4 KiB write and fdatasync into a written file, the median of `syncs`.
Result<double> measure_sync_ms(const std::string& directory, std::uint32_t syncs);

struct RawLogRun {
  std::uint32_t writers = 1;
  std::uint32_t record_bytes = 1024;
  std::int64_t duration_ms = 1000;
};
/// Records made durable per second.
Result<double> measure_raw_log(const std::string& directory, const RawLogRun& run);

}  // namespace braid::bench
