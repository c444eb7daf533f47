// SPDX-License-Identifier: Apache-2.0
// Exports: what they look like, and that a graph made from one gives the same again.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "columnar/arrow/ipc_reader.h"
#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

constexpr const char* kAllTypes = R"(
node Zebra { name: String @key }
node Thing {
  text: String?
  blob: Blob?
  yes: Bool?
  small: I32?
  large: I64?
  count: U32?
  total: U64?
  ratio: F32?
  exact: F64?
  day: Date?
  at: DateTime?
  names: [String]?
  days: [Date]?
  mood: enum(calm, wild)?
  place: Vector(3)?
}
edge Sees: Zebra -> Zebra { note: String? }
edge Knows: Zebra -> Thing { @key(@src, @dst) }
)";

std::string exported(const Graph& graph, const ExportOptions& options = {}) {
  std::string out;
  const auto snapshot = graph.read();
  EXPECT_GOOD(snapshot);
  EXPECT_GOOD(snapshot->export_jsonl(options, [&](std::string_view lines) -> Status {
    out.append(lines);
    return Unit{};
  }));
  return out;
}

/// What a graph with this schema exports after loading the text.
std::string round_trip(const std::string& schema, const std::string& text) {
  auto graph = *Graph::in_memory(schema);
  EXPECT_GOOD(graph.load(rows_of(text)));
  return exported(graph);
}

