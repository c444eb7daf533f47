// SPDX-License-Identifier: Apache-2.0
// The graph in tests/compat/v1/graph was written by format 1 and must open, read, verify and go on
// for ever. What is expected of it (expected.json) comes from make.py beside it, not from Braid.
#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "columnar/value_text.h"
#include "env/real.h"
#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

using Json = nlohmann::json;
using testing::UnorderedElementsAreArray;

constexpr std::size_t kLongText = 10'000;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// As expected.json writes values: texts that are long by their digest.
Json json_of(const Value& value) {
  std::string text;
  columnar::append_json(text, value, {.blob_prefix = true});
  Json out = Json::parse(text);
  if (out.is_string() && out.get_ref<const std::string&>().size() > kLongText) {
    return "sha256:" + base::hex_of(base::sha256(out.get_ref<const std::string&>()));
  }
  return out;
}

/// The members that are not null.
Json json_of(const Value::Object& object) {
  Json out = Json::object();
  for (std::size_t i = 0; i < object.names.size(); ++i) {
    if (!object.values[i].is_null()) out[object.names[i]] = json_of(object.values[i]);
  }
  return out;
}

Json json_of(const RowChange& row) {
  Json out = {{row.is_edge ? "edge" : "type", row.type}, {"id", row.id}};
  if (row.is_edge) {
    out["from"] = row.from;
    out["to"] = row.to;
  }
  out["data"] = json_of(row.after);
  return out;
}

class GraphCompat : public testing::Test {
 protected:
  void SetUp() override {
    const char* const source = std::getenv("BRAID_SOURCE_DIR");
    ASSERT_NE(source, nullptr) << "BRAID_SOURCE_DIR names the source tree; ctest sets it";
    const std::string folder = std::string(source) + "/tests/compat/v1/graph";
    const std::string unpack =
        fmt::format("tar -xzf '{}/graph.tar.gz' -C '{}'", folder, scratch_.path());
    ASSERT_EQ(std::system(unpack.c_str()), 0) << unpack;
    expected_ = Json::parse(bytes_of(folder + "/expected.json"));
  }

  std::string path() const { return scratch_.path("brain.braid"); }
  std::shared_ptr<engine::GraphCore> open(bool read_only) {
    engine::CoreOptions options;
    options.open.read_only = read_only;
    auto core = engine::GraphCore::open(env_, path(), options);
    EXPECT_GOOD(core);
    return core ? *core : nullptr;
  }
  /// The bytes of every file.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      out[entry.path().string()] = entry.is_directory() ? "" : bytes_of(entry.path());
    }
    return out;
  }

  Result<Receipt> load(engine::GraphCore& core, const Json& fact) {
    LoadOptions options =
        keyed(fact["key"], fact["mode"] == "merge" ? LoadMode::kMerge : LoadMode::kAppend);
    options.actor = fact["actor"];
    options.purpose = fact["purpose"];
    return core.load(rows_of(fact["load"]), options);
  }

  void expect_everything(engine::GraphCore& core);
  void expect_history(engine::GraphCore& core);
  void expect_rows(engine::GraphCore& core);
  void expect_node(const engine::SnapshotCore& snapshot, const Json& row);

  ScratchDirectory scratch_;
  // Shortly after the corpus was made: its keys are valid.
  env::ManualClock clock_{1'796'083'200'000};  // 2026-12-01
  env::Env env_{env::posix_file_system(), clock_, env::system_random(), env::thread_workers()};
  Json expected_;
};

void GraphCompat::expect_everything(engine::GraphCore& core) {
  EXPECT_EQ(Json(core.graph().to_string()), expected_["graph"]);
  const auto report = core.verify();
  ASSERT_GOOD(report);
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(Json(report->records), expected_["records"]);
  EXPECT_EQ(report->commits, expected_["commits"].size());
  EXPECT_EQ(report->rows, expected_["rows"].size());
  expect_history(core);
  expect_rows(core);
  const auto snapshot = core.snapshot("main");
  ASSERT_GOOD(snapshot);
  for (const Json& row : expected_["rows"]) {
    if (row.contains("type")) expect_node(**snapshot, row);
  }
}

