// SPDX-License-Identifier: Apache-2.0
// Readers and followers beside an appender, on threads and real files.
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "env/memory_file_system.h"
#include "env/real.h"
#include "log/file_log.h"
#include "log_test_support.h"

namespace braid::log {
namespace {

/// A folder of its own that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "braid_log_XXXXXX";
    path_ = mkdtemp(name.data()) != nullptr ? name : "";
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs `step` on a thread of its own until it says that it is done.
class Loop {
 public:
  explicit Loop(std::function<bool()> step)
      : job_(env::thread_workers().start("test", [this, step = std::move(step)] {
          if (step()) return env::NextStep::now();
          is_done_ = true;
          is_done_.notify_all();
          return env::NextStep::when_woken();
        })) {
    job_->wake();
  }
  void wait() { is_done_.wait(false); }

 private:
  std::atomic<bool> is_done_{false};
  std::unique_ptr<env::Job> job_;
};

class LogThreads : public testing::TestWithParam<bool> {
 protected:
  LogThreads()
      : directory_(GetParam() ? folder_.path() + "/log" : "/log"),
        env_{GetParam() ? env::posix_file_system() : memory_, env::system_clock(),
             env::system_random(), env::thread_workers()} {
    options_.segment_bytes_min = 32 << 10;
    options_.segment_bytes_max = 256 << 10;
    options_.seal_idle_ms = 2;
  }

  TemporaryFolder folder_;
  env::MemoryFileSystem memory_;
  const std::string directory_;
  env::Env env_;
  LogOptions options_;
};

/// The records must be whole, dense and chained; returns the last position.
std::uint64_t check_range(const CommitLog& log, Position first, Position last) {
  std::uint64_t expected = first.value;
  base::Digest hash{};
  const Status read = log.read(first, last, [&](const Record& record) -> Status {
    EXPECT_EQ(record.position.value, expected);
    if (expected > first.value) {
      EXPECT_EQ(record.previous_hash, hash);
    }
    hash = record.hash;
    ++expected;
    return Unit{};
  });
  EXPECT_TRUE(read) << text_of(read);
  return expected - 1;
}

TEST_P(LogThreads, ReadersSeeWholeGroupsWhileOneAppends) {  // L5
  auto log = FileLog::create(env_, directory_, test_graph(), options_);
  ASSERT_TRUE(log) << text_of(log);
  CommitLog& shared = **log;
  std::atomic<bool> stop{false};
  const auto reader = [&] {
    const Position last = shared.tail().last;
    const Position first{last.value > 40 ? last.value - 40 : 1};
    EXPECT_EQ(check_range(shared, first, last), last.value);
    return !stop;
  };
  Loop first_reader(reader);
  Loop second_reader(reader);
  Loop verifier([&] {
    const Status good = shared.verify();
    EXPECT_TRUE(good) << text_of(good);
    return !stop;
  });
  for (std::size_t i = 0; i < 300; ++i) {
    const auto group = make_group(env_.random, 1 + i % 3, i % 7 * 900, "g");
    ASSERT_EQ(append(shared, group).outcome, AppendOutcome::kDone);
  }
  stop = true;
  first_reader.wait();
  second_reader.wait();
  verifier.wait();
  EXPECT_GOOD(shared.close());
}

TEST_P(LogThreads, FollowerBesideAWriterThatAppendsClosesStopsAndTruncates) {  // L5, L11, L12
  {
    auto made = FileLog::create(env_, directory_, test_graph(), options_);
    ASSERT_TRUE(made) << text_of(made);
  }
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> acknowledged{0};
  auto follower = FileLog::open_read_only(env_, directory_, test_graph());
  ASSERT_TRUE(follower) << text_of(follower);
  std::uint64_t shown = 0;
  Loop following([&] {
    const auto tail = (*follower)->refresh();
    EXPECT_TRUE(tail) << text_of(tail);
    if (!tail) return false;
    EXPECT_GE(tail->last.value, shown);
    const std::uint64_t first = std::max((*follower)->first().value, shown);
    if (tail->last.value > first) {
      const Status read =
          (*follower)->read({first}, tail->last, [](const Record&) { return Status(Unit{}); });
      const bool is_gone = !read && read.error().code() == ErrorCode::history_reclaimed;
      EXPECT_TRUE(read.ok() || is_gone) << text_of(read);
    }
    shown = tail->last.value;
    return !stop;
  });
  Loop opening([&] {
    const auto reader = FileLog::open_read_only(env_, directory_, test_graph());
    EXPECT_TRUE(reader) << text_of(reader);
    return reader && !stop;
  });
  for (std::size_t session = 0; session < 40; ++session) {
    auto log = FileLog::open(env_, directory_, test_graph(), options_);
    ASSERT_TRUE(log) << text_of(log);
    for (std::size_t i = 0; i < 12; ++i) {
      const auto group = make_group(env_.random, 1 + i % 3, (i + session) % 5 * 2500, "g");
      ASSERT_EQ(append(**log, group).outcome, AppendOutcome::kDone);
    }
    acknowledged = (*log)->tail().last.value;
    if (session % 7 == 6) {
      ASSERT_GOOD((*log)->truncate_below({acknowledged - 20}));
    }
    if (session % 2 == 0) {
      ASSERT_GOOD((*log)->close());
    }
  }
  stop = true;
  following.wait();
  opening.wait();
  auto last = FileLog::open(env_, directory_, test_graph(), options_);
  ASSERT_TRUE(last) << text_of(last);
  ASSERT_GOOD((*last)->close());
  EXPECT_EQ((*follower)->refresh()->last.value, acknowledged.load());
  EXPECT_GOOD((*follower)->verify());
}

INSTANTIATE_TEST_SUITE_P(Files, LogThreads, testing::Bool(), [](const auto& kind) {
  return std::string(kind.param ? "Real" : "InMemory");
});

TEST(LogFiles, ReadOnlyOpenWorksInADirectoryThatMayNotBeWritten) {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  const std::string directory = folder.path() + "/log";
  env::Env& env = env::real_env();
  {
    auto log = FileLog::create(env, directory, test_graph());
    ASSERT_TRUE(log) << text_of(log);
    ASSERT_EQ(append(**log, make_group(env.random, 3, 100, "g")).outcome, AppendOutcome::kDone);
    ASSERT_GOOD((*log)->close());
  }
  const auto names = *env.files.list(directory);
  for (const std::string& name : names) {
    fs::permissions(directory + "/" + name, fs::perms::owner_read);
  }
  fs::permissions(directory, fs::perms::owner_read | fs::perms::owner_exec);

  const auto reader = FileLog::open_read_only(env, directory, test_graph());

  ASSERT_TRUE(reader) << text_of(reader);
  EXPECT_EQ((*reader)->tail().last, Position{3});
  EXPECT_GOOD((*reader)->verify());
  EXPECT_EQ(*env.files.list(directory), names);
  fs::permissions(directory, fs::perms::owner_all);
}

}  // namespace
}  // namespace braid::log
