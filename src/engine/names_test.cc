// SPDX-License-Identifier: Apache-2.0
#include "engine/names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <gtest/gtest.h>

#include "commit/batch.h"
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

TEST(NamesTest, VerifyThenEachFileThatIsNotItsPseudonymIsReported) {
  const GraphId graph{Ulid::make(7, {})};
  const auto digits_of = [&](std::string_view actor) {
    const std::string principal = commit::principal_of(graph, actor);
    return principal.substr(principal.rfind(':') + 1);
  };
  env::MemoryFileSystem files;
  ASSERT_TRUE(files.create_directory("/names"));
  const auto put = [&](const std::string& file, std::string_view text) {
    ASSERT_TRUE(env::replace_file(files, "/names/" + file, text));
  };
  Names names(files, "/names");
  for (const char* actor : {"Ann", "Bob \xC3\x84", ""}) {
    ASSERT_TRUE(names.remember(names.principal_of(graph, actor), actor));
  }
  const auto reported = [&] {
    std::vector<std::string> out;
    names.verify(graph, [&](const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << to_string(error);
      out.push_back(*error.detail("file"));
    });
    return out;
  };
  EXPECT_EQ(reported(), std::vector<std::string>{});

  std::string upper = digits_of("Eve");
  for (char& digit : upper) digit = static_cast<char>(std::toupper(digit));
  put("notes.txt", "Eve");
  put(upper, "Eve");
  put(digits_of("Eve").substr(1), "Eve");
  put(digits_of("Eve"), "eve");
  put(digits_of("Dan"), std::string(5000, 'd'));
  put(digits_of("Cleo"), "Cleo");
  put("half.new", "whatever");

  std::vector<std::string> expected = {"names/notes.txt", "names/" + upper,
                                       "names/" + digits_of("Eve").substr(1),
                                       "names/" + digits_of("Eve"), "names/" + digits_of("Dan")};
  std::vector<std::string> found = reported();
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(NamesTest, VerifyOfALostDirectoryThenNothingIsWrong) {
  env::MemoryFileSystem files;
  const Names lost(files, "/names");
  const Names in_memory(files, std::nullopt);
  for (const Names* names : {&lost, &in_memory}) {
    names->verify(GraphId{}, [](const Error& error) { ADD_FAILURE() << to_string(error); });
  }
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