// Written by hand: names in order, nodes first, rows by id, nulls left out.
TEST(Export, IsInOneOrderWhateverTheCommitsWere) {
  auto graph = *Graph::in_memory(kAllTypes);
  ASSERT_GOOD(graph.load(rows_of(R"({"type":"Zebra","data":{"name":"ö"}}
{"type":"Zebra","data":{"name":"b"}}
{"edge":"Sees","from":"b","to":"ö","data":{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","note":"n"}}
)")));
  ASSERT_GOOD(graph.load(rows_of(R"({"type":"Zebra","data":{"name":"a"}}
{"type":"Thing","data":{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAW","names":["\n"],"exact":-0.0}}
{"edge":"Knows","from":"a","to":"01ARZ3NDEKTSV4RRFFQ69G5FAW"}
)")));

  EXPECT_EQ(exported(graph),
            R"({"type":"Thing","data":{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAW","exact":-0,"names":["\n"]}}
{"type":"Zebra","data":{"name":"a"}}
{"type":"Zebra","data":{"name":"b"}}
{"type":"Zebra","data":{"name":"ö"}}
{"edge":"Knows","from":"a","to":"01ARZ3NDEKTSV4RRFFQ69G5FAW"}
{"edge":"Sees","from":"b","to":"ö","data":{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","note":"n"}}
)");
}

TEST(Export, LoadedIntoAnotherGraphExportsTheSameBytes) {
  const std::string first = round_trip(kAllTypes, R"({"type":"Zebra","data":{"name":"a"}}
{"type":"Thing","data":{"text":"\u0000\"\\ü","blob":"base64://8=","yes":true,"small":-2147483648}}
{"type":"Thing","data":{"large":9223372036854775807,"count":4294967295,
"total":18446744073709551615}}
{"type":"Thing","data":{"ratio":3.4028235e38,"exact":5e-324,
"day":"0001-01-01","at":"9999-12-31T23:59:59.999Z"}}
{"type":"Thing","data":{"names":[],"days":["2000-02-29"],"mood":"wild","place":[1.5,-0.0,3]}}
{"edge":"Sees","from":"a","to":"a"}
)");
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 6);
  EXPECT_EQ(round_trip(kAllTypes, first), first);
}

TEST(Export, OfManyRowsComesInPieces) {
  auto graph = *Graph::in_memory(kSchema);
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += item(fmt::format("i{:05}", i), i);
  ASSERT_GOOD(graph.load(rows_of(text)));  // staged
  std::string out;
  std::size_t pieces = 0;
  ASSERT_GOOD(graph.read()->export_jsonl({}, [&](std::string_view lines) -> Status {
    EXPECT_EQ(lines.back(), '\n');
    EXPECT_LT(lines.size(), 100'000U);
    out.append(lines);
    ++pieces;
    return Unit{};
  }));
  EXPECT_EQ(out, text);
  EXPECT_GT(pieces, 3U);
}

TEST(Export, OfASnapshotDoesNotChange) {
  auto graph = *Graph::in_memory(kSchema);
  ASSERT_GOOD(graph.load(rows_of(item("a", 1))));
  const auto snapshot = *graph.read();
  ASSERT_GOOD(graph.load(rows_of(item("a", 2) + item("b", 2)), keyed("k", LoadMode::kMerge)));
  std::string out;
  ASSERT_GOOD(snapshot.export_jsonl({}, [&](std::string_view lines) -> Status {
    out.append(lines);
    return Unit{};
  }));
  EXPECT_EQ(out, item("a", 1));
}

TEST(Export, TakesTheNamedTypesOnly) {
  auto graph = *Graph::in_memory(kAllTypes);
  ASSERT_GOOD(graph.load(rows_of(R"({"type":"Zebra","data":{"name":"a"}}
{"edge":"Sees","from":"a","to":"a"}
)")));
  EXPECT_EQ(exported(graph, {{"Zebra"}}), "{\"type\":\"Zebra\",\"data\":{\"name\":\"a\"}}\n");
  EXPECT_EQ(exported(graph, {{"Thing"}}), "");
  const auto unknown =
      graph.read()->export_jsonl({{"Zebra", "zebra"}}, [](std::string_view) -> Status {
        ADD_FAILURE();
        return Unit{};
      });
  ASSERT_EQ(code_of(unknown), ErrorCode::bad_request);
  EXPECT_EQ(*unknown.error().detail("type"), "zebra");
}

TEST(Export, EndsWithTheErrorOfWhoTakesIt) {
  auto graph = *Graph::in_memory(kSchema);
  ASSERT_GOOD(graph.load(rows_of(item("a", 1))));
  const auto stopped = graph.read()->export_jsonl(
      {}, [](std::string_view) -> Status { return Error(ErrorCode::no_space, "full"); });
  EXPECT_EQ(code_of(stopped), ErrorCode::no_space);
}

std::string exported_arrow(const Graph& graph, std::string_view type) {
  std::string out;
  const auto snapshot = graph.read();
  EXPECT_GOOD(snapshot->export_arrow(type, [&](std::string_view piece) -> Status {
    out.append(piece);
    return Unit{};
  }));
  return out;
}

/// Columns, and the rows of each batch.
std::string shape_of(const std::string& file) {
  const auto owner = std::make_shared<const std::string>(file);
  const auto reader = columnar::arrow::FileReader::open(*owner, owner);
  EXPECT_GOOD(reader);
  if (!reader) return {};
  std::string shape;
  for (const auto& field : (*reader)->schema().fields) shape += field.name + " ";
  for (std::size_t i = 0; i < (*reader)->batch_count(); ++i) {
    shape += std::to_string(*(*reader)->length_of(i)) + " ";
  }
  return shape;
}

// The values are read by Apache's library in tests/arrow/export.mjs.
TEST(ArrowExport, HoldsTheRowsOfOneType) {
  auto graph = *Graph::in_memory(kAllTypes);
  ASSERT_GOOD(graph.load(rows_of(R"({"type":"Zebra","data":{"name":"b"}}
{"type":"Zebra","data":{"name":"a"}}
{"edge":"Sees","from":"a","to":"b","data":{"note":"n"}}
)")));
  EXPECT_EQ(shape_of(exported_arrow(graph, "Zebra")), "id name 2 ");
  EXPECT_EQ(shape_of(exported_arrow(graph, "Sees")), "id src dst note 1 ");
  EXPECT_EQ(shape_of(exported_arrow(graph, "Knows")), "id src dst ");
}

TEST(ArrowExport, WantsATypeThatIsThere) {
  auto graph = *Graph::in_memory(kAllTypes);
  const auto never = [](std::string_view) -> Status {
    ADD_FAILURE();
    return Unit{};
  };
  for (const std::string name : {"zebra", ""}) {
    const auto unknown = graph.read()->export_arrow(name, never);
    ASSERT_EQ(code_of(unknown), ErrorCode::bad_request);
    EXPECT_EQ(*unknown.error().detail("type"), name);
  }
}

TEST(ArrowExport, EndsWithTheErrorOfWhoTakesIt) {
  auto graph = *Graph::in_memory(kSchema);
  ASSERT_GOOD(graph.load(rows_of(item("a", 1))));
  const auto stopped = graph.read()->export_arrow(
      "Item", [](std::string_view) -> Status { return Error(ErrorCode::no_space, "full"); });
  EXPECT_EQ(code_of(stopped), ErrorCode::no_space);
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class RealGraph : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(RealGraph, ExportsTheSameAfterARoundTrip) {
  const char* const source = std::getenv("BRAID_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "ctest sets it";
  const std::string folder = std::string(source) + "/../shared/data/" + GetParam().first;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  const int rows = GetParam().second;  // ../shared/data/README.md
  const std::string schema = file_text(folder + "/schema.pg");
  const std::string data = file_text(folder + "/data.jsonl");
  const std::string first = round_trip(schema, data);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), rows);
  EXPECT_EQ(round_trip(schema, first), first);
}

INSTANTIATE_TEST_SUITE_P(Data, RealGraph,
                         testing::Values(std::pair{"second-brain", 349},
                                         std::pair{"industry-intel", 263}));

}  // namespace
}  // namespace braid::graph_test
