// SPDX-License-Identifier: Apache-2.0
// A program of somebody who installed Braid: links all of it, and gets its schema back.
#include <iostream>

#include <braid/braid.h>

int main() {
  braid::Result<braid::Graph> graph = braid::Graph::in_memory("node Person { slug: String @key }");
  if (!graph) {
    std::cerr << braid::to_string(graph.error()) << '\n';
    return 1;
  }
  const braid::Result<braid::Snapshot> head = graph->read();
  if (!head || head->schema().find("Person") == std::string::npos) return 1;
  std::cout << head->schema();
  return graph->close() ? 0 : 1;
}
