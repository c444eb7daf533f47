// SPDX-License-Identifier: Apache-2.0
// Jobs: what both kinds of Workers promise, with threads and without.
#include "env/worker.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/manual.h"
#include "env/mutex.h"
#include "env/real.h"

namespace braid::env {
namespace {

using testing::ElementsAre;

/// Counts, and lets others wait for a count: no test sleeps.
class Counter {
 public:
  void add() {
    const Lock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) {
    const Lock lock(mutex_);
    while (count_ < count) changed_.wait(mutex_);
  }
  int count() {
    const Lock lock(mutex_);
    return count_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int count_ BRAID_GUARDED_BY(mutex_) = 0;
};

TEST(ThreadWorkers, FirstStepRunsWhenWoken) {
  Counter steps;
  const auto job = thread_workers().start("test", [&] {
    steps.add();
    return NextStep::when_woken();
  });

  job->wake();

  steps.wait_for(1);
}

TEST(ThreadWorkers, StepMayAskForTheNextOneAtOnceOrLater) {
  Counter steps;
  const auto job = thread_workers().start("test", [&] {
    steps.add();
    return steps.count() < 3 ? NextStep::now() : NextStep::after_ms(1);
  });

  job->wake();

  steps.wait_for(6);
}

TEST(ThreadWorkers, RestingJobRunsOnceForOneWake) {
  Counter steps;
  const auto job = thread_workers().start("test", [&] {
    steps.add();
    return NextStep::when_woken();
  });
  Counter others;
  const auto other = thread_workers().start("other", [&] {
    others.add();
    return NextStep::now();
  });
  job->wake();
  steps.wait_for(1);

  other->wake();
  others.wait_for(200);  // time enough for another step, were there one

  job->stop();
  EXPECT_EQ(steps.count(), 1);
}

TEST(ThreadWorkers, WakeDuringAStepLeadsToAnother) {  // E4
  Counter entered;
  Counter released;
  const auto job = thread_workers().start("test", [&] {
    entered.add();
    released.wait_for(1);
    return NextStep::when_woken();
  });
  job->wake();
  entered.wait_for(1);

  job->wake();  // the step is still running
  released.add();

  entered.wait_for(2);
}

TEST(ThreadWorkers, WakeEndsALongDelay) {  // E4
  Counter steps;
  const auto job = thread_workers().start("test", [&] {
    steps.add();
    return NextStep{INT64_MAX};
  });
  job->wake();
  steps.wait_for(1);

  job->wake();

  steps.wait_for(2);
}

TEST(ThreadWorkers, ManyWakersLeaveNoWakeUnseen) {  // E3, E4
  std::atomic<int> asked{0};
  std::atomic<int> running{0};
  std::atomic<bool> overlapped{false};
  Counter done;
  int seen = 0;  // guarded by E3
  const auto job = thread_workers().start("test", [&] {
    if (running.fetch_add(1) != 0) overlapped = true;
    seen = asked.load();
    if (seen == 400) done.add();
    running.fetch_sub(1);
    return NextStep::when_woken();
  });

  std::vector<std::thread> wakers;
  for (int i = 0; i < 4; ++i) {
    wakers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        asked.fetch_add(1);
        job->wake();
      }
    });
  }
  for (std::thread& waker : wakers) waker.join();

  done.wait_for(1);
  job->stop();
  EXPECT_EQ(seen, 400);
  EXPECT_FALSE(overlapped);
}

TEST(ThreadWorkers, StopWaitsForTheRunningStepAndEndsAllSteps) {  // E3
  Counter entered;
  Counter released;
  std::atomic<bool> finished{false};
  const auto job = thread_workers().start("test", [&] {
    entered.add();
    released.wait_for(1);
    finished = true;
    return NextStep::now();
  });
  job->wake();
  entered.wait_for(1);
  std::thread releaser([&] { released.add(); });

  job->stop();

  EXPECT_TRUE(finished);
  const int steps = entered.count();
  job->wake();
  job->stop();
  EXPECT_EQ(entered.count(), steps);
  releaser.join();
}

TEST(ThreadWorkers, TwoThreadsMayStopAtOnce) {  // E3
  const auto job =
      thread_workers().start("a name longer than a thread's", [] { return NextStep::now(); });
  job->wake();

  std::thread other([&] { job->stop(); });
  job->stop();
  other.join();
}

class ManualWorkersTest : public testing::Test {
 protected:
  std::unique_ptr<Job> start(std::string name, NextStep next) {
    return workers_.start(name, [this, name, next] {
      trace_.push_back(name);
      return next;
    });
  }

