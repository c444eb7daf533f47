// SPDX-License-Identifier: Apache-2.0
// The state is derived: lost, damaged, too new or foreign, it is made again from the log or refused
// by type, and no answer is ever wrong because of it.
#include <fstream>

#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

namespace fs = std::filesystem;

constexpr int kCommits = 20;
constexpr int kItemsPerCommit = 10;

/// What the graph must answer.
using Expected = std::map<std::string, std::int64_t>;

class StateFolder : public testing::Test {
 protected:
  /// A closed graph of some commits, some of which change what earlier ones made.
  void make(const std::string& path, int commits, int generation) {
    auto graph = Graph::init(path, kSchema);
    ASSERT_GOOD(graph);
    add_commits(*graph, 0, commits, generation);
    ASSERT_GOOD(graph->close());
  }
  static void add_commits(Graph& graph, int first, int count, int generation) {
    for (int number = first; number < first + count; ++number) {
      std::string text;
      for (const auto& [slug, value] : items_of(number, generation)) text += item(slug, value);
      ASSERT_GOOD(graph.load(rows_of(text),
                             keyed(fmt::format("k{}-{}", generation, number), LoadMode::kMerge)));
    }
  }
  static Expected items_of(int number, int generation) {
    Expected items;
    for (int i = 0; i < kItemsPerCommit; ++i) {
      items[fmt::format("s{}", number * kItemsPerCommit / 2 + i)] =
          generation * 1'000'000 + number * 1'000 + i;
    }
    return items;
  }
  static Expected expected_of(int commits, int generation) {
    Expected all;
    for (int number = 0; number < commits; ++number) {
      for (const auto& [slug, value] : items_of(number, generation)) all[slug] = value;
    }
    return all;
  }

  static void copy(const std::string& from, const std::string& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  }
  static void replace_state(const std::string& graph, const std::string& by) {
    copy(by + "/state", graph + "/state");
  }

  /// True if everything was answered rightly; false if something was refused as corrupt. Anything
  /// else fails the test.
  static bool answers_rightly(const std::string& path, bool read_only, const Expected& expected) {
    OpenOptions options;
    options.read_only = read_only;
    auto graph = Graph::open(path, options);
    EXPECT_GOOD(graph);
    if (!graph) return false;
    bool is_right = true;
    const auto snapshot = graph->read();
    EXPECT_GOOD(snapshot);
    for (const auto& [slug, value] : expected) {
      const auto result = snapshot->query(kCountOf, {{"slug", slug}});
      if (result) {
        EXPECT_EQ(count_in(result), value) << slug;
      } else {
        EXPECT_EQ(result.error().code(), ErrorCode::corrupt) << text_of(result);
        is_right = false;
      }
    }
    const auto absent = snapshot->query(kCountOf, {{"slug", "nobody"}});
    if (absent) {
      EXPECT_TRUE(absent->rows.empty());
    } else {
      EXPECT_EQ(absent.error().code(), ErrorCode::corrupt);
      is_right = false;
    }
    const auto report = graph->verify();
    EXPECT_GOOD(report);
    if (!report->findings.empty()) {
      EXPECT_EQ(report->findings.front().code(), ErrorCode::corrupt) << findings_of(report);
      is_right = false;
    } else {
      EXPECT_EQ(report->rows, expected.size());
    }
    return is_right;
  }
  /// A reader and then a writer answer rightly, and the writer goes on.
  static void expect_sound(const std::string& path, const Expected& expected) {
    EXPECT_TRUE(answers_rightly(path, true, expected)) << "read only";
    EXPECT_TRUE(answers_rightly(path, false, expected)) << "for writing";
    auto graph = Graph::open(path);
    ASSERT_GOOD(graph);
    const auto receipt = graph->load(rows_of(item("more", 5)), keyed("more"));
    ASSERT_GOOD(receipt);
    EXPECT_EQ(count_of(*graph, "more"), 5);
    EXPECT_EQ(findings_of(graph->verify()), "");
    ASSERT_GOOD(graph->close());
  }

  ScratchDirectory scratch_;
};

TEST_F(StateFolder, DeletedThenMadeAgainFromTheLog) {  // R1
  const std::string path = scratch_.path("g");
  make(path, kCommits, 1);
  fs::remove_all(path + "/state");

  expect_sound(path, expected_of(kCommits, 1));

  EXPECT_TRUE(fs::exists(path + "/state"));
}

