// SPDX-License-Identifier: Apache-2.0
// What the file log does on the disk: how many calls, which files, when it is full, and beside
// another process.
#include "log/file_log.h"

#include <memory>
#include <ostream>

#include <gtest/gtest.h>

#include "log_test_support.h"

namespace braid::log {
namespace {

using env::FileOperation;

constexpr const char* kDirectory = "/log";

/// Calls that cost something on a disk.
struct Calls {
  std::uint64_t opens = 0;
  std::uint64_t writes = 0;
  std::uint64_t syncs = 0;
  std::uint64_t truncates = 0;
  std::uint64_t renames = 0;
  std::uint64_t removes = 0;
  std::uint64_t directory_syncs = 0;
  friend bool operator==(const Calls&, const Calls&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Calls& calls) {
    return out << "opens " << calls.opens << ", writes " << calls.writes << ", syncs "
               << calls.syncs << ", truncates " << calls.truncates << ", renames " << calls.renames
               << ", removes " << calls.removes << ", directory syncs " << calls.directory_syncs;
  }
};

class FileLogTest : public testing::Test {
 protected:
  std::unique_ptr<FileLog> create(LogOptions options = {}) {
    auto log = FileLog::create(machine_.env, kDirectory, test_graph(), options);
    EXPECT_TRUE(log) << text_of(log);
    return log ? *std::move(log) : nullptr;
  }
  std::unique_ptr<FileLog> open(LogOptions options = {}) {
    auto log = FileLog::open(machine_.env, kDirectory, test_graph(), options);
    EXPECT_TRUE(log) << text_of(log);
    return log ? *std::move(log) : nullptr;
  }
  std::unique_ptr<FileLog> follow() {
    auto log = FileLog::open_read_only(machine_.env, kDirectory, test_graph());
    EXPECT_TRUE(log) << text_of(log);
    return log ? *std::move(log) : nullptr;
  }
  AppendResult append_some(FileLog& log, std::size_t body_bytes = 500) {
    return append(log, make_group(machine_.random, 1, body_bytes, "g"));
  }
  void expect_done(const AppendResult& result) {
    ASSERT_EQ(result.outcome, AppendOutcome::kDone)
        << (result.error ? to_string(*result.error) : "");
  }
  /// Time passes and the background jobs run.
  void idle() {
    for (int i = 0; i < 4; ++i) {
      machine_.workers.run_due();
      machine_.clock.advance_ms(25);
    }
    machine_.workers.run_due();
  }
  Calls calls_of(const std::function<void()>& work) {
    machine_.files.reset_counters();
    work();
    const env::FileCounters counters = machine_.files.counters();
    return {.opens = counters.of(FileOperation::open),
            .writes = counters.of(FileOperation::write),
            .syncs = counters.of(FileOperation::sync),
            .truncates = counters.of(FileOperation::truncate),
            .renames = counters.of(FileOperation::rename),
            .removes = counters.of(FileOperation::remove),
            .directory_syncs = counters.of(FileOperation::sync_directory)};
  }
  std::vector<std::string> names() { return *machine_.files.list(kDirectory); }

  SimMachine machine_;
};

LogOptions segments_of(std::uint64_t bytes) {
  LogOptions options;
  options.segment_bytes_min = options.segment_bytes_max = bytes;
  return options;
}

TEST_F(FileLogTest, AppendIsOneWriteAndOneSync) {  // L3
  const auto log = create();
  EXPECT_EQ(calls_of([&] { expect_done(append_some(*log)); }), (Calls{.writes = 1, .syncs = 1}));
  EXPECT_EQ(
      calls_of([&] { expect_done(append(*log, make_group(machine_.random, 50, 2000, "g"))); }),
      (Calls{.writes = 1, .syncs = 1}));
}

TEST_F(FileLogTest, SegmentSwitchUsesTheSpareThatTheBackgroundMade) {
  const auto log = create(segments_of(64 << 10));
  for (int i = 0; i < 9; ++i) expect_done(append_some(*log));
  idle();
  ASSERT_EQ(names(), (std::vector<std::string>{segment_name({1}), "reserve.seg", "spare.seg"}));
  std::uint64_t switches = 0;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t before = log->stats().segments_started;
    const Calls calls = calls_of([&] { expect_done(append_some(*log)); });
    if (log->stats().segments_started == before) continue;
    ++switches;
    // The spare's header; the frame that leads to it; the group.
    EXPECT_EQ(calls, (Calls{.opens = 1,
                            .writes = 3,
                            .syncs = 3,
                            .truncates = 1,
                            .renames = 1,
                            .directory_syncs = 1}));
  }
  EXPECT_EQ(switches, 1U);
}

TEST_F(FileLogTest, SegmentSwitchWithoutASpareMakesTheFileItself) {
  const auto log = create(segments_of(64 << 10));
  std::uint64_t switches = 0;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = log->stats().segments_started;
    const Calls calls = calls_of([&] { expect_done(append_some(*log)); });
    if (log->stats().segments_started == before) continue;
    ++switches;
    EXPECT_EQ(calls, (Calls{.opens = 1,
                            .writes = 4,
                            .syncs = 3,
                            .truncates = 1,
                            .renames = 1,
                            .directory_syncs = 1}));
  }
  EXPECT_EQ(switches, 1U);
}

