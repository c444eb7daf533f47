// SPDX-License-Identifier: Apache-2.0
// Several processes on one graph: writers take turns, also through a link; readers need no turn, no
// right to write, and leave no file behind.
#include <set>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "process_support.h"

namespace braid::graph_test {
namespace {

using testing::HasSubstr;

class TwoProcesses : public testing::Test {
 protected:
  void SetUp() override {
    auto graph = Graph::init(path(), kSchema);
    ASSERT_GOOD(graph);
    ASSERT_GOOD(graph->load(rows_of(item("a", 1)), keyed("k1")));
    ASSERT_GOOD(graph->close());
    std::filesystem::create_directory_symlink(path(), link());
    for (const char* name : {"one", "two"}) std::filesystem::create_directory(folder(name));
  }

  std::string path() const { return scratch_.path("g"); }
  std::string link() const { return scratch_.path("link"); }
  std::string folder(const std::string& name) const { return scratch_.path(name); }

  /// A writer that holds the graph until its standard input ends.
  std::unique_ptr<Process> holder(const std::string& graph) const {
    auto process = std::make_unique<Process>(
        Words{binary(), "load", graph, "--data", "-", "--key", "held"}, folder("one"));
    const std::string number = std::to_string(process->number());
    EXPECT_TRUE(wait_until([&] {
      return contents_of(path() + "/LOCK").find(number) != std::string::npos;
    })) << process->err();
    return process;
  }
  Words load(const std::string& graph, const std::string& wait) const {
    return {binary(), "load", graph, "--data", "-", "--key", "k2", "--wait", wait, "--json"};
  }
  Words query(const std::string& graph) const {
    return {binary(),
            "query",
            graph,
            "-e",
            "query q() { match { $i: Item { slug: \"a\" } } return { $i.count } }",
            "--format",
            "csv"};
  }
  /// Every file with its size and time, so that none can come, go or change unseen.
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      struct stat status{};
      EXPECT_EQ(::lstat(entry.path().c_str(), &status), 0);
      found.insert(fmt::format("{} {} {}.{}", entry.path().string(), status.st_size,
                               status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
    }
    return found;
  }
  /// The folders of the test and above it may be entered by anybody, the graph written by nobody.
  void forbid_writing() const {
    using std::filesystem::perms;
    std::filesystem::permissions(scratch_.path(), perms(0755));
    for (const char* name : {"one", "two"}) {
      std::filesystem::permissions(folder(name), perms(0777));
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      std::filesystem::permissions(entry.path(), entry.is_directory() ? perms(0555) : perms(0444));
    }
    std::filesystem::permissions(path(), perms(0555));
  }
  /// The words, run by a user who is nobody; empty if that cannot be.
  static Words as_nobody(const Words& words) {
    if (::geteuid() != 0) return words;  // then permissions bind already
    Words all = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  ScratchDirectory scratch_;
};

TEST_F(TwoProcesses, TheSecondWriterWaitsAndThenWorks) {  // D2
  for (const std::string& second : {path(), link()}) {
    SCOPED_TRACE(second);
    auto first = holder(path());
    Process waiting({binary(), "load", second, "--data", "-", "--mode", "merge", "--wait", "60"},
                    folder("two"));
    // It is there, and asks for the lock.
    const std::string status = fmt::format("/proc/{}/stat", waiting.number());
    ASSERT_TRUE(
        wait_until([&] { return contents_of(status).find("(braid)") != std::string::npos; }));
    EXPECT_EQ(first->finish(), 0);
    EXPECT_EQ(waiting.finish(item("a", 2)), 0) << waiting.err();
    ASSERT_EQ(run(query(path()), folder("two")).out, "i.count\r\n2\r\n");
  }
}

TEST_F(TwoProcesses, AWriterThatGivesUpNamesTheHolder) {  // D2
  auto first = holder(path());
  for (const std::string& second : {path(), link()}) {
    SCOPED_TRACE(second);
    const Ran ran = run(load(second, "1"), folder("two"), item("b", 1));
    EXPECT_EQ(ran.status, 5);
    EXPECT_THAT(ran.err, HasSubstr("\"code\":\"locked\""));
    EXPECT_THAT(ran.err, HasSubstr(std::to_string(first->number())));
    EXPECT_THAT(ran.err, HasSubstr("braid load " + path()));
  }
  // The first goes on undisturbed.
  EXPECT_EQ(first->finish(item("c", 3)), 0) << first->err();
  EXPECT_EQ(run(load(link(), "1"), folder("two"), item("b", 1)).status, 0);
}

TEST_F(TwoProcesses, AHandleOfThisProcessKeepsOthersOutAndOtherHandlesToo) {  // D2
  auto graph = Graph::open(path());
  ASSERT_GOOD(graph);

  OpenOptions options;
  options.lock_wait_ms = 0;
  EXPECT_EQ(code_of(Graph::open(link(), options)), ErrorCode::locked);
  EXPECT_EQ(run(load(link(), "0"), folder("two"), item("b", 1)).status, 5);

  ASSERT_GOOD(graph->close());
  EXPECT_GOOD(Graph::open(link(), options));
}

TEST_F(TwoProcesses, AReaderSeesWhatALiveWriterCommits) {
  OpenOptions options;
  options.read_only = true;
  const auto reader = Graph::open(path(), options);
  ASSERT_GOOD(reader);
  auto writer = Graph::open(link());
  ASSERT_GOOD(writer);
  ASSERT_GOOD(writer->load(rows_of(item("b", 7)), keyed("k2")));

  // The seal of an idle log makes the last group visible.
  EXPECT_TRUE(wait_until([&] { return count_of(*reader, "b") == 7; }));
  EXPECT_EQ(run(query(path()), folder("two")).out, "i.count\r\n1\r\n");
  EXPECT_EQ(findings_of(reader->verify()), "");
}

TEST_F(TwoProcesses, AReaderOfADirectoryItMayNotWriteMakesNoFile) {  // G2
  forbid_writing();
  const auto before = files();
  const Ran probe = run(as_nobody({"touch", path() + "/probe"}), folder("two"));
  if (probe.status == 0) GTEST_SKIP() << "permissions bind nobody here";

  const Ran asked = run(as_nobody(query(path())), folder("two"));
  EXPECT_EQ(asked.status, 0) << asked.err;
  EXPECT_EQ(asked.out, "i.count\r\n1\r\n");
  for (const Words& words : {Words{binary(), "log", path()}, Words{binary(), "verify", path()},
                             Words{binary(), "schema", "show", path()}}) {
    const Ran ran = run(as_nobody(words), folder("two"));
    EXPECT_EQ(ran.status, 0) << words[1] << ": " << ran.err;
  }
  EXPECT_EQ(files(), before);

  // A writer there is told what is wrong.
  const Ran writing = run(as_nobody(load(path(), "0")), folder("two"), item("b", 1));
  EXPECT_EQ(writing.status, 1) << writing.err;
  EXPECT_THAT(writing.err, HasSubstr("\"code\":\"permission\""));
  EXPECT_EQ(files(), before);
}

TEST_F(TwoProcesses, AReaderAfterAnUncleanStopReadsAndChangesNothing) {  // G2
  Process loop({from_environment("BRAID_COMMIT_LOOP"), path(), scratch_.path("notes"), "r", "2"},
               folder("one"));
  const auto answers = [&] {
    const std::string text = contents_of(scratch_.path("notes"));
    return std::count(text.begin(), text.end(), '!');
  };
  ASSERT_TRUE(wait_until([&] { return answers() > 20; })) << loop.err();
  loop.kill();
  const auto acknowledged = static_cast<std::uint64_t>(answers());
  forbid_writing();
  const auto before = files();

  const Ran asked = run(as_nobody(query(path())), folder("two"));
  EXPECT_EQ(asked.out, "i.count\r\n1\r\n") << asked.err;
  const Ran verified = run(as_nobody({binary(), "verify", path()}), folder("two"));
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_EQ(files(), before);

  // A reader shows what is proven durable: all but the last group, of at most one commit a thread.
  OpenOptions options;
  options.read_only = true;
  const auto reader = Graph::open(path(), options);
  ASSERT_GOOD(reader);
  const auto commits = reader->log();
  ASSERT_GOOD(commits);
  // One is of SetUp.
  EXPECT_GE(commits->size() - 1 + 2, acknowledged);
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace braid::graph_test
