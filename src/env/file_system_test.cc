// SPDX-License-Identifier: Apache-2.0
// One suite for every file system: what FileSystem promises, and nothing more.
#include "env/file_system.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/memory_file_system.h"
#include "env/real.h"
#include "env/sim_file_system.h"

namespace braid::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct RealFixture {
  RealFixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid_env_XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~RealFixture() { std::filesystem::remove_all(root); }
  FileSystem& files() { return posix_file_system(); }
  std::string root;
};

struct MemoryFixture {
  MemoryFixture() { EXPECT_TRUE(memory.create_directory(root)); }
  FileSystem& files() { return memory; }
  MemoryFileSystem memory;
  std::string root = "/root";
};

struct SimFixture {
  SimFixture() { EXPECT_TRUE(sim.create_directory(root)); }
  FileSystem& files() { return sim; }
  SimFileSystem sim;
  std::string root = "/root";
};

template <class Fixture>
class FileSystems : public testing::Test {
 protected:
  FileSystem& files() { return fixture_.files(); }
  std::string path(std::string_view name) { return join(fixture_.root, name); }
  std::string root() { return fixture_.root; }

  std::unique_ptr<File> open(std::string_view name, OpenMode mode) {
    auto file = files().open(path(name), mode);
    EXPECT_TRUE(file);
    return *std::move(file);
  }
  void create(std::string_view name, std::string_view bytes) {
    EXPECT_TRUE(open(name, OpenMode::kCreateNew)->write_at(0, bytes));
  }
  std::string content(std::string_view name) {
    const auto bytes = read_file(files(), path(name), 1 << 20);
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : "";
  }
  std::vector<std::string> names() {
    const auto found = files().list(root());
    EXPECT_TRUE(found);
    return *found;
  }

 private:
  Fixture fixture_;
};

template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result ? ErrorCode::internal : result.error().code();
}

using Fixtures = testing::Types<RealFixture, MemoryFixture, SimFixture>;
TYPED_TEST_SUITE(FileSystems, Fixtures);

TYPED_TEST(FileSystems, ReadsBackWhatWasWritten) {
  auto file = this->open("a", OpenMode::kCreateNew);
  ASSERT_TRUE(file->write_at(0, "hello world"));
  ASSERT_TRUE(file->write_at(6, "there"));
  ASSERT_TRUE(file->sync());

  EXPECT_EQ(*file->size(), 11U);
  EXPECT_EQ(this->content("a"), "hello there");
}

