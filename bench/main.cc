// SPDX-License-Identifier: Apache-2.0
// braid_bench: our figure, the machine's limit, the ratio; all measured in one run.
//   braid_bench commit [--directory D] [--repetitions N] [--duration-ms N] [--only-clients N]
//   braid_bench adjacency [--repetitions N] [--edges N]
//   braid_bench --smoke          a short run of everything, for CI: it must work, not be fast
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "adjacency.h"
#include "commit.h"

namespace {

int usage() {
  fmt::print(stderr,
             "usage: braid_bench commit [--directory D] [--repetitions N] [--duration-ms N]\n"
             "                          [--only-clients N]\n"
             "       braid_bench adjacency [--repetitions N] [--edges N]\n"
             "       braid_bench --smoke\n");
  return 2;
}

int run_adjacency(const std::vector<std::string_view>& arguments) {
  braid::bench::AdjacencyBenchOptions options;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const auto value = static_cast<std::uint32_t>(
        std::strtoul(std::string(arguments[i + 1]).c_str(), nullptr, 10));
    if (value == 0) return usage();
    if (arguments[i] == "--repetitions") {
      options.repetitions = value;
    } else if (arguments[i] == "--edges") {
      options.edges = value;
    } else {
      return usage();
    }
  }
  return braid::bench::bench_adjacency(options) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return usage();
  if (arguments[0] == "adjacency") return run_adjacency(arguments);
  braid::bench::CommitBenchOptions options;
  options.directory = (std::filesystem::current_path() / "braid_bench.tmp").string();
  if (arguments[0] == "--smoke") {
    options.repetitions = 1;
    options.duration_ms = 100;
    if (!braid::bench::bench_adjacency({.repetitions = 1, .edges = 10'000})) return 1;
  } else if (arguments[0] != "commit") {
    return usage();
  }
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const std::string value(arguments[i + 1]);
    if (arguments[i] == "--directory") {
      options.directory = value;
    } else if (arguments[i] == "--repetitions") {
      options.repetitions = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (arguments[i] == "--only-clients") {
      options.only_clients = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (arguments[i] == "--duration-ms") {
      options.duration_ms = std::strtol(value.c_str(), nullptr, 10);
    } else {
      return usage();
    }
  }
  if (options.repetitions == 0 || options.duration_ms <= 0) return usage();
  std::filesystem::remove_all(options.directory);
  const braid::Status status = braid::bench::bench_commit(options);
  std::filesystem::remove_all(options.directory);
  if (status) return 0;
  fmt::print(stderr, "braid_bench: {}\n", braid::to_string(status.error()));
  return 1;
}
