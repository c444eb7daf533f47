// SPDX-License-Identifier: Apache-2.0
// The simulated log's faults are faults that a real log may have, and no others.
#include "log/sim_log.h"

#include <gtest/gtest.h>

#include "log_test_support.h"

namespace braid::log {
namespace {

class SimLogTest : public testing::Test {
 protected:
  std::vector<RecordDraft> group() { return make_group(random_, 2, 10, "g"); }

  env::ManualClock clock_;
  env::SeededRandom random_{1};
  std::shared_ptr<MemoryLogStore> store_ = std::make_shared<MemoryLogStore>(test_graph());
};

TEST_F(SimLogTest, RefusedGroupIsNotThereAndTheLogGoesOn) {
  SimLogFaults faults;
  faults.refused_in = 1;
  SimLog log(store_, clock_, faults);

  const AppendResult result = append(log, group());

  EXPECT_EQ(result.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(result.error->code(), ErrorCode::no_space);
  EXPECT_EQ(log.tail().last, Position{0});
  log.heal();
  EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kDone);
}

TEST_F(SimLogTest, LostPositionIsTakenByARival) {
  SimLogFaults faults;
  faults.lost_in = 1;
  SimLog log(store_, clock_, faults);

  EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kLost);

  EXPECT_EQ(read_one(log, {1})->type, faults.rival_type);
  EXPECT_GOOD(log.verify());
}

TEST_F(SimLogTest, UnknownGroupIsDecidedByRecoveryEitherWay) {
  int landed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimLogFaults faults;
    faults.seed = seed;
    faults.unknown_in = 1;
    SimLog log(std::make_shared<MemoryLogStore>(test_graph()), clock_, faults);

    EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kUnknown);
    EXPECT_EQ(log.tail().last, Position{0});
    EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kUnknown);
    const auto tail = log.recover();

    ASSERT_TRUE(tail);
    EXPECT_TRUE(tail->last == Position{0} || tail->last == Position{2});
    if (tail->last == Position{2}) ++landed;
    log.heal();
    EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kDone);
  }
  EXPECT_GT(landed, 5);
  EXPECT_LT(landed, 35);
}

TEST_F(SimLogTest, CrashedHandleIsDeadAndTheStoreHasTheGroupWholeOrNot) {
  int landed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto store = std::make_shared<MemoryLogStore>(test_graph());
    SimLogFaults faults;
    faults.seed = seed;
    faults.crash_in = 1;
    SimLog log(store, clock_, faults);

    EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kUnknown);
    EXPECT_TRUE(log.is_crashed());
    EXPECT_FALSE(log.recover());
    EXPECT_FALSE(log.read({1}, {2}, [](const Record&) { return Status(Unit{}); }));

    const SimLog next(store, clock_, {});
    EXPECT_TRUE(next.tail().last == Position{0} || next.tail().last == Position{2});
    if (next.tail().last == Position{2}) ++landed;
  }
  EXPECT_GT(landed, 5);
  EXPECT_LT(landed, 35);
}

TEST_F(SimLogTest, DelayRunsBeforeEachAppend) {
  int delays = 0;
  SimLogFaults faults;
  faults.delay = [&] { ++delays; };
  SimLog log(store_, clock_, faults);
  EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kDone);
  EXPECT_EQ(append(log, group()).outcome, AppendOutcome::kDone);
  EXPECT_EQ(delays, 2);
}

}  // namespace
}  // namespace braid::log
