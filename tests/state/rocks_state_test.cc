// SPDX-License-Identifier: Apache-2.0
// The state on disk: opening, stamps, readers, checkpoints, crashes.
#include "state/rocks_state.h"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace braid::state {
namespace {

env::Env& machine() { return env::real_env(); }

std::vector<std::string> names_in(const std::string& directory) {
  auto names = machine().files.list(directory);
  EXPECT_TRUE(names) << to_string(names.error());
  return *std::move(names);
}

class RocksStateTest : public ::testing::Test {
 protected:
  ScratchDirectory scratch_;
  const std::string directory_ = scratch_.path("state");

  std::unique_ptr<RocksState> create() {
    auto made = RocksState::create(machine(), directory_, graph_of(1));
    EXPECT_TRUE(made) << to_string(made.error());
    return *std::move(made);
  }
  std::unique_ptr<RocksState> open() {
    auto opened = RocksState::open(machine(), directory_, graph_of(1));
    EXPECT_TRUE(opened) << to_string(opened.error());
    return *std::move(opened);
  }
  ErrorCode code_of_open(std::uint8_t graph = 1) {
    const auto opened = RocksState::open(machine(), directory_, graph_of(graph));
    EXPECT_FALSE(opened);
    return opened ? ErrorCode::internal : opened.error().code();
  }
  static void apply(State& state, const History& history, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t position = first; position <= last; ++position) {
      const Status status = state.apply(history.writes[position], applied_of(position));
      ASSERT_TRUE(status) << to_string(status.error());
    }
  }
};

void copy_directory(const std::string& from, const std::string& to) {
  env::FileSystem& files = machine().files;
  ASSERT_TRUE(files.create_directory(to));
  for (const std::string& name : names_in(from)) {
    const auto bytes = env::read_file(files, env::join(from, name), 1ull << 30);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    const auto copy = files.open(env::join(to, name), env::OpenMode::kCreateNew);
    ASSERT_TRUE(copy) << to_string(copy.error());
    ASSERT_TRUE((*copy)->write_at(0, *bytes));
  }
}

Entries without_meta(Entries entries) {
  std::erase_if(entries, [](const auto& entry) { return is_meta_key(entry.first); });
  return entries;
}

TEST_F(RocksStateTest, StateSurvivesACleanClose) {
  const History history = History::make(1, 20);
  auto state = create();
  apply(*state, history, 1, 20);
  ASSERT_TRUE(state->close());
  state.reset();

  state = open();

  EXPECT_EQ(state->applied(), applied_of(20));
  EXPECT_EQ(without_meta(entries_of(*state, "", "")), entries_of_model(history.model[20], "", ""));
}

TEST_F(RocksStateTest, StateSurvivesItsDestructor) {
  {
    auto state = create();
    ASSERT_TRUE(state->apply({{"b", "1"}}, applied_of(1)));
  }
  EXPECT_EQ(open()->applied(), applied_of(1));
}

// S1: what a kill leaves behind, read as a copy of the files at that moment.
TEST_F(RocksStateTest, KillWithoutAFlushLeavesAnOlderWholePosition) {
  const History history = History::make(2, 40);
  auto state = create();
  apply(*state, history, 1, 15);
  ASSERT_TRUE(state->flush());
  apply(*state, history, 16, 40);

  copy_directory(directory_, scratch_.path("killed"));

  auto opened = RocksState::open(machine(), scratch_.path("killed"), graph_of(1));
  ASSERT_TRUE(opened) << to_string(opened.error());
  EXPECT_EQ((*opened)->applied(), applied_of(15));
  EXPECT_EQ(without_meta(entries_of(**opened, "", "")),
            entries_of_model(history.model[15], "", ""));
}

