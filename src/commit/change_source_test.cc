// SPDX-License-Identifier: Apache-2.0
// Change sets come from the log once, then from the cache, as long as it has room. Threads: also
// run under ThreadSanitizer.
#include "commit/change_source.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "env/manual.h"
#include "log/memory_log.h"
#include "state/registry.h"

namespace braid::commit {
namespace {

/// A log that counts how often it is read.
class CountingLog final : public log::CommitLog {
 public:
  explicit CountingLog(log::MemoryLog& below) : below_(below) {}
  std::size_t reads() const { return reads_; }

  GraphId graph() const override { return below_.graph(); }
  log::LogTail tail() const override { return below_.tail(); }
  log::AppendResult append(Position first, std::span<const log::RecordDraft> group,
                           std::int64_t time_ms) override {
    return below_.append(first, group, time_ms);
  }
  Result<log::LogTail> recover() override { return below_.recover(); }
  Status read(Position first, Position last, const log::RecordVisitor& visit) const override {
    ++reads_;
    return below_.read(first, last, visit);
  }
  std::int64_t clock_ms() const override { return below_.clock_ms(); }
  Status truncate_below(Position keep_from) override { return below_.truncate_below(keep_from); }
  Position first() const override { return below_.first(); }
  Result<log::LogTail> refresh() override { return below_.refresh(); }
  Status verify() const override { return below_.verify(); }
  Status close() override { return below_.close(); }

 private:
  log::MemoryLog& below_;
  mutable std::atomic<std::size_t> reads_{0};
};

constexpr std::size_t kSize = 100;

std::string text_at(std::uint64_t position) {
  return std::string(kSize, static_cast<char>('a' + position % 26));
}

class ChangeSourceTest : public testing::Test {
 protected:
  /// Positions 1 to 8 hold change sets of kSize bytes, 9 a record without one.
  void SetUp() override {
    for (std::uint64_t position = 1; position <= 9; ++position) {
      log::RecordDraft draft;
      draft.type = state::number_of(state::RecordType::commit);
      const auto tag = position <= 8 ? state::SectionTag::changes : state::SectionTag::receipt;
      draft.sections.push_back(
          log::make_section(state::number_of(tag), text_at(position), random_));
      const std::vector<log::RecordDraft> group = {draft};
      ASSERT_EQ(memory_.append(Position{position}, group, 0).outcome, log::AppendOutcome::kDone);
    }
  }
  void expect_at(const LogChangeSource& source, std::uint64_t position) {
    const auto changes = source.changes_at(Position{position});
    ASSERT_TRUE(changes) << to_string(changes.error());
    EXPECT_EQ(**changes, text_at(position));
  }

  env::ManualClock clock_;
  env::SeededRandom random_{1};
  log::MemoryLog memory_{GraphId{}, clock_};
  CountingLog log_{memory_};
};

TEST_F(ChangeSourceTest, TheLogIsReadOnce) {
  const LogChangeSource source(log_);

  expect_at(source, 3);
  expect_at(source, 3);

  EXPECT_EQ(log_.reads(), 1U);
}

TEST_F(ChangeSourceTest, WhatIsRememberedIsNotRead) {
  const LogChangeSource source(log_);

  source.remember(Position{3}, std::make_shared<const std::string>(text_at(3)));
  expect_at(source, 3);

  EXPECT_EQ(log_.reads(), 0U);
}

TEST_F(ChangeSourceTest, RememberingTwiceTakesRoomOnce) {
  const LogChangeSource source(log_, 2 * kSize);
  for (int i = 0; i < 3; ++i) {
    source.remember(Position{1}, std::make_shared<const std::string>(text_at(1)));
  }
  expect_at(source, 2);
  ASSERT_EQ(log_.reads(), 1U);

  expect_at(source, 1);
  expect_at(source, 2);

  EXPECT_EQ(log_.reads(), 1U);
}

TEST_F(ChangeSourceTest, TheLeastRecentlyUsedBytesMakeRoom) {
  const LogChangeSource source(log_, 2 * kSize);
  expect_at(source, 1);
  expect_at(source, 2);
  expect_at(source, 1);
  expect_at(source, 3);  // in the place of 2
  ASSERT_EQ(log_.reads(), 3U);

  expect_at(source, 1);
  expect_at(source, 3);
  EXPECT_EQ(log_.reads(), 3U);
  expect_at(source, 2);
  EXPECT_EQ(log_.reads(), 4U);
}

TEST_F(ChangeSourceTest, WhatIsLargerThanTheCacheLeavesTheOthersThere) {
  const LogChangeSource source(log_, 2 * kSize);
  expect_at(source, 1);
  expect_at(source, 2);

  source.remember(Position{3}, std::make_shared<const std::string>(2 * kSize + 1, 'x'));

  expect_at(source, 1);
  expect_at(source, 2);
  EXPECT_EQ(log_.reads(), 2U);
  expect_at(source, 3);  // the log's
  EXPECT_EQ(log_.reads(), 3U);
}

TEST_F(ChangeSourceTest, BytesInUseOutliveTheirPlaceInTheCache) {
  const LogChangeSource source(log_, kSize);
  const auto held = source.changes_at(Position{1});
  ASSERT_TRUE(held);

  for (std::uint64_t position = 2; position <= 8; ++position) expect_at(source, position);

  EXPECT_EQ(**held, text_at(1));
}

TEST_F(ChangeSourceTest, AnUnknownPositionIsTheLogsError) {
  const LogChangeSource source(log_);

  for (int i = 0; i < 2; ++i) {
    const auto beyond = source.changes_at(Position{10});
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code(), log::read_one(memory_, Position{10}).error().code());
    EXPECT_EQ(beyond.error().code(), ErrorCode::not_found);
  }
  EXPECT_EQ(log_.reads(), 2U);  // a failure is not remembered

  ASSERT_TRUE(memory_.truncate_below(Position{5}).ok());
  const auto gone = source.changes_at(Position{2});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), ErrorCode::history_reclaimed);
}

TEST_F(ChangeSourceTest, ARecordWithoutChangesIsCorrupt) {
  const LogChangeSource source(log_);

  const auto changes = source.changes_at(Position{9});

  ASSERT_FALSE(changes);
  EXPECT_EQ(changes.error().code(), ErrorCode::corrupt);
}

TEST_F(ChangeSourceTest, ReadersAndRememberersOfOneCacheGetTheirOwnBytes) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kRounds = 2'000;
  const LogChangeSource source(log_, 3 * kSize);
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        const std::uint64_t position = 1 + (round * (thread + 1) + thread) % 8;
        if (round % 3 == 0) {
          source.remember(Position{position},
                          std::make_shared<const std::string>(text_at(position)));
        }
        const auto changes = source.changes_at(Position{position});
        if (!changes || **changes != text_at(position)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0U);
  EXPECT_GE(log_.reads(), 1U);
}

}  // namespace
}  // namespace braid::commit
