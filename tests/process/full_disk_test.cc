// SPDX-License-Identifier: Apache-2.0
// A full disk under a graph that stays open: refused by type, reads go on, and writes resume by
// themselves when there is room. Needs a tmpfs of its own, so root; skipped where mount refuses.
#include <set>
#include <sys/mount.h>

#include "process_support.h"

namespace braid::graph_test {
namespace {

/// A small file system of its own; unmounted by the destructor.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    std::filesystem::create_directory(path_);
    is_mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=24m") == 0;
    error_ = is_mounted_ ? 0 : errno;
  }
  ~SmallDisk() {
    if (!is_mounted_) return;
    EXPECT_EQ(::umount2(path_.c_str(), MNT_DETACH), 0);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  std::string why_not() const { return std::generic_category().message(error_); }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool is_mounted_ = false;
  int error_ = 0;
};

/// Takes all room that is left.
void fill(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  const std::string page(4096, 'x');
  while (::write(file, page.data(), page.size()) > 0) {
  }
  ::close(file);
}

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    disk_.emplace(scratch_.path("disk"));
    if (!disk_->is_mounted()) GTEST_SKIP() << "no tmpfs for the test: " << disk_->why_not();
    auto made = Graph::init(disk_->path("g"), kSchema);
    ASSERT_GOOD(made);
    graph_.emplace(*std::move(made));
  }
  void TearDown() override { graph_.reset(); }

  /// Rows of about 100 KB, so that the log fills soon what little room there is.
  Result<Receipt> commit(int number) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += fmt::format(R"({{"type":"Item","data":{{"slug":"n{}-{}","count":{},"note":"{}"}}}})"
                          "\n",
                          number, i, number, std::string(1'000, 'n'));
    }
    return graph_->load(rows_of(std::move(text)), keyed(fmt::format("k{}", number)));
  }
  /// Commits until the disk says no; returns the number that it refused.
  int commit_until_full() {
    for (int number = next_;; ++number) {
      const auto receipt = commit(number);
      if (receipt) {
        committed_.insert(number);
        continue;
      }
      EXPECT_EQ(receipt.error().code(), ErrorCode::no_space) << text_of(receipt);
      EXPECT_LT(number, 1'000);
      next_ = number + 1;
      return number;
    }
  }
  void expect_reads() const {
    for (const int number : committed_) {
      EXPECT_EQ(count_of(*graph_, fmt::format("n{}-7", number)), number);
    }
    const auto commits = graph_->log();
    ASSERT_GOOD(commits);
    EXPECT_EQ(commits->size(), committed_.size());
  }

  ScratchDirectory scratch_;
  std::optional<SmallDisk> disk_;
  std::optional<Graph> graph_;
  std::set<int> committed_;
  int next_ = 0;
};

TEST_F(FullDisk, CommitsAreRefusedReadsGoOnAndWritesResumeByThemselves) {
  ASSERT_GOOD(commit(next_));
  committed_.insert(next_++);
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    // When another owner of the disk takes all the room,
    fill(disk_->path("ballast"));
    const int refused = commit_until_full();
    // then commits are refused, again and again, and everything committed can be read,
    EXPECT_EQ(code_of(commit(refused)), ErrorCode::no_space);
    expect_reads();
    EXPECT_EQ(count_of(*graph_, fmt::format("n{}-7", refused)), std::nullopt);
    // and when there is room again, the same handle takes the refused commit.
    std::filesystem::remove(disk_->path("ballast"));
    const auto receipt = commit(refused);
    ASSERT_GOOD(receipt);
    EXPECT_FALSE(receipt->replayed);
    committed_.insert(refused);
    expect_reads();
  }
  EXPECT_EQ(findings_of(graph_->verify()), "");
  ASSERT_GOOD(graph_->close());
}

TEST_F(FullDisk, AGraphOnAFullDiskOpensForReadingAndAfterwardsForWriting) {
  ASSERT_GOOD(commit(next_));
  committed_.insert(next_++);
  fill(disk_->path("ballast"));
  commit_until_full();
  // The state may find no room for what it has in memory: it is made again from the log.
  EXPECT_EQ(code_of(graph_->close()).value_or(ErrorCode::no_space), ErrorCode::no_space);
  graph_.reset();

  OpenOptions options;
  options.read_only = true;
  auto reader = Graph::open(disk_->path("g"), options);
  ASSERT_GOOD(reader);
  graph_.emplace(*std::move(reader));
  expect_reads();
  graph_.reset();

  std::filesystem::remove(disk_->path("ballast"));
  auto writer = Graph::open(disk_->path("g"));
  ASSERT_GOOD(writer);
  graph_.emplace(*std::move(writer));
  expect_reads();
  EXPECT_EQ(findings_of(graph_->verify()), "");
}

}  // namespace
}  // namespace braid::graph_test
