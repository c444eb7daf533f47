// SPDX-License-Identifier: Apache-2.0
#include "commit/state_applier.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "env/manual.h"
#include "state/memory_state.h"

namespace braid::commit {
namespace {

/// Refuses what it is given as long as `broken`, and counts what it took.
class FragileState final : public state::State {
 public:
  state::Applied applied() const override { return below.applied(); }
  Status apply(const std::vector<state::StateWrite>& writes,
               const state::Applied& applied) override {
    if (broken) return Error(ErrorCode::io_error, "broken");
    batches.push_back(applied.position.value);
    return below.apply(writes, applied);
  }
  Result<std::optional<std::string>> get(std::string_view key) const override {
    return below.get(key);
  }
  Result<std::optional<std::pair<std::string, std::string>>> seek(
      std::string_view from, std::string_view prefix) const override {
    return below.seek(from, prefix);
  }
  Status scan(std::string_view from, std::string_view prefix,
              const state::EntryVisitor& visit) const override {
    return below.scan(from, prefix, visit);
  }
  Status flush() override { return Unit{}; }
  Status checkpoint(std::string_view directory) override { return below.checkpoint(directory); }

  bool broken = false;
  std::vector<std::uint64_t> batches;
  state::MemoryState below{GraphId{}};
};

class Applying : public ::testing::Test {
 protected:
  Applying() { publish(1, {}); }

  // Publishes a root and hands the group over, as the sequencer does.
  void add(std::uint64_t position, std::vector<state::StateWrite> writes) {
    publish(position, writes);
    base::Digest hash{};
    hash[0] = static_cast<std::uint8_t>(position);
    applier.add({Position{position}, hash, 1, std::move(writes)});
  }
  void publish(std::uint64_t position, const std::vector<state::StateWrite>& writes) {
    auto root = std::make_shared<manifest::Root>();
    root->position = Position{position};
    root->branches = std::make_shared<const manifest::BranchMap>();
    const auto previous = roots.get();
    root->overlay = (previous ? previous->overlay : state::Overlay::empty())
                        ->with({Position{position}, Position{position}}, writes);
    roots.publish(root);
  }
  // Lets as much time pass as the job asks for.
  void let_it_rest() {
    workers.run_until_idle();
    while (const auto due = workers.next_due_ns()) {
      if (*due > clock.steady_ns()) clock.advance_ns(*due - clock.steady_ns());
      workers.run_due();
    }
  }
  std::string value_of(std::string_view key) { return (*state.get(key)).value_or("absent"); }

  env::ManualClock clock;
  env::ManualWorkers workers{clock};
  FragileState state;
  manifest::RootHolder roots;
  StateApplier applier{state, roots, workers};
};

// C5
TEST_F(Applying, GroupsReachTheStateInTheirOrderAndLeaveTheOverlay) {
  add(2, {{"k", "first"}});
  add(3, {{"k", "second"}});
  EXPECT_EQ(applier.lag_records(), 2U);
  EXPECT_EQ(value_of("k"), "absent");

  let_it_rest();

  EXPECT_EQ(value_of("k"), "second");
  EXPECT_EQ(state.applied().position, Position{3});
  EXPECT_EQ(state.applied().hash[0], 3);
  EXPECT_EQ(applier.lag_records(), 0U);
  EXPECT_TRUE(roots.get()->overlay->is_empty());
}

TEST_F(Applying, LaterGroupsWakeItAgain) {
  add(2, {{"k", "first"}});
  let_it_rest();
  add(3, {{"k", "second"}});
  let_it_rest();

  EXPECT_EQ(value_of("k"), "second");
}

TEST_F(Applying, DrainAppliesAtOnce) {
  add(2, {{"k", "v"}});
  ASSERT_TRUE(applier.drain().ok());

  EXPECT_EQ(value_of("k"), "v");
  EXPECT_EQ(applier.lag_records(), 0U);
  EXPECT_TRUE(applier.drain().ok());
}

// C5
TEST_F(Applying, GroupThatFailsStaysFirstAndIsTriedAgain) {
  state.broken = true;
  add(2, {{"k", "first"}});
  EXPECT_FALSE(applier.drain().ok());
  add(3, {{"k", "second"}});
  EXPECT_FALSE(applier.drain().ok());

  ASSERT_TRUE(applier.last_error().has_value());
  EXPECT_EQ(applier.last_error()->code(), ErrorCode::io_error);
  EXPECT_EQ(applier.lag_records(), 2U);
  EXPECT_FALSE(roots.get()->overlay->is_empty());

  state.broken = false;
  let_it_rest();

  EXPECT_FALSE(applier.last_error().has_value());
  EXPECT_EQ(value_of("k"), "second");
  EXPECT_TRUE(std::is_sorted(state.batches.begin(), state.batches.end()));
  EXPECT_EQ(state.batches.back(), 3U);
}

TEST_F(Applying, JobThatFailsTriesAgainByItself) {
  state.broken = true;
  add(2, {{"k", "v"}});
  workers.run_until_idle();
  clock.advance_ms(1'000);
  workers.run_due();
  clock.advance_ms(1'000);
  workers.run_due();
  EXPECT_EQ(value_of("k"), "absent");

  state.broken = false;
  clock.advance_ms(1'000);
  workers.run_due();

  EXPECT_EQ(value_of("k"), "v");
}

TEST_F(Applying, StoppedOneAppliesNothingByItself) {
  add(2, {{"k", "v"}});
  applier.stop();
  let_it_rest();
  EXPECT_EQ(value_of("k"), "absent");

  ASSERT_TRUE(applier.drain().ok());
  EXPECT_EQ(value_of("k"), "v");
}

}  // namespace
}  // namespace braid::commit
