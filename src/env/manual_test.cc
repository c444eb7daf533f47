// SPDX-License-Identifier: Apache-2.0
#include "env/manual.h"

#include <array>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/failpoints.h"

namespace braid::env {
namespace {

TEST(ManualClock, StandsStillUntilMoved) {
  ManualClock clock(1'000);
  EXPECT_EQ(clock.now_ms(), 1'000);
  EXPECT_EQ(clock.steady_ns(), 0);

  clock.advance_ms(5);
  EXPECT_EQ(clock.now_ms(), 1'005);
  EXPECT_EQ(clock.steady_ns(), 5'000'000);

  clock.set_ms(10);  // somebody sets the wall clock back
  EXPECT_EQ(clock.now_ms(), 10);
  EXPECT_EQ(clock.steady_ns(), 5'000'000);
}

TEST(Xoshiro256, FollowsTheReferenceFromAKnownState) {
  // The first outputs of the authors' C code from state {1, 2, 3, 4}, as the test of the Rust crate
  // rand_xoshiro lists them.
  Xoshiro256 generator(std::array<std::uint64_t, 4>{1, 2, 3, 4});

  EXPECT_EQ(generator.next(), 11520U);
  EXPECT_EQ(generator.next(), 0U);
  EXPECT_EQ(generator.next(), 1509978240U);
  EXPECT_EQ(generator.next(), 1215971899390074240U);
}

TEST(Xoshiro256, BelowIsInRangeAndReachesAllOfIt) {
  Xoshiro256 generator(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(generator.below(5));

  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(generator.below(1), 0U);
}

TEST(SeededRandom, SameSeedGivesTheSameBytes) {  // E8
  const auto draw = [](std::uint64_t seed) {
    SeededRandom random(seed);
    std::array<char, 100> bytes{};
    random.fill(bytes.data(), 37);
    random.fill(bytes.data() + 37, 63);
    return bytes;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(MakeUlid, CarriesTheClocksTimeAndOrdersByIt) {
  ManualClock clock(1'700'000'000'000);
  SeededRandom random(1);
  Ulid last;
  std::set<Ulid> seen;
  for (int i = 0; i < 100; ++i) {
    const Ulid made = make_ulid(clock, random);
    EXPECT_EQ(made.time_ms(), static_cast<std::uint64_t>(clock.now_ms()));
    EXPECT_LT(last, made);
    EXPECT_TRUE(seen.insert(made).second);
    EXPECT_TRUE(seen.insert(make_ulid(clock, random)).second);  // same time, other chance
    last = *seen.rbegin();
    clock.advance_ms(1);
  }
}

TEST(MakeUlid, WithAClockOutOfItsRangeTakesTheNearestTime) {
  SeededRandom random(1);
  EXPECT_EQ(make_ulid(ManualClock(-5), random).time_ms(), 0U);
  ManualClock late;
  late.set_ms(std::int64_t{1} << 43);
  EXPECT_EQ(make_ulid(late, random).time_ms(), std::uint64_t{1} << 43);
}

TEST(Failpoints, PointThatIsNotArmedSucceeds) {  // E9
  Failpoints failpoints;
  for (const Failpoint point : kFailpoints) EXPECT_TRUE(failpoints.hit(point));
}

TEST(Failpoints, ArmedPointReturnsWhatItsActionReturns) {
  for (const Failpoint armed : kFailpoints) {
    Failpoints failpoints;
    int hits = 0;
    failpoints.arm(armed, [&]() -> Status {
      ++hits;
      return Error(ErrorCode::unavailable, "injected");
    });
    for (const Failpoint point : kFailpoints) {
      EXPECT_EQ(failpoints.hit(point).ok(), point != armed) << name_of(point);
    }
    EXPECT_EQ(hits, 1);
  }
}

TEST(Failpoints, ArmingAnewReplacesAndDisarmingEnds) {
  Failpoints failpoints;
  const Failpoint point = Failpoint::commit_after_append;
  failpoints.arm(point, []() -> Status { return Error(ErrorCode::unavailable, "first"); });
  failpoints.arm(point, []() -> Status { return Error(ErrorCode::no_space, "second"); });
  EXPECT_EQ(failpoints.hit(point).error().code(), ErrorCode::no_space);

  failpoints.disarm(point);
  failpoints.disarm(point);

  EXPECT_TRUE(failpoints.hit(point));
}

TEST(Failpoints, ActionMayDisarmItsOwnPoint) {
  Failpoints failpoints;
  const Failpoint point = Failpoint::state_before_apply;
  failpoints.arm(point, [&]() -> Status {
    failpoints.disarm(point);
    return Error(ErrorCode::unavailable, "once");
  });

  EXPECT_FALSE(failpoints.hit(point));
  EXPECT_TRUE(failpoints.hit(point));
}

TEST(Failpoints, AreNamedAsInTheList) {
  EXPECT_EQ(name_of(Failpoint::commit_before_append), "commit_before_append");
  EXPECT_EQ(name_of(Failpoint::state_before_apply), "state_before_apply");
}

}  // namespace
}  // namespace braid::env
