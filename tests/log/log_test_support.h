// SPDX-License-Identifier: Apache-2.0
// What the tests of the log share: small deterministic groups, a whole simulated machine, and ways
// to read a log back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/env.h"
#include "env/manual.h"
#include "env/sim_file_system.h"
#include "log/log.h"

namespace braid::log {

/// For messages: what went wrong, if something did.
template <class T>
std::string text_of(const Result<T>& result) {
  return result ? "success" : to_string(result.error());
}

inline GraphId test_graph(std::uint8_t number = 1) {
  return GraphId{Ulid::make(1'700'000'000'000, {number})};
}

/// One record with one section.
inline RecordDraft make_draft(env::Random& random, std::string body, std::uint16_t type = 1) {
  RecordDraft draft;
  draft.type = type;
  draft.sections.push_back(make_section(1, std::move(body), random));
  return draft;
}

inline std::vector<RecordDraft> make_group(env::Random& random, std::size_t records,
                                           std::size_t body_bytes, const std::string& mark) {
  std::vector<RecordDraft> group;
  for (std::size_t i = 0; i < records; ++i) {
    std::string body = mark + "/" + std::to_string(i) + "/";
    body.resize(std::max(body.size(), body_bytes), 'x');
    group.push_back(make_draft(random, std::move(body)));
  }
  return group;
}

/// Appends at the end; the group's time is the log's clock.
inline AppendResult append(CommitLog& log, const std::vector<RecordDraft>& group) {
  return log.append(log.tail().last.next(), group, log.clock_ms());
}

/// All records that the log shows.
inline Result<std::vector<Record>> read_all(const CommitLog& log) {
  std::vector<Record> records;
  BRAID_TRY(log.read(log.first(), {UINT64_MAX}, [&](const Record& record) -> Status {
    records.push_back(record);
    return Unit{};
  }));
  return records;
}

inline std::string body_of(const Record& record) { return *record.section(1); }

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

}  // namespace braid::log

#define EXPECT_GOOD(expression)                                          \
  do {                                                                   \
    const auto good_result = (expression);                               \
    EXPECT_TRUE(good_result.ok()) << ::braid::log::text_of(good_result); \
  } while (false)
#define ASSERT_GOOD(expression)                                          \
  do {                                                                   \
    const auto good_result = (expression);                               \
    ASSERT_TRUE(good_result.ok()) << ::braid::log::text_of(good_result); \
  } while (false)
