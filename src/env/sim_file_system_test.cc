// SPDX-License-Identifier: Apache-2.0
// What a crash may take and what it must leave. Where many outcomes are allowed, the tests run many
// seeds: each outcome is allowed, and each allowed outcome that matters happens.
#include "env/sim_file_system.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kSeeds = 400;
constexpr std::size_t kSector = 512;

std::unique_ptr<File> create(FileSystem& files, std::string_view path) {
  auto file = files.open(path, OpenMode::kCreateNew);
  EXPECT_TRUE(file);
  return *std::move(file);
}

/// Creates the file with durable bytes and a durable name.
std::unique_ptr<File> create_durable(FileSystem& files, std::string_view path,
                                     std::string_view bytes) {
  auto file = create(files, path);
  EXPECT_TRUE(file->write_at(0, bytes));
  EXPECT_TRUE(file->sync());
  EXPECT_TRUE(files.sync_directory(parent_of(path)));
  return file;
}

/// The bytes, or "(none)".
std::string content(FileSystem& files, std::string_view path) {
  const auto bytes = read_file(files, path, 1 << 24);
  return bytes ? *bytes : "(none)";
}

template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result ? ErrorCode::internal : result.error().code();
}

/// What `look` sees after each of kSeeds crashes of copies of the disk.
template <class Look>
std::set<std::string> outcomes(const SimFileSystem& files, Look look) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto copy = files.copy();
    copy->crash(seed);
    seen.insert(look(*copy));
  }
  return seen;
}

std::string sectors(std::string_view letters) {
  std::string out;
  for (const char letter : letters) out.append(kSector, letter);
  return out;
}

/// The letter of each sector; '?' for a mixed one.
std::string letters_of(const std::string& bytes) {
  std::string letters;
  for (std::size_t at = 0; at < bytes.size(); at += kSector) {
    const std::string sector = bytes.substr(at, kSector);
    const bool is_pure = sector == std::string(sector.size(), sector[0]);
    letters += !is_pure ? '?' : sector[0] == 0 ? '0' : sector[0];
  }
  return letters;
}

TEST(SimCrash, SyncedBytesAndNamesSurvive) {  // E10
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("d"));
  ASSERT_TRUE(files.sync_directory("/"));
  create_durable(files, "d/a", "hello");
  EXPECT_EQ(files.unsynced_changes(), 0U);

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "d/a"); }),
              ElementsAre("hello"));
}

TEST(SimCrash, UnsyncedWriteIsOldNewOrTornAtSectors) {  // E11
  SimFileSystem files;
  auto file = create_durable(files, "a", sectors("aaaa"));
  ASSERT_TRUE(file->write_at(0, sectors("bbbb")));

  const auto seen =
      outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); });

  for (const std::string& letters : seen) {
    EXPECT_EQ(letters.size(), 4U);
    EXPECT_EQ(letters.find_first_not_of("ab"), std::string::npos) << letters;
  }
  EXPECT_TRUE(seen.contains("aaaa"));  // lost
  EXPECT_TRUE(seen.contains("bbbb"));  // kept
  EXPECT_TRUE(seen.contains("bbaa"));  // a prefix
  EXPECT_TRUE(seen.contains("aabb"));  // a suffix
  EXPECT_TRUE(seen.contains("baba") || seen.contains("abab") || seen.contains("baab"));
}

TEST(SimCrash, WriteInsideASectorKeepsItsSyncedNeighbours) {  // E10, E11
  SimFileSystem files;
  auto file = create_durable(files, "a", "0123456789");
  ASSERT_TRUE(file->write_at(3, "xy"));

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "a"); }),
              UnorderedElementsAre("0123456789", "012xy56789"));
}

TEST(SimCrash, LaterWriteMaySurviveAnEarlierOne) {  // E11
  SimFileSystem files;
  auto file = create_durable(files, "a", sectors("aa"));
  ASSERT_TRUE(file->write_at(0, sectors("b")));
  ASSERT_TRUE(file->write_at(kSector, sectors("b")));

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); }),
              UnorderedElementsAre("aa", "ab", "ba", "bb"));
}