TEST_F(FileLogTest, CleanCloseAndOpenAreOneWriteEach) {
  auto log = create();
  expect_done(append_some(*log));
  EXPECT_EQ(calls_of([&] { ASSERT_GOOD(log->close()); }), (Calls{.writes = 1, .syncs = 1}));
  log.reset();
  // To survey and to write: two opens.
  EXPECT_EQ(calls_of([&] { log = open(); }), (Calls{.opens = 2, .writes = 1, .syncs = 1}));
}

TEST_F(FileLogTest, UncleanOpenRewritesTheTailAndNothingElse) {  // L13
  auto log = create();
  for (int i = 0; i < 5; ++i) expect_done(append_some(*log));
  log.reset();
  machine_.files.kill();
  // The reserve: header and group; the frame that ends the old segment; `opened`.
  EXPECT_EQ(calls_of([&] { log = open(); }), (Calls{.opens = 3,
                                                    .writes = 3,
                                                    .syncs = 3,
                                                    .truncates = 1,
                                                    .renames = 1,
                                                    .directory_syncs = 1}));
  EXPECT_EQ(log->tail().last, Position{5});
}

TEST_F(FileLogTest, ReadOnlyOpenChangesNothing) {
  {
    const auto log = create();
    expect_done(append_some(*log));
  }
  const auto before = names();
  EXPECT_EQ(calls_of([&] {
              const auto reader = follow();
              ASSERT_GOOD(reader->verify());
              ASSERT_TRUE(reader->refresh());
              EXPECT_EQ(append_some(*reader).error->code(), ErrorCode::read_only);
              EXPECT_EQ(reader->truncate_below({1}).error().code(), ErrorCode::read_only);
            }).writes,
            0U);
  EXPECT_EQ(names(), before);
  EXPECT_EQ(machine_.files.counters().of(FileOperation::rename), 0U);
}

TEST_F(FileLogTest, IdleLogIsSealedOnceWithin50Ms) {
  const auto log = create();
  expect_done(append_some(*log));
  const auto reader = follow();
  EXPECT_EQ(reader->tail().last, Position{0});  // nothing proves yet that it is durable (L5)

  machine_.workers.run_due();
  machine_.clock.advance_ms(25);
  EXPECT_EQ(calls_of([&] { machine_.workers.run_due(); }), (Calls{.writes = 1, .syncs = 1}));

  EXPECT_EQ(reader->refresh()->last, Position{1});
  EXPECT_EQ(calls_of([&] { idle(); }), Calls{});
  EXPECT_EQ(machine_.workers.next_due_ns(), std::nullopt);
}

TEST_F(FileLogTest, BusyLogIsNotSealed) {
  const auto log = create();
  for (int i = 0; i < 10; ++i) {
    expect_done(append_some(*log));
    machine_.workers.run_due();
    machine_.clock.advance_ms(24);
  }
  EXPECT_EQ(log->stats().markers, 0U);
}

TEST_F(FileLogTest, CrashesOfASmallLogMakeSmallSegments) {
  auto log = create();
  for (int i = 0; i < 8; ++i) {
    expect_done(append_some(*log));
    log.reset();
    machine_.files.crash(1);
    log = open();
    idle();
  }
  std::uint64_t bytes = 0;
  for (const std::string& name : names()) {
    bytes += machine_.files.stat(env::join(kDirectory, name))->size_bytes;
  }
  EXPECT_LT(bytes, std::uint64_t{3} << 20);
}

