// SPDX-License-Identifier: Apache-2.0
// Clock, chance and workers that do only what they are told: one seed decides everything.
//
// Invariants
//   E8  With the same seed and the same calls, SeededRandom gives the same bytes and
//       ManualWorkers runs the same steps in the same order.
// Threads: any, but the order of calls from several threads is not decided by the seed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "env/clock.h"
#include "env/mutex.h"
#include "env/random.h"
#include "env/worker.h"

namespace braid::env {

/// Stands still until it is moved.
class ManualClock final : public Clock {
 public:
  /// The default start is 2023-11-14T22:13:20Z.
  explicit ManualClock(std::int64_t start_ms = 1'700'000'000'000)
      : wall_ns_(start_ms * 1'000'000) {}

  std::int64_t now_ms() const override { return wall_ns_.load() / 1'000'000; }
  std::int64_t steady_ns() const override { return steady_ns_.load(); }

  /// Sets the wall clock, either way; the monotonic clock stays.
  void set_ms(std::int64_t now_ms) { wall_ns_ = now_ms * 1'000'000; }
  /// Moves both clocks. Requires: not negative.
  void advance_ns(std::int64_t duration_ns);
  void advance_ms(std::int64_t duration_ms) { advance_ns(duration_ms * 1'000'000); }

 private:
  std::atomic<std::int64_t> wall_ns_;
  std::atomic<std::int64_t> steady_ns_{0};
};

/// xoshiro256** 1.0, seeded through splitmix64: D. Blackman, S. Vigna, "Scrambled linear
/// pseudorandom number generators", 2021, https://prng.di.unimi.it. Not for secrets.
/// Threads: a value; no sharing.
class Xoshiro256 {
 public:
  explicit Xoshiro256(std::uint64_t seed);
  /// Starts from these 256 bits, which must not all be zero.
  explicit Xoshiro256(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  std::uint64_t next();
  /// Evenly from [0, bound); `bound` > 0.
  std::uint64_t below(std::uint64_t bound);
  /// True once in `times` calls on average; never if 0.
  bool one_in(std::uint64_t times) { return times != 0 && below(times) == 0; }
  void fill(void* out, std::size_t size);

 private:
  std::array<std::uint64_t, 4> state_{};
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : generator_(seed) {}
  void fill(void* out, std::size_t size) override;

 private:
  Mutex mutex_;
  Xoshiro256 generator_ BRAID_GUARDED_BY(mutex_);
};

/// Steps run in the thread that calls run_* or step_one, and only then. A step may wake, start
/// and stop other jobs. Jobs may outlive the ManualWorkers; they never run again then.
class ManualWorkers final : public Workers {
 public:
  /// `clock` tells when delayed steps are due.
  explicit ManualWorkers(const Clock& clock);
  ~ManualWorkers() override;

  std::unique_ptr<Job> start(std::string_view name, Step step) override;

  /// Runs woken jobs and jobs that are due now, in the order of their start, round by round, until
  /// there are none. Returns the number of steps. A job that never comes to rest is a bug: ends the
  /// process after `kStepsMax`.
  std::size_t run_until_idle();
  /// Runs each job once that is woken or due now. Returns the number of steps.
  std::size_t run_due();
  /// Runs one job, chosen by `random` among those woken or due; false if there is none.
  bool step_one(Random& random);

  /// The earliest time (monotonic) at which a job is due; the present if one is woken.
  std::optional<std::int64_t> next_due_ns() const;

  static constexpr std::size_t kStepsMax = 10'000'000;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace braid::env
