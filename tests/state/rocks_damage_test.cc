// SPDX-License-Identifier: Apache-2.0
// Damage to any file of the state: it does not open, or it stands at an older position with exactly
// what that position had, or a read says `corrupt`. Never a wrong answer.
#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace braid::state {
namespace {

constexpr std::uint64_t kPositions = 60;

// The files of a state with several table files, closed, and the history that it holds.
class RocksDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = RocksState::create(machine_, origin_, graph_of(1));
    ASSERT_TRUE(made) << to_string(made.error());
    for (std::uint64_t position = 1; position <= kPositions; ++position) {
      ASSERT_TRUE((*made)->apply(history_.writes[position], applied_of(position)));
      if (position % 25 == 0) {
        ASSERT_TRUE((*made)->flush());
      }
    }
    ASSERT_TRUE((*made)->close());
    const auto names = machine_.files.list(origin_);
    ASSERT_TRUE(names);
    for (const std::string& name : *names) {
      const auto bytes = env::read_file(machine_.files, env::join(origin_, name), 1ull << 30);
      ASSERT_TRUE(bytes) << to_string(bytes.error());
      files_[name] = *bytes;
    }
    ASSERT_TRUE(files_.contains("CURRENT"));
  }

  /// Opens a state made of these files and reads all of it.
  void expect_no_wrong_answer(const std::map<std::string, std::string>& files, bool read_only) {
    const std::string directory = scratch_.path("damaged");
    ASSERT_TRUE(machine_.files.create_directory(directory));
    for (const auto& [name, bytes] : files) {
      const auto file = machine_.files.open(env::join(directory, name), env::OpenMode::kCreateNew);
      ASSERT_TRUE(file) << to_string(file.error());
      ASSERT_TRUE((*file)->write_at(0, bytes));
    }
    open_and_read(directory, read_only);
    ASSERT_TRUE(RocksState::destroy(machine_, directory));
  }

  void open_and_read(const std::string& directory, bool read_only) {
    const auto opened = read_only ? RocksState::open_read_only(machine_, directory, graph_of(1))
                                  : RocksState::open(machine_, directory, graph_of(1));
    if (opened) return expect_a_known_position(**opened);
    ++refused_;
    EXPECT_EQ(opened.error().kind(), ErrorKind::kCorrupt) << to_string(opened.error());
  }

  void expect_a_known_position(const RocksState& state) {
    const std::uint64_t position = state.applied().position.value;
    ASSERT_LE(position, kPositions);
    if (position > 0) {
      EXPECT_EQ(state.applied(), applied_of(position));
    }
    Entries seen;
    const Status status = state.scan("", "", [&seen](std::string_view key, std::string_view value) {
      if (!is_meta_key(key)) seen.emplace_back(key, value);
      return true;
    });
    if (!status) {
      ++refused_;
      EXPECT_EQ(status.error().kind(), ErrorKind::kCorrupt) << to_string(status.error());
      return;
    }
    EXPECT_EQ(seen, entries_of_model(history_.model[position], "", ""));
    for (const auto& [key, value] : history_.model[position]) {
      const auto got = state.get(key);
      if (got) {
        EXPECT_EQ(*got, value);
      }
    }
  }

  env::Env& machine_ = env::real_env();
  const History history_ = History::make(7, kPositions, 40);
  ScratchDirectory scratch_;
  const std::string origin_ = scratch_.path("origin");
  std::map<std::string, std::string> files_;
  int refused_ = 0;
};

TEST_F(RocksDamage, UndamagedStateIsAnswered) {
  expect_no_wrong_answer(files_, true);
  expect_no_wrong_answer(files_, false);
  EXPECT_EQ(refused_, 0);
}

TEST_F(RocksDamage, AnyFileMayBeDeleted) {
  for (const auto& [name, bytes] : files_) {
    SCOPED_TRACE(name);
    auto files = files_;
    files.erase(name);
    const int refused_before = refused_;
    expect_no_wrong_answer(files, true);
    expect_no_wrong_answer(files, false);
    if (name.ends_with(".sst")) {
      EXPECT_EQ(refused_, refused_before + 2);
    }
  }
}

TEST_F(RocksDamage, AnyFileMayBeCutShort) {
  for (const auto& [name, bytes] : files_) {
    for (const std::size_t parts : {0u, 1u, 2u, 3u}) {
      SCOPED_TRACE(name + " " + std::to_string(parts));
      auto files = files_;
      files[name].resize(bytes.size() * parts / 4);
      expect_no_wrong_answer(files, parts % 2 == 0);
    }
  }
}

TEST_F(RocksDamage, AnyBitMayBeFlipped) {
  std::mt19937_64 random(8);
  for (const auto& [name, bytes] : files_) {
    if (bytes.empty()) continue;
    for (int i = 0; i < 25; ++i) {
      const std::size_t offset = random() % bytes.size();
      SCOPED_TRACE(name + " " + std::to_string(offset));
      auto files = files_;
      files[name][offset] = static_cast<char>(files[name][offset] ^ (1 << random() % 8));
      expect_no_wrong_answer(files, i % 4 != 0);
    }
  }
  EXPECT_GT(refused_, 0);
}

TEST_F(RocksDamage, TablesOfAnotherLifeAreRefused) {
  auto made = RocksState::create(machine_, scratch_.path("other"), graph_of(1));
  ASSERT_TRUE(made);
  for (std::uint64_t position = 1; position <= kPositions; ++position) {
    ASSERT_TRUE((*made)->apply(history_.writes[position], applied_of(position)));
    if (position % 25 == 0) {
      ASSERT_TRUE((*made)->flush());
    }
  }
  ASSERT_TRUE((*made)->close());
  std::vector<std::string> foreign_tables;
  const auto names = machine_.files.list(scratch_.path("other"));
  ASSERT_TRUE(names);
  for (const std::string& name : *names) {
    if (name.ends_with(".sst")) foreign_tables.push_back(name);
  }
  for (const auto& [name, bytes] : files_) {
    if (!name.ends_with(".sst")) continue;
    for (const std::string& foreign_name : foreign_tables) {
      SCOPED_TRACE(name + " " + foreign_name);
      const std::string path = env::join(scratch_.path("other"), foreign_name);
      const auto foreign = env::read_file(machine_.files, path, 1ull << 30);
      ASSERT_TRUE(foreign) << to_string(foreign.error());
      auto files = files_;
      files[name] = *foreign;
      const int refused_before = refused_;
      expect_no_wrong_answer(files, true);
      EXPECT_EQ(refused_, refused_before + 1);
    }
  }
}

}  // namespace
}  // namespace braid::state