TEST_F(StateFolder, AheadOfTheLogThenMadeAgain) {  // R1
  const std::string shorter = scratch_.path("shorter");
  const std::string longer = scratch_.path("longer");
  make(longer, kCommits, 1);
  copy(longer, shorter);
  auto graph = Graph::open(longer);
  ASSERT_GOOD(graph);
  add_commits(*graph, kCommits, 5, 1);
  ASSERT_GOOD(graph->close());
  replace_state(shorter, longer);

  expect_sound(shorter, expected_of(kCommits, 1));
}

TEST_F(StateFolder, OfAnotherContinuationThenMadeAgain) {  // R1
  // The log reaches as far as the state, but with other records.
  const std::string one = scratch_.path("one");
  const std::string two = scratch_.path("two");
  make(one, kCommits, 1);
  copy(one, two);
  for (const auto& [path, count] : {std::pair(one, 5), std::pair(two, 9)}) {
    auto graph = Graph::open(path);
    ASSERT_GOOD(graph);
    add_commits(*graph, kCommits, count, path == one ? 1 : 2);
    ASSERT_GOOD(graph->close());
  }
  replace_state(two, one);

  Expected expected = expected_of(kCommits, 1);
  for (int number = kCommits; number < kCommits + 9; ++number) {
    for (const auto& [slug, value] : items_of(number, 2)) expected[slug] = value;
  }
  expect_sound(two, expected);
}

TEST_F(StateFolder, BehindTheLogThenCompleted) {
  const std::string path = scratch_.path("g");
  const std::string older = scratch_.path("older");
  make(path, kCommits, 1);
  copy(path, older);
  auto graph = Graph::open(path);
  ASSERT_GOOD(graph);
  add_commits(*graph, kCommits, 5, 1);
  ASSERT_GOOD(graph->close());
  replace_state(path, older);

  expect_sound(path, expected_of(kCommits + 5, 1));
}

TEST_F(StateFolder, OfAnotherGraphThenMadeAgain) {  // R1
  const std::string path = scratch_.path("g");
  const std::string other = scratch_.path("other");
  make(path, kCommits, 1);
  make(other, kCommits, 2);
  replace_state(path, other);

  expect_sound(path, expected_of(kCommits, 1));
}

TEST_F(StateFolder, EmptyOrFullOfOtherThingsThenMadeAgain) {  // R1
  const std::string path = scratch_.path("g");
  make(path, kCommits, 1);
  fs::remove_all(path + "/state");
  fs::create_directory(path + "/state");
  expect_sound(path, expected_of(kCommits, 1));
}

/// Damages one file in place.
struct Damage {
  const char* name;
  void (*apply)(const std::string& file);
};

void flip(const std::string& path, std::uintmax_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 0x10));
}

constexpr Damage kDamages[] = {
    {"deleted", [](const std::string& file) { fs::remove(file); }},
    {"emptied", [](const std::string& file) { fs::resize_file(file, 0); }},
    {"cut in half",
     [](const std::string& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
    {"cut by a byte",
     [](const std::string& file) { fs::resize_file(file, fs::file_size(file) - 1); }},
    {"first bit flipped", [](const std::string& file) { flip(file, 0); }},
    {"middle bit flipped", [](const std::string& file) { flip(file, fs::file_size(file) / 2); }},
    {"last bit flipped", [](const std::string& file) { flip(file, fs::file_size(file) - 1); }},
};

TEST_F(StateFolder, AnyFileDamagedThenMadeAgainOrRefusedAndNeverWrong) {  // R1
  const std::string pristine = scratch_.path("pristine");
  const std::string path = scratch_.path("g");
  make(pristine, kCommits, 1);
  const Expected expected = expected_of(kCommits, 1);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(pristine + "/state")) {
    names.push_back(entry.path().filename());
  }
  ASSERT_GE(names.size(), 3U);

  int sound = 0;
  for (const std::string& name : names) {
    for (const Damage& damage : kDamages) {
      SCOPED_TRACE(name + " " + damage.name);
      copy(pristine, path);
      const std::string file = path + "/state/" + name;
      if (fs::file_size(file) == 0 && std::string_view(damage.name) != "deleted") continue;
      damage.apply(file);
      // When a reader and a writer meet the damage, then each answers rightly or refuses.
      answers_rightly(path, true, expected);
      if (answers_rightly(path, false, expected)) {
        sound += 1;
      } else {
        fs::remove_all(path + "/state");  // the remedy that the finding names
      }
      expect_sound(path, expected);
    }
  }
  EXPECT_GT(sound, 0);
}

}  // namespace
}  // namespace braid::graph_test
