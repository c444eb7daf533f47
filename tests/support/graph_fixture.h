// SPDX-License-Identifier: Apache-2.0
// What tests of whole graphs share: a schema, rows of it, machines, and ways to look at a graph.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "braid/graph.h"
#include "engine/graph_core.h"
#include "engine/snapshot_core.h"
#include "env/manual.h"
#include "env/sim_file_system.h"

namespace braid::graph_test {

/// For messages: what went wrong, if something did.
template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "success" : to_string(result.error());
}

/// The code of what must have failed; nullopt if it succeeded.
template <class T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code());
}

inline constexpr const char* kSchema = R"(node Item {
  slug: String @key
  count: I64
  note: String?
}

edge Link: Item -> Item
)";

inline std::string item(const std::string& slug, std::int64_t count) {
  return fmt::format(R"({{"type":"Item","data":{{"slug":"{}","count":{}}}}})"
                     "\n",
                     slug, count);
}
inline std::string link(const std::string& from, const std::string& to) {
  return fmt::format(R"({{"edge":"Link","from":"{}","to":"{}","data":{{}}}})"
                     "\n",
                     from, to);
}

inline std::vector<LoadSource> rows_of(std::string text) {
  std::vector<LoadSource> sources;
  sources.push_back(LoadSource::from_text("rows", std::move(text)));
  return sources;
}

inline LoadOptions keyed(std::string key, LoadMode mode = LoadMode::kAppend) {
  LoadOptions options;
  options.key = std::move(key);
  options.mode = mode;
  options.actor = "tester";
  return options;
}

inline const char* const kCountOf =
    "query q($slug: String) { match { $i: Item { slug: $slug } } return { $i.count } }";

inline std::optional<std::int64_t> count_in(const Result<QueryResult>& result) {
  if (!result || result->rows.size() != 1) return std::nullopt;
  const std::int64_t* count = result->rows[0][0].as<std::int64_t>();
  return count == nullptr ? std::nullopt : std::optional(*count);
}
/// The item's count; nullopt when there is no such item, or no answer.
inline std::optional<std::int64_t> count_of(const engine::SnapshotCore& snapshot,
                                            const std::string& slug) {
  return count_in(snapshot.query(kCountOf, {{"slug", slug}}, ""));
}
inline std::optional<std::int64_t> count_of(engine::GraphCore& core, const std::string& slug) {
  const auto snapshot = core.snapshot("main");
  return snapshot ? count_of(**snapshot, slug) : std::nullopt;
}
inline std::optional<std::int64_t> count_of(const Graph& graph, const std::string& slug) {
  const auto snapshot = graph.read();
  return snapshot ? count_in(snapshot->query(kCountOf, {{"slug", slug}})) : std::nullopt;
}

/// "" or the first finding.
inline std::string findings_of(const Result<VerifyReport>& report) {
  if (!report) return to_string(report.error());
  return report->findings.empty() ? "" : to_string(report->findings.front());
}

/// A machine whose time, chance, disk and threads do what the test says.
struct SimMachine {
  explicit SimMachine(std::uint64_t seed = 1, std::uint64_t capacity_bytes = UINT64_MAX)
      : files({.seed = seed, .capacity_bytes = capacity_bytes}),
        random(seed),
        workers(clock),
        env{files, clock, random, workers} {}

  env::SimFileSystem files;
  env::ManualClock clock;
  env::SeededRandom random;
  env::ManualWorkers workers;
  env::Env env;
};

/// The state in memory, small segments, no waiting for locks.
inline engine::CoreOptions small_options() {
  engine::CoreOptions options;
  options.memory_state = true;
  options.open.lock_wait_ms = 0;
  options.open.process_name = "test";
  options.log.segment_bytes_min = 16 * 4096;
  options.log.segment_bytes_max = 64 * 4096;
  options.log.group.bytes_max = 32 << 10;
  return options;
}

/// A directory of the real machine that exists as long as this object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = testing::TempDir() + "/braid-graph-XXXXXX";
    const char* const made = mkdtemp(pattern.data());
    EXPECT_NE(made, nullptr);
    path_ = made == nullptr ? "" : made;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace braid::graph_test

#define EXPECT_GOOD(expression)                                                 \
  do {                                                                          \
    const auto& good_result = (expression);                                     \
    EXPECT_TRUE(good_result.ok()) << ::braid::graph_test::text_of(good_result); \
  } while (false)
#define ASSERT_GOOD(expression)                                                 \
  do {                                                                          \
    const auto& good_result = (expression);                                     \
    ASSERT_TRUE(good_result.ok()) << ::braid::graph_test::text_of(good_result); \
  } while (false)
