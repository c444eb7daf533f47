// SPDX-License-Identifier: Apache-2.0
// Named places between two durable steps, where a test may stop the world. The list is closed, and
// present in every build; errors of the disk itself come from sim_file_system.h.
//
// Invariants
//   E9  A point that is not armed succeeds at the cost of one relaxed load.
// Threads: any. The action runs in the thread that hit the point, without any lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "braid/result.h"
#include "env/mutex.h"

// X(name): what is durable there and what is not.
#define BRAID_FAILPOINTS(X)                                                        \
  X(commit_before_append)      /* checked and encoded; nothing is written */       \
  X(commit_after_append)       /* synced; no reader sees it */                     \
  X(commit_after_publish)      /* readers see it; the caller has no answer */      \
  X(commit_recovery_failed)    /* what is in the log is not known yet */           \
  X(log_after_segment_created) /* file and name durable; no record points there */ \
  X(state_before_apply)        /* synced in the log; the state lags behind */

namespace braid::env {

enum class Failpoint : std::uint8_t {
#define BRAID_FAILPOINT_ENUM(name) name,
  BRAID_FAILPOINTS(BRAID_FAILPOINT_ENUM)
#undef BRAID_FAILPOINT_ENUM
};

inline constexpr auto kFailpoints = std::to_array<Failpoint>({
#define BRAID_FAILPOINT_VALUE(name) Failpoint::name,
    BRAID_FAILPOINTS(BRAID_FAILPOINT_VALUE)
#undef BRAID_FAILPOINT_VALUE
});

/// The point's name, e.g. "commit_after_append".
std::string_view name_of(Failpoint point);

/// The points of one database.
class Failpoints {
 public:
  /// May return an error, end the process, wait, or count.
  using Action = std::function<Status()>;

  /// The action runs at every later hit, until the point is armed anew or disarmed.
  void arm(Failpoint point, Action action);
  void disarm(Failpoint point);
  /// What the armed action returns; success if the point is not armed.
  Status hit(Failpoint point) {
    if (armed_count_.load(std::memory_order_relaxed) == 0) return Unit{};  // E9
    return run(point);
  }

 private:
  void set(Failpoint point, std::shared_ptr<const Action> action);
  Status run(Failpoint point);

  std::atomic<std::size_t> armed_count_{0};
  Mutex mutex_;
  std::array<std::shared_ptr<const Action>, kFailpoints.size()> actions_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::env
