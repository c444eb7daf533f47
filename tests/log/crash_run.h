// SPDX-License-Identifier: Apache-2.0
// One seeded life of a file log on a simulated disk: groups of all sizes, seals, closes, kills,
// power cuts at any call, errors of any call, recoveries, followers; and the model that knows what
// must be there. Used by crash_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/manual.h"
#include "env/sim_file_system.h"
#include "log/file_log.h"

namespace braid::log {

struct CrashRunOptions {
  std::uint64_t seed = 1;
  /// Stands between the log and the simulated disk: to plant a fault of the disk that the model
  /// must notice. Null: nothing in between.
  std::function<std::unique_ptr<env::FileSystem>(env::SimFileSystem&)> wrap;
};

struct CrashRunCounts {
  std::uint64_t crashes = 0;
  std::uint64_t kills = 0;
  std::uint64_t groups_done = 0;
  std::uint64_t groups_unknown = 0;
  std::uint64_t unknown_landed = 0;
  std::uint64_t recoveries = 0;
  std::uint64_t refused = 0;
  std::uint64_t follower_looks = 0;
};

/// Runs it. Empty: nothing was ever lost, torn or wrong; else what was.
std::string run_crashes(const CrashRunOptions& options, CrashRunCounts& counts);

}  // namespace braid::log
