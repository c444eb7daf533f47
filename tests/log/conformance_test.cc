// SPDX-License-Identifier: Apache-2.0
// What every log answers, whatever it is made of.
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "env/memory_file_system.h"
#include "log/file_log.h"
#include "log/memory_log.h"
#include "log/sim_log.h"
#include "log_test_support.h"

namespace braid::log {
namespace {

/// Makes logs of one kind, and opens what an earlier handle left.
class LogMaker {
 public:
  virtual ~LogMaker() = default;
  virtual std::unique_ptr<CommitLog> create() = 0;
  virtual std::unique_ptr<CommitLog> reopen() = 0;
  env::ManualClock& clock() { return clock_; }
  env::Random& random() { return random_; }

 protected:
  env::ManualClock clock_;
  env::SeededRandom random_{1};
  env::ManualWorkers workers_{clock_};
};

LogOptions small_segments() {
  LogOptions options;
  options.segment_bytes_min = 32 << 10;
  options.segment_bytes_max = 128 << 10;
  return options;
}

template <class Files>
class FileLogMaker final : public LogMaker {
 public:
  std::unique_ptr<CommitLog> create() override {
    return checked(FileLog::create(env_, "/log", test_graph(), small_segments()));
  }
  std::unique_ptr<CommitLog> reopen() override {
    return checked(FileLog::open(env_, "/log", test_graph(), small_segments()));
  }

 private:
  static std::unique_ptr<CommitLog> checked(Result<std::unique_ptr<FileLog>> log) {
    EXPECT_TRUE(log) << to_string(log.error());
    return log ? *std::move(log) : nullptr;
  }
  Files files_;
  env::Env env_{files_, clock_, random_, workers_};
};

class MemoryLogMaker final : public LogMaker {
 public:
  std::unique_ptr<CommitLog> create() override {
    store_ = std::make_shared<MemoryLogStore>(test_graph());
    return reopen();
  }
  std::unique_ptr<CommitLog> reopen() override {
    return std::make_unique<MemoryLog>(store_, clock_);
  }

 private:
  std::shared_ptr<MemoryLogStore> store_;
};

class SimLogMaker final : public LogMaker {
 public:
  std::unique_ptr<CommitLog> create() override {
    store_ = std::make_shared<MemoryLogStore>(test_graph());
    return reopen();
  }
  std::unique_ptr<CommitLog> reopen() override {
    return std::make_unique<SimLog>(store_, clock_, SimLogFaults{});
  }

 private:
  std::shared_ptr<MemoryLogStore> store_;
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<LogMaker>()> make;
};

class LogConformance : public testing::TestWithParam<Kind> {
 protected:
  LogConformance() : maker_(GetParam().make()), log_(maker_->create()) {}

  std::vector<RecordDraft> group(std::size_t records, const std::string& mark,
                                 std::size_t body_bytes = 0) {
    return make_group(maker_->random(), records, body_bytes, mark);
  }
  void expect_positions(const CommitLog& log, std::uint64_t first, std::uint64_t last) {
    const auto records = read_all(log);
    ASSERT_TRUE(records) << to_string(records.error());
    ASSERT_EQ(records->size(), last + 1 - first);
    for (std::size_t i = 0; i < records->size(); ++i) {
      EXPECT_EQ((*records)[i].position.value, first + i);
    }
  }