TEST(SimCrash, SectorWrittenTwiceHoldsOneOfItsThreeStates) {  // E11
  SimFileSystem files;
  auto file = create_durable(files, "a", sectors("a"));
  ASSERT_TRUE(file->write_at(0, sectors("b")));
  ASSERT_TRUE(file->write_at(0, sectors("c")));

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); }),
              UnorderedElementsAre("a", "b", "c"));
}

TEST(SimCrash, WriteAcrossFilesMaySurviveInEitherOnly) {  // E11
  SimFileSystem files;
  auto a = create_durable(files, "a", "old");
  auto b = create_durable(files, "b", "old");
  ASSERT_TRUE(a->write_at(0, "new"));
  ASSERT_TRUE(b->write_at(0, "new"));

  const auto look = [](FileSystem& disk) { return content(disk, "a") + content(disk, "b"); };
  EXPECT_THAT(outcomes(files, look), UnorderedElementsAre("oldold", "oldnew", "newold", "newnew"));
}

TEST(SimCrash, GrownRangeHoldsTheWriteOrZerosOrGarbage) {  // E10, E11
  SimFileSystem files;
  auto file = create_durable(files, "a", sectors("a"));
  ASSERT_TRUE(file->write_at(kSector, sectors("bb")));

  const auto seen =
      outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); });

  for (const std::string& letters : seen) {
    EXPECT_EQ(letters[0], 'a');
    EXPECT_EQ(letters.find_first_not_of("ab0?"), std::string::npos) << letters;
  }
  EXPECT_TRUE(seen.contains("a"));    // lost
  EXPECT_TRUE(seen.contains("abb"));  // kept
  EXPECT_TRUE(seen.contains("a00"));  // the size survived, the bytes did not
  EXPECT_TRUE(seen.contains("a??"));
  EXPECT_TRUE(seen.contains("a0b") || seen.contains("a?b"));
}

TEST(SimCrash, HolesReadAsZerosNeverAsGarbage) {  // E11
  SimFileSystem files;
  auto file = create_durable(files, "a", "");
  ASSERT_TRUE(file->write_at(2 * kSector, sectors("b")));

  for (const std::string& letters :
       outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); })) {
    EXPECT_EQ(letters.substr(0, 2), std::string(std::min<std::size_t>(letters.size(), 2), '0'));
  }
}

TEST(SimCrash, UnsyncedTruncateHappenedOrNot) {  // E10
  SimFileSystem files;
  auto file = create_durable(files, "a", "hello");
  ASSERT_TRUE(file->truncate(2));

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "a"); }),
              UnorderedElementsAre("hello", "he"));
}

TEST(SimCrash, SyncedFileWithoutSyncedNameMayVanish) {  // E1, E13
  SimFileSystem files;
  auto file = create(files, "a");
  ASSERT_TRUE(file->write_at(0, "hello"));
  ASSERT_TRUE(file->sync());

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "a"); }),
              UnorderedElementsAre("(none)", "hello"));
}

TEST(SimCrash, SyncedNameWithoutSyncedBytesMayBeEmpty) {  // E1
  SimFileSystem files;
  auto file = create(files, "a");
  ASSERT_TRUE(file->write_at(0, "hello"));
  ASSERT_TRUE(files.sync_directory("/"));

  const auto seen = outcomes(files, [](FileSystem& disk) { return content(disk, "a"); });

  EXPECT_FALSE(seen.contains("(none)"));
  EXPECT_TRUE(seen.contains(""));
  EXPECT_TRUE(seen.contains("hello"));
}

TEST(SimCrash, FilesOfAnUnsyncedDirectoryVanishWithIt) {  // E1
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("d"));
  create_durable(files, "d/a", "hello");

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "d/a"); }),
              UnorderedElementsAre("(none)", "hello"));
}

