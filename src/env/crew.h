// SPDX-License-Identifier: Apache-2.0
// Work that is cut into numbered tasks, done by the calling thread and by helpers beside it. Under
// ManualWorkers nobody steps the helpers, so the calling thread does all of it, in order.
//
// Invariants
//   E16  run() does each task exactly once, and none is running when it returns.
// Threads: a value; one run() at a time belongs to its caller.
#pragma once

#include <cstddef>
#include <functional>

#include "env/worker.h"

namespace braid::env {

class Crew {
 public:
  /// The calling thread alone.
  Crew() = default;
  /// `threads` in all, the calling one among them; 0: as many as `workers` can run at once.
  Crew(Workers& workers, std::size_t threads)
      : workers_(&workers), threads_(threads == 0 ? workers.parallelism() : threads) {}

  std::size_t threads() const { return threads_; }
  /// Does task(0) … task(count - 1). With more than one thread they run in any order and beside one
  /// another. Tasks do not throw.
  void run(std::size_t count, const std::function<void(std::size_t)>& task) const;

 private:
  Workers* workers_ = nullptr;
  std::size_t threads_ = 1;
};

}  // namespace braid::env
