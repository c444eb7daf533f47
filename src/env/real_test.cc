// SPDX-License-Identifier: Apache-2.0
// What only the real machine has: processes, links, rights, threads' own buffers.
#include "env/real.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "env/env.h"

namespace braid::env {
namespace {

class PosixFileSystem : public testing::Test {
 protected:
  PosixFileSystem() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid_env_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~PosixFileSystem() override { std::filesystem::remove_all(root_); }
  std::string path(std::string_view name) const { return join(root_, name); }

  FileSystem& files_ = posix_file_system();
  std::string root_;
};

template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result ? ErrorCode::internal : result.error().code();
}

/// Runs `body` in a child process; its exit status.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PosixFileSystem, LockThroughASymbolicLinkIsTheSameLock) {  // E5
  const auto lock = files_.try_lock(path("LOCK"), "pid 7");
  ASSERT_TRUE(lock);
  std::filesystem::create_directory_symlink(root_, path("link"));

  const auto second = files_.try_lock(path("link/LOCK"), "pid 8");

  EXPECT_EQ(code_of(second), ErrorCode::locked);
  EXPECT_EQ(*second.error().detail("holder"), "pid 7");
}

TEST_F(PosixFileSystem, LinkThenToldFromADirectory) {
  ASSERT_TRUE(files_.create_directory(path("here")));
  std::filesystem::create_directory_symlink(path("here"), path("link"));

  EXPECT_TRUE(refuse_link(files_, path("here")));
  EXPECT_TRUE(refuse_link(files_, path("nothing")));
  EXPECT_EQ(code_of(refuse_link(files_, path("link"))), ErrorCode::bad_request);
}

TEST_F(PosixFileSystem, PipeOrDeviceThenRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);

  EXPECT_EQ(code_of(files_.open(path("pipe"), OpenMode::kRead)), ErrorCode::bad_request);
  EXPECT_EQ(code_of(files_.open("/dev/zero", OpenMode::kRead)), ErrorCode::bad_request);
}

TEST_F(PosixFileSystem, LockKeepsOtherProcessesOut) {  // E5
  auto lock = files_.try_lock(path("LOCK"), "parent");
  ASSERT_TRUE(lock);
  // As another program would: without the list that this process keeps.
  const auto other_program = [&] {
    return status_of_child([&] {
      const int file = ::open(path("LOCK").c_str(), O_RDWR);
      return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
    });
  };
  EXPECT_EQ(other_program(), 1);

  {
    const auto released = std::move(lock);
  }

  EXPECT_EQ(other_program(), 0);
  EXPECT_TRUE(std::filesystem::exists(path("LOCK")));
}

TEST_F(PosixFileSystem, LockDiesWithItsProcess) {  // E5
  EXPECT_EQ(status_of_child([&] {
              const auto lock = files_.try_lock(path("LOCK"), "child");
              return lock ? 0 : 1;  // and _exit runs no destructor
            }),
            0);

  EXPECT_TRUE(files_.try_lock(path("LOCK"), "parent"));
}

TEST_F(PosixFileSystem, MissingRightIsPermission) {
  ASSERT_TRUE(files_.open(path("a"), OpenMode::kCreateNew));
  std::filesystem::permissions(path("a"), std::filesystem::perms::none);

  const int status = status_of_child([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) return 2;  // root may do anything
    const auto file = files_.open(path("a"), OpenMode::kRead);
    if (file || file.error().code() != ErrorCode::permission) return 1;
    return *file.error().detail("errno") == std::to_string(EACCES) ? 0 : 1;
  });

  EXPECT_EQ(status, 0);
}

TEST_F(PosixFileSystem, PathWithAZeroByteIsABadRequest) {
  const std::string path_with_zero = path("a") + std::string("\0b", 2);

  EXPECT_EQ(code_of(files_.open(path_with_zero, OpenMode::kCreateNew)), ErrorCode::bad_request);
  EXPECT_EQ(code_of(files_.rename(path("a"), path_with_zero)), ErrorCode::bad_request);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(PosixFileSystem, TooLongANameIsABadRequest) {
  EXPECT_EQ(code_of(files_.open(path(std::string(300, 'a')), OpenMode::kCreateNew)),
            ErrorCode::bad_request);
}

TEST_F(PosixFileSystem, FullDeviceIsNoSpace) {
  const auto full = files_.open("/dev/full", OpenMode::kReadWrite);
  if (!full) GTEST_SKIP() << "no /dev/full here";

  EXPECT_EQ(code_of((*full)->write_at(0, "x")), ErrorCode::no_space);
}

TEST_F(PosixFileSystem, CanonicalPathHasNoLinks) {
  std::filesystem::create_directory_symlink(root_, path("link"));

  EXPECT_EQ(*files_.canonical(path("link")), *files_.canonical(root_));
}

TEST(SystemClock, StandsInTheseDecadesAndNeverRunsBackwards) {
  const std::int64_t before_ns = system_clock().steady_ns();

  EXPECT_GT(system_clock().now_ms(), 1'577'836'800'000);  // 2020-01-01
  EXPECT_LT(system_clock().now_ms(), 4'102'444'800'000);  // 2100-01-01
  EXPECT_LE(before_ns, system_clock().steady_ns());
}

TEST(SystemRandom, NeverGivesTheSameBytesTwice) {
  std::set<std::array<char, 16>> seen;
  for (int i = 0; i < 1'000; ++i) {  // many times the buffer
    std::array<char, 16> bytes{};
    system_random().fill(bytes.data(), bytes.size());
    EXPECT_TRUE(seen.insert(bytes).second);
  }
}

TEST(SystemRandom, FillsAllOfALargeRequestAndNothingAroundIt) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256},
                                 std::size_t{257}, std::size_t{100'000}}) {
    std::string bytes(size + 2, '\0');
    // Each byte stays zero in all 20 draws with chance 256^-20.
    std::string ever(size + 2, '\0');
    for (int i = 0; i < 20; ++i) {
      system_random().fill(bytes.data() + 1, size);
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        ever[at] = static_cast<char>(ever[at] | bytes[at]);
      }
    }
    EXPECT_EQ(ever.front(), '\0');
    EXPECT_EQ(ever.back(), '\0');
    EXPECT_EQ(ever.substr(1, size).find('\0'), std::string::npos);
  }
}

TEST(SystemRandom, ForkedChildDrawsOtherBytes) {  // E6
  system_random().u64();                          // the buffer holds more, for both
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);

  const int status = status_of_child([&] {
    const std::uint64_t drawn = system_random().u64();
    return write(ends[1], &drawn, sizeof(drawn)) == sizeof(drawn) ? 0 : 1;
  });
  const std::uint64_t parents = system_random().u64();

  std::uint64_t childs = 0;
  ASSERT_EQ(status, 0);
  ASSERT_EQ(read(ends[0], &childs, sizeof(childs)), static_cast<ssize_t>(sizeof(childs)));
  EXPECT_NE(parents, childs);
  close(ends[0]);
  close(ends[1]);
}

TEST(SystemRandom, ThreadsDrawDifferentBytes) {
  std::array<std::uint64_t, 4> drawn{};
  {
    std::array<std::thread, 4> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      threads[i] = std::thread([&drawn, i] { drawn[i] = system_random().u64(); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST(RealEnv, HoldsThePartsOfTheMachine) {
  EXPECT_EQ(&real_env().files, &posix_file_system());
  EXPECT_EQ(&real_env().clock, &system_clock());
  EXPECT_EQ(&real_env().random, &system_random());
  EXPECT_EQ(&real_env().workers, &thread_workers());
}

}  // namespace
}  // namespace braid::env