TEST(SimCrash, UnsyncedRenameHappensAsAWholeOrNotAtAll) {  // E13
  SimFileSystem files;
  create_durable(files, "a", "new");
  create_durable(files, "b", "old");
  ASSERT_TRUE(files.rename("a", "b"));

  const auto look = [](FileSystem& disk) { return content(disk, "a") + "," + content(disk, "b"); };
  EXPECT_THAT(outcomes(files, look), UnorderedElementsAre("new,old", "(none),new"));
}

TEST(SimCrash, UnsyncedRemoveMayComeBack) {
  SimFileSystem files;
  create_durable(files, "a", "hello");
  ASSERT_TRUE(files.remove("a"));

  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "a"); }),
              UnorderedElementsAre("(none)", "hello"));
}

TEST(SimCrash, ChangesOfOneNameAreKeptInOrder) {  // E13
  SimFileSystem files;
  create_durable(files, "a", "first");
  ASSERT_TRUE(files.rename("a", "b"));
  auto second = create(files, "a");
  ASSERT_TRUE(second->write_at(0, "second"));
  ASSERT_TRUE(second->sync());

  const auto look = [](FileSystem& disk) { return content(disk, "a") + "," + content(disk, "b"); };
  EXPECT_THAT(outcomes(files, look),
              UnorderedElementsAre("first,(none)", "(none),first", "second,first"));
}

TEST(SimCrash, SyncOfADirectoryTakesWhatItBuildsOnWithIt) {  // E13
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("d"));
  ASSERT_TRUE(files.sync_directory("/"));
  auto file = create(files, "a");
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(files.rename("a", "d/b"));
  ASSERT_TRUE(files.sync_directory("d"));

  const auto look = [](FileSystem& disk) {
    return content(disk, "a") + "," + content(disk, "d/b");
  };
  EXPECT_THAT(outcomes(files, look), ElementsAre("(none),"));
}

TEST(SimCrash, DirectoriesMovedInTurnNeverLoseEachOther) {  // E13
  SimFileSystem files;
  ASSERT_TRUE(files.create_directory("d"));
  ASSERT_TRUE(files.create_directory("e"));
  ASSERT_TRUE(files.sync_directory("/"));
  ASSERT_TRUE(files.rename("d", "e/f"));
  ASSERT_TRUE(files.rename("e/f", "g"));
  ASSERT_TRUE(files.rename("e", "g/e"));

  const auto look = [](FileSystem& disk) {
    std::string found;
    for (const char* path : {"d", "e", "e/f", "g", "g/e"}) {
      if (disk.stat(path)) found += std::string(path) + " ";
    }
    return found;
  };
  EXPECT_THAT(outcomes(files, look), UnorderedElementsAre("d e ", "e e/f ", "e g ", "g g/e "));
}

TEST(SimCrash, ReplacedFileIsTheOldOrTheNewOneAtEveryStep) {  // E1
  for (std::uint64_t calls = 0;; ++calls) {
    SimFileSystem files;
    ASSERT_TRUE(replace_file(files, "a", sectors("old")));
    files.halt_after(calls);
    const bool is_done = replace_file(files, "a", sectors("new+")).ok();
    const bool was_halted = files.is_halted();
    const std::set<std::string> allowed =
        is_done ? std::set<std::string>{"new+"} : std::set<std::string>{"old", "new+"};
    for (const std::string& letters :
         outcomes(files, [](FileSystem& disk) { return letters_of(content(disk, "a")); })) {
      EXPECT_TRUE(allowed.contains(letters)) << letters << " after " << calls << " calls";
    }
    if (is_done && !was_halted) break;
  }
}

TEST(SimCrash, SameSeedSameOutcome) {  // E14
  SimFileSystem files;
  auto file = create(files, "a");
  for (std::uint64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(file->write_at(i * 300, std::string(900, static_cast<char>('a' + i % 26))));
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto one = files.copy();
    const auto two = files.copy();
    one->crash(seed);
    two->crash(seed);
    EXPECT_EQ(content(*one, "a"), content(*two, "a"));
  }
}