  std::unique_ptr<LogMaker> maker_;
  std::unique_ptr<CommitLog> log_;
};

TEST_P(LogConformance, EmptyLogHasTheGenesisHash) {
  EXPECT_EQ(log_->graph(), test_graph());
  EXPECT_EQ(log_->tail().last, Position{0});
  EXPECT_EQ(log_->tail().hash, genesis_hash(test_graph()));
  EXPECT_EQ(log_->tail().epoch, Epoch{1});
  EXPECT_EQ(log_->first(), Position{1});
  expect_positions(*log_, 1, 0);
  EXPECT_EQ(read_one(*log_, {1}).error().code(), ErrorCode::not_found);
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, AppendedGroupIsReadBack) {  // L3, L4
  const auto drafts = group(3, "a");
  maker_->clock().set_ms(1'800'000'000'000);

  const AppendResult result = append(*log_, drafts);

  ASSERT_EQ(result.outcome, AppendOutcome::kDone);
  EXPECT_EQ(result.time_ms, 1'800'000'000'000);
  EXPECT_EQ(log_->tail().last, Position{3});
  EXPECT_EQ(log_->tail().hash, result.last_hash);
  const auto records = read_all(*log_);
  ASSERT_TRUE(records) << to_string(records.error());
  base::Digest hash = genesis_hash(test_graph());
  for (std::size_t i = 0; i < 3; ++i) {
    const Record& record = (*records)[i];
    EXPECT_EQ(record.position.value, i + 1);
    EXPECT_EQ(body_of(record), drafts[i].sections[0].body);
    EXPECT_EQ(record.sections[0].salt, drafts[i].sections[0].salt);
    EXPECT_EQ(record.time_ms, result.time_ms);
    EXPECT_EQ(record.epoch, Epoch{1});
    EXPECT_EQ(record.previous_hash, hash);
    hash = record.hash;
  }
  EXPECT_EQ(hash, result.last_hash);
}

TEST_P(LogConformance, AppendElsewhereThanAtTheEndIsLost) {  // L4
  ASSERT_EQ(append(*log_, group(2, "a")).outcome, AppendOutcome::kDone);
  for (const std::uint64_t first : {1U, 2U, 4U}) {
    const AppendResult result = log_->append({first}, group(1, "b"), 0);
    EXPECT_EQ(result.outcome, AppendOutcome::kLost);
    EXPECT_EQ(result.error->code(), ErrorCode::fenced);
  }
  expect_positions(*log_, 1, 2);
}

TEST_P(LogConformance, GroupOverTheLimitsIsRefused) {
  const AppendResult empty = append(*log_, {});
  const AppendResult many = append(*log_, group(1025, ""));
  const AppendResult large = append(*log_, group(5, "", 1 << 20));

  EXPECT_EQ(empty.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(empty.error->code(), ErrorCode::bad_request);
  EXPECT_EQ(many.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(many.error->code(), ErrorCode::resource_limit);
  EXPECT_EQ(*many.error->detail("actual"), "1025");
  EXPECT_EQ(large.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(large.error->code(), ErrorCode::resource_limit);
  EXPECT_EQ(append(*log_, group(1024, "")).outcome, AppendOutcome::kDone);
  EXPECT_EQ(append(*log_, group(3, "", 1 << 20)).outcome, AppendOutcome::kDone);
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, ReadVisitsTheRangeAndStopsAtTheEnd) {
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(append(*log_, group(3, "g", 3000)).outcome == AppendOutcome::kDone);
  std::vector<std::uint64_t> seen;
  const auto visit = [&](const Record& record) -> Status {
    seen.push_back(record.position.value);
    return Unit{};
  };

  ASSERT_TRUE(log_->read({5}, {8}, visit));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{5, 6, 7, 8}));
  seen.clear();
  ASSERT_TRUE(log_->read({59}, {1000}, visit));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{59, 60}));
  seen.clear();
  ASSERT_TRUE(log_->read({61}, {1000}, visit));
  ASSERT_TRUE(log_->read({8}, {5}, visit));
  EXPECT_TRUE(seen.empty());
}

TEST_P(LogConformance, VisitorsErrorStopsTheRead) {
  ASSERT_EQ(append(*log_, group(3, "a")).outcome, AppendOutcome::kDone);
  int visits = 0;

  const Status status = log_->read({1}, {3}, [&](const Record&) -> Status {
    ++visits;
    return Error(ErrorCode::cancelled, "enough");
  });

  EXPECT_EQ(status.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(visits, 1);
}

TEST_P(LogConformance, TimeNeverGoesBack) {
  maker_->clock().set_ms(2'000'000);
  ASSERT_EQ(append(*log_, group(1, "a")).time_ms, 2'000'000);
  maker_->clock().set_ms(1'000'000);

  EXPECT_EQ(log_->clock_ms(), 2'000'000);
  EXPECT_EQ(log_->append({2}, group(1, "b"), 1'000'000).time_ms, 2'000'000);
  maker_->clock().set_ms(3'000'000);
  EXPECT_EQ(log_->clock_ms(), 3'000'000);
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, NextSessionContinuesWithTheNextEpoch) {
  ASSERT_EQ(append(*log_, group(2, "a")).outcome, AppendOutcome::kDone);
  const LogTail before = log_->tail();
  ASSERT_GOOD(log_->close());
  log_.reset();

  log_ = maker_->reopen();

  ASSERT_NE(log_, nullptr);
  EXPECT_EQ(log_->tail().last, before.last);
  EXPECT_EQ(log_->tail().hash, before.hash);
  EXPECT_EQ(log_->tail().time_ms, before.time_ms);
  EXPECT_EQ(log_->tail().epoch, Epoch{2});
  ASSERT_EQ(append(*log_, group(1, "b")).outcome, AppendOutcome::kDone);
  const auto last = read_one(*log_, {3});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->previous_hash, before.hash);
  EXPECT_EQ(last->epoch, Epoch{2});
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, SessionWithoutACloseLosesNothing) {
  ASSERT_EQ(append(*log_, group(2, "a")).outcome, AppendOutcome::kDone);
  log_.reset();
  log_ = maker_->reopen();
  ASSERT_NE(log_, nullptr);
  expect_positions(*log_, 1, 2);
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, ClosedLogRefusesAppendsAndStillReads) {
  ASSERT_EQ(append(*log_, group(2, "a")).outcome, AppendOutcome::kDone);
  ASSERT_GOOD(log_->close());

  const AppendResult result = append(*log_, group(1, "b"));

  EXPECT_EQ(result.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(result.error->code(), ErrorCode::unavailable);
  expect_positions(*log_, 1, 2);
  EXPECT_TRUE(log_->close());
}

TEST_P(LogConformance, RecoverIsHarmlessWhenNothingFailed) {
  ASSERT_EQ(append(*log_, group(2, "a")).outcome, AppendOutcome::kDone);
  const auto tail = log_->recover();
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->last, Position{2});
  EXPECT_EQ(tail->epoch, Epoch{1});
}

TEST_P(LogConformance, TruncatedPositionsAreReclaimedAndStayTaken) {
  for (int i = 0; i < 40; ++i)
    ASSERT_EQ(append(*log_, group(1, "g", 3000)).outcome, AppendOutcome::kDone);
  const base::Digest hash = log_->tail().hash;

  ASSERT_TRUE(log_->truncate_below({30}));

  const Position first = log_->first();
  EXPECT_GT(first, Position{1});
  EXPECT_LE(first, Position{30});
  EXPECT_EQ(read_one(*log_, {1}).error().code(), ErrorCode::history_reclaimed);
  expect_positions(*log_, first.value, 40);
  EXPECT_GOOD(log_->verify());
  ASSERT_EQ(append(*log_, group(1, "h")).outcome, AppendOutcome::kDone);
  EXPECT_EQ(read_one(*log_, {41})->previous_hash, hash);
  log_.reset();
  log_ = maker_->reopen();
  ASSERT_NE(log_, nullptr);
  EXPECT_EQ(log_->first(), first);
  EXPECT_EQ(log_->tail().last, Position{41});
  EXPECT_GOOD(log_->verify());
}

TEST_P(LogConformance, ManySessionsKeepOneChain) {
  for (std::uint64_t i = 1; i <= 12; ++i) {
    ASSERT_EQ(append(*log_, group(1, "s", i * 1000)).outcome, AppendOutcome::kDone);
    if (i % 2 == 0) {
      ASSERT_GOOD(log_->close());
    }
    log_.reset();
    log_ = maker_->reopen();
    ASSERT_NE(log_, nullptr);
    ASSERT_EQ(log_->tail().last, Position{i});
    ASSERT_EQ(log_->tail().epoch, Epoch{i + 1});
  }
  expect_positions(*log_, 1, 12);
  EXPECT_GOOD(log_->verify());
}

INSTANTIATE_TEST_SUITE_P(
    AllLogs, LogConformance,
    testing::Values(Kind{"FileInMemory",
                         [] { return std::make_unique<FileLogMaker<env::MemoryFileSystem>>(); }},
                    Kind{"FileSimulated",
                         [] { return std::make_unique<FileLogMaker<env::SimFileSystem>>(); }},
                    Kind{"Memory", [] { return std::make_unique<MemoryLogMaker>(); }},
                    Kind{"Simulated", [] { return std::make_unique<SimLogMaker>(); }}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace braid::log
