// SPDX-License-Identifier: Apache-2.0
#include "engine/graph_directory.h"

#include "env/memory_file_system.h"
#include "support/graph_fixture.h"

namespace braid::engine {
namespace {

using graph_test::code_of;
using graph_test::count_of;
using graph_test::findings_of;
using graph_test::item;
using graph_test::keyed;
using graph_test::kSchema;
using graph_test::rows_of;
using graph_test::SimMachine;
using graph_test::small_options;
using graph_test::text_of;

constexpr const char* kPath = "/graph";
constexpr const char* kStampText =
    "braid graph\nformat: 1\ngraph: 01ARZ3NDEKTSV4RRFFQ69G5FAV\nstate: ready\n";

TEST(FormatStampText, PrintsWhatTheFormatPrescribes) {
  FormatStamp stamp;
  stamp.graph = GraphId{*Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV")};
  stamp.ready = true;
  EXPECT_EQ(print(stamp), kStampText);
  const auto parsed = parse_format_stamp(kStampText);
  ASSERT_GOOD(parsed);
  EXPECT_EQ(*parsed, stamp);

  stamp.ready = false;
  EXPECT_EQ(print(stamp),
            "braid graph\nformat: 1\ngraph: 01ARZ3NDEKTSV4RRFFQ69G5FAV\nstate: initialising\n");
  EXPECT_EQ(*parse_format_stamp(print(stamp)), stamp);
}

TEST(FormatStampText, AnotherFormatIsToldApartFromDamage) {
  for (const char* number : {"0", "2", "4294967295"}) {
    // A later format may have other lines behind its number.
    const auto other =
        parse_format_stamp(std::string("braid graph\nformat: ") + number + "\nnews: 1\n");
    ASSERT_EQ(code_of(other), ErrorCode::format_mismatch) << number;
    EXPECT_EQ(*other.error().detail("found"), number);
    EXPECT_EQ(*other.error().detail("supported"), "1");
  }
}

TEST(FormatStampText, AnythingElseIsCorrupt) {
  const std::string good = kStampText;
  std::vector<std::string> texts = {"",
                                    "\n",
                                    "braid graph\n",
                                    "braid graph\nformat: \n",
                                    "braid graph\nformat: -1\n",
                                    "braid graph\nformat: 01\n",
                                    "braid graph\nformat: 99999999999\n",
                                    good + "x",
                                    good + "\n",
                                    good.substr(0, good.size() - 1),
                                    "x" + good,
                                    std::string(5'000, 'x')};
  for (std::size_t size = 0; size < good.size(); ++size) texts.push_back(good.substr(0, size));
  for (const std::string& text : texts) {
    EXPECT_EQ(code_of(parse_format_stamp(text)), ErrorCode::corrupt) << text;
  }
}

TEST(FormatStampText, EveryFlippedBitIsNoticedOrIsAnotherGraph) {
  const std::string good = kStampText;
  const FormatStamp stamp = *parse_format_stamp(good);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string text = good;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const auto parsed = parse_format_stamp(text);
    if (parsed) {
      EXPECT_NE(parsed->graph, stamp.graph) << text;
      EXPECT_EQ(parsed->ready, stamp.ready) << text;
    } else {
      EXPECT_TRUE(parsed.error().code() == ErrorCode::corrupt ||
                  parsed.error().code() == ErrorCode::format_mismatch);
    }
  }
}

/// How an init ends early.
enum class End { kKilled, kPowerCut, kPowerCutLosesAll, kPowerCutKeepsAll };

void come_back(SimMachine& machine, End end, std::uint64_t seed) {
  switch (end) {
    case End::kKilled: machine.files.kill(); break;
    case End::kPowerCut: machine.files.crash(seed); break;
    case End::kPowerCutLosesAll: machine.files.crash(seed, env::CrashMode::kLoseUnsynced); break;
    case End::kPowerCutKeepsAll: machine.files.crash(seed, env::CrashMode::kKeepUnsynced); break;
  }
}

/// Until there is a finished graph, open says so and init makes one; then init leaves it alone.
/// What a handle committed afterwards survives.
void expect_completed_or_started_over(SimMachine& machine) {
  const auto early = GraphCore::open(machine.env, kPath, small_options());
  std::optional<GraphId> there;
  if (early) {
    there = (*early)->graph();
    const auto commits = (*early)->history("main", 0);
    ASSERT_GOOD(commits);
    ASSERT_TRUE(commits->empty());
    ASSERT_GOOD((*early)->close());
  } else {
    ASSERT_EQ(early.error().code(), ErrorCode::not_found) << text_of(early);
    EXPECT_NE(early.error().message().find("init"), std::string::npos) << "names no remedy";
  }
  auto again = GraphCore::init(machine.env, kPath, kSchema, {}, small_options());
  if (there) {
    ASSERT_EQ(code_of(again), ErrorCode::already_exists) << text_of(again);
    again = GraphCore::open(machine.env, kPath, small_options());
  }
  ASSERT_GOOD(again);
  EXPECT_EQ((*again)->graph(), there.value_or((*again)->graph()));
  ASSERT_GOOD((*again)->load(rows_of(item("a", 1)), keyed("k")));
  again = Error(ErrorCode::internal, "");
  machine.files.crash(1, env::CrashMode::kLoseUnsynced);

  const auto last = GraphCore::open(machine.env, kPath, small_options());
  ASSERT_GOOD(last);
  EXPECT_EQ(count_of(**last, "a"), 1);
  EXPECT_EQ(findings_of((*last)->verify()), "");
}

// D1
TEST(InterruptedInit, AtEveryCallThenItCompletesOrStartsOver) {
  for (const End end :
       {End::kKilled, End::kPowerCut, End::kPowerCutLosesAll, End::kPowerCutKeepsAll}) {
    bool ended_by_itself = false;
    std::uint64_t calls = 0;
    for (; !ended_by_itself; ++calls) {
      SCOPED_TRACE(fmt::format("end {}, after {} calls", static_cast<int>(end), calls));
      SimMachine machine(calls + 1);
      machine.files.halt_after(calls);
      ended_by_itself = GraphCore::init(machine.env, kPath, kSchema, {}, small_options()).ok() &&
                        !machine.files.is_halted();
      come_back(machine, end, calls);
      ASSERT_NO_FATAL_FAILURE(expect_completed_or_started_over(machine));
      ASSERT_LT(calls, 2'000U);
    }
    EXPECT_GT(calls, 30U);
  }
}

// D1
TEST(InterruptedInit, ByAnErrorAtEveryCallThenItCompletesOrStartsOver) {
  for (const ErrorCode code : {ErrorCode::io_error, ErrorCode::no_space}) {
    bool was_hit = true;
    for (std::uint64_t calls = 0; was_hit; ++calls) {
      SCOPED_TRACE(fmt::format("{} after {} calls", name_of(code), calls));
      SimMachine machine(calls + 1);
      env::FileFault fault;
      fault.after_calls = calls;
      fault.code = code;
      machine.files.fail(fault);
      {
        const auto made = GraphCore::init(machine.env, kPath, kSchema, {}, small_options());
        was_hit = machine.files.counters().total() > calls;
        if (made) machine.files.halt_after(0);
      }
      machine.files.clear_faults();
      machine.files.kill();
      ASSERT_NO_FATAL_FAILURE(expect_completed_or_started_over(machine));
      ASSERT_LT(calls, 2'000U);
    }
  }
}

class Directory : public testing::Test {
 protected:
  Result<std::shared_ptr<GraphCore>> init(const InitOptions& options = {}) {
    return GraphCore::init(machine_.env, kPath, kSchema, options, small_options());
  }
  Result<std::shared_ptr<GraphCore>> open() {
    return GraphCore::open(machine_.env, kPath, small_options());
  }
  void write(const std::string& path, std::string_view text) {
    auto file = machine_.files.open(path, env::OpenMode::kCreateNew);
    ASSERT_GOOD(file);
    ASSERT_GOOD((*file)->write_at(0, text));
  }
  void make() {
    auto core = init();
    ASSERT_GOOD(core);
    ASSERT_GOOD((*core)->load(rows_of(item("a", 1)), keyed("k")));
    ASSERT_GOOD((*core)->close());
  }

  SimMachine machine_;
};

TEST_F(Directory, FinishedGraphThenInitLeavesItAlone) {  // D1
  make();
  const auto refused = init();
  ASSERT_EQ(code_of(refused), ErrorCode::already_exists);
  InitOptions options;
  options.if_not_exists = true;
  const auto kept = init(options);
  ASSERT_GOOD(kept);
  EXPECT_EQ(count_of(**kept, "a"), 1);
}

TEST_F(Directory, OtherThingsInItThenInitTouchesNone) {
  ASSERT_GOOD(machine_.files.create_directory(kPath));
  write("/graph/thesis.txt", "years of work");
  for (const bool if_not_exists : {false, true}) {
    InitOptions options;
    options.if_not_exists = if_not_exists;
    const auto refused = init(options);
    ASSERT_EQ(code_of(refused), ErrorCode::already_exists);
    EXPECT_EQ(*refused.error().detail("entry"), "thesis.txt");
  }
  EXPECT_EQ(*machine_.files.list(kPath), std::vector<std::string>{"thesis.txt"});
}

TEST_F(Directory, LostFormatThenInitDoesNotStartOver) {
  make();
  ASSERT_GOOD(machine_.files.remove("/graph/FORMAT"));
  const auto before = *machine_.files.list("/graph/log");

  EXPECT_EQ(code_of(open()), ErrorCode::not_found);
  EXPECT_EQ(code_of(init()), ErrorCode::already_exists);

  EXPECT_EQ(*machine_.files.list("/graph/log"), before);
}

TEST_F(Directory, DamagedFormatThenCorruptAndNothingIsRemoved) {
  make();
  ASSERT_GOOD(machine_.files.flip_bit("/graph/FORMAT", 0, 3));
  const auto before = *machine_.files.list("/graph/log");

  EXPECT_EQ(code_of(open()), ErrorCode::corrupt);
  EXPECT_EQ(code_of(init()), ErrorCode::corrupt);
  EXPECT_EQ(*machine_.files.list("/graph/log"), before);
}

TEST_F(Directory, LostLogThenCorruptAndNeverAnEmptyGraph) {
  make();
  const std::vector<std::string> names = *machine_.files.list("/graph/log");
  for (const std::string& name : names) {
    ASSERT_GOOD(machine_.files.remove("/graph/log/" + name));
  }
  EXPECT_EQ(code_of(open()), ErrorCode::corrupt);
  ASSERT_GOOD(machine_.files.remove_directory("/graph/log"));
  EXPECT_EQ(code_of(open()), ErrorCode::corrupt);
}

TEST_F(Directory, NoGraphThenNotFound) {
  EXPECT_EQ(code_of(open()), ErrorCode::not_found);
  ASSERT_GOOD(machine_.files.create_directory(kPath));
  EXPECT_EQ(code_of(open()), ErrorCode::not_found);
}

TEST_F(Directory, BadSchemaThenNothingIsMade) {
  const auto made = GraphCore::init(machine_.env, kPath, "node {", {}, small_options());
  EXPECT_EQ(code_of(made), ErrorCode::parse_error);
  EXPECT_EQ(code_of(machine_.files.stat(kPath)), ErrorCode::not_found);
}

TEST_F(Directory, HeldByAWriterThenLockedWithItsName) {  // D2
  make();
  const auto first = open();
  ASSERT_GOOD(first);
  const auto second = open();
  ASSERT_EQ(code_of(second), ErrorCode::locked);
  EXPECT_EQ(*second.error().detail("holder"), "test");

  ASSERT_GOOD((*first)->close());
  EXPECT_GOOD(open());
}

TEST_F(Directory, FailedOpeningsThenTheLockIsFree) {
  make();
  for (std::uint64_t calls = 0; calls < 12; ++calls) {
    env::FileFault fault;
    fault.after_calls = calls;
    machine_.files.fail(fault);
    static_cast<void>(open().ok());
    machine_.files.clear_faults();
    EXPECT_GOOD(open());
  }
}

}  // namespace
}  // namespace braid::engine