/// log: who, why, in which order, how many rows of which type.
void GraphCompat::expect_history(engine::GraphCore& core) {
  const auto commits = core.history("main", 0);
  ASSERT_GOOD(commits);
  ASSERT_EQ(commits->size(), expected_["commits"].size());
  EXPECT_EQ(Json(commits->front().record_hash), expected_["chain_hash"]);
  for (std::size_t i = 0; i < commits->size(); ++i) {
    const Json& fact = expected_["commits"][commits->size() - 1 - i];
    const CommitInfo& info = (*commits)[i];
    SCOPED_TRACE(fact["key"].get<std::string>());
    EXPECT_EQ(Json(info.version.value), fact["version"]);
    EXPECT_EQ(info.actor, std::optional<std::string>(fact["actor"]));
    EXPECT_EQ(Json(info.principal), fact["principal"]);
    EXPECT_EQ(Json(info.key), fact["key"]);
    EXPECT_EQ(Json(info.purpose), fact["purpose"]);
    EXPECT_EQ(info.surface, "load");
    EXPECT_EQ(info.branch, "main");
    const bool is_first = i + 1 == commits->size();
    EXPECT_EQ(info.parents,
              is_first ? std::vector<CommitId>{} : std::vector<CommitId>{(*commits)[i + 1].id});
    Json changes = Json::object();
    for (const TypeChange& change : info.changes) {
      EXPECT_EQ(change.deleted, 0U);
      changes[change.type] = {{"inserted", change.inserted}, {"updated", change.updated}};
    }
    EXPECT_EQ(changes, fact["changes"]);
  }
}

/// show: the rows of all commits, one upon the other, are the rows that must be there.
void GraphCompat::expect_rows(engine::GraphCore& core) {
  const auto commits = core.history("main", 0);
  ASSERT_GOOD(commits);
  std::map<std::pair<std::string, std::string>, Json> rows;
  for (auto info = commits->rbegin(); info != commits->rend(); ++info) {
    const auto detail = core.show(info->id.to_string());
    ASSERT_GOOD(detail);
    for (const RowChange& row : detail->rows) {
      EXPECT_EQ(row.kind == RowChange::Kind::kUpdated, rows.contains({row.type, row.id}));
      rows[{row.type, row.id}] = json_of(row);
    }
  }
  std::vector<Json> found;
  for (auto& [key, row] : rows) {
    // Ids that Braid gave are no part of the expectation.
    if (key.first == "Knows" || key.first == "Visited") row["id"] = nullptr;
    found.push_back(row);
  }
  EXPECT_THAT(found, UnorderedElementsAreArray(expected_["rows"].get<std::vector<Json>>()));
}

/// query: the node by its key, from the state.
void GraphCompat::expect_node(const engine::SnapshotCore& snapshot, const Json& row) {
  const std::string type = row["type"];
  SCOPED_TRACE(row["id"].get<std::string>());
  Json data = row["data"];
  Parameters key;
  std::string query;
  if (type == "Person") {
    key = {{"slug", row["id"].get<std::string>()}};
    query =
        "query q($slug: String) { match { $n: Person { slug: $slug } } "
        "return { $n, $n.embedding as embedding } }";
  } else if (type == "Place") {
    key = {{"country", data["country"].get<std::string>()},
           {"number", data["number"].get<std::int64_t>()}};
    query =
        "query q($country: String, $number: I64) "
        "{ match { $n: Place { country: $country, number: $number } } return { $n } }";
  } else {
    key = {{"id", row["id"].get<std::string>()}};
    query = "query q($id: String) { match { $n: Note { id: $id } } return { $n } }";
  }
  const auto result = snapshot.query(query, key, "");
  ASSERT_GOOD(result);
  ASSERT_EQ(result->rows.size(), 1U);
  ASSERT_TRUE(result->rows[0][0].is<Value::Object>());
  // A whole node comes without its Blobs and Vectors.
  Json found = json_of(*result->rows[0][0].as<Value::Object>());
  if (type == "Person" && !result->rows[0][1].is_null()) {
    found["embedding"] = json_of(result->rows[0][1]);
  }
  data["@id"] = row["id"];
  for (const char* blob : {"photo", "attachment"}) data.erase(blob);
  EXPECT_EQ(found, data);
}

TEST_F(GraphCompat, FormatOneIsReadWithoutAChangedByte) {  // G2
  const auto before = files();

  auto core = open(true);
  ASSERT_NE(core, nullptr);
  expect_everything(*core);
  ASSERT_GOOD(core->close());
  core.reset();

  EXPECT_TRUE(files() == before);
  std::size_t segments = 0;
  for (const auto& [name, bytes] : before) {
    if (name.find("/log/0") != std::string::npos) ++segments;
  }
  EXPECT_EQ(Json(segments), expected_["segments"]);
}