// S1: buffers that fill up are flushed between batches, never within one. The child is this program
// again, killed with flushes under way; it finds its directory in the environment.
TEST(RocksStateDeathTest, KillWhileBuffersFillLeavesSomeWholePosition) {
  constexpr const char* kDirectory = "BRAID_TEST_KILLED_STATE";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const History history = History::make(3, 400, 4'000);
  std::unique_ptr<ScratchDirectory> scratch;
  if (std::getenv(kDirectory) == nullptr) {
    scratch = std::make_unique<ScratchDirectory>();
    ASSERT_EQ(setenv(kDirectory, scratch->path("state").c_str(), 1), 0);
  }
  const std::string directory = std::getenv(kDirectory);
  const auto run_and_die = [&] {
    auto made =
        RocksState::create(machine(), directory, graph_of(1), {.write_buffer_bytes = 64ull << 10});
    for (std::uint64_t position = 1; made && position <= 400; ++position) {
      if (!(*made)->apply(history.writes[position], applied_of(position))) return;
    }
    if (made) static_cast<void>(raise(SIGKILL));
  };

  EXPECT_EXIT(run_and_die(), ::testing::KilledBySignal(SIGKILL), "");

  unsetenv(kDirectory);
  const auto state = RocksState::open(machine(), directory, graph_of(1));
  ASSERT_TRUE(state) << to_string(state.error());
  const std::uint64_t position = (*state)->applied().position.value;
  EXPECT_GT(position, 0u);
  ASSERT_LE(position, 400u);
  EXPECT_EQ(without_meta(entries_of(**state, "", "")),
            entries_of_model(history.model[position], "", ""));
}

TEST_F(RocksStateTest, MissingOrEmptyDirectoryIsNotFound) {
  EXPECT_EQ(code_of_open(), ErrorCode::not_found);
  ASSERT_TRUE(machine().files.create_directory(directory_));
  EXPECT_EQ(code_of_open(), ErrorCode::not_found);
  EXPECT_EQ(RocksState::open_read_only(machine(), directory_, graph_of(1)).error().code(),
            ErrorCode::not_found);
  EXPECT_TRUE(names_in(directory_).empty());
}

TEST_F(RocksStateTest, CreateRefusesADirectoryThatHoldsSomething) {
  create().reset();
  const auto again = RocksState::create(machine(), directory_, graph_of(1));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::already_exists);
}

// S10
TEST_F(RocksStateTest, StateOfAnotherGraphIsRefusedWithBothIds) {
  create().reset();
  const auto opened = RocksState::open(machine(), directory_, graph_of(2));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::corrupt);
  EXPECT_EQ(*opened.error().detail("expected"), graph_of(2).to_string());
  EXPECT_EQ(*opened.error().detail("actual"), graph_of(1).to_string());
  EXPECT_EQ(RocksState::open_read_only(machine(), directory_, graph_of(2)).error().code(),
            ErrorCode::corrupt);
}

// S10
TEST(RocksStamp, OtherFormatIsToldApartFromDamage) {
  const auto newer = decode_stamp_value(std::string("\x03\0\0\0and more than we know", 25));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code(), ErrorCode::format_mismatch);
  EXPECT_EQ(*newer.error().detail("found"), "3");
  EXPECT_EQ(*newer.error().detail("supported"), "2");
}

TEST_F(RocksStateTest, SecondWriterIsLockedOut) {
  const auto first = create();
  EXPECT_EQ(code_of_open(), ErrorCode::locked);
  EXPECT_TRUE(first->apply({}, applied_of(1)));
}

TEST_F(RocksStateTest, DestroyedStateCanBeMadeAnew) {
  auto state = create();
  ASSERT_TRUE(state->apply({{"b", "1"}}, applied_of(1)));
  state.reset();

  ASSERT_TRUE(RocksState::destroy(machine(), directory_));
  EXPECT_EQ(code_of_open(), ErrorCode::not_found);
  ASSERT_TRUE(RocksState::destroy(machine(), directory_));

  state = create();
  EXPECT_EQ(state->applied(), Applied{});
  EXPECT_EQ(*state->get("b"), std::nullopt);
}

TEST_F(RocksStateTest, DirectoryHoldsNoMessagesOfTheLibrary) {
  auto state = create();
  ASSERT_TRUE(state->apply({{"b", "1"}}, applied_of(1)));
  ASSERT_TRUE(state->flush());
  for (const std::string& name : names_in(directory_))
    EXPECT_FALSE(name.starts_with("LOG")) << name;
}

TEST_F(RocksStateTest, OptionsOutOfBoundsAreRefused) {
  for (const RocksOptions& options :
       {RocksOptions{.write_buffer_bytes = 1}, RocksOptions{.block_cache_bytes = 1},
        RocksOptions{.open_files_max = 1}, RocksOptions{.open_files_max = ~0u}}) {
    const auto made = RocksState::create(machine(), directory_, graph_of(1), options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), ErrorCode::bad_request);
  }
}

