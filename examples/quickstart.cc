// SPDX-License-Identifier: Apache-2.0
// Make a graph, commit two rows, look one up, and send the same change again.
//   braid_example_quickstart DIRECTORY
#include <iostream>
#include <string>

#include <braid/braid.h>

namespace {

constexpr const char* kSchema = R"(
node Person {
  slug: String @key
  name: String
  age: I64?
}
edge Knows: Person -> Person
)";

constexpr const char* kRows = R"(
{"type": "Person", "data": {"slug": "ann", "name": "Ann", "age": 30}}
{"type": "Person", "data": {"slug": "bob", "name": "Bob"}}
{"edge": "Knows", "from": "ann", "to": "bob"}
)";

braid::Status run(const std::string& directory) {
  BRAID_ASSIGN(braid::Graph graph, braid::Graph::init(directory, kSchema));

  braid::LoadOptions options;
  options.key = "people-1";  // a retry with this key is answered, not repeated
  options.actor = "quickstart";
  BRAID_TRY(graph.load({braid::LoadSource::from_text("people", kRows)}, options));

  BRAID_ASSIGN(const braid::Snapshot snapshot, graph.read());
  BRAID_ASSIGN(const braid::QueryResult result,
               snapshot.query("query person($slug: String) {"
                              "  match { $p: Person { slug: $slug } }"
                              "  return { $p.name, $p.age } }",
                              {{"slug", "ann"}}));
  for (const auto& row : result.rows) {
    std::cout << *row[0].as<std::string>() << " is " << *row[1].as<std::int64_t>() << "\n";
  }

  BRAID_ASSIGN(const braid::Receipt again,
               graph.load({braid::LoadSource::from_text("people", kRows)}, options));
  std::cout << "replayed: " << (again.replayed ? "yes" : "no") << "\n";
  return graph.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: braid_example_quickstart DIRECTORY\n";
    return 2;
  }
  const braid::Status status = run(argv[1]);
  if (status) return 0;
  std::cerr << braid::to_string(status.error()) << "\n";
  return 1;
}