  ManualClock clock_;
  ManualWorkers workers_{clock_};
  std::vector<std::string> trace_;
};

TEST_F(ManualWorkersTest, NothingRunsUnlessTold) {
  const auto job = start("a", NextStep::when_woken());
  EXPECT_EQ(workers_.run_until_idle(), 0U);
  job->wake();
  EXPECT_THAT(trace_, ElementsAre());

  EXPECT_EQ(workers_.run_until_idle(), 1U);

  EXPECT_THAT(trace_, ElementsAre("a"));
}

TEST_F(ManualWorkersTest, DelayedStepRunsWhenTheClockGetsThere) {
  const auto job = start("a", NextStep::after_ms(10));
  job->wake();
  workers_.run_until_idle();
  EXPECT_EQ(workers_.next_due_ns(), clock_.steady_ns() + 10'000'000);

  clock_.advance_ms(9);
  EXPECT_EQ(workers_.run_due(), 0U);
  clock_.advance_ms(1);
  EXPECT_EQ(workers_.run_due(), 1U);
}

TEST_F(ManualWorkersTest, NextDueIsNowForAWokenJobAndNeverForRestingOnes) {
  const auto job = start("a", NextStep::when_woken());
  EXPECT_EQ(workers_.next_due_ns(), std::nullopt);
  clock_.advance_ms(3);

  job->wake();

  EXPECT_EQ(workers_.next_due_ns(), 3'000'000);
}

TEST_F(ManualWorkersTest, WakeDuringAStepLeadsToAnother) {  // E4
  std::unique_ptr<Job> job;
  int steps = 0;
  job = workers_.start("a", [&] {
    if (++steps < 3) job->wake();
    return NextStep::when_woken();
  });
  job->wake();

  EXPECT_EQ(workers_.run_until_idle(), 3U);
}

TEST_F(ManualWorkersTest, StoppedJobsNeverRun) {  // E3
  const auto a = start("a", NextStep::now());
  auto b = start("b", NextStep::now());
  a->wake();
  b->wake();

  a->stop();
  b.reset();

  EXPECT_EQ(workers_.run_until_idle(), 0U);
}

TEST_F(ManualWorkersTest, StepMayStopAnotherJobOfTheSameRound) {  // E3
  const auto b = std::make_unique<std::unique_ptr<Job>>();
  const auto a = workers_.start("a", [&] {
    b->reset();
    return NextStep::when_woken();
  });
  *b = start("b", NextStep::when_woken());
  a->wake();
  (*b)->wake();

  EXPECT_EQ(workers_.run_until_idle(), 1U);

  EXPECT_THAT(trace_, ElementsAre());
}

TEST_F(ManualWorkersTest, StopFromAnotherThreadWaitsForTheStep) {  // E3
  Counter stopping;
  std::atomic<bool> finished{false};
  std::thread stopper;
  std::unique_ptr<Job> job;
  job = workers_.start("a", [&] {
    stopper = std::thread([&] {
      stopping.add();
      job->stop();
      EXPECT_TRUE(finished);
    });
    stopping.wait_for(1);
    finished = true;
    return NextStep::now();
  });
  job->wake();

  workers_.run_due();

  stopper.join();
  EXPECT_EQ(workers_.run_until_idle(), 0U);
}

TEST_F(ManualWorkersTest, OneSeedDecidesTheOrder) {  // E8
  const auto run = [this](std::uint64_t seed) {
    SeededRandom random(seed);
    const auto a = start("a", NextStep::now());
    const auto b = start("b", NextStep::now());
    a->wake();
    b->wake();
    trace_.clear();
    for (int i = 0; i < 32; ++i) EXPECT_TRUE(workers_.step_one(random));
    return trace_;
  };
  const auto one = run(1);

  EXPECT_EQ(one, run(1));
  EXPECT_NE(one, run(2));
  EXPECT_THAT(one, testing::Contains("a"));
  EXPECT_THAT(one, testing::Contains("b"));
}

TEST_F(ManualWorkersTest, StepOneSaysWhenThereIsNothingToDo) {
  SeededRandom random(1);
  const auto job = start("a", NextStep::when_woken());
  EXPECT_FALSE(workers_.step_one(random));
  job->wake();

  EXPECT_TRUE(workers_.step_one(random));
  EXPECT_FALSE(workers_.step_one(random));
}

TEST(ManualWorkers, JobsMayOutliveThem) {
  const ManualClock clock;
  std::unique_ptr<Job> job;
  {
    ManualWorkers workers(clock);
    job = workers.start("a", [] { return NextStep::now(); });
  }
  job->wake();
  job->stop();
}

}  // namespace
}  // namespace braid::env
