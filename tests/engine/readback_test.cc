// SPDX-License-Identifier: Apache-2.0
// Two real graphs, loaded in one commit each: every node read back by key is its input, value by
// value, as another parser (nlohmann-json) and the test's own reading of types and dates say; log,
// show and verify count what the test counts.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

using Json = nlohmann::json;

std::optional<std::string> shared_file(const std::string& name) {
  const char* const root = std::getenv("BRAID_SOURCE_DIR");
  if (root == nullptr) return std::nullopt;
  std::ifstream file(std::string(root) + "/../shared/data/" + name, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

struct Property {
  std::string name;
  std::string type;  // without '?', "enum" for an enum
};
/// The properties of each node type, in the order of the text; whether it is keyed by `slug`.
struct NodeText {
  std::vector<Property> properties;
  bool has_slug_key = false;
};

/// Reads the few shapes of line that these two schemas have.
std::map<std::string, NodeText> nodes_of(const std::string& schema) {
  static const std::regex kNode(R"(^node (\w+).*)");
  static const std::regex kProperty(R"(^  (\w+): (enum\(|\[?\w+(\(\d+\))?\]?)(.*))");
  std::map<std::string, NodeText> nodes;
  NodeText* node = nullptr;
  std::istringstream lines(schema);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kNode)) {
      node = &nodes[match[1]];
    } else if (line.starts_with("}") || line.starts_with("edge")) {
      node = nullptr;
    } else if (node != nullptr && std::regex_match(line, match, kProperty)) {
      const std::string type = match[2] == "enum(" ? "enum" : match[2].str();
      if (type == "Blob") continue;  // no query value; expect_node sees to it that no input has one
      node->properties.push_back({match[1], type});
      if (match[1] == "slug" && line.find("@key") != std::string::npos) node->has_slug_key = true;
    }
  }
  return nodes;
}

/// Days from 1970-01-01, counted by walking the years and months.
std::int32_t days_of(const std::string& text) {
  const int year = std::stoi(text.substr(0, 4));
  const int month = std::stoi(text.substr(5, 2));
  const auto leap = [](int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; };
  std::int32_t days = std::stoi(text.substr(8, 2)) - 1;
  for (int y = 1970; y < year; ++y) days += leap(y) ? 366 : 365;
  for (int y = year; y < 1970; ++y) days -= leap(y) ? 366 : 365;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int m = 1; m < month; ++m) days += kDays[m - 1] + (m == 2 && leap(year) ? 1 : 0);
  return days;
}

/// YYYY-MM-DD, or YYYY-MM-DDThh:mm:ss[.mmm] with Z or ±hh:mm.
std::int64_t milliseconds_of(const std::string& text) {
  std::int64_t ms = std::int64_t{days_of(text)} * 86'400'000;
  if (text.size() == 10) return ms;
  static const std::regex kTime(R"(T(\d\d):(\d\d):(\d\d)(\.(\d{3}))?(Z|([+-])(\d\d):(\d\d)))");
  std::smatch match;
  const std::string rest = text.substr(10);
  EXPECT_TRUE(std::regex_match(rest, match, kTime)) << text;
  ms += std::stoll(match[1]) * 3'600'000 + std::stoll(match[2]) * 60'000 +
        std::stoll(match[3]) * 1'000;
  if (match[5].matched) ms += std::stoll(match[5]);
  if (match[7].matched) {
    const std::int64_t offset = std::stoll(match[8]) * 3'600'000 + std::stoll(match[9]) * 60'000;
    ms += match[7] == "+" ? -offset : offset;
  }
  return ms;
}

Value value_of(const Json& json, const std::string& type) {
  if (json.is_null()) return {};
  if (type.front() == '[') {
    Value::List list;
    for (const Json& item : json) list.push_back(value_of(item, type.substr(1, type.size() - 2)));
    return list;
  }
  if (type == "String" || type == "enum") return json.get<std::string>();
  if (type == "Bool") return json.get<bool>();
  if (type == "I32") return json.get<std::int32_t>();
  if (type == "I64") return json.get<std::int64_t>();
  if (type == "F32") return json.get<float>();
  if (type == "F64") return json.get<double>();
  if (type == "Date") return Date{days_of(json.get<std::string>())};
  if (type == "DateTime") return DateTime{milliseconds_of(json.get<std::string>())};
  ADD_FAILURE() << "the test does not know the type " << type;
  return {};
}

