// SPDX-License-Identifier: Apache-2.0
#include "engine/names.h"

#include <gtest/gtest.h>

#include "env/memory_file_system.h"

namespace braid::engine {
namespace {

const std::string kAnn = "principal:sha256:" + std::string(64, 'a');
const std::string kBob = "principal:sha256:" + std::string(64, 'b');

TEST(NamesTest, RememberedThenFoundAlsoByTheNextHandle) {
  env::MemoryFileSystem files;
  ASSERT_TRUE(files.create_directory("/names"));
  Names names(files, "/names");
  ASSERT_TRUE(names.remember(kAnn, "Ann \xC3\x84"));
  ASSERT_TRUE(names.remember(kBob, ""));

  const Names later(files, "/names");
  for (const Names* each : {&std::as_const(names), &later}) {
    EXPECT_EQ(each->find(kAnn), "Ann \xC3\x84");
    EXPECT_EQ(each->find(kBob), "");
    EXPECT_EQ(each->find("principal:sha256:" + std::string(64, 'c')), std::nullopt);
  }
}

TEST(NamesTest, ErasedThenUnknownAlsoToAnOpenHandle) {
  env::MemoryFileSystem files;
  ASSERT_TRUE(files.create_directory("/names"));
  Names names(files, "/names");
  ASSERT_TRUE(names.remember(kAnn, "Ann"));
  ASSERT_TRUE(files.remove("/names/" + std::string(64, 'a')));
  EXPECT_EQ(names.find(kAnn), std::nullopt);
}

TEST(NamesTest, WithoutADirectoryThenInMemory) {
  env::MemoryFileSystem files;
  Names names(files, std::nullopt);
  ASSERT_TRUE(names.remember(kAnn, "Ann"));
  EXPECT_EQ(names.find(kAnn), "Ann");
  EXPECT_EQ(names.find(kBob), std::nullopt);
  EXPECT_TRUE(files.list("/")->empty());
}

TEST(NamesTest, TooLongANameThenRefusedAndNothingWritten) {
  env::MemoryFileSystem files;
  ASSERT_TRUE(files.create_directory("/names"));
  Names names(files, "/names");
  const Status refused = names.remember(kAnn, std::string(4'097, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::resource_limit);
  EXPECT_TRUE(files.list("/names")->empty());
  EXPECT_TRUE(names.remember(kAnn, std::string(4'096, 'x')));
}

TEST(NamesTest, FullDiskThenNoNameIsPretended) {
  env::MemoryFileSystem files({.capacity_bytes = 4});
  ASSERT_TRUE(files.create_directory("/names"));
  Names names(files, "/names");
  EXPECT_EQ(names.remember(kAnn, "Annabel").error().code(), ErrorCode::no_space);
  EXPECT_EQ(names.find(kAnn), std::nullopt);
  EXPECT_TRUE(names.remember(kAnn, "Ann"));
}

}  // namespace
}  // namespace braid::engine