TYPED_TEST(FileSystems, WriteBeyondTheEndLeavesZerosBetween) {
  auto file = this->open("a", OpenMode::kCreateNew);
  ASSERT_TRUE(file->write_at(0, "ab"));
  ASSERT_TRUE(file->write_at(10'000, "z"));

  EXPECT_EQ(this->content("a"), "ab" + std::string(9'998, '\0') + "z");
}

TYPED_TEST(FileSystems, ReadAtTheEndIsShort) {
  this->create("a", "hello");
  auto file = this->open("a", OpenMode::kRead);
  std::string out(8, '?');

  EXPECT_EQ(*file->read_at(3, out.data(), out.size()), 2U);
  EXPECT_EQ(out, "lo??????");
  EXPECT_EQ(*file->read_at(5, out.data(), out.size()), 0U);
  EXPECT_EQ(*file->read_at(~std::uint64_t{0}, out.data(), out.size()), 0U);
}

TYPED_TEST(FileSystems, TruncateCutsAndGrowsWithZeros) {  // E7
  this->create("a", "hello");
  auto file = this->open("a", OpenMode::kReadWrite);

  ASSERT_TRUE(file->truncate(2));
  ASSERT_TRUE(file->truncate(4));

  EXPECT_EQ(this->content("a"), std::string("he\0\0", 4));
}

TYPED_TEST(FileSystems, WritesOfManyPagesAtOddOffsetsReadBack) {
  auto file = this->open("a", OpenMode::kCreateNew);
  std::string expected(100'000, '\0');
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string bytes(1'000 + 700 * (i % 7),
                            static_cast<char>(i % 3 == 0 ? 0 : 'a' + i % 26));
    const std::size_t offset = (i * 7'919) % 90'000;
    ASSERT_TRUE(file->write_at(offset, bytes));
    expected.replace(offset, bytes.size(), bytes);
  }
  ASSERT_TRUE(file->truncate(expected.size()));

  EXPECT_EQ(this->content("a"), expected);
}

TYPED_TEST(FileSystems, OpenOfAMissingFileIsNotFound) {
  const auto file = this->files().open(this->path("a"), OpenMode::kReadWrite);

  EXPECT_EQ(code_of(file), ErrorCode::not_found);
  EXPECT_EQ(*file.error().detail("file"), this->path("a"));
  EXPECT_EQ(*file.error().detail("operation"), "open");
  EXPECT_EQ(*file.error().detail("errno"), "2");
}

TYPED_TEST(FileSystems, CreateNewRefusesATakenName) {
  this->create("a", "");
  EXPECT_EQ(code_of(this->files().open(this->path("a"), OpenMode::kCreateNew)),
            ErrorCode::already_exists);
}

TYPED_TEST(FileSystems, OpenOfADirectoryIsABadRequest) {
  EXPECT_EQ(code_of(this->files().open(this->root(), OpenMode::kRead)), ErrorCode::bad_request);
  EXPECT_EQ(code_of(this->files().open(this->root(), OpenMode::kReadWrite)),
            ErrorCode::bad_request);
}

TYPED_TEST(FileSystems, AFileOnThePathIsNotFound) {
  this->create("a", "");
  EXPECT_EQ(code_of(this->files().open(this->path("a/b"), OpenMode::kRead)), ErrorCode::not_found);
  EXPECT_EQ(code_of(this->files().list(this->path("a"))), ErrorCode::not_found);
  EXPECT_EQ(code_of(this->files().sync_directory(this->path("a"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, WriteThroughAReadOnlyFileFails) {
  this->create("a", "x");
  auto file = this->open("a", OpenMode::kRead);

  EXPECT_FALSE(file->write_at(0, "y"));
  EXPECT_FALSE(file->truncate(0));
  EXPECT_EQ(this->content("a"), "x");
}

TYPED_TEST(FileSystems, WriteBeyondTheLargestOffsetIsNoSpace) {
  this->create("a", "x");
  auto file = this->open("a", OpenMode::kReadWrite);

  EXPECT_EQ(code_of(file->write_at(~std::uint64_t{0} - 1, "yyyy")), ErrorCode::no_space);
  EXPECT_EQ(code_of(file->write_at(std::uint64_t{1} << 63, "y")), ErrorCode::no_space);
  EXPECT_EQ(code_of(file->truncate(std::uint64_t{1} << 63)), ErrorCode::no_space);
  EXPECT_EQ(this->content("a"), "x");
}

TYPED_TEST(FileSystems, ListIsSortedAndWithoutDots) {
  EXPECT_THAT(this->names(), IsEmpty());
  this->create("b", "");
  this->create("a", "");
  ASSERT_TRUE(this->files().create_directory(this->path("c")));

  EXPECT_THAT(this->names(), ElementsAre("a", "b", "c"));
}

TYPED_TEST(FileSystems, StatTellsSizeKindAndIdentity) {
  this->create("a", "hello");
  this->create("b", "");
  const FileInfo a = *this->files().stat(this->path("a"));
  const FileInfo b = *this->files().stat(this->path("b"));
  const FileInfo again = *this->files().stat(this->path("./a"));

  EXPECT_EQ(a.size_bytes, 5U);
  EXPECT_FALSE(a.is_directory);
  EXPECT_TRUE(this->files().stat(this->root())->is_directory);
  EXPECT_EQ(a.inode, again.inode);
  EXPECT_EQ(a.device, again.device);
  EXPECT_NE(a.inode, b.inode);
  EXPECT_EQ(code_of(this->files().stat(this->path("c"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, DirectoriesNeedAParentAndAFreeName) {
  ASSERT_TRUE(this->files().create_directory(this->path("d")));

  EXPECT_EQ(code_of(this->files().create_directory(this->path("d"))), ErrorCode::already_exists);
  EXPECT_EQ(code_of(this->files().create_directory(this->path("x/y"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, OnlyEmptyDirectoriesAreRemoved) {
  ASSERT_TRUE(this->files().create_directory(this->path("d")));
  this->create("d/a", "");

  EXPECT_EQ(code_of(this->files().remove_directory(this->path("d"))), ErrorCode::already_exists);
  EXPECT_EQ(code_of(this->files().remove_directory(this->path("d/a"))), ErrorCode::not_found);
  EXPECT_EQ(code_of(this->files().remove(this->path("d"))), ErrorCode::bad_request);
  ASSERT_TRUE(this->files().remove(this->path("d/a")));
  ASSERT_TRUE(this->files().remove_directory(this->path("d")));

  EXPECT_THAT(this->names(), IsEmpty());
  EXPECT_EQ(code_of(this->files().remove_directory(this->path("d"))), ErrorCode::not_found);
  EXPECT_EQ(code_of(this->files().remove(this->path("d"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, ARemovedFileLivesOnInItsHandle) {
  this->create("a", "hello");
  auto file = this->open("a", OpenMode::kReadWrite);
  ASSERT_TRUE(this->files().remove(this->path("a")));
  ASSERT_TRUE(file->write_at(5, "!"));

  EXPECT_EQ(*read_exactly(*file, "a", 0, 6), "hello!");
  EXPECT_THAT(this->names(), IsEmpty());
}

TYPED_TEST(FileSystems, MappingShowsTheWholeFile) {
  const std::string bytes = "begin" + std::string(100'000, 'x') + "end";
  this->create("a", bytes);

  const auto mapped = this->files().map(this->path("a"));

  ASSERT_TRUE(mapped);
  EXPECT_EQ((*mapped)->bytes(), bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*mapped)->bytes().data()) % 64, 0U);
}

TYPED_TEST(FileSystems, MappingOfAnEmptyFileIsEmpty) {
  this->create("a", "");

  const auto mapped = this->files().map(this->path("a"));

  ASSERT_TRUE(mapped);
  EXPECT_EQ((*mapped)->bytes(), "");
}

TYPED_TEST(FileSystems, MappingOutlivesTheNameOfItsFile) {  // E15
  this->create("a", "first");
  this->create("b", "second");
  const auto a = *this->files().map(this->path("a"));
  const auto b = *this->files().map(this->path("b"));

  ASSERT_TRUE(this->files().rename(this->path("a"), this->path("b")));
  ASSERT_TRUE(this->files().remove(this->path("b")));
  this->create("a", "third");

  EXPECT_EQ(a->bytes(), "first");
  EXPECT_EQ(b->bytes(), "second");
}

TYPED_TEST(FileSystems, OnlyAFileThatExistsCanBeMapped) {
  ASSERT_TRUE(this->files().create_directory(this->path("d")));

  EXPECT_EQ(code_of(this->files().map(this->path("none"))), ErrorCode::not_found);
  EXPECT_EQ(code_of(this->files().map(this->path("d"))), ErrorCode::bad_request);
}

TYPED_TEST(FileSystems, RenameReplacesAFile) {
  this->create("a", "new");
  this->create("b", "old");
  auto old = this->open("b", OpenMode::kRead);

  ASSERT_TRUE(this->files().rename(this->path("a"), this->path("b")));

  EXPECT_THAT(this->names(), ElementsAre("b"));
  EXPECT_EQ(this->content("b"), "new");
  EXPECT_EQ(*read_exactly(*old, "b", 0, 3), "old");
}

TYPED_TEST(FileSystems, RenameMovesADirectoryWithItsFiles) {
  ASSERT_TRUE(this->files().create_directory(this->path("d")));
  ASSERT_TRUE(this->files().create_directory(this->path("e")));
  this->create("d/a", "x");

  ASSERT_TRUE(this->files().rename(this->path("d"), this->path("e/f")));

  EXPECT_EQ(this->content("e/f/a"), "x");
  EXPECT_FALSE(this->files().rename(this->path("e"), this->path("e/f/g")));
  ASSERT_TRUE(this->files().create_directory(this->path("h")));
  EXPECT_EQ(code_of(this->files().rename(this->path("e/f/a"), this->path("h"))),
            ErrorCode::bad_request);
  EXPECT_EQ(code_of(this->files().rename(this->path("d"), this->path("g"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, RenameToItselfChangesNothing) {
  this->create("a", "x");
  ASSERT_TRUE(this->files().rename(this->path("a"), this->path("a")));
  EXPECT_EQ(this->content("a"), "x");
}

TYPED_TEST(FileSystems, CanonicalPathsAreAbsoluteAndPlain) {
  ASSERT_TRUE(this->files().create_directory(this->path("d")));
  const std::string plain = *this->files().canonical(this->path("d"));

  EXPECT_EQ(plain.front(), '/');
  EXPECT_EQ(*this->files().canonical(this->path("d/.././d//")), plain);
  EXPECT_EQ(code_of(this->files().canonical(this->path("e"))), ErrorCode::not_found);
}

TYPED_TEST(FileSystems, SecondLockIsRefusedAndNamesTheHolder) {  // E5
  const auto lock = this->files().try_lock(this->path("LOCK"), "pid 7");
  ASSERT_TRUE(lock);

  const auto second = this->files().try_lock(this->path("./LOCK"), "pid 8");

  EXPECT_EQ(code_of(second), ErrorCode::locked);
  EXPECT_EQ(*second.error().detail("holder"), "pid 7");
  EXPECT_EQ(this->content("LOCK"), "pid 7");
}

TYPED_TEST(FileSystems, LockCanBeTakenAgainAfterItsRelease) {
  {
    const auto lock = this->files().try_lock(this->path("LOCK"), "a long first holder");
    ASSERT_TRUE(lock);
  }

  const auto again = this->files().try_lock(this->path("LOCK"), "next");

  ASSERT_TRUE(again);
  EXPECT_EQ(this->content("LOCK"), "next");
}

TYPED_TEST(FileSystems, ReadFileRefusesMoreThanAsked) {
  this->create("a", "hello");
  EXPECT_EQ(*read_file(this->files(), this->path("a"), 5), "hello");
  EXPECT_EQ(code_of(read_file(this->files(), this->path("a"), 4)), ErrorCode::resource_limit);
}

TYPED_TEST(FileSystems, ReadExactlyReportsAShortFileAsCorrupt) {
  this->create("a", "hello");
  auto file = this->open("a", OpenMode::kRead);

  const auto bytes = read_exactly(*file, "a", 2, 4);

  EXPECT_EQ(code_of(bytes), ErrorCode::corrupt);
  EXPECT_EQ(*bytes.error().detail("file"), "a");
  EXPECT_EQ(*bytes.error().detail("offset"), "2");
}

TYPED_TEST(FileSystems, ReplaceFileReplacesAndClearsWhatACrashLeft) {
  this->create("a.new", "left by a crash, and longer");

  ASSERT_TRUE(replace_file(this->files(), this->path("a"), "one"));
  ASSERT_TRUE(replace_file(this->files(), this->path("a"), "two"));

  EXPECT_EQ(this->content("a"), "two");
  EXPECT_THAT(this->names(), ElementsAre("a"));
}

TEST(Paths, JoinPutsOneSlashBetween) {
  EXPECT_EQ(join("a", "b"), "a/b");
  EXPECT_EQ(join("/", "b"), "/b");
  EXPECT_EQ(join("a/", "b"), "a/b");
}

TEST(Paths, ParentIsTheDirectoryPart) {
  EXPECT_EQ(parent_of("a/b"), "a");
  EXPECT_EQ(parent_of("a"), ".");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(parent_of("/"), "/");
  EXPECT_EQ(parent_of("a/b/"), "a");
  EXPECT_EQ(parent_of("a//b"), "a");
}

TEST(MemoryFileSystem, MappingOutlivesTheFileSystem) {  // E15
  std::shared_ptr<const MappedFile> mapped;
  {
    MemoryFileSystem files;
    ASSERT_TRUE((*files.open("/a", OpenMode::kCreateNew))->write_at(0, "bytes"));
    mapped = *files.map("/a");
  }

  EXPECT_EQ(mapped->bytes(), "bytes");
}

TEST(MemoryFileSystem, FullCapacityIsNoSpaceUntilAFileGoes) {
  MemoryFileSystem files({.capacity_bytes = 10});
  auto a = *files.open("a", OpenMode::kCreateNew);
  auto b = *files.open("b", OpenMode::kCreateNew);
  ASSERT_TRUE(a->write_at(0, "0123456"));

  EXPECT_EQ(code_of(b->write_at(0, "0123")), ErrorCode::no_space);
  EXPECT_EQ(code_of(b->truncate(4)), ErrorCode::no_space);
  ASSERT_TRUE(files.remove("a"));
  EXPECT_EQ(code_of(b->write_at(0, "0123")), ErrorCode::no_space);  // still open
  a.reset();

  EXPECT_TRUE(b->write_at(0, "0123"));
  EXPECT_EQ(files.used_bytes(), 4U);
}

}  // namespace
}  // namespace braid::env