TEST_F(FileLogTest, SegmentsDoubleWithTheLog) {
  const auto log = create();
  std::vector<std::uint64_t> sizes;
  while (sizes.size() < 4) {
    const std::uint64_t before = log->stats().segments_started;
    expect_done(append(*log, make_group(machine_.random, 4, 60'000, "g")));
    idle();
    if (log->stats().segments_started == before) continue;
    const std::string name = segment_name({log->tail().last.value - 3});
    sizes.push_back(machine_.files.stat(env::join(kDirectory, name))->size_bytes >> 20);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{1, 2, 4, 8}));
}

TEST_F(FileLogTest, GroupLargerThanASegmentGetsASegmentOfItsOwn) {
  const auto log = create(segments_of(32 << 10));
  expect_done(append_some(*log));
  expect_done(append_some(*log, 1 << 20));
  expect_done(append_some(*log));
  EXPECT_EQ(read_all(*log)->size(), 3U);
  EXPECT_GOOD(log->verify());
}

TEST_F(FileLogTest, FailedWriteLeavesTheOutcomeUnknownUntilRecovered) {  // L13
  for (const FileOperation operation : {FileOperation::write, FileOperation::sync}) {
    SimMachine machine(operation == FileOperation::write ? 3 : 4);
    auto log = *FileLog::create(machine.env, kDirectory, test_graph());
    const auto some = [&] { return append(*log, make_group(machine.random, 1, 9000, "g")); };
    expect_done(some());
    machine.files.fail({.operation = operation, .path_part = {}});

    const AppendResult unknown = some();

    EXPECT_EQ(unknown.outcome, AppendOutcome::kUnknown);
    EXPECT_EQ(unknown.error->code(), ErrorCode::outcome_unknown);
    EXPECT_EQ(log->tail().last, Position{1});
    EXPECT_EQ(read_all(*log)->size(), 1U);
    EXPECT_EQ(some().outcome, AppendOutcome::kUnknown);
    EXPECT_EQ(log->close().error().code(), ErrorCode::outcome_unknown);
    const auto tail = log->recover();
    ASSERT_TRUE(tail) << text_of(tail);
    EXPECT_LE(tail->last, Position{2});
    EXPECT_EQ(tail->epoch, Epoch{2});
    expect_done(some());
    machine.files.crash(9, env::CrashMode::kLoseUnsynced);
    log.reset();
    log = *FileLog::open(machine.env, kDirectory, test_graph());
    EXPECT_EQ(log->tail().last, tail->last.next());
    EXPECT_GOOD(log->verify());
  }
}

TEST_F(FileLogTest, FailedRecoveryLeavesReadsGoingAndIsRepeated) {
  auto log = create();
  for (int i = 0; i < 3; ++i) expect_done(append_some(*log));
  machine_.files.fail({.operation = FileOperation::sync, .path_part = {}});
  ASSERT_EQ(append_some(*log).outcome, AppendOutcome::kUnknown);
  for (std::uint64_t step = 0; step < 12; ++step) {
    machine_.files.fail({.operation = std::nullopt, .path_part = {}, .after_calls = step * 3});
    if (log->recover()) break;
    machine_.files.clear_faults();
    const auto records = read_all(*log);
    ASSERT_TRUE(records) << text_of(records);
    EXPECT_EQ(records->size(), 3U);
    EXPECT_EQ(append_some(*log).outcome, AppendOutcome::kUnknown);
  }
  machine_.files.clear_faults();
  ASSERT_TRUE(log->recover());
  EXPECT_GE(log->tail().last, Position{3});
  EXPECT_GOOD(log->verify());
}

TEST_F(FileLogTest, FullDiskRefusesAndResumesByItself) {
  SimMachine machine(1, std::uint64_t{3} << 20);
  const auto log = *FileLog::create(machine.env, kDirectory, test_graph(), segments_of(1 << 20));
  const auto some = [&] { return append(*log, make_group(machine.random, 1, 100'000, "g")); };
  AppendResult result = some();
  while (result.outcome == AppendOutcome::kDone) result = some();
  ASSERT_EQ(result.outcome, AppendOutcome::kRefused);
  EXPECT_EQ(result.error->code(), ErrorCode::no_space);
  const std::uint64_t last = log->tail().last.value;
  EXPECT_GT(last, 15U);
  EXPECT_EQ(read_all(*log)->size(), last);
  EXPECT_EQ(some().outcome, AppendOutcome::kRefused);

  ASSERT_GOOD(log->truncate_below({last}));

  EXPECT_EQ(some().outcome, AppendOutcome::kDone);
  EXPECT_GOOD(log->verify());
}

TEST_F(FileLogTest, RecoveryOnAFullDiskUsesTheReserve) {
  SimMachine machine(1, (std::uint64_t{3} << 20) + 4096);
  auto log = *FileLog::create(machine.env, kDirectory, test_graph(), segments_of(1 << 20));
  while (append(*log, make_group(machine.random, 1, 100'000, "g")).outcome ==
         AppendOutcome::kDone) {
  }
  const std::uint64_t last = log->tail().last.value;
  const auto filler = *machine.files.open("/filler", env::OpenMode::kCreateNew);
  ASSERT_FALSE(filler->write_at(0, std::string(std::size_t{4} << 20, 'x')));
  log.reset();
  machine.files.kill();

  auto again = FileLog::open(machine.env, kDirectory, test_graph(), segments_of(1 << 20));

  ASSERT_TRUE(again) << text_of(again);
  EXPECT_EQ((*again)->tail().last.value, last);
  EXPECT_EQ(append(**again, make_group(machine.random, 1, 100, "g")).outcome, AppendOutcome::kDone);
}

TEST_F(FileLogTest, ReserveGrowsBeforeAGroupThatItCouldNotHold) {
  const auto log = create(segments_of(64 << 10));
  expect_done(append_some(*log, 300'000));
  const auto info = machine_.files.stat("/log/reserve.seg");
  ASSERT_TRUE(info);
  EXPECT_GE(info->size_bytes, 300'000U + 5 * kBlockBytes);
}

TEST_F(FileLogTest, FailpointAfterANewSegmentLeavesTheOutcomeUnknown) {  // L14
  env::Failpoints failpoints;
  LogOptions options = segments_of(32 << 10);
  options.failpoints = &failpoints;
  auto log = create(options);
  failpoints.arm(env::Failpoint::log_after_segment_created,
                 [] { return Status(Error(ErrorCode::io_error, "stopped")); });
  AppendResult result = append_some(*log);
  while (result.outcome == AppendOutcome::kDone) result = append_some(*log);
  ASSERT_EQ(result.outcome, AppendOutcome::kUnknown);
  const Position last = log->tail().last;
  log.reset();
  machine_.files.crash(5);

  failpoints.disarm(env::Failpoint::log_after_segment_created);
  log = open(options);

  EXPECT_EQ(log->tail().last, last);
  EXPECT_GOOD(log->verify());
}

TEST_F(FileLogTest, FollowerSeesGroupsSegmentsSessionsAndRecoveries) {  // L5, L11
  auto log = create(segments_of(32 << 10));
  const auto reader = follow();
  for (int i = 0; i < 60; ++i) {
    switch (i % 20) {
      case 7:
        ASSERT_GOOD(log->close());
        log = open(segments_of(32 << 10));
        break;
      case 12:
        log.reset();
        log = open(segments_of(32 << 10));
        break;
      case 16:
        machine_.files.fail({.operation = FileOperation::sync, .path_part = {}});
        ASSERT_EQ(append_some(*log, 3000).outcome, AppendOutcome::kUnknown);
        ASSERT_TRUE(reader->refresh());
        ASSERT_TRUE(log->recover());
        break;
      default: expect_done(append_some(*log, 3000)); break;
    }
    const auto tail = reader->refresh();
    ASSERT_TRUE(tail) << text_of(tail);
    ASSERT_LE(tail->last, log->tail().last);
    ASSERT_GE(tail->last.value + 1, log->tail().last.value);
    const auto records = read_all(*reader);
    ASSERT_TRUE(records) << text_of(records);
    ASSERT_EQ(records->size(), tail->last.value);
  }
  ASSERT_GOOD(log->truncate_below({30}));
  ASSERT_GOOD(log->close());
  const auto tail = reader->refresh();
  ASSERT_TRUE(tail) << text_of(tail);
  EXPECT_EQ(tail->last, log->tail().last);
  EXPECT_EQ(reader->first(), log->first());
  EXPECT_GOOD(reader->verify());
}

TEST_F(FileLogTest, FollowerThatFellBehindATruncationIsToldSo) {
  const auto log = create(segments_of(32 << 10));
  for (int i = 0; i < 30; ++i) expect_done(append_some(*log, 3000));
  const auto reader = follow();
  ASSERT_GOOD(log->truncate_below({25}));

  const auto record = read_one(*reader, {1});

  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code(), ErrorCode::history_reclaimed);
}

TEST_F(FileLogTest, InterruptedTruncationIsFinishedByTheNextSession) {
  auto log = create(segments_of(32 << 10));
  for (int i = 0; i < 30; ++i) expect_done(append_some(*log, 3000));
  machine_.files.fail({.operation = FileOperation::remove, .path_part = {}});
  EXPECT_FALSE(log->truncate_below({20}));
  const Position first = log->first();
  EXPECT_GT(first, Position{1});
  log.reset();
  machine_.files.crash(3);

  log = open(segments_of(32 << 10));

  EXPECT_EQ(log->first(), first);
  EXPECT_EQ(names().front(), segment_name(first));
  EXPECT_GOOD(log->verify());
}

TEST_F(FileLogTest, OptionsOutOfBoundsAreRefused) {
  for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{100'000}}) {
    const auto log = FileLog::create(machine_.env, kDirectory, test_graph(), segments_of(bytes));
    EXPECT_EQ(log.error().code(), ErrorCode::bad_request);
  }
}

}  // namespace
}  // namespace braid::log
