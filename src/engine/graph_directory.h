// SPDX-License-Identifier: Apache-2.0
// A graph as a directory: FORMAT (the readable stamp), LOCK, log/, state/, names/
// (docs/formats/directory.md). What makes a directory a graph, and who may write to it.
//
// Invariants
//   D1  FORMAT says `ready` only after the graph's first record is durable; until then an
//       interrupted init may start over, afterwards nothing here ever deletes the log.
//   D2  One process at a time writes: it holds LOCK, also when it came through a link.
// Threads: values; LOCK belongs to its holder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "braid/ids.h"
#include "braid/result.h"
#include "env/env.h"

namespace braid::engine {

/// The on-disk format that this version writes, and the newest that it reads.
inline constexpr std::uint32_t kFormat = 1;

struct FormatStamp {
  std::uint32_t format = kFormat;
  GraphId graph;
  /// False while init is at work.
  bool ready = false;
  friend bool operator==(const FormatStamp&, const FormatStamp&) = default;
};

std::string print(const FormatStamp& stamp);
/// `format_mismatch` {found, supported} for another format, `corrupt` for other text.
Result<FormatStamp> parse_format_stamp(std::string_view text);

/// Who holds a lock, for the error of those who wait.
struct LockRequest {
  std::uint32_t wait_ms = 10'000;
  std::string process_name;
};

class GraphDirectory {
 public:
  GraphDirectory(env::Env& env, std::string path) : env_(&env), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string format_path() const { return env::join(path_, "FORMAT"); }
  std::string lock_path() const { return env::join(path_, "LOCK"); }
  std::string log_path() const { return env::join(path_, "log"); }
  std::string state_path() const { return env::join(path_, "state"); }
  std::string names_path() const { return env::join(path_, "names"); }
  std::string objects_path() const { return env::join(path_, "objects"); }

  /// `not_found` when there is no graph or its init was not finished; the message says which.
  Result<FormatStamp> read_format() const;
  Status write_format(const FormatStamp& stamp) const;
  /// Waits up to wait_ms; then `locked` {holder}.
  Result<std::unique_ptr<env::FileLock>> lock(const LockRequest& request) const;

  /// Creates the directory if it is absent. `already_exists` if it holds a finished graph or
  /// anything that is none of ours.
  Status prepare_for_init() const;
  /// Removes what an unfinished init left (D1). Requires: the lock is held.
  Status discard_unfinished_init() const;

 private:
  env::Env* env_;
  std::string path_;
};

}  // namespace braid::engine
