// SPDX-License-Identifier: Apache-2.0
#include "adjacency.h"

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "env/env.h"
#include "env/manual.h"
#include "index/adjacency.h"
#include "index/adjacency_builder.h"
#include "schema/catalog.h"
#include "statistics.h"

namespace braid::bench {
namespace {

namespace arrow = columnar::arrow;

constexpr const char* kSchema = "node N { k: String @key }\nedge E: N -> N { @key(@src, @dst) }\n";

struct Graph {
  std::vector<std::uint32_t> src;
  std::vector<std::uint32_t> dst;
  std::uint32_t nodes = 0;
};

Graph random_graph(std::uint32_t edges, bool by_source) {
  Graph graph;
  graph.nodes = edges / 10 + 1;
  env::Xoshiro256 chance(1);
  for (std::uint32_t i = 0; i < edges; ++i) {
    graph.src.push_back(by_source ? i / 10 : static_cast<std::uint32_t>(chance.below(graph.nodes)));
    graph.dst.push_back(static_cast<std::uint32_t>(chance.below(graph.nodes)));
  }
  return graph;
}

struct Stored {
  table::Pin pin;
  std::shared_ptr<const table::Fragment> fragment;
  std::uint64_t end_bytes = 0;
};

Result<Stored> store(const Graph& graph, const char* prefix) {
  BRAID_ASSIGN(const schema::Catalog made, schema::make_catalog(kSchema));
  const auto catalog = std::make_shared<const schema::Catalog>(made);
  const schema::RecordType& type = *catalog->schema().edge_type("E");
  arrow::StringSink sink;
  BRAID_ASSIGN(const auto writer, table::FragmentWriter::begin(sink, type, true));
  Stored stored;
  for (std::size_t i = 0; i < graph.src.size(); ++i) {
    table::FragmentRow row;
    row.row.id = fmt::format("{:08}", i);
    row.row.src = fmt::format("{}{:07}", prefix, graph.src[i]);
    row.row.dst = fmt::format("{}{:07}", prefix, graph.dst[i]);
    stored.end_bytes += row.row.src.size() + row.row.dst.size();
    BRAID_TRY(writer->append(row));
  }
  stored.pin.table = type.id;
  BRAID_ASSIGN(stored.pin.summary, writer->finish());
  stored.pin.object = "bench.arrow";
  stored.pin.size_bytes = sink.bytes().size();
  stored.pin.digest = base::sha256("bench");
  const arrow::Buffer file = arrow::Buffer::copy_of(sink.bytes());
  const std::shared_ptr<const schema::RecordType> shared(catalog, &type);
  BRAID_ASSIGN(stored.fragment, table::Fragment::open(file.bytes(), file.owner(), shared, true));
  return stored;
}

double seconds_of(const std::function<void()>& work) {
  const env::Clock& clock = env::real_env().clock;
  const std::int64_t start_ns = clock.steady_ns();
  work();
  return static_cast<double>(clock.steady_ns() - start_ns) / 1e9;
}

// Both counting sorts, of ends that are numbers.
std::uint64_t sort_both(const Graph& graph) {
  std::uint64_t sum = 0;
  for (const auto* ends : {&graph.src, &graph.dst}) {
    std::vector<std::uint32_t> offsets(graph.nodes + 1);
    std::vector<std::uint32_t> rows(ends->size());
    for (const std::uint32_t node : *ends) ++offsets[node];
    std::uint32_t begin = 0;
    for (std::uint32_t& offset : offsets) begin += std::exchange(offset, begin);
    for (std::uint32_t row = 0; row < ends->size(); ++row) rows[offsets[(*ends)[row]]++] = row;
    sum += rows[rows.size() / 2];
  }
  return sum;
}

// As many bytes as a build reads of ends and writes of index, moved once.
void copy_bytes(std::size_t size_bytes) {
  const std::string from(size_bytes, 'x');
  arrow::BufferBuilder to;
  std::memcpy(to.extend(size_bytes), from.data(), size_bytes);
}

Status bench_graph(const AdjacencyBenchOptions& options, const char* name, const char* prefix,
                   bool by_source) {
  const Graph graph = random_graph(options.edges, by_source);
  BRAID_ASSIGN(const Stored stored, store(graph, prefix));
  const double edges = options.edges;
  std::vector<double> builds;
  std::vector<double> copies;
  std::vector<double> sorts;
  std::vector<double> lookups;
  std::uint64_t guard = 0;
  for (std::uint32_t i = 0; i < options.repetitions; ++i) {
    Result<arrow::Buffer> built = arrow::Buffer();
    builds.push_back(
        edges / seconds_of([&] { built = index::build_adjacency(*stored.fragment, stored.pin); }));
    BRAID_TRY(built);
    copies.push_back(edges / seconds_of([&] { copy_bytes(stored.end_bytes + built->size()); }));
    sorts.push_back(edges / seconds_of([&] { guard += sort_both(graph); }));
    BRAID_ASSIGN(const auto index, index::Adjacency::open(*built, stored.pin));
    env::Xoshiro256 chance(2);
    std::vector<std::string> ids;
    for (int n = 0; n < 200'000; ++n) {
      ids.push_back(fmt::format("{}{:07}", prefix, chance.below(graph.nodes)));
    }
    lookups.push_back(static_cast<double>(ids.size()) / seconds_of([&] {
                        for (const std::string& id : ids) {
                          const auto rows = index->edges_of(id, state::Direction::kOut);
                          if (rows) guard += rows->size();
                        }
                      }));
    if (i == 0) {
      fmt::print("{}: {} edges, {} nodes, {:.1f} bytes an edge\n", name, options.edges,
                 index->nodes(), static_cast<double>(built->size()) / edges);
    }
  }
  const double build = spread_of(builds).median;
  fmt::print("  build, both directions   {}\n", per_second(spread_of(builds)));
  fmt::print("  copy of the same bytes   {}   build/copy {:.2f}\n", per_second(spread_of(copies)),
             build / spread_of(copies).median);
  fmt::print("  sorts of numbers alone   {}   build/sorts {:.2f}\n", per_second(spread_of(sorts)),
             build / spread_of(sorts).median);
  fmt::print("  look-ups of a node       {}   ({})\n", per_second(spread_of(lookups)), guard % 10);
  return Unit{};
}

}  // namespace

Status bench_adjacency(const AdjacencyBenchOptions& options) {
  Status status = bench_graph(options, "short ids, by source", "n", true);
  if (status) status = bench_graph(options, "short ids, no order", "n", false);
  if (status)
    status = bench_graph(options, "ids of 27 bytes, no order", "01JDX3Q9V2ZK7B3M4N5P", false);
  if (!status) fmt::print(stderr, "braid_bench: {}\n", to_string(status.error()));
  return status;
}

}  // namespace braid::bench
