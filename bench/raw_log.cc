// SPDX-License-Identifier: Apache-2.0
#include "raw_log.h"

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "env/env.h"
#include "env/mutex.h"
#include "statistics.h"

namespace braid::bench {
namespace {

constexpr std::uint64_t kFileBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kBlock = 4096;

// A file that is written and synced from end to end, as the log's segments are.
Result<std::unique_ptr<env::File>> make_file(const std::string& path) {
  env::FileSystem& files = env::real_env().files;
  [[maybe_unused]] const Status removed = files.remove(path);
  BRAID_ASSIGN(auto file, files.open(path, env::OpenMode::kCreateNew));
  const std::string zeros(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0; at < kFileBytes; at += zeros.size()) {
    BRAID_TRY(file->write_at(at, zeros));
  }
  BRAID_TRY(file->sync());
  return file;
}

// Group commit and nothing else: whoever finds nobody at work writes what waits.
class RawLog {
 public:
  explicit RawLog(std::unique_ptr<env::File> file) : file_(std::move(file)) {}

  Status append(std::uint32_t record_bytes) {
    env::CondVar wake;
    Waiter waiter{record_bytes, &wake};
    {
      const env::Lock lock(mutex_);
      queue_.push_back(&waiter);
      if (!leading_) {
        leading_ = true;
        waiter.leads = true;
      }
      while (!waiter.done && !waiter.leads) wake.wait(mutex_);
      if (waiter.done) return Unit{};
    }
    return lead();
  }

 private:
  struct Waiter {
    std::uint32_t bytes;
    env::CondVar* wake;
    bool done = false;
    bool leads = false;
  };

  Status lead() {
    std::deque<Waiter*> group;
    {
      const env::Lock lock(mutex_);
      group.swap(queue_);
    }
    std::uint64_t bytes = 0;
    for (const Waiter* waiter : group) bytes += waiter->bytes;
    buffer_.assign((bytes + kBlock - 1) / kBlock * kBlock, 'x');
    if (offset_ + buffer_.size() > kFileBytes) offset_ = 0;
    BRAID_TRY(file_->write_at(offset_, buffer_));
    BRAID_TRY(file_->sync());
    offset_ += buffer_.size();
    const env::Lock lock(mutex_);
    if (queue_.empty()) {
      leading_ = false;
    } else {
      queue_.front()->leads = true;
      queue_.front()->wake->notify_one();
    }
    for (Waiter* waiter : group) {
      waiter->done = true;
      waiter->wake->notify_one();
    }
    return Unit{};
  }

  std::unique_ptr<env::File> file_;
  std::string buffer_;
  std::uint64_t offset_ = 0;
  env::Mutex mutex_;
  std::deque<Waiter*> queue_ BRAID_GUARDED_BY(mutex_);
  bool leading_ BRAID_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<double> measure_sync_ms(const std::string& directory, std::uint32_t syncs) {
  const std::string path = env::join(directory, "sync.probe");
  BRAID_ASSIGN(const auto file, make_file(path));
  const std::string block(kBlock, 'x');
  std::vector<double> times_ms;
  const env::Clock& clock = env::real_env().clock;
  for (std::uint32_t i = 0; i < syncs; ++i) {
    const std::int64_t start_ns = clock.steady_ns();
    BRAID_TRY(file->write_at(i * kBlock % kFileBytes, block));
    BRAID_TRY(file->sync());
    times_ms.push_back(static_cast<double>(clock.steady_ns() - start_ns) / 1e6);
  }
  BRAID_TRY(env::real_env().files.remove(path));
  return spread_of(times_ms).median;
}

Result<double> measure_raw_log(const std::string& directory, const RawLogRun& run) {
  const std::string path = env::join(directory, "raw.probe");
  BRAID_ASSIGN(auto file, make_file(path));
  RawLog log(std::move(file));
  const env::Clock& clock = env::real_env().clock;
  const std::int64_t start_ns = clock.steady_ns();
  const std::int64_t end_ns = start_ns + run.duration_ms * 1'000'000;
  std::atomic<std::uint64_t> records{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < run.writers; ++i) {
    threads.emplace_back([&] {
      while (clock.steady_ns() < end_ns && !failed) {
        if (!log.append(run.record_bytes)) failed = true;
        ++records;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = static_cast<double>(clock.steady_ns() - start_ns) / 1e9;
  BRAID_TRY(env::real_env().files.remove(path));
  if (failed) return Error(ErrorCode::io_error, "the raw log could not write");
  return static_cast<double>(records.load()) / seconds;
}

}  // namespace braid::bench
