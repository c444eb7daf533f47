// SPDX-License-Identifier: Apache-2.0
// Every acknowledged group survives every crash; at most the one in flight is there besides, whole;
// nothing that was ever shown goes away again.
//   BRAID_CRASH_SEEDS=100000  runs that many lives (2,000 otherwise)
//   BRAID_CRASH_SEED=n        runs that one
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "crash_run.h"

namespace braid::log {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Forwards to the simulated disk, but some of the calls only say that they did it.
class LyingFileSystem final : public env::FileSystem {
 public:
  enum class Lie { kSync, kSyncDirectory };
  LyingFileSystem(env::FileSystem& files, Lie lie) : files_(files), lie_(lie) {}

  Result<std::unique_ptr<env::File>> open(std::string_view path, env::OpenMode mode) override {
    BRAID_ASSIGN(auto file, files_.open(path, mode));
    if (lie_ != Lie::kSync) return file;
    return Result<std::unique_ptr<env::File>>(std::make_unique<LyingFile>(std::move(file)));
  }
  Result<std::shared_ptr<const env::MappedFile>> map(std::string_view path) override {
    return files_.map(path);
  }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    return files_.list(directory);
  }
  Result<env::FileInfo> stat(std::string_view path) override { return files_.stat(path); }
  Status create_directory(std::string_view path) override { return files_.create_directory(path); }
  Status remove(std::string_view path) override { return files_.remove(path); }
  Status remove_directory(std::string_view path) override { return files_.remove_directory(path); }
  Status rename(std::string_view from, std::string_view to) override {
    return files_.rename(from, to);
  }
  Status sync_directory(std::string_view path) override {
    return lie_ == Lie::kSyncDirectory ? Status(Unit{}) : files_.sync_directory(path);
  }
  Result<std::unique_ptr<env::FileLock>> try_lock(std::string_view path,
                                                  std::string_view holder) override {
    return files_.try_lock(path, holder);
  }
  Result<std::string> canonical(std::string_view path) override { return files_.canonical(path); }

 private:
  class LyingFile final : public env::File {
   public:
    explicit LyingFile(std::unique_ptr<env::File> file) : file_(std::move(file)) {}
    Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) const override {
      return file_->read_at(offset, out, size);
    }
    Status write_at(std::uint64_t offset, std::string_view bytes) override {
      return file_->write_at(offset, bytes);
    }
    Status sync() override { return Unit{}; }
    Result<std::uint64_t> size() const override { return file_->size(); }
    Status truncate(std::uint64_t size_bytes) override { return file_->truncate(size_bytes); }

   private:
    std::unique_ptr<env::File> file_;
  };

  env::FileSystem& files_;
  const Lie lie_;
};

/// How many of the first lives the model finds fault with.
int faulty_lives(LyingFileSystem::Lie lie) {
  int faulty = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CrashRunCounts counts;
    const CrashRunOptions options{
        .seed = seed, .wrap = [lie](env::SimFileSystem& disk) -> std::unique_ptr<env::FileSystem> {
          return std::make_unique<LyingFileSystem>(disk, lie);
        }};
    if (!run_crashes(options, counts).empty()) ++faulty;
  }
  return faulty;
}

TEST(LogCrash, NothingAcknowledgedOrShownIsEverLost) {  // L3, L4, L5, L6, L9, L11, L13, L14
  const std::uint64_t one = number_from_environment("BRAID_CRASH_SEED", 0);
  const std::uint64_t first = one != 0 ? one : 1;
  const std::uint64_t last = one != 0 ? one : number_from_environment("BRAID_CRASH_SEEDS", 2'000);
  CrashRunCounts counts;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const std::string wrong = run_crashes({.seed = seed, .wrap = {}}, counts);
    ASSERT_EQ(wrong, "") << "replay with BRAID_CRASH_SEED=" << seed;
  }
  std::cout << last + 1 - first << " lives: " << counts.crashes << " power cuts, " << counts.kills
            << " kills, " << counts.groups_done << " groups done, " << counts.groups_unknown
            << " unknown of which " << counts.unknown_landed << " landed, " << counts.recoveries
            << " live recoveries, " << counts.refused << " refused, " << counts.follower_looks
            << " looks by followers\n";
  if (one == 0) {
    EXPECT_GT(counts.crashes, last);
    EXPECT_GT(counts.unknown_landed, 0U);
    EXPECT_GT(counts.recoveries, 0U);
  }
}

TEST(LogCrash, TheModelNoticesADiskThatLiesAboutSync) {
  EXPECT_GT(faulty_lives(LyingFileSystem::Lie::kSync), 10);
}

TEST(LogCrash, TheModelNoticesADiskThatLiesAboutDirectories) {
  EXPECT_GT(faulty_lives(LyingFileSystem::Lie::kSyncDirectory), 10);
}

}  // namespace
}  // namespace braid::log