TEST(SimCrash, WhatACrashLeftIsDurable) {  // E10
  SimFileSystem files;
  auto file = create(files, "a");
  ASSERT_TRUE(file->write_at(0, sectors("abcdefgh")));
  files.crash(3, CrashMode::kKeepUnsynced);
  EXPECT_EQ(files.unsynced_changes(), 0U);

  files.crash(4, CrashMode::kLoseUnsynced);

  EXPECT_EQ(letters_of(content(files, "a")), "abcdefgh");
}

TEST(SimCrash, OpenFilesAndLocksAreDead) {
  SimFileSystem files;
  auto file = create_durable(files, "a", "x");
  auto lock = *files.try_lock("LOCK", "one");
  ASSERT_TRUE(files.sync_directory("/"));
  files.crash(1);

  char byte = 0;
  EXPECT_EQ(code_of(file->read_at(0, &byte, 1)), ErrorCode::io_error);
  EXPECT_EQ(code_of(file->write_at(0, "y")), ErrorCode::io_error);
  EXPECT_EQ(code_of(file->sync()), ErrorCode::io_error);
  EXPECT_EQ(code_of(file->size()), ErrorCode::io_error);
  EXPECT_EQ(code_of(file->truncate(0)), ErrorCode::io_error);
  const auto next = files.try_lock("LOCK", "two");
  ASSERT_TRUE(next);
  lock.reset();
  EXPECT_EQ(code_of(files.try_lock("LOCK", "three")), ErrorCode::locked);  // the dead free nothing
  EXPECT_EQ(content(files, "a"), "x");
}

TEST(SimKill, UnsyncedWritesAreServedAndMayBeTakenByALaterCrash) {
  SimFileSystem files;
  auto file = create_durable(files, "a", "old");
  auto lock = *files.try_lock("LOCK", "one");
  ASSERT_TRUE(file->write_at(0, "new"));

  files.kill();

  EXPECT_EQ(code_of(file->sync()), ErrorCode::io_error);
  EXPECT_TRUE(files.try_lock("LOCK", "two"));
  EXPECT_EQ(content(files, "a"), "new");
  EXPECT_THAT(outcomes(files, [](FileSystem& disk) { return content(disk, "a"); }),
              UnorderedElementsAre("old", "new"));
}

TEST(SimFault, FailedSyncCleansTheCacheAndMayLoseTheWrite) {  // E2, E12
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files({.seed = seed});
    auto file = create_durable(files, "a", sectors("aa"));
    ASSERT_TRUE(file->write_at(0, sectors("bb")));
    files.fail({.operation = FileOperation::sync});

    EXPECT_EQ(code_of(file->sync()), ErrorCode::io_error);
    EXPECT_EQ(letters_of(content(files, "a")), "bb");
    EXPECT_TRUE(file->sync());  // proves nothing
    EXPECT_EQ(files.unsynced_changes(), 0U);

    files.crash(seed, CrashMode::kKeepUnsynced);
    seen.insert(letters_of(content(files, "a")));
  }
  EXPECT_THAT(seen, UnorderedElementsAre("aa", "ab", "ba", "bb"));
}

TEST(SimFault, BytesWrittenAgainAfterAFailedSyncBecomeDurable) {  // E2, E10
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files({.seed = seed});
    auto file = create_durable(files, "a", sectors("aa"));
    ASSERT_TRUE(file->write_at(0, sectors("bb")));
    files.fail({.operation = FileOperation::sync});
    ASSERT_FALSE(file->sync());

    ASSERT_TRUE(file->write_at(0, sectors("bb")));
    ASSERT_TRUE(file->sync());

    files.crash(seed);
    ASSERT_EQ(letters_of(content(files, "a")), "bb");
  }
}

