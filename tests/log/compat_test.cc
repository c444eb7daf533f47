// SPDX-License-Identifier: Apache-2.0
// The log in tests/compat/v1/log was written by format 1 and must open and verify for ever. The
// expected hash was computed by an independent reader, from docs/formats/log.md alone
// (tests/compat/v1/log/check.py).
//   BRAID_WRITE_COMPAT=1  writes the files anew (only while the format is not released)
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "env/memory_file_system.h"
#include "log/file_log.h"
#include "log_test_support.h"

namespace braid::log {
namespace {

constexpr const char* kExpectedHash =
    "eac776db7e9a27d51ef6c75c12b1d3a9ac5dca865729e7bd9f530f4a31189c20";

std::filesystem::path stored_folder() {
  const char* source = std::getenv("BRAID_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / "tests/compat/v1/log";
}

/// A machine of fixed seeds.
struct FixedMachine {
  env::MemoryFileSystem files;
  env::ManualClock clock{1'700'000'000'000};
  env::SeededRandom random{42};
  env::ManualWorkers workers{clock};
  env::Env env{files, clock, random, workers};

  /// Name to bytes, segments only.
  std::map<std::string, std::string> segments() {
    std::map<std::string, std::string> out;
    const std::vector<std::string> names = *files.list("/log");
    for (const std::string& name : names) {
      if (!parse_segment_name(name)) continue;
      out[name] = *env::read_file(files, env::join("/log", name), std::uint64_t{1} << 30);
    }
    return out;
  }
  void seal() {
    workers.run_due();
    clock.advance_ms(25);
    workers.run_due();
  }
};

LogOptions small_segments() {
  LogOptions options;
  options.segment_bytes_min = options.segment_bytes_max = 40 << 10;
  return options;
}

/// Every kind of frame: groups of one and several blocks, an erased section, a record without
/// sections, seals, three sessions of which one had no close, a segment let go of.
void write_example(FixedMachine& machine) {
  auto log = *FileLog::create(machine.env, "/log", test_graph(), small_segments());
  ASSERT_EQ(append(*log, make_group(machine.random, 2, 40, "first")).outcome, AppendOutcome::kDone);
  machine.seal();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(append(*log, make_group(machine.random, 3, 1500, "next")).outcome,
              AppendOutcome::kDone);
    machine.clock.advance_ms(1000);
  }
  ASSERT_GOOD(log->close());
  log = *FileLog::open(machine.env, "/log", test_graph(), small_segments());
  ASSERT_EQ(append(*log, make_group(machine.random, 1, 9000, "large")).outcome,
            AppendOutcome::kDone);
  ASSERT_GOOD(log->truncate_below({10}));
  std::vector<RecordDraft> group = {make_draft(machine.random, "erased"), RecordDraft{}};
  group[0].sections[0].erased = true;
  group[0].sections.push_back(make_section(2, "kept", machine.random));
  ASSERT_EQ(append(*log, group).outcome, AppendOutcome::kDone);
  log.reset();
  log = *FileLog::open(machine.env, "/log", test_graph(), small_segments());
  ASSERT_EQ(append(*log, make_group(machine.random, 1, 10, "last")).outcome, AppendOutcome::kDone);
  machine.seal();
  ASSERT_GOOD(log->close());
}

void load(FixedMachine& machine) {
  ASSERT_TRUE(std::filesystem::is_directory(stored_folder()))
      << "BRAID_SOURCE_DIR names the source tree; ctest sets it";
  ASSERT_GOOD(machine.files.create_directory("/log"));
  for (const auto& entry : std::filesystem::directory_iterator(stored_folder())) {
    const std::string name = entry.path().filename();
    if (!parse_segment_name(name)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto file = machine.files.open(env::join("/log", name), env::OpenMode::kCreateNew);
    ASSERT_GOOD((*file)->write_at(0, bytes));
  }
}

TEST(LogCompat, FormatOneIsStillWrittenByteForByte) {
  FixedMachine machine;
  write_example(machine);
  if (std::getenv("BRAID_WRITE_COMPAT") != nullptr) {
    std::filesystem::create_directories(stored_folder());
    for (const auto& [name, bytes] : machine.segments()) {
      std::ofstream(stored_folder() / name, std::ios::binary) << bytes;
    }
  }
  FixedMachine stored;
  load(stored);
  EXPECT_TRUE(machine.segments() == stored.segments());
}

TEST(LogCompat, FormatOneOpensAndVerifies) {
  FixedMachine machine;
  load(machine);

  const auto reader = FileLog::open_read_only(machine.env, "/log", test_graph());

  ASSERT_TRUE(reader) << text_of(reader);
  EXPECT_GOOD((*reader)->verify());
  EXPECT_EQ(base::hex_of((*reader)->tail().hash), kExpectedHash);
  EXPECT_EQ((*reader)->tail().last, Position{18});
  EXPECT_EQ((*reader)->tail().time_ms, 1'700'000'004'025);
  const auto erased = read_one(**reader, {16});
  ASSERT_TRUE(erased) << text_of(erased);
  EXPECT_EQ(erased->section(1), nullptr);
  EXPECT_EQ(*erased->section(2), "kept");
  EXPECT_EQ(body_of(*read_one(**reader, {18})), "last/0/xxx");
}

TEST(LogCompat, FormatOneIsContinued) {
  FixedMachine machine;
  load(machine);

  const auto log = FileLog::open(machine.env, "/log", test_graph(), small_segments());

  ASSERT_TRUE(log) << text_of(log);
  ASSERT_EQ(append(**log, make_group(machine.random, 1, 10, "more")).outcome, AppendOutcome::kDone);
  EXPECT_EQ((*log)->tail().last, Position{19});
  EXPECT_GOOD((*log)->verify());
}

}  // namespace
}  // namespace braid::log
