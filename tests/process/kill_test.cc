// SPDX-License-Identifier: Apache-2.0
// kill -9 at random moments of eight threads that commit: afterwards every key gives its receipt,
// exactly once applied.
//   BRAID_KILLS=200  kills so often (20 otherwise);  BRAID_KILL_SEED=n  other moments
#include <iostream>
#include <random>
#include <set>

#include "loop_request.h"
#include "process_support.h"

namespace braid::graph_test {
namespace {

constexpr int kKillsPerGraph = 5;

struct Acknowledged {
  std::string commit;
  std::uint64_t version = 0;
  std::uint64_t position = 0;
};

/// What the loop wrote down. A line that the kill cut short counts as not written.
struct Notes {
  std::set<std::string> asked;
  std::map<std::string, Acknowledged> answered;

  static Notes read(const std::string& path) {
    Notes notes;
    std::string text = contents_of(path);
    text.resize(text.rfind('\n') + 1);
    std::istringstream lines(text);
    std::string mark;
    while (lines >> mark) {
      std::string key;
      lines >> key;
      notes.asked.insert(key);
      if (mark != "!") continue;
      Acknowledged& answer = notes.answered[key];
      lines >> answer.commit >> answer.version >> answer.position;
    }
    return notes;
  }
};

std::uint64_t size_of(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return failed ? 0 : size;
}

std::int64_t count_in_key(const std::string& key) {
  return std::stoll(key.substr(key.rfind('-') + 1));
}

/// The request that the loop made with this key.
Result<Receipt> retry(Graph& graph, const std::string& key) {
  LoadOptions options;
  options.key = key;
  options.actor = "loop";
  return graph.load(rows_of(loop_text(key, static_cast<std::uint64_t>(count_in_key(key)))),
                    options);
}

class KillTest : public testing::Test {
 protected:
  void make_graph(int number) {
    path_ = scratch_.path(fmt::format("g{}", number));
    notes_path_ = path_ + ".notes";
    auto graph = Graph::init(path_, kSchema);
    ASSERT_GOOD(graph);
    ASSERT_GOOD(graph->close());
  }

  void kill_once(int run) {
    const std::uint64_t before = size_of(notes_path_);
    Process loop(
        {from_environment("BRAID_COMMIT_LOOP"), path_, notes_path_, fmt::format("r{}", run), "8"},
        scratch_.path());
    if (random_() % 4 != 0) {
      // In full work; else anywhere, also while it opens.
      const std::uint64_t bytes = before + 1 + random_() % 40'000;
      ASSERT_TRUE(wait_until([&] { return size_of(notes_path_) > bytes; })) << loop.err();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 20'000));
    loop.kill();
    ASSERT_EQ(loop.err(), "");
  }

  void check() {
    const Notes notes = Notes::read(notes_path_);
    auto graph = Graph::open(path_);
    ASSERT_GOOD(graph);
    for (const std::string& key : notes.asked) {
      const auto receipt = retry(*graph, key);
      ASSERT_GOOD(receipt);
      const auto known = notes.answered.find(key);
      if (known != notes.answered.end()) {
        ASSERT_TRUE(receipt->replayed) << key;
        ASSERT_EQ(receipt->commit->to_string(), known->second.commit) << key;
        ASSERT_EQ(receipt->version.value, known->second.version) << key;
        ASSERT_EQ(receipt->position.value, known->second.position) << key;
      } else if (receipt->replayed) {
        landed_ += 1;
      }
    }
    check_history(*graph, notes);
    const auto report = graph->verify();
    ASSERT_EQ(findings_of(report), "");
    std::uint64_t rows = 0;
    for (const std::string& key : notes.asked) {
      rows += loop_rows(static_cast<std::uint64_t>(count_in_key(key)));
    }
    ASSERT_EQ(report->rows, rows);
    ASSERT_GOOD(graph->close());
    acknowledged_ += notes.answered.size();
    check_files(notes);
  }

  // G4: after an open, the files of staged commits and no others.
  void check_files(const Notes& notes) {
    std::size_t staged = 0;
    for (const std::string& key : notes.asked) {
      staged += loop_rows(static_cast<std::uint64_t>(count_in_key(key))) > 1 ? 1 : 0;
    }
    std::size_t files = 0;
    const std::filesystem::path objects(path_ + "/objects");
    if (std::filesystem::exists(objects)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(objects)) {
        files += entry.is_regular_file() ? 1 : 0;
      }
    }
    ASSERT_EQ(files, staged);
    staged_ += staged;
  }

  static void check_history(const Graph& graph, const Notes& notes) {
    const auto commits = graph.log();
    ASSERT_GOOD(commits);
    ASSERT_EQ(commits->size(), notes.asked.size());
    std::set<std::string> keys;
    for (std::size_t i = 0; i < commits->size(); ++i) {
      const CommitInfo& commit = (*commits)[i];
      ASSERT_EQ(commit.version.value, commits->size() - i);
      if (i + 1 < commits->size()) {
        ASSERT_EQ(commit.parents, std::vector<CommitId>{(*commits)[i + 1].id});
      }
      ASSERT_TRUE(notes.asked.contains(commit.key)) << commit.key;
      ASSERT_TRUE(keys.insert(commit.key).second) << commit.key << " was applied twice";
      ASSERT_EQ(count_of(graph, commit.key), count_in_key(commit.key));
    }
  }

  ScratchDirectory scratch_;
  std::string path_;
  std::string notes_path_;
  std::mt19937_64 random_;
  std::uint64_t landed_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t staged_ = 0;
};

TEST_F(KillTest, EveryKeyGivesItsReceiptExactlyOnceApplied) {  // C6, C8, R1, G4
  const std::string wanted = from_environment("BRAID_KILLS");
  const int kills = wanted.empty() ? 20 : std::stoi(wanted);
  const std::string seed = from_environment("BRAID_KILL_SEED");
  random_.seed(seed.empty() ? 1 : std::stoull(seed));

  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE(fmt::format("kill {}", i));
    if (i % kKillsPerGraph == 0) make_graph(i);
    if (HasFatalFailure()) return;
    kill_once(i);
    if (HasFatalFailure()) return;
    check();
    if (HasFatalFailure()) return;
  }

  std::cout << kills << " kills; receipts compared " << acknowledged_
            << ", commits that landed without an answer " << landed_ << ", staged commits "
            << staged_ << "\n";
  EXPECT_GT(acknowledged_, 0U);
  EXPECT_GT(staged_, 0U);
}

}  // namespace
}  // namespace braid::graph_test