TEST(SimFault, FailedSyncOfADirectoryMayHaveSyncedAPart) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files({.seed = seed});
    create(files, "a");
    create(files, "b");
    files.fail({.operation = FileOperation::sync_directory});
    ASSERT_FALSE(files.sync_directory("/"));
    files.crash(seed, CrashMode::kLoseUnsynced);
    seen.insert(content(files, "a") + "," + content(files, "b"));
  }
  EXPECT_THAT(seen, UnorderedElementsAre("(none),(none)", ",(none)", "(none),", ","));
}

TEST(SimFault, FailedWriteMayHaveWrittenAPart) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files({.seed = seed});
    auto file = create_durable(files, "a", "aa");
    files.fail({.operation = FileOperation::write, .code = ErrorCode::no_space});
    EXPECT_EQ(code_of(file->write_at(0, "bb")), ErrorCode::no_space);
    seen.insert(content(files, "a"));
  }
  EXPECT_THAT(seen, UnorderedElementsAre("aa", "ba", "bb"));
}

/// Makes one call of the kind and reports whether it failed, and how.
Status call(SimFileSystem& files, File& file, FileOperation operation) {
  const auto status = [](const auto& result) -> Status {
    if (result) return Unit{};
    return result.error();
  };
  char byte = 0;
  switch (operation) {
    case FileOperation::open: return status(files.open("a", OpenMode::kRead));
    case FileOperation::read: return status(file.read_at(0, &byte, 1));
    case FileOperation::write: return file.write_at(0, "x");
    case FileOperation::sync: return file.sync();
    case FileOperation::truncate: return file.truncate(1);
    case FileOperation::list: return status(files.list("/"));
    case FileOperation::stat: return status(files.stat("a"));
    case FileOperation::create_directory: return files.create_directory("d");
    case FileOperation::remove: return files.remove("b");
    case FileOperation::remove_directory: return files.remove_directory("e");
    case FileOperation::rename: return files.rename("c", "b2");
    case FileOperation::sync_directory: return files.sync_directory("/");
    case FileOperation::lock: return status(files.try_lock("LOCK", "me"));
    case FileOperation::canonical: return status(files.canonical("a"));
    case FileOperation::map: return status(files.map("a"));
  }
  return Error(ErrorCode::internal, "unknown operation");
}

class SimFaultOf : public testing::TestWithParam<FileOperation> {
 protected:
  SimFaultOf() {
    create(files_, "b");
    create(files_, "c");
    EXPECT_TRUE(files_.create_directory("e"));
    files_.reset_counters();
  }
  SimFileSystem files_;
  std::unique_ptr<File> file_ = create(files_, "a");
};

TEST_P(SimFaultOf, FailsTheCallThatTheScriptNamesAndNoOther) {
  files_.fail({.operation = GetParam(), .code = ErrorCode::permission});

  EXPECT_EQ(code_of(call(files_, *file_, GetParam())), ErrorCode::permission);
  EXPECT_TRUE(call(files_, *file_, GetParam()));

  FileCounters expected;
  expected.calls[static_cast<std::size_t>(GetParam())] = 2;
  EXPECT_EQ(files_.counters().calls, expected.calls);
}

