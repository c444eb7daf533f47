// SPDX-License-Identifier: Apache-2.0
// commit_loop GRAPH ACKNOWLEDGEMENTS RUN THREADS: commits keyed rows from several threads until it
// is killed. Of each commit it appends two lines to the file ACKNOWLEDGEMENTS, one write(2) each:
// "? key" before it asks, "! key commit version position" after the answer.
// tests/process/kill_test.cc runs it.
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "braid/graph.h"
#include "loop_request.h"

namespace {

bool write_line(int file, const std::string& line) {
  return ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

void commit_for_ever(braid::Graph& graph, int file, const std::string& name) {
  for (std::uint64_t i = 0;; ++i) {
    const std::string key = fmt::format("{}-{}", name, i);
    if (!write_line(file, fmt::format("? {}\n", key))) std::_Exit(4);
    braid::LoadOptions options;
    options.key = key;
    options.actor = "loop";
    std::vector<braid::LoadSource> sources;
    sources.push_back(braid::LoadSource::from_text("rows", braid::graph_test::loop_text(key, i)));
    const auto receipt = graph.load(std::move(sources), options);
    if (!receipt) {
      static_cast<void>(write_line(2, to_string(receipt.error()) + "\n"));
      std::_Exit(3);
    }
    if (!write_line(file, fmt::format("! {} {} {} {}\n", key, receipt->commit->to_string(),
                                      receipt->version.value, receipt->position.value))) {
      std::_Exit(4);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  auto graph = braid::Graph::open(words[1]);
  if (!graph) {
    static_cast<void>(write_line(2, to_string(graph.error()) + "\n"));
    return 3;
  }
  const int file = ::open(words[2], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(words[4]); ++i) {
    threads.emplace_back(
        [&, i] { commit_for_ever(*graph, file, fmt::format("{}-{}", words[3], i)); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
