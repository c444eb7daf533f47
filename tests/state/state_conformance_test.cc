// SPDX-License-Identifier: Apache-2.0
// What every State must do, in memory and on disk.
#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace braid::state {
namespace {

class StateConformance : public ::testing::TestWithParam<Kind> {
 protected:
  ScratchDirectory scratch_;
  std::shared_ptr<State> state_ = make_state(GetParam(), scratch_);

  void apply(std::uint64_t position, const std::vector<StateWrite>& writes) {
    const Status status = state_->apply(writes, applied_of(position));
    ASSERT_TRUE(status) << to_string(status.error());
  }
  std::optional<std::string> get(std::string_view key) const {
    const auto got = state_->get(key);
    EXPECT_TRUE(got) << to_string(got.error());
    return *got;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, StateConformance, ::testing::Values(Kind::kMemory, Kind::kRocks),
                         name_of_kind);

TEST_P(StateConformance, NewStateStandsBeforeTheFirstRecord) {
  EXPECT_EQ(state_->applied(), Applied{});
  EXPECT_EQ(get("b"), std::nullopt);
  EXPECT_EQ(get(kStampKey), stamp_value({.format = 2, .graph = graph_of(1)}));
}

// S1
TEST_P(StateConformance, BatchIsThereWholeWithItsPosition) {
  apply(3, {{"ba", "1"}, {"bb", ""}, {"bc", "3"}});

  EXPECT_EQ(get("ba"), "1");
  EXPECT_EQ(get("bb"), "");
  EXPECT_EQ(get("bc"), "3");
  EXPECT_EQ(state_->applied(), applied_of(3));
  EXPECT_EQ(get(kAppliedKey), applied_value(applied_of(3)));
}

TEST_P(StateConformance, LaterWriteOfABatchWins) {
  apply(1, {{"ba", "1"}, {"ba", std::nullopt}, {"bb", std::nullopt}, {"bb", "2"}});
  EXPECT_EQ(get("ba"), std::nullopt);
  EXPECT_EQ(get("bb"), "2");
}

TEST_P(StateConformance, RemovalOfNothingIsFine) {
  apply(1, {{"ba", std::nullopt}});
  EXPECT_EQ(get("ba"), std::nullopt);
}

TEST_P(StateConformance, BatchWithoutWritesMovesThePosition) {
  apply(7, {});
  EXPECT_EQ(state_->applied(), applied_of(7));
}

// S2
TEST_P(StateConformance, PositionThatDoesNotAdvanceIsABug) {
  GTEST_FLAG_SET(death_test_style, "fast");
  apply(2, {});
  EXPECT_DEATH(static_cast<void>(state_->apply({}, applied_of(2))), "position");
  EXPECT_DEATH(static_cast<void>(state_->apply({}, applied_of(1))), "position");
}

// S1
TEST_P(StateConformance, WriteToTheStatesOwnKeysIsABug) {
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_DEATH(static_cast<void>(state_->apply({{"m/applied", "x"}}, applied_of(1))), "meta");
}

TEST_P(StateConformance, SeekFindsTheFirstKeyFromThereWithThePrefix) {
  apply(1, {{"ba", "1"}, {"bc", "2"}, {"bca", "3"}, {"c", "4"}});
  const auto seek = [this](std::string_view from, std::string_view prefix) {
    const auto found = state_->seek(from, prefix);
    EXPECT_TRUE(found) << to_string(found.error());
    return *found ? (*found)->first : std::string("nothing");
  };

  EXPECT_EQ(seek("", "b"), "ba");
  EXPECT_EQ(seek("ba", "b"), "ba");
  EXPECT_EQ(seek(std::string_view("ba\0", 3), "b"), "bc");
  EXPECT_EQ(seek("", "bc"), "bc");
  EXPECT_EQ(seek("bcb", "b"), "nothing");
  EXPECT_EQ(seek("c", "b"), "nothing");
  EXPECT_EQ(seek("", "bb"), "nothing");
  EXPECT_EQ(seek("b", ""), "ba");
  EXPECT_EQ(seek("d", ""), "m/applied");
}

TEST_P(StateConformance, ScanVisitsInOrderUntilToldToStop) {
  apply(1, {{"bb", "2"}, {"ba", "1"}, {"c", "3"}});
  Entries seen;
  const auto visit_one = [&seen](std::string_view key, std::string_view value) {
    seen.emplace_back(key, value);
    return false;
  };

  EXPECT_EQ(entries_of(*state_, "", "b"), (Entries{{"ba", "1"}, {"bb", "2"}}));
  EXPECT_EQ(entries_of(*state_, "bb", "b"), (Entries{{"bb", "2"}}));
  ASSERT_TRUE(state_->scan("", "b", visit_one));
  EXPECT_EQ(seen, (Entries{{"ba", "1"}}));
}

TEST_P(StateConformance, PrefixOfLargestBytesHasAnEnd) {
  apply(1, {{"\xFF", "1"}, {"\xFF\xFF", "2"}, {"\xFE\xFF", "3"}});
  EXPECT_EQ(entries_of(*state_, "", "\xFF"), (Entries{{"\xFF", "1"}, {"\xFF\xFF", "2"}}));
  EXPECT_EQ(entries_of(*state_, "", "\xFE\xFF"), (Entries{{"\xFE\xFF", "3"}}));
}

TEST_P(StateConformance, ScanOfManyEntriesSeesEachOnce) {
  Model model;
  std::vector<StateWrite> writes;
  for (int i = 0; i < 3'000; ++i) {
    writes.push_back({"b" + std::to_string(i), std::to_string(i)});
  }
  apply_to(model, writes);
  apply(1, writes);
  EXPECT_EQ(entries_of(*state_, "", "b"), entries_of_model(model, "", "b"));
}

TEST_P(StateConformance, VisitorMayUseTheState) {
  apply(1, {{"ba", "1"}, {"bb", "2"}});
  std::vector<std::optional<std::string>> got;
  ASSERT_TRUE(state_->scan("", "b", [&](std::string_view key, std::string_view) {
    got.push_back(get(key));
    apply(state_->applied().position.value + 1, {{"c", "x"}});
    return true;
  }));
  EXPECT_EQ(got, (std::vector<std::optional<std::string>>{"1", "2"}));
}

TEST_P(StateConformance, AnyHistoryEqualsAMap) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const auto state = make_state(GetParam(), scratch_, "seed" + std::to_string(seed));
    const History history = History::make(seed, 60);
    std::mt19937_64 random(seed);
    for (std::uint64_t position = 1; position < history.writes.size(); ++position) {
      ASSERT_TRUE(state->apply(history.writes[position], applied_of(position)));
      if (position % 16 == 0) {
        ASSERT_TRUE(state->flush());
      }
      const Model& model = history.model[position];
      const std::string from = some_key(random);
      const std::string prefix = some_key(random).substr(0, random() % 3);
      EXPECT_EQ(entries_of(*state, from, prefix == "" ? "b" : prefix),
                entries_of_model(model, from, prefix == "" ? "b" : prefix));
      for (const auto& [key, value] : model) EXPECT_EQ(*state->get(key), value);
    }
  }
}

