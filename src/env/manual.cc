// SPDX-License-Identifier: Apache-2.0
#include "env/manual.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace braid::env {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

void ManualClock::advance_ns(std::int64_t duration_ns) {
  BRAID_ASSERT(duration_ns >= 0);
  wall_ns_ += duration_ns;
  steady_ns_ += duration_ns;
}

Xoshiro256::Xoshiro256(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

// No input but the state (E8).
std::uint64_t Xoshiro256::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Xoshiro256::below(std::uint64_t bound) {
  BRAID_ASSERT(bound > 0);
  // Draws from the incomplete last round of `bound` would favour small numbers.
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t drawn = next();
  while (drawn < unfair) drawn = next();
  return drawn % bound;
}

void Xoshiro256::fill(void* out, std::size_t size) {
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const std::uint64_t word = next();
    const std::size_t part = std::min(size, sizeof(word));
    std::memcpy(to, &word, part);
    to += part;
    size -= part;
  }
}

void SeededRandom::fill(void* out, std::size_t size) {
  const Lock lock(mutex_);
  generator_.fill(out, size);
}

namespace {

struct Entry {
  Step step;
  bool is_woken = false;
  bool is_stopped = false;
  std::int64_t due_ns = kNever;
  bool is_running = false;
  std::thread::id runner;
};

}  // namespace

struct ManualWorkers::State {
  explicit State(const Clock& workers_clock) : clock(workers_clock) {}

  bool is_ready(const Entry& entry) const BRAID_REQUIRES(mutex) {
    if (entry.is_stopped || entry.is_running) return false;
    return entry.is_woken || (entry.due_ns != kNever && entry.due_ns <= clock.steady_ns());
  }

  std::vector<std::shared_ptr<Entry>> ready() const {
    const Lock lock(mutex);
    std::vector<std::shared_ptr<Entry>> found;
    for (const auto& entry : entries) {
      if (is_ready(*entry)) found.push_back(entry);
    }
    return found;
  }

  /// False if the job was stopped, or runs in another thread, since it was found ready (E3).
  bool run(Entry& entry) {
    {
      const Lock lock(mutex);
      if (!is_ready(entry)) return false;
      entry.is_running = true;
      entry.runner = std::this_thread::get_id();
      entry.is_woken = false;  // before the step: a wake during it counts anew (E4)
    }
    const NextStep next = entry.step();
    const Lock lock(mutex);
    const std::int64_t now_ns = clock.steady_ns();
    const bool is_timed = next.delay_ns >= 0 && next.delay_ns < kNever - now_ns;
    entry.due_ns = is_timed ? now_ns + next.delay_ns : kNever;
    entry.is_running = false;
    changed.notify_all();
    return true;
  }

  void stop(const std::shared_ptr<Entry>& entry) {
    const Lock lock(mutex);
    entry->is_stopped = true;
    while (entry->is_running) {
      BRAID_ASSERT(entry->runner != std::this_thread::get_id());  // not from within the step
      changed.wait(mutex);
    }
    std::erase(entries, entry);
  }

  const Clock& clock;
  mutable Mutex mutex;
  CondVar changed;
  std::vector<std::shared_ptr<Entry>> entries BRAID_GUARDED_BY(mutex);
};

namespace {

template <class State>
class ManualJob final : public Job {
 public:
  ManualJob(std::shared_ptr<State> state, std::shared_ptr<Entry> entry)
      : state_(std::move(state)), entry_(std::move(entry)) {}
  ~ManualJob() override { ManualJob::stop(); }
  void wake() override {
    const Lock lock(state_->mutex);
    entry_->is_woken = true;
  }
  void stop() override { state_->stop(entry_); }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Entry> entry_;
};

}  // namespace

ManualWorkers::ManualWorkers(const Clock& clock) : state_(std::make_shared<State>(clock)) {}
ManualWorkers::~ManualWorkers() = default;

std::unique_ptr<Job> ManualWorkers::start(std::string_view /*name*/, Step step) {
  auto entry = std::make_shared<Entry>();
  entry->step = std::move(step);
  {
    const Lock lock(state_->mutex);
    state_->entries.push_back(entry);
  }
  return std::make_unique<ManualJob<State>>(state_, std::move(entry));
}

std::size_t ManualWorkers::run_due() {
  std::size_t steps = 0;
  for (const auto& entry : state_->ready()) {
    if (state_->run(*entry)) ++steps;
  }
  return steps;
}

std::size_t ManualWorkers::run_until_idle() {
  std::size_t steps = 0;
  while (const std::size_t round = run_due()) {
    steps += round;
    BRAID_ASSERT(steps <= kStepsMax);
  }
  return steps;
}

bool ManualWorkers::step_one(Random& random) {
  const auto found = state_->ready();
  if (found.empty()) return false;
  return state_->run(*found[random.u64() % found.size()]);
}

std::optional<std::int64_t> ManualWorkers::next_due_ns() const {
  const Lock lock(state_->mutex);
  std::int64_t due_ns = kNever;
  for (const auto& entry : state_->entries) {
    due_ns = std::min(due_ns, entry->is_woken ? state_->clock.steady_ns() : entry->due_ns);
  }
  if (due_ns == kNever) return std::nullopt;
  return due_ns;
}

}  // namespace braid::env
