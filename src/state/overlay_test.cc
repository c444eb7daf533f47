// SPDX-License-Identifier: Apache-2.0
#include "state/overlay.h"

#include <deque>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace braid::state {
namespace {

using Model = std::map<std::string, std::optional<std::string>>;

std::vector<std::pair<std::string, std::optional<std::string>>> entries_of(
    const Overlay& overlay, std::string_view from, std::string_view prefix) {
  std::vector<std::pair<std::string, std::optional<std::string>>> out;
  overlay.scan(from, prefix, [&out](const OverlayEntryView& entry) {
    out.emplace_back(std::string(entry.key),
                     entry.value ? std::optional(std::string(*entry.value)) : std::nullopt);
    return true;
  });
  return out;
}

PositionRange at(std::uint64_t position) { return {Position{position}, Position{position}}; }

TEST(Overlay, EmptyKnowsNothing) {
  const auto overlay = Overlay::empty();
  EXPECT_EQ(overlay->get("a"), std::nullopt);
  EXPECT_EQ(overlay->seek("", ""), std::nullopt);
  EXPECT_EQ(overlay->entries(), 0u);
  EXPECT_EQ(overlay->bytes(), 0u);
  EXPECT_EQ(overlay->last(), Position{0});
}

TEST(Overlay, OlderOverlayIsUntouchedByANewerOne) {
  const auto first = Overlay::empty()->with(at(1), {{"a", "old"}});

  const auto second = first->with(at(2), {{"a", "new"}});

  EXPECT_EQ(first->get("a")->value, "old");
  EXPECT_EQ(second->get("a")->value, "new");
}

// S7
TEST(Overlay, LastWriteOfAGroupCounts) {
  const auto overlay =
      Overlay::empty()->with(at(1), {{"a", "1"}, {"b", "2"}, {"a", "3"}, {"b", std::nullopt}});
  EXPECT_EQ(overlay->get("a")->value, "3");
  ASSERT_TRUE(overlay->get("b"));
  EXPECT_EQ(overlay->get("b")->value, std::nullopt);
}

TEST(Overlay, RemovalIsKnownNotAbsent) {
  const auto overlay = Overlay::empty()->with(at(1), {{"a", std::nullopt}});
  ASSERT_TRUE(overlay->get("a"));
  EXPECT_FALSE(overlay->get("a")->value);
  EXPECT_EQ(overlay->get("b"), std::nullopt);
}

TEST(Overlay, EmptyValueIsNotARemoval) {
  const auto overlay = Overlay::empty()->with(at(1), {{"a", ""}});
  EXPECT_EQ(overlay->get("a")->value, "");
}

TEST(Overlay, AppliedRunsAreDroppedAndOthersStay) {
  const auto overlay = Overlay::empty()
                           ->with({Position{1}, Position{4}}, {{"a", "1"}, {"b", "2"}})
                           ->with({Position{5}, Position{6}}, {{"c", "3"}});
  ASSERT_EQ(overlay->runs(), 2u);

  EXPECT_EQ(overlay->without(Position{3})->entries(), 3u);
  EXPECT_EQ(overlay->without(Position{4})->entries(), 1u);
  EXPECT_EQ(overlay->without(Position{4})->get("a"), std::nullopt);
  EXPECT_EQ(overlay->without(Position{4})->get("c")->value, "3");
  EXPECT_TRUE(overlay->without(Position{6})->is_empty());
  EXPECT_EQ(overlay->without(Position{6})->bytes(), 0u);
}

TEST(Overlay, GroupWithoutWritesMovesThePositionOnly) {
  const auto overlay = Overlay::empty()->with(at(1), {{"a", "1"}})->with(at(2), {});
  EXPECT_EQ(overlay->last(), Position{2});
  EXPECT_EQ(overlay->entries(), 1u);
  EXPECT_EQ(overlay->without(Position{1})->entries(), 1u);
  EXPECT_TRUE(overlay->without(Position{2})->is_empty());
}

// S2
TEST(OverlayDeathTest, PositionsThatGoBackAreABug) {
  const auto overlay = Overlay::empty()->with(at(5), {{"a", "1"}});
  EXPECT_DEATH((void)overlay->with(at(5), {{"a", "2"}}), "last");
}

// S8
TEST(Overlay, RunsAndCopiesGrowWithTheLogarithmOfTheEntries) {
  auto overlay = Overlay::empty();
  for (std::uint64_t i = 1; i <= 4'096; ++i) {
    overlay = overlay->with(at(i), {{"key" + std::to_string(i), "value"}});
    ASSERT_LE(overlay->runs(), 13u);  // log2(4096) + 1
  }
  EXPECT_EQ(overlay->entries(), 4'096u);
}

TEST(Overlay, SteadyLagHoldsASmallMultipleOfIt) {
  constexpr std::uint64_t kLag = 100;
  auto overlay = Overlay::empty();
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    overlay = overlay->with(at(i), {{"key" + std::to_string(i), "value"}});
    if (i > kLag) overlay = overlay->without(Position{i - kLag});
    ASSERT_LE(overlay->entries(), 4 * kLag);
  }
}

// A group that is not applied yet, and a model made of such groups.
struct Group {
  Position last;
  std::vector<StateWrite> writes;
};

Model model_of(const std::deque<Group>& groups) {
  Model model;
  for (const Group& group : groups) {
    for (const StateWrite& write : group.writes) model[write.key] = write.value;
  }
  return model;
}

void expect_same(const Overlay& overlay, const Model& model, std::mt19937_64& random) {
  const std::string from(random() % 3, static_cast<char>('a' + random() % 4));
  const std::string prefix(random() % 2, static_cast<char>('a' + random() % 4));
  std::vector<std::pair<std::string, std::optional<std::string>>> expected;
  for (const auto& entry : model) {
    if (entry.first >= from && entry.first.starts_with(prefix)) expected.push_back(entry);
  }
  EXPECT_EQ(entries_of(overlay, from, prefix), expected);

  const auto first = overlay.seek(from, prefix);
  ASSERT_EQ(first.has_value(), !expected.empty());
  if (first) {
    EXPECT_EQ(first->key, expected.front().first);
  }
  for (const auto& [key, value] : model) {
    const auto hit = overlay.get(key);
    ASSERT_TRUE(hit) << key;
    EXPECT_EQ(hit->value, value) << key;
  }
}

// S7
TEST(OverlayProperty, AnyHistoryEqualsAMapOfTheGroupsNotApplied) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::deque<Group> groups;
    auto overlay = Overlay::empty();
    std::uint64_t position = 0;
    for (int step = 0; step < 25; ++step) {
      Group group;
      for (std::uint64_t left = random() % 6; left > 0; --left) {
        std::string key(1 + random() % 3, 'a');
        for (char& c : key) c = static_cast<char>('a' + random() % 4);
        const bool removal = random() % 4 == 0;
        group.writes.push_back(
            {key, removal ? std::nullopt : std::optional(std::to_string(random() % 100))});
      }
      const Position first{position + 1};
      position += 1 + random() % 3;
      group.last = Position{position};
      overlay = overlay->with({first, group.last}, group.writes);
      groups.push_back(std::move(group));

      // What the state applied may leave; what it did not must stay. A run leaves whole, so compare
      // after applying everything, or nothing.
      if (random() % 8 == 0) {
        overlay = overlay->without(Position{position});
        groups.clear();
      }
      expect_same(*overlay, model_of(groups), random);
    }
  }
}

}  // namespace
}  // namespace braid::state