// S11
TEST_F(RocksStateTest, ReaderBesideAWriterSeesWhatWasFlushedAndTouchesNothing) {
  const History history = History::make(4, 30);
  auto writer = create();
  apply(*writer, history, 1, 10);
  ASSERT_TRUE(writer->flush());
  apply(*writer, history, 11, 20);
  const auto names_before = names_in(directory_);

  auto reader = RocksState::open_read_only(machine(), directory_, graph_of(1));

  ASSERT_TRUE(reader) << to_string(reader.error());
  EXPECT_EQ((*reader)->applied(), applied_of(10));
  EXPECT_EQ(names_in(directory_), names_before);
  apply(*writer, history, 21, 30);
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(without_meta(entries_of(**reader, "", "")),
            entries_of_model(history.model[10], "", ""));
  EXPECT_EQ((*reader)->apply({}, applied_of(31)).error().code(), ErrorCode::read_only);
  EXPECT_EQ((*reader)->flush().error().code(), ErrorCode::read_only);
  EXPECT_EQ((*reader)->checkpoint(scratch_.path("no")).error().code(), ErrorCode::read_only);
}

// S11: files that the reader uses may be removed by the writer's compactions.
TEST_F(RocksStateTest, ReaderKeepsItsPositionWhileTheWriterRewritesEverything) {
  const History history = History::make(5, 200, 2'000);
  auto writer = create();
  apply(*writer, history, 1, 20);
  ASSERT_TRUE(writer->flush());
  auto reader = RocksState::open_read_only(machine(), directory_, graph_of(1));
  ASSERT_TRUE(reader);

  for (std::uint64_t position = 21; position <= 200; ++position) {
    apply(*writer, history, position, position);
    if (position % 10 == 0) {
      ASSERT_TRUE(writer->flush());
    }
  }

  EXPECT_EQ(without_meta(entries_of(**reader, "", "")),
            entries_of_model(history.model[20], "", ""));
}

// For as long as it lives, this thread has no right to write: root would be allowed to.
class AsNobody {
 public:
  AsNobody() {
    setfsgid(65534);
    setfsuid(65534);
  }
  ~AsNobody() {
    setfsuid(geteuid());
    setfsgid(getegid());
  }
};

// S11
TEST_F(RocksStateTest, ReaderNeedsNoRightToWrite) {
  auto writer = create();
  ASSERT_TRUE(writer->apply({{"b", "1"}}, applied_of(1)));
  ASSERT_TRUE(writer->close());
  ASSERT_EQ(chmod(directory_.c_str(), 0555), 0);
  for (const std::string& name : names_in(directory_)) {
    ASSERT_EQ(chmod(env::join(directory_, name).c_str(), 0444), 0);
  }
  {
    const AsNobody nobody;
    ASSERT_NE(access(directory_.c_str(), F_OK), -1);
    ASSERT_FALSE(machine().files.create_directory(env::join(directory_, "x")));

    auto reader = RocksState::open_read_only(machine(), directory_, graph_of(1));

    ASSERT_TRUE(reader) << to_string(reader.error());
    EXPECT_EQ(*(*reader)->get("b"), "1");
    EXPECT_EQ((*reader)->applied(), applied_of(1));
  }
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
}

TEST_F(RocksStateTest, CheckpointIsAStateOfItsOwn) {
  const History history = History::make(6, 30);
  auto state = create();
  apply(*state, history, 1, 12);
  const std::string copy = scratch_.path("checkpoint");

  const Status made = state->checkpoint(copy);

  ASSERT_TRUE(made) << to_string(made.error());
  apply(*state, history, 13, 30);
  ASSERT_TRUE(state->close());
  auto opened = RocksState::open(machine(), copy, graph_of(1));
  ASSERT_TRUE(opened) << to_string(opened.error());
  EXPECT_EQ((*opened)->applied(), applied_of(12));
  EXPECT_EQ(without_meta(entries_of(**opened, "", "")),
            entries_of_model(history.model[12], "", ""));
}

TEST_F(RocksStateTest, CheckpointSharesNoFileWithTheState) {
  auto state = create();
  ASSERT_TRUE(state->apply({{"b", "1"}}, applied_of(1)));
  const std::string copy = scratch_.path("checkpoint");
  ASSERT_TRUE(state->checkpoint(copy));
  for (const std::string& name : names_in(copy)) {
    struct stat info{};
    ASSERT_EQ(stat(env::join(copy, name).c_str(), &info), 0);
    EXPECT_EQ(info.st_nlink, 1u) << name;
  }
}

TEST_F(RocksStateTest, CheckpointNeverReplacesADirectory) {
  auto state = create();
  const Status made = state->checkpoint(directory_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::already_exists);
}

}  // namespace
}  // namespace braid::state
