// SPDX-License-Identifier: Apache-2.0
// Time, handed in. Threads: any.
#pragma once

#include <cstdint>

namespace braid::env {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Wall clock: milliseconds since the Unix epoch. May jump either way.
  virtual std::int64_t now_ms() const = 0;
  /// Monotonic nanoseconds from an arbitrary start: for durations and time-outs only.
  virtual std::int64_t steady_ns() const = 0;
};

}  // namespace braid::env
