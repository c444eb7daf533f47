// SPDX-License-Identifier: Apache-2.0
// A link on the way to a graph is turned to another directory while a writer is open: the writer
// goes on in the graph that it opened, or fails; the other directory is not its to touch.
#include <map>

#include <gmock/gmock.h>

#include "process_support.h"

namespace braid::graph_test {
namespace {

namespace fs = std::filesystem;

/// Larger than the first segment, so that new files are made.
std::string large_item(const std::string& slug) {
  return fmt::format(R"({{"type":"Item","data":{{"slug":"{}","count":1,"note":"{}"}}}})"
                     "\n",
                     slug, std::string(700 << 10, 'x'));
}

class TurnedLink : public testing::Test {
 protected:
  /// `way` leads to `mine`; `other` has a graph under the same name, or an empty directory.
  void SetUp() override {
    for (const char* name : {"mine", "other", "out"}) fs::create_directory(scratch_.path(name));
    fs::create_directory_symlink(scratch_.path("mine"), scratch_.path("way"));
    for (const std::string& path : {graph(), scratch_.path("other/g")}) {
      auto made = Graph::init(path, kSchema);
      ASSERT_GOOD(made);
      ASSERT_GOOD(made->load(rows_of(item("a", 1)), keyed("k1")));
      ASSERT_GOOD(made->close());
    }
  }
  /// The path that writers are given.
  std::string graph() const { return scratch_.path("way/g"); }
  std::string mine() const { return scratch_.path("mine/g"); }
  void turn_link() const {
    fs::create_directory_symlink(scratch_.path("other"), scratch_.path("way.new"));
    fs::rename(scratch_.path("way.new"), scratch_.path("way"));
  }
  /// Every file of the other directory, byte by byte.
  std::map<std::string, std::string> other_files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.path("other"))) {
      out[entry.path().string()] = entry.is_directory() ? "" : contents_of(entry.path().string());
    }
    return out;
  }
  /// What is in the graph that was opened.
  void expect_in_mine(const std::vector<std::string>& slugs) const {
    OpenOptions options;
    options.read_only = true;
    const auto opened = Graph::open(mine(), options);
    ASSERT_GOOD(opened);
    EXPECT_EQ(findings_of(opened->verify()), "");
    for (const std::string& slug : slugs) EXPECT_EQ(count_of(*opened, slug), 1) << slug;
  }

  ScratchDirectory scratch_;
};

TEST_F(TurnedLink, AnOpenWriterMakesItsNewFilesWhereItBegan) {
  auto writer = Graph::open(graph());
  ASSERT_GOOD(writer);
  turn_link();
  const auto before = other_files();

  std::vector<std::string> written = {"a"};
  for (const char* slug : {"b", "c", "d"}) {
    LoadOptions options = keyed(slug);
    options.actor = std::string("new person ") + slug;
    const auto receipt = writer->load(rows_of(large_item(slug)), options);
    if (receipt) written.emplace_back(slug);
  }
  const bool closed = writer->close().ok();
  writer = Error(ErrorCode::cancelled, "let go");

  EXPECT_TRUE(other_files() == before);
  expect_in_mine(written);
  EXPECT_TRUE(closed);
  EXPECT_EQ(written.size(), 4U);
}

TEST_F(TurnedLink, ALoadInTheMiddleCommitsWhereItBegan) {
  Process writer({binary(), "load", graph(), "--data", "-", "--key", "k2", "--as", "somebody new"},
                 scratch_.path("out"));
  const std::string number = std::to_string(writer.number());
  ASSERT_TRUE(wait_until([&] {
    return contents_of(mine() + "/LOCK").find(number) != std::string::npos;
  })) << writer.err();
  turn_link();
  const auto before = other_files();

  const int status = writer.finish(item("b", 1));

  EXPECT_EQ(status, 0) << writer.err();
  EXPECT_TRUE(other_files() == before);
  expect_in_mine({"a", "b"});
}

TEST_F(TurnedLink, TheNextOpenGoesWhereTheLinkLeads) {
  auto writer = Graph::open(graph());
  ASSERT_GOOD(writer);
  turn_link();

  // Another directory, another lock.
  OpenOptions options;
  options.lock_wait_ms = 0;
  auto next = Graph::open(graph(), options);
  ASSERT_GOOD(next);
  ASSERT_GOOD(next->load(rows_of(item("n", 1)), keyed("k2")));
  ASSERT_GOOD(next->close());
  ASSERT_GOOD(writer->load(rows_of(item("b", 1)), keyed("k2")));
  ASSERT_GOOD(writer->close());
  EXPECT_EQ(count_of(*Graph::open(scratch_.path("other/g"), options), "b"), std::nullopt);
  expect_in_mine({"a", "b"});
}

}  // namespace
}  // namespace braid::graph_test
