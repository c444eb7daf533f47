// SPDX-License-Identifier: Apache-2.0
// Readers beside an applier, on real threads. Under ThreadSanitizer only the state in memory is
// tested: RocksDB's library is not instrumented, so what it synchronises looks like races.
#include <atomic>

#include <gtest/gtest.h>

#include "state/state_fixture.h"
#include "state/state_view.h"

namespace braid::state {
namespace {

constexpr TableId kTable{1};
constexpr BranchIncarnation kBranch{1};
constexpr std::uint64_t kPositions = 2'000;
constexpr std::uint64_t kRows = 7;

std::string id_of(std::uint64_t position) { return "row" + std::to_string(position % kRows); }

// Position p writes row p mod kRows: so what a reader of any position must find is arithmetic.
std::vector<StateWrite> writes_of(std::uint64_t position) {
  return {
      {row_key(kTable, kBranch, id_of(position), Position{position}), std::to_string(position)}};
}

// Publishes groups to an overlay, applies them behind, and lets readers look.
class Race {
 public:
  explicit Race(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// One step of each kind of worker; false when there is no more to do.
  bool publish() {
    const env::Lock lock(mutex_);
    if (published_ == kPositions) return false;
    ++published_;
    overlay_ = overlay_->with({Position{published_}, Position{published_}}, writes_of(published_));
    return true;
  }
  bool apply() {
    std::uint64_t next = 0;
    {
      const env::Lock lock(mutex_);
      if (applied_ == kPositions) return false;
      if (applied_ == published_) return true;
      next = applied_ + 1;
    }
    const Status status = state_->apply(writes_of(next), applied_of(next));
    EXPECT_TRUE(status) << to_string(status.error());
    const env::Lock lock(mutex_);
    applied_ = next;
    overlay_ = overlay_->without(Position{next});
    return true;
  }
  bool read() {
    std::shared_ptr<const Overlay> overlay;
    std::uint64_t at = 0;
    {
      const env::Lock lock(mutex_);
      overlay = overlay_;
      at = published_;
    }
    const StateView view(overlay, state_);
    for (std::uint64_t row = 0; row < kRows; ++row) expect_row(view, row, at);
    std::uint64_t visible = 0;
    EXPECT_TRUE(view.scan("", row_prefix(kTable, kBranch), [&](auto key, auto value) {
      const auto decoded = decode_row_key(key);
      EXPECT_TRUE(decoded);
      if (decoded->position.value <= at) ++visible;
      EXPECT_EQ(value, std::to_string(decoded->position.value));
      return true;
    }));
    EXPECT_EQ(visible, at);
    return at < kPositions;
  }

 private:
  static void expect_row(const StateView& view, std::uint64_t row, std::uint64_t at) {
    const auto found =
        newest_at(view, row_version_prefix(kTable, kBranch, id_of(row)), Position{at});
    ASSERT_TRUE(found) << to_string(found.error());
    std::uint64_t newest = at;
    while (newest > 0 && newest % kRows != row) --newest;
    if (newest == 0) {
      EXPECT_EQ(*found, std::nullopt);
    } else {
      EXPECT_EQ(*found, (VersionedEntry{Position{newest}, std::to_string(newest)}));
    }
  }

  const std::shared_ptr<State> state_;
  env::Mutex mutex_;
  std::shared_ptr<const Overlay> overlay_ BRAID_GUARDED_BY(mutex_) = Overlay::empty();
  std::uint64_t published_ BRAID_GUARDED_BY(mutex_) = 0;
  std::uint64_t applied_ BRAID_GUARDED_BY(mutex_) = 0;
};

// Runs every step on a thread of its own until it says that it is done.
void run_all(const std::vector<std::function<bool()>>& steps) {
  env::Mutex mutex;
  env::CondVar finished;
  std::size_t running = steps.size();
  std::vector<std::unique_ptr<env::Job>> jobs;
  for (const auto& step : steps) {
    jobs.push_back(env::real_env().workers.start("state-test", [&, step] {
      if (step()) return env::NextStep::now();
      const env::Lock lock(mutex);
      --running;
      finished.notify_one();
      return env::NextStep::when_woken();
    }));
  }
  for (const auto& job : jobs) job->wake();
  {
    const env::Lock lock(mutex);
    while (running > 0) finished.wait(mutex);
  }
  for (const auto& job : jobs) job->stop();
}

constexpr bool under_thread_sanitizer() {
#if defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

std::vector<Kind> kinds() {
  if (under_thread_sanitizer()) return {Kind::kMemory};
  return {Kind::kMemory, Kind::kRocks};
}

class StateThreads : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, StateThreads, ::testing::ValuesIn(kinds()), name_of_kind);

// S3, S4
TEST_P(StateThreads, ReadersSeeEveryPublishedPositionWhileItIsApplied) {
  const ScratchDirectory scratch;
  Race race(make_state(GetParam(), scratch));
  run_all({[&] { return race.publish(); }, [&] { return race.apply(); },
           [&] { return race.read(); }, [&] { return race.read(); }});
  EXPECT_FALSE(race.read());
}

}  // namespace
}  // namespace braid::state