struct Input {
  std::vector<Json> nodes;
  std::vector<Json> edges;
  std::map<std::string, std::uint64_t> counts;  // by type
};

Input input_of(const std::string& data) {
  Input input;
  std::istringstream lines(data);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json json = Json::parse(line);
    const bool is_node = json.contains("type");
    input.counts[json[is_node ? "type" : "edge"]] += 1;
    (is_node ? input.nodes : input.edges).push_back(std::move(json));
  }
  return input;
}

class Readback : public testing::Test {
 protected:
  /// False where the graph is absent.
  bool load(const std::string& folder) {
    const auto schema = shared_file(folder + "/schema.pg");
    const auto data = shared_file(folder + "/data.jsonl");
    if (!schema || !data) return false;
    schema_ = nodes_of(*schema);
    input_ = input_of(*data);
    auto graph = Graph::init(scratch_.path("g"), *schema);
    EXPECT_GOOD(graph);
    if (!graph) return true;
    graph_.emplace(*std::move(graph));
    LoadOptions options = keyed("import-1");
    options.purpose = "readback";
    auto receipt = graph_->load(rows_of(*data), options);
    EXPECT_GOOD(receipt);
    if (receipt) receipt_ = *std::move(receipt);
    return true;
  }

  /// The handle, then a fresh one for writing, then one for reading.
  void expect_everything_at_every_opening() {
    ASSERT_TRUE(receipt_.commit);
    {
      SCOPED_TRACE("right after the load");
      expect_everything();
    }
    for (const bool read_only : {false, true}) {
      SCOPED_TRACE(read_only ? "read only" : "opened again");
      ASSERT_GOOD(graph_->close());
      graph_.reset();
      OpenOptions options;
      options.read_only = read_only;
      auto graph = Graph::open(scratch_.path("g"), options);
      ASSERT_GOOD(graph);
      graph_.emplace(*std::move(graph));
      expect_everything();
    }
  }

  void expect_everything() {
    expect_nodes();
    expect_receipt();
    expect_log();
    expect_show();
    const auto report = graph_->verify();
    ASSERT_EQ(findings_of(report), "");
    EXPECT_EQ(report->records, 2U);  // the creation and the load
    EXPECT_EQ(report->commits, 1U);
    EXPECT_EQ(report->rows, input_.nodes.size() + input_.edges.size());
  }

  void expect_nodes() {
    const auto snapshot = graph_->read();
    ASSERT_GOOD(snapshot);
    EXPECT_EQ(snapshot->version().value, 1U);
    EXPECT_EQ(snapshot->commit(), *receipt_.commit);
    for (const Json& node : input_.nodes) {
      const std::string type = node["type"];
      const Json& data = node["data"];
      ASSERT_TRUE(schema_.at(type).has_slug_key) << type;
      const auto result = snapshot->query(
          fmt::format("query q($s: String) {{ match {{ $n: {} {{ slug: $s }} }} return {{ $n }} }}",
                      type),
          {{"s", data["slug"].get<std::string>()}});
      ASSERT_GOOD(result);
      ASSERT_EQ(result->rows.size(), 1U) << data["slug"];
      const auto* object = result->rows[0][0].as<Value::Object>();
      ASSERT_NE(object, nullptr);
      expect_node(*object, schema_.at(type), data);
    }
  }

