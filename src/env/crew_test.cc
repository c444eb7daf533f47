// SPDX-License-Identifier: Apache-2.0
#include "env/crew.h"

#include <atomic>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/manual.h"
#include "env/real.h"

namespace braid::env {
namespace {

using testing::ElementsAre;

// E16
TEST(Crew, EachTaskIsDoneOnceByHoweverManyThreads) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    std::vector<std::atomic<int>> done(1000);
    Crew(thread_workers(), threads).run(done.size(), [&](std::size_t i) { done[i].fetch_add(1); });
    for (const std::atomic<int>& times : done) ASSERT_EQ(times.load(), 1) << threads;
  }
}

// E16
TEST(Crew, NobodyRunsOnceItReturns) {
  const Crew crew(thread_workers(), 4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> running{0};
    crew.run(4, [&](std::size_t) {
      running.fetch_add(1);
      running.fetch_sub(1);
    });
    EXPECT_EQ(running.load(), 0);
  }
}

TEST(Crew, HelpersThatNobodyStepsLeaveAllWorkToTheCallerInOrder) {
  ManualClock clock;
  ManualWorkers workers(clock);
  std::vector<std::size_t> order;
  Crew(workers, 3).run(4, [&](std::size_t i) { order.push_back(i); });
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(workers.run_until_idle(), 0U);
}

TEST(Crew, OfNobodyElseIsTheCallingThread) {
  std::vector<std::size_t> order;
  Crew().run(2, [&](std::size_t i) { order.push_back(i); });
  Crew().run(0, [&](std::size_t i) { order.push_back(i); });
  EXPECT_THAT(order, ElementsAre(0, 1));
}

TEST(Crew, TakesAsManyThreadsAsTheWorkersCanRunUnlessToldOtherwise) {
  ManualClock clock;
  ManualWorkers manual(clock);
  EXPECT_EQ(Crew(manual, 0).threads(), 1U);
  EXPECT_EQ(Crew(thread_workers(), 3).threads(), 3U);
  EXPECT_GE(Crew(thread_workers(), 0).threads(), 1U);
}

}  // namespace
}  // namespace braid::env