TEST_P(SimFaultOf, HaltedMachineDoesNothingUntilTheCrash) {
  files_.halt_after(1);
  ASSERT_TRUE(file_->size());
  const std::size_t unsynced = files_.unsynced_changes();

  EXPECT_EQ(code_of(call(files_, *file_, GetParam())), ErrorCode::io_error);

  EXPECT_TRUE(files_.is_halted());
  EXPECT_EQ(files_.unsynced_changes(), unsynced);
  files_.crash(1, CrashMode::kKeepUnsynced);
  file_ = *files_.open("a", OpenMode::kReadWrite);
  EXPECT_TRUE(call(files_, *file_, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EachOperation, SimFaultOf, testing::ValuesIn(kFileOperations),
                         [](const auto& param) { return std::string(name_of(param.param)); });

TEST(SimFault, ScriptCountsCallsOnMatchingPaths) {
  SimFileSystem files;
  create(files, "log.1");
  create(files, "other");
  files.fail({.operation = FileOperation::open, .path_part = "log", .after_calls = 1, .times = 2});

  EXPECT_TRUE(files.open("other", OpenMode::kRead));
  EXPECT_TRUE(files.open("log.1", OpenMode::kRead));
  EXPECT_FALSE(files.open("log.1", OpenMode::kRead));
  EXPECT_TRUE(files.open("other", OpenMode::kRead));
  EXPECT_FALSE(files.open("log.1", OpenMode::kRead));
  EXPECT_TRUE(files.open("log.1", OpenMode::kRead));
}

TEST(SimFault, RandomFaultsComeFromTheSeed) {  // E14
  const auto run = [](std::uint64_t seed) {
    SimFileSystem files({.seed = seed});
    create(files, "a");
    files.fail_randomly(4, ErrorCode::no_space);
    std::string pattern;
    for (int i = 0; i < 64; ++i) pattern += files.stat("a") ? '.' : 'x';
    return pattern;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_NE(run(1).find('x'), std::string::npos);
  EXPECT_NE(run(1).find('.'), std::string::npos);
}

TEST(SimFault, FullCapacityWritesWhatFits) {
  SimFileSystem files({.capacity_bytes = 10});
  auto file = create(files, "a");
  ASSERT_TRUE(file->write_at(0, "01234567"));

  EXPECT_EQ(code_of(file->write_at(8, "89ab")), ErrorCode::no_space);
  EXPECT_EQ(code_of(file->truncate(11)), ErrorCode::no_space);
  EXPECT_TRUE(file->write_at(0, "x"));

  EXPECT_EQ(content(files, "a"), "x123456789");
}

TEST(SimFault, FlippedBitIsSeenAtOnceAndAfterACrash) {
  SimFileSystem files;
  create_durable(files, "a", "aaa");

  ASSERT_TRUE(files.flip_bit("a", 1, 1));

  EXPECT_EQ(content(files, "a"), "aca");
  files.crash(1, CrashMode::kLoseUnsynced);
  EXPECT_EQ(content(files, "a"), "aca");
  EXPECT_EQ(code_of(files.flip_bit("b", 0, 0)), ErrorCode::not_found);
}

TEST(SimHook, SeesEachCallBeforeItHappensAndMayMoveTheClock) {
  SimFileSystem files;
  ManualClock clock(1'000);
  std::vector<std::string> calls;
  files.set_hook([&](FileOperation operation, std::string_view path) {
    calls.push_back(std::string(name_of(operation)) + " " + std::string(path));
    clock.advance_ms(5);
  });

  create(files, "a");
  EXPECT_TRUE(files.remove("a"));

  EXPECT_THAT(calls, ElementsAre("open a", "remove a"));
  EXPECT_EQ(clock.now_ms(), 1'010);
}

TEST(SimCounters, CountCallsAndBytes) {
  SimFileSystem files;
  auto file = create(files, "a");
  ASSERT_TRUE(file->write_at(0, "hello"));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(content(files, "a"), "hello");

  const FileCounters counters = files.counters();

  EXPECT_EQ(counters.of(FileOperation::open), 2U);
  EXPECT_EQ(counters.of(FileOperation::write), 1U);
  EXPECT_EQ(counters.of(FileOperation::sync), 1U);
  EXPECT_EQ(counters.of(FileOperation::read), 1U);
  EXPECT_EQ(counters.bytes_written, 5U);
  EXPECT_EQ(counters.bytes_read, 5U);
  EXPECT_EQ(counters.total(), 6U);  // and File::size
}

TEST(SimCopy, IsIndependentOfItsOriginal) {
  SimFileSystem files;
  auto file = create_durable(files, "a", "one");
  const auto copy = files.copy();

  ASSERT_TRUE(file->write_at(0, "two"));
  ASSERT_TRUE(files.rename("a", "b"));

  EXPECT_EQ(content(*copy, "a"), "one");
  EXPECT_EQ(content(files, "b"), "two");
  EXPECT_THAT(*copy->list("/"), ElementsAre("a"));
}

}  // namespace
}  // namespace braid::env