// S3: found through the prefix filter, from memory and from files.
TEST_P(StateConformance, VersionsOfManyRowsAreFoundBeforeAndAfterAFlush) {
  const TableId table{1};
  const BranchIncarnation branch{1};
  const auto find = [&](int row, std::uint64_t at) {
    const std::string prefix = row_version_prefix(table, branch, "row" + std::to_string(row));
    const auto found = state_->seek(prefix + version_suffix(Position{at}), prefix);
    EXPECT_TRUE(found) << to_string(found.error());
    return *found ? (*found)->second : std::string("nothing");
  };
  const auto check = [&] {
    for (int row = 0; row < 200; ++row) {
      EXPECT_EQ(find(row, 9), "nothing");
      EXPECT_EQ(find(row, 10), row % 2 == 0 ? "old" : "nothing");
      EXPECT_EQ(find(row, 19), row % 2 == 0 ? "old" : "nothing");
      EXPECT_EQ(find(row, 20), row % 4 == 0 ? "new" : row % 2 == 0 ? "old" : "nothing");
    }
  };
  std::vector<StateWrite> first;
  std::vector<StateWrite> second;
  for (int row = 0; row < 200; ++row) {
    const std::string id = "row" + std::to_string(row);
    if (row % 2 == 0) first.push_back({row_key(table, branch, id, Position{10}), "old"});
    if (row % 4 == 0) second.push_back({row_key(table, branch, id, Position{20}), "new"});
  }

  apply(10, first);
  apply(20, second);
  check();
  ASSERT_TRUE(state_->flush());
  check();
  EXPECT_EQ(entries_of(*state_, "", row_prefix(table, branch)).size(), 150u);
}

}  // namespace
}  // namespace braid::state
