// SPDX-License-Identifier: Apache-2.0
// Background work as stepped jobs: a job is a function that does a bounded piece of work and says
// when it wants to run again. Really, each job has a thread; in tests and in the simulator nobody
// runs but who is told to, so one seed decides the order.
//
// Invariants
//   E3  A job's step never runs twice at the same time, and never after stop() returned.
//   E4  A wake() that happens during or before a step leads to another step after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace braid::env {

/// When a job wants its next step.
struct NextStep {
  /// Nanoseconds from now; 0: at once; negative: only when woken.
  std::int64_t delay_ns = -1;
  static NextStep when_woken() { return {-1}; }
  static NextStep now() { return {0}; }
  static NextStep after_ms(std::int64_t delay_ms) { return {delay_ms * 1'000'000}; }
};

using Step = std::function<NextStep()>;

/// A started job. The destructor stops it.
class Job {
 public:
  virtual ~Job() = default;
  /// Asks for a step soon. Any thread; never blocks on the step.
  virtual void wake() = 0;
  /// Waits for a running step, then never runs again. Not from within the step itself.
  virtual void stop() = 0;
};

class Workers {
 public:
  virtual ~Workers() = default;
  /// The first step runs when woken.
  virtual std::unique_ptr<Job> start(std::string_view name, Step step) = 0;
  /// How many jobs can run at the same time and gain by it; at least 1.
  virtual std::size_t parallelism() const { return 1; }
};

}  // namespace braid::env
