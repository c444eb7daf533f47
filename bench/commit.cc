// SPDX-License-Identifier: Apache-2.0
#include "commit.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "braid/braid.h"
#include "env/env.h"
#include "raw_log.h"
#include "statistics.h"

namespace braid::bench {
namespace {

constexpr std::string_view kSchema = R"(
node Item {
  slug: String @key
  count: I64
  note: String?
}
)";

struct Run {
  double commits_per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

std::string row_text(std::uint64_t number) {
  return fmt::format(
      R"({{"type":"Item","data":{{"slug":"item-{}","count":{},"note":"a short note"}}}})", number,
      number);
}

// Each client commits fresh rows, one a commit, each with its own idempotency key.
Result<Run> run_clients(Graph& graph, std::uint32_t clients, std::int64_t duration_ms,
                        std::atomic<std::uint64_t>& next) {
  const env::Clock& clock = env::real_env().clock;
  const std::int64_t start_ns = clock.steady_ns();
  const std::int64_t end_ns = start_ns + duration_ms * 1'000'000;
  std::mutex mutex;
  std::vector<double> times_ms;
  std::optional<Error> failure;
  std::vector<std::thread> threads;
  for (std::uint32_t client = 0; client < clients; ++client) {
    threads.emplace_back([&] {
      std::vector<double> own_ms;
      std::optional<Error> own_failure;
      while (clock.steady_ns() < end_ns && !own_failure) {
        const std::uint64_t number = next++;
        LoadOptions options;
        options.key = fmt::format("bench-{}", number);
        options.actor = "bench";
        const std::int64_t before_ns = clock.steady_ns();
        auto receipt = graph.load({LoadSource::from_text("bench", row_text(number))}, options);
        own_ms.push_back(static_cast<double>(clock.steady_ns() - before_ns) / 1e6);
        if (!receipt) own_failure = receipt.error();
      }
      const std::lock_guard lock(mutex);
      times_ms.insert(times_ms.end(), own_ms.begin(), own_ms.end());
      if (own_failure) failure = own_failure;
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) return *failure;
  const double seconds = static_cast<double>(clock.steady_ns() - start_ns) / 1e9;
  return Run{static_cast<double>(times_ms.size()) / seconds, quantile_of(times_ms, 0.5),
             quantile_of(times_ms, 0.99)};
}

struct Series {
  std::vector<double> rates;
  std::vector<double> p50_ms;
  std::vector<double> p99_ms;
  void add(const Run& run) {
    rates.push_back(run.commits_per_second);
    p50_ms.push_back(run.p50_ms);
    p99_ms.push_back(run.p99_ms);
  }
};

void print_row(std::string_view name, const Series& series, double limit, std::string_view of,
               double sync_ms) {
  const Spread rate = spread_of(series.rates);
  fmt::print("{:<28} {}  {:.2f} of {}  p50 {:.3f} ms  p99 {:.3f} ms = {:.1f} F\n", name,
             per_second(rate), rate.median / limit, of, spread_of(series.p50_ms).median,
             spread_of(series.p99_ms).median, spread_of(series.p99_ms).median / sync_ms);
}

}  // namespace

Status bench_commit(const CommitBenchOptions& options) {
  env::FileSystem& files = env::real_env().files;
  BRAID_TRY(files.create_directory(options.directory));
  BRAID_ASSIGN(auto graph, Graph::init(env::join(options.directory, "graph"), kSchema));
  std::atomic<std::uint64_t> next{0};
  if (options.only_clients > 0) {
    BRAID_ASSIGN(const Run run,
                 run_clients(graph, options.only_clients, options.duration_ms, next));
    fmt::print("{} clients: {:.0f} commits/s, p50 {:.3f} ms, p99 {:.3f} ms\n", options.only_clients,
               run.commits_per_second, run.p50_ms, run.p99_ms);
    return graph.close();
  }
  BRAID_ASSIGN(const Run warm_up, run_clients(graph, 4, options.duration_ms / 2, next));
  fmt::print("warm-up: 4 clients, {:.0f} commits/s; {} repetitions of {} ms each\n",
             warm_up.commits_per_second, options.repetitions, options.duration_ms);
  std::vector<double> sync_ms;
  std::vector<double> raw_one;
  std::vector<double> raw_many;
  Series one;
  Series many;
  for (std::uint32_t i = 0; i < options.repetitions; ++i) {
    // Limits and our figures alternate, so that a slow spell of the disk meets both.
    BRAID_ASSIGN(const double sync, measure_sync_ms(options.directory, 500));
    sync_ms.push_back(sync);
    BRAID_ASSIGN(const Run single, run_clients(graph, 1, options.duration_ms, next));
    one.add(single);
    BRAID_ASSIGN(const double raw,
                 measure_raw_log(options.directory, {1, 1024, options.duration_ms}));
    raw_one.push_back(raw);
    BRAID_ASSIGN(const Run parallel, run_clients(graph, 32, options.duration_ms, next));
    many.add(parallel);
    BRAID_ASSIGN(const double raw_parallel,
                 measure_raw_log(options.directory, {32, 1024, options.duration_ms}));
    raw_many.push_back(raw_parallel);
  }
  const double f_ms = spread_of(sync_ms).median;
  const double f_rate = 1000 / f_ms;
  fmt::print("F, one 4 KiB write and sync   {:.3f} ms ({:.3f} … {:.3f}) = {:.2f} k/s\n", f_ms,
             spread_of(sync_ms).min, spread_of(sync_ms).max, f_rate / 1000);
  fmt::print("{:<28} {}\n", "raw log, 1 writer", per_second(spread_of(raw_one)));
  print_row("braid, 1 client", one, f_rate, "1/F (target 0.7)", f_ms);
  fmt::print("{:<28} {}\n", "raw log, 32 writers", per_second(spread_of(raw_many)));
  print_row("braid, 32 clients", many, spread_of(raw_many).median, "the raw log (target 0.5)",
            f_ms);
  fmt::print("commits in the graph at the end: {}\n", next.load());
  return graph.close();
}

}  // namespace braid::bench