TEST_F(GraphCompat, FormatOneIsOpenedForWriting) {
  auto core = open(false);
  ASSERT_NE(core, nullptr);
  expect_everything(*core);
  ASSERT_GOOD(core->close());
  core.reset();

  core = open(true);
  ASSERT_NE(core, nullptr);
  expect_everything(*core);
}

TEST_F(GraphCompat, FormatOneIsReadWithItsStateLost) {
  std::filesystem::remove_all(path() + "/state");

  for (const bool read_only : {true, false}) {
    const auto core = open(read_only);
    ASSERT_NE(core, nullptr);
    expect_everything(*core);
    ASSERT_GOOD(core->close());
  }
}

TEST_F(GraphCompat, AKeyOfFormatOneIsAnsweredWithItsReceipt) {
  const auto core = open(false);
  ASSERT_NE(core, nullptr);
  const auto commits = core->history("main", 0);
  ASSERT_GOOD(commits);
  std::size_t asked = 0;
  for (const Json& fact : expected_["commits"]) {
    if (!fact.contains("load")) continue;  // too long to be kept
    SCOPED_TRACE(fact["key"].get<std::string>());
    const auto receipt = load(*core, fact);
    ASSERT_GOOD(receipt);
    EXPECT_TRUE(receipt->replayed);
    EXPECT_EQ(Json(receipt->version.value), fact["version"]);
    const CommitInfo& info = (*commits)[commits->size() - fact["version"].get<std::size_t>()];
    EXPECT_EQ(receipt->commit, std::optional(info.id));
    EXPECT_EQ(receipt->position, info.position);
    EXPECT_EQ(receipt->key_valid_until_ms, info.committed_ms + std::int64_t{7} * 24 * 3'600'000);
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [type, change] : fact["changes"].items()) {
      const bool is_edge = type == "Knows" || type == "Visited" || type == "Mentions";
      counts[is_edge ? "edges+" : "nodes+"] += change["inserted"].get<std::uint64_t>();
      counts[is_edge ? "edges~" : "nodes~"] += change["updated"].get<std::uint64_t>();
    }
    EXPECT_EQ(receipt->nodes_inserted, counts["nodes+"]);
    EXPECT_EQ(receipt->nodes_updated, counts["nodes~"]);
    EXPECT_EQ(receipt->edges_inserted, counts["edges+"]);
    EXPECT_EQ(receipt->edges_updated, counts["edges~"]);
    ++asked;

    Json other = fact;
    other["load"] = fact["load"].get<std::string>() + "\n";
    EXPECT_EQ(code_of(load(*core, other)), ErrorCode::idempotency_conflict);
  }
  EXPECT_EQ(asked, 3U);

  const auto nothing = load(*core, expected_["nothing"]);
  ASSERT_GOOD(nothing);
  EXPECT_TRUE(nothing->replayed);
  EXPECT_EQ(nothing->commit, std::nullopt);
  EXPECT_EQ(Json(nothing->version.value), expected_["nothing"]["version"]);
  expect_everything(*core);
}

TEST_F(GraphCompat, FormatOneIsContinued) {
  {
    const auto core = open(false);
    ASSERT_NE(core, nullptr);
    const std::string more =
        R"({"type":"Person","data":{"slug":"eve","title":"Eve"}})"
        "\n"
        R"({"edge":"Knows","from":"eve","to":"ann","data":{"since":"2027-01-01"}})";
    const auto receipt = core->load(rows_of(more), keyed("more"));
    ASSERT_GOOD(receipt);
    EXPECT_EQ(receipt->version.value, expected_["commits"].size() + 1);
    ASSERT_GOOD(core->close());
  }

  const auto core = open(true);
  ASSERT_NE(core, nullptr);
  const auto report = core->verify();
  ASSERT_GOOD(report);
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(report->records, expected_["records"].get<std::uint64_t>() + 1);
  EXPECT_EQ(report->rows, expected_["rows"].size() + 2);
}

TEST_F(GraphCompat, ANegativeZeroKeepsItsSign) {  // JSON comparison does not see it
  const auto core = open(true);
  ASSERT_NE(core, nullptr);
  const auto snapshot = core->snapshot("main");
  ASSERT_GOOD(snapshot);

  const auto result = (*snapshot)->query(
      "query q() { match { $p: Person { slug: \"bob\" } } return { $p.score } }", {}, "");

  ASSERT_GOOD(result);
  ASSERT_EQ(result->rows.size(), 1U);
  const double* score = result->rows[0][0].as<double>();
  ASSERT_NE(score, nullptr);
  EXPECT_EQ(*score, 0);
  EXPECT_TRUE(std::signbit(*score));
}

}  // namespace
}  // namespace braid::graph_test