  static void expect_node(const Value::Object& object, const NodeText& type, const Json& data) {
    ASSERT_EQ(object.names.size(), type.properties.size() + 1);
    EXPECT_EQ(object.names[0], "@id");
    EXPECT_EQ(object.values[0], Value(data["slug"].get<std::string>()));
    std::size_t named = data.contains("id") ? 1 : 0;  // `id` names the node, it is no property
    for (const Property& property : type.properties) {
      const auto at = std::find(object.names.begin(), object.names.end(), property.name);
      ASSERT_NE(at, object.names.end()) << property.name;
      const Value& actual = object.values[static_cast<std::size_t>(at - object.names.begin())];
      const bool is_given = data.contains(property.name);
      named += is_given ? 1 : 0;
      const Value expected = is_given ? value_of(data[property.name], property.type) : Value();
      EXPECT_EQ(actual.variant().index(), expected.variant().index()) << property.name;
      EXPECT_EQ(actual, expected) << data["slug"] << " " << property.name;
    }
    EXPECT_EQ(named, data.size()) << "a member of " << data["slug"] << " was not compared";
  }

  void expect_receipt() {
    EXPECT_EQ(receipt_.nodes_inserted, input_.nodes.size());
    EXPECT_EQ(receipt_.edges_inserted, input_.edges.size());
    EXPECT_EQ(receipt_.nodes_updated, 0U);
    EXPECT_EQ(receipt_.edges_updated, 0U);
    EXPECT_EQ(receipt_.version.value, 1U);
    EXPECT_EQ(receipt_.key, "import-1");
  }

  void expect_log() {
    const auto commits = graph_->log();
    ASSERT_GOOD(commits);
    ASSERT_EQ(commits->size(), 1U);
    const CommitInfo& load = commits->front();
    EXPECT_EQ(load.id, *receipt_.commit);
    EXPECT_TRUE(load.parents.empty());
    EXPECT_EQ(load.surface, "load");
    EXPECT_EQ(load.actor, "tester");
    EXPECT_EQ(load.purpose, "readback");
    EXPECT_EQ(load.key, "import-1");
    std::map<std::string, std::uint64_t> counts;
    for (const TypeChange& change : load.changes) {
      counts[change.type] = change.inserted;
      EXPECT_EQ(change.updated + change.deleted, 0U) << change.type;
      EXPECT_EQ(change.is_edge, !schema_.contains(change.type)) << change.type;
    }
    EXPECT_EQ(counts, input_.counts);
  }

  void expect_show() {
    const auto detail = graph_->show(receipt_.commit->to_string());
    ASSERT_GOOD(detail);
    std::set<std::string> slugs;
    std::multiset<std::string> edges;
    for (const RowChange& row : detail->rows) {
      EXPECT_EQ(row.kind, RowChange::Kind::kInserted);
      if (row.is_edge) {
        edges.insert(row.type + " " + row.from + " " + row.to);
      } else {
        slugs.insert(row.type + " " + row.id);
      }
    }
    std::set<std::string> expected_slugs;
    std::multiset<std::string> expected_edges;
    for (const Json& node : input_.nodes) {
      expected_slugs.insert(node["type"].get<std::string>() + " " +
                            node["data"]["slug"].get<std::string>());
    }
    for (const Json& edge : input_.edges) {
      expected_edges.insert(edge["edge"].get<std::string>() + " " +
                            edge["from"].get<std::string>() + " " + edge["to"].get<std::string>());
    }
    EXPECT_EQ(slugs, expected_slugs);
    EXPECT_EQ(edges, expected_edges);
  }

  ScratchDirectory scratch_;
  std::map<std::string, NodeText> schema_;
  Input input_;
  std::optional<Graph> graph_;
  Receipt receipt_;
};

TEST_F(Readback, SecondBrainIsItsInput) {
  if (!load("second-brain")) GTEST_SKIP() << "no ../shared/data/second-brain";
  ASSERT_EQ(input_.nodes.size() + input_.edges.size(), 349U);
  expect_everything_at_every_opening();
}

TEST_F(Readback, IndustryIntelIsItsInput) {
  if (!load("industry-intel")) GTEST_SKIP() << "no ../shared/data/industry-intel";
  ASSERT_EQ(input_.nodes.size() + input_.edges.size(), 263U);
  expect_everything_at_every_opening();
}

}  // namespace
}  // namespace braid::graph_test
