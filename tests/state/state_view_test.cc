// SPDX-License-Identifier: Apache-2.0
#include "state/state_view.h"

#include <gtest/gtest.h>

#include "state/state_fixture.h"

namespace braid::state {
namespace {

constexpr TableId kTable{1};
constexpr BranchIncarnation kBranch{1};

PositionRange at(std::uint64_t position) { return {Position{position}, Position{position}}; }

class StateViewTest : public ::testing::TestWithParam<Kind> {
 protected:
  ScratchDirectory scratch_;
  std::shared_ptr<State> state_ = make_state(GetParam(), scratch_);
};
INSTANTIATE_TEST_SUITE_P(Kinds, StateViewTest, ::testing::Values(Kind::kMemory, Kind::kRocks),
                         name_of_kind);

TEST_P(StateViewTest, OverlayWinsAndItsRemovalHides) {
  ASSERT_TRUE(state_->apply({{"ba", "1"}, {"bb", "1"}, {"bc", "1"}}, applied_of(1)));
  const StateView view(
      Overlay::empty()->with(at(2), {{"bb", std::nullopt}, {"bc", "2"}, {"bd", "2"}}), state_);

  EXPECT_EQ(*view.get("ba"), "1");
  EXPECT_EQ(*view.get("bb"), std::nullopt);
  EXPECT_EQ(*view.get("bc"), "2");
  EXPECT_EQ(*view.get("bd"), "2");
  EXPECT_EQ(entries_of(view, "", "b"), (Entries{{"ba", "1"}, {"bc", "2"}, {"bd", "2"}}));
  EXPECT_EQ((*view.seek("bb", "b"))->first, "bc");
}

TEST_P(StateViewTest, SeekPassesAnyNumberOfRemovals) {
  std::vector<StateWrite> sets;
  std::vector<StateWrite> removals;
  for (int i = 100; i < 200; ++i) {
    sets.push_back({"b" + std::to_string(i), "x"});
    removals.push_back({"b" + std::to_string(i), std::nullopt});
  }
  ASSERT_TRUE(state_->apply(sets, applied_of(1)));
  removals.pop_back();
  const StateView view(Overlay::empty()->with(at(2), removals), state_);
  EXPECT_EQ((*view.seek("", "b"))->first, "b199");
  EXPECT_EQ(*view.seek("", "c"), std::nullopt);
}

TEST_P(StateViewTest, ScanStopsWhenToldAmongEntriesOfEither) {
  ASSERT_TRUE(state_->apply({{"bb", "state"}, {"bd", "state"}}, applied_of(1)));
  const StateView view(
      Overlay::empty()->with(at(2), {{"ba", "overlay"}, {"bc", "overlay"}, {"be", "overlay"}}),
      state_);
  const std::string order = "abcde";
  for (std::size_t stop = 1; stop <= order.size(); ++stop) {
    std::string seen;
    ASSERT_TRUE(view.scan("", "b", [&](std::string_view key, std::string_view) {
      seen += key.substr(1);
      return seen.size() < stop;
    }));
    EXPECT_EQ(seen, order.substr(0, stop));
  }
}

// S4: every interleaving of one reader with an applier that is anywhere between what left the
// overlay and what the overlay ends with.
TEST_P(StateViewTest, EqualsAMapHoweverFarTheStateHasBeenApplied) {
  const std::uint64_t seeds = GetParam() == Kind::kMemory ? 60 : 3;
  constexpr std::uint64_t kPositions = 24;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const History history = History::make(seed, kPositions);
    const auto state = make_state(GetParam(), scratch_, "seed" + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto overlay = Overlay::empty();
    for (std::uint64_t position = 1; position <= kPositions; ++position) {
      overlay = overlay->with(at(position), history.writes[position]);
    }
    for (std::uint64_t applied = 0; applied <= kPositions; ++applied) {
      if (applied > 0) {
        ASSERT_TRUE(state->apply(history.writes[applied], applied_of(applied)));
      }
      const std::uint64_t dropped = random() % (applied + 1);
      const StateView view(overlay->without(Position{dropped}), state);
      const Model& model = history.model[kPositions];
      for (const std::string prefix : {"b", "c", "i", "ba"}) {
        const std::string from = some_key(random);
        const Entries expected = entries_of_model(model, from, prefix);
        EXPECT_EQ(entries_of(view, from, prefix), expected);
        const auto found = view.seek(from, prefix);
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, expected.empty() ? std::nullopt : std::optional(expected.front()));
      }
      for (int i = 0; i < 20; ++i) {
        const std::string key = some_key(random);
        const auto expected = model.find(key);
        EXPECT_EQ(*view.get(key),
                  expected == model.end() ? std::nullopt : std::optional(expected->second));
      }
    }
  }
}

// S4
TEST_P(StateViewTest, ScanIsRightWhileTheStateAppliesUnderIt) {
  const std::uint64_t seeds = GetParam() == Kind::kMemory ? 200 : 5;
  constexpr std::uint64_t kPositions = 24;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const History history = History::make(seed, kPositions);
    const auto state = make_state(GetParam(), scratch_, "scan" + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto overlay = Overlay::empty();
    for (std::uint64_t position = 1; position <= kPositions; ++position) {
      overlay = overlay->with(at(position), history.writes[position]);
    }
    const StateView view(overlay, state);
    std::uint64_t applied = 0;
    Entries seen;

    const Status status = view.scan("", "", [&](std::string_view key, std::string_view value) {
      if (!is_meta_key(key)) seen.emplace_back(key, value);
      for (std::uint64_t steps = random() % 3; steps > 0 && applied < kPositions; --steps) {
        ++applied;
        EXPECT_TRUE(state->apply(history.writes[applied], applied_of(applied)));
      }
      return true;
    });

    ASSERT_TRUE(status) << to_string(status.error());
    EXPECT_EQ(seen, entries_of_model(history.model[kPositions], "", ""));
  }
}

TEST_P(StateViewTest, NewestAtFindsTheNewestVersionNotBeyond) {
  const auto key = [](std::uint64_t position) {
    return row_key(kTable, kBranch, "a", Position{position});
  };
  ASSERT_TRUE(state_->apply({{key(2), "two"}, {key(4), "four"}}, applied_of(4)));
  const StateView view(Overlay::empty()->with(at(6), {{key(6), "six"}}), state_);
  const std::string prefix = row_version_prefix(kTable, kBranch, "a");
  const auto newest = [&](std::uint64_t position) {
    const auto found = newest_at(view, prefix, Position{position});
    EXPECT_TRUE(found) << to_string(found.error());
    return *found;
  };

  EXPECT_EQ(newest(1), std::nullopt);
  EXPECT_EQ(newest(2), (VersionedEntry{Position{2}, "two"}));
  EXPECT_EQ(newest(3), (VersionedEntry{Position{2}, "two"}));
  EXPECT_EQ(newest(5), (VersionedEntry{Position{4}, "four"}));
  EXPECT_EQ(newest(6), (VersionedEntry{Position{6}, "six"}));
  EXPECT_EQ(newest(~0ull), (VersionedEntry{Position{6}, "six"}));
  EXPECT_EQ(*newest_at(view, row_version_prefix(kTable, kBranch, ""), Position{9}), std::nullopt);
  EXPECT_EQ(*newest_at(view, row_version_prefix(kTable, kBranch, "ab"), Position{9}), std::nullopt);
}

// S3: an older reader skips what is newer, wherever it stands by now.
TEST_P(StateViewTest, OldReaderIsNotDisturbedByLaterVersions) {
  const auto write = [](std::uint64_t position) {
    return std::vector<StateWrite>{
        {row_key(kTable, kBranch, position % 2 == 0 ? "even" : "odd", Position{position}),
         std::to_string(position)}};
  };
  auto overlay = Overlay::empty();
  for (std::uint64_t position = 1; position <= 10; ++position) {
    overlay = overlay->with(at(position), write(position));
  }
  const StateView view(overlay, state_);

  for (std::uint64_t position = 1; position <= 30; ++position) {
    ASSERT_TRUE(state_->apply(write(position), applied_of(position)));
    const auto even = newest_at(view, row_version_prefix(kTable, kBranch, "even"), Position{10});
    const auto odd = newest_at(view, row_version_prefix(kTable, kBranch, "odd"), Position{10});
    EXPECT_EQ(*even, (VersionedEntry{Position{10}, "10"}));
    EXPECT_EQ(*odd, (VersionedEntry{Position{9}, "9"}));
  }
}

TEST_P(StateViewTest, KeyWithoutAPositionWhereOneBelongsIsCorrupt) {
  const std::string prefix = row_version_prefix(kTable, kBranch, "a");
  const StateView view(Overlay::empty()->with(at(1), {{prefix + "12345678x", "bad"}}), state_);
  const auto found = newest_at(view, prefix, Position{~0ull});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace braid::state
