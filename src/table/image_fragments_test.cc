// SPDX-License-Identifier: Apache-2.0
// Images whose rows are in fragments too.
#include <map>
#include <optional>

#include "env/manual.h"
#include "table/fragment_fixture.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

constexpr BranchIncarnation kChild{2};

/// A world whose records may publish fragments.
class PinnedWorld : public World {
 public:
  /// Commits rows of persons, which must ascend by id, as one fragment.
  Position pin(const std::vector<FragmentRow>& rows, BranchIncarnation branch = kMain,
               const FragmentOptions& options = {.batch_rows = 2}) {
    const Pin pin = fragments.put(rows, *test_schema()->node_type("Person"), false, options);
    const Position position = skip();
    layers_ = layers_->with(position, branch, {pin});
    return position;
  }
  Position pin_ages(const std::map<std::string, std::int32_t>& ages,
                    BranchIncarnation branch = kMain) {
    std::vector<FragmentRow> rows;
    for (const auto& [email, age] : ages) rows.push_back(aged(email, age));
    return pin(rows, branch);
  }
  Position set_age(const std::string& email, std::int32_t age, BranchIncarnation branch = kMain) {
    return commit_row(kPerson, {ChangeKind::insert, {}, aged(email, age).row}, branch);
  }
  Position remove(const std::string& email, BranchIncarnation branch = kMain) {
    return commit_row(kPerson, {ChangeKind::remove, last(), person_row(email)}, branch);
  }
  static FragmentRow aged(std::string_view email, std::int32_t age) {
    FragmentRow row;
    row.row = person_row(email);
    row.row.values[kAgeAt] = age;
    return row;
  }

  Image pinned_image(std::vector<LineageStep> lineage) const {
    return {
        state::StateView(memory_), std::move(lineage), test_schema(), *this, {layers_, &fragments}};
  }
  Image pinned_image() const { return pinned_image({{kMain, last()}}); }

  MemoryFragments fragments;

 private:
  std::shared_ptr<const Layers> layers_ = Layers::none();
  // The state that World owns, which outlives every image.
  std::shared_ptr<const state::State> memory_{std::shared_ptr<const void>(), &state()};
};

/// "a=1@2": id, age and stamp of every person.
std::string rows_of(const Image& image) {
  std::string out;
  const Status scanned = image.scan(kPerson, [&](const StoredRow& row) -> Status {
    if (!out.empty()) out += ' ';
    out += row.row.id + "=" + std::to_string(*row.row.values[kAgeAt].as<std::int32_t>()) + "@" +
           std::to_string(row.stamp.value);
    return Unit{};
  });
  EXPECT_TRUE(scanned.ok()) << to_string(scanned.error());
  return out;
}

// T11
TEST(PinnedImage, NewestOfDeltaRowsAndFragmentsCounts) {
  PinnedWorld world;
  world.set_age("a", 1);                           // 1
  world.set_age("b", 1);                           // 2
  world.pin_ages({{"b", 3}, {"c", 3}});            // 3
  world.set_age("c", 4);                           // 4
  world.pin_ages({{"a", 5}, {"c", 5}, {"d", 5}});  // 5
  world.remove("d");                               // 6
  world.remove("a");                               // 7
  world.pin_ages({{"a", 8}});                      // 8

  EXPECT_EQ(rows_of(world.pinned_image()), "a=8@8 b=3@3 c=5@5");
  EXPECT_EQ(rows_of(world.pinned_image({{kMain, Position{4}}})), "a=1@1 b=3@3 c=4@4");
  EXPECT_EQ(rows_of(world.pinned_image({{kMain, Position{5}}})), "a=5@5 b=3@3 c=5@5 d=5@5");
  EXPECT_EQ(rows_of(world.pinned_image({{kMain, Position{7}}})), "b=3@3 c=5@5");
  EXPECT_EQ(rows_of(world.pinned_image({{kMain, Position{2}}})), "a=1@1 b=1@2");
}

// T11: a fold takes delta rows into a fragment that is pinned later than other delta rows.
TEST(PinnedImage, RowsWithStampsOfTheirOwnAreAsOldAsThese) {
  PinnedWorld world;
  world.set_age("a", 1);  // 1
  world.set_age("b", 2);  // 2
  world.set_age("a", 3);  // 3: while the fold of the two before was written
  std::vector<FragmentRow> rows = {PinnedWorld::aged("a", 1), PinnedWorld::aged("b", 2)};
  rows[0].stamp = Position{1};
  rows[1].stamp = Position{2};
  world.pin(rows, kMain, {.batch_rows = 1, .with_stamps = true});  // 4

  EXPECT_EQ(rows_of(world.pinned_image()), "a=3@3 b=2@2");
  EXPECT_EQ((*world.pinned_image().find(kPerson, "a"))->stamp, Position{3});
  EXPECT_EQ((*world.pinned_image().find(kPerson, "b"))->stamp, Position{2});
}

// T4 T11
TEST(PinnedImage, BranchSeesTheFragmentsOfBeforeItsForkAndItsOwn) {
  PinnedWorld world;
  world.pin_ages({{"a", 1}, {"b", 1}});          // 1, before the fork
  world.pin_ages({{"a", 2}});                    // 2, after it
  world.pin_ages({{"b", 3}, {"c", 3}}, kChild);  // 3
  world.remove("a", kChild);                     // 4

  EXPECT_EQ(rows_of(world.pinned_image({{kChild, Position{3}}, {kMain, Position{1}}})),
            "a=1@1 b=3@3 c=3@3");
  EXPECT_EQ(rows_of(world.pinned_image({{kChild, Position{4}}, {kMain, Position{1}}})),
            "b=3@3 c=3@3");
  EXPECT_EQ(rows_of(world.pinned_image({{kMain, Position{4}}})), "a=2@2 b=1@1");
}

// T10: what no fragment may have opens none.
TEST(PinnedImage, LookUpOpensOnlyFragmentsThatMayHaveTheId) {
  PinnedWorld world;
  world.pin_ages({{"b", 1}, {"d", 1}});
  world.pin_ages({{"m", 1}});
  const Image image = world.pinned_image();
  EXPECT_FALSE((*image.find(kPerson, "a")).has_value());
  EXPECT_FALSE((*image.find(kPerson, "e")).has_value());
  EXPECT_EQ(world.fragments.opened, 0);
  EXPECT_FALSE((*image.find(kPerson, "c")).has_value());
  EXPECT_TRUE((*image.find(kPerson, "m")).has_value());
  EXPECT_EQ(world.fragments.opened, 2);
}

TEST(PinnedImage, LostFragmentIsAnErrorAndNeverAMissingRow) {
  PinnedWorld world;
  world.pin_ages({{"b", 1}});
  world.fragments.lose_all();
  const Image image = world.pinned_image();

  EXPECT_EQ(image.find(kPerson, "b").error().code(), ErrorCode::corrupt);
  EXPECT_EQ(image.row(kPerson, "b").error().code(), ErrorCode::corrupt);
  EXPECT_FALSE(image.scan(kPerson, [](const StoredRow&) -> Status { return Unit{}; }).ok());
  EXPECT_TRUE(image.find(kPerson, "a").ok());
}

// What each branch shows after each position, kept beside the world.
class Model {
 public:
  struct Row {
    Position stamp;
    std::int32_t age = 0;
  };
  using Rows = std::map<std::string, Row>;

  void fork(BranchIncarnation child, BranchIncarnation parent) { now_[child] = now_[parent]; }
  Rows& now(BranchIncarnation branch) { return now_[branch]; }
  void remember(Position position) { history_[position] = now_; }
  const Rows& at(Position position, BranchIncarnation branch) { return history_[position][branch]; }

 private:
  std::map<BranchIncarnation, Rows> now_;
  std::map<Position, std::map<BranchIncarnation, Rows>> history_;
};

std::string text_of(const Model::Rows& rows) {
  std::string out;
  for (const auto& [id, row] : rows) {
    if (!out.empty()) out += ' ';
    out += id + "=" + std::to_string(row.age) + "@" + std::to_string(row.stamp.value);
  }
  return out;
}

// T4 T11
TEST(PinnedImage, AgreesWithAModelOverForksDeltasAndFragments) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    env::Xoshiro256 chance(seed);
    PinnedWorld world;
    Model model;
    std::optional<Position> fork;
    const auto id = [&] { return std::string(1, static_cast<char>('a' + chance.below(7))); };
    const auto age = [&] { return static_cast<std::int32_t>(chance.below(100)); };
    for (int step = 0; step < 40; ++step) {
      const BranchIncarnation branch = fork && chance.one_in(2) ? kChild : kMain;
      if (!fork && step > 0 && chance.one_in(10)) {
        fork = world.last();
        model.fork(kChild, kMain);
        continue;
      }
      const std::uint64_t what = chance.below(3);
      if (what == 0) {
        const std::string row = id();
        const std::int32_t years = age();
        model.now(branch)[row] = {world.set_age(row, years, branch), years};
      } else if (what == 1) {
        const std::string row = id();
        world.remove(row, branch);
        model.now(branch).erase(row);
      } else {
        std::map<std::string, std::int32_t> ages;
        for (std::uint64_t n = 1 + chance.below(4); n > 0; --n) ages[id()] = age();
        const Position position = world.pin_ages(ages, branch);
        for (const auto& [row, years] : ages) model.now(branch)[row] = {position, years};
      }
      model.remember(world.last());
    }
    for (std::uint64_t p = 1; p <= world.last().value; ++p) {
      const Position at{p};
      const Image main = world.pinned_image({{kMain, at}});
      ASSERT_EQ(rows_of(main), text_of(model.at(at, kMain))) << seed << " at " << p;
      for (char c = 'a'; c < 'h'; ++c) {
        const auto found = *main.find(kPerson, std::string(1, c));
        const auto& rows = model.at(at, kMain);
        const auto expected = rows.find(std::string(1, c));
        ASSERT_EQ(found.has_value(), expected != rows.end()) << seed << " at " << p;
        if (found) {
          ASSERT_EQ(found->stamp, expected->second.stamp);
        }
      }
      if (fork && *fork < at) {
        const Image child = world.pinned_image({{kChild, at}, {kMain, *fork}});
        ASSERT_EQ(rows_of(child), text_of(model.at(at, kChild))) << seed << " at " << p;
      }
    }
  }
}

// ---- pins ---------------------------------------------------------------------------------------

std::vector<Pin> two_pins() {
  Pin first{kPerson, "op-0.arrow", 4096, {}, {3, "a", "c"}};
  first.digest[0] = 7;
  Pin second{kKnows, "op-1.arrow", 1, {}, {1, "", ""}};
  return {first, second};
}

// T10
TEST(Pins, ReadBackAsTheyWereWritten) {
  EXPECT_EQ(*decode_pins(encode_pins(two_pins())), two_pins());
  EXPECT_EQ(*decode_pins(encode_pins({})), std::vector<Pin>());
}

TEST(Pins, AnythingElseIsCorrupt) {
  const std::string bytes = encode_pins(two_pins());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_pins(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(decode_pins(bytes + '\0').ok());
  for (const auto& spoil : std::vector<void (*)(Pin&)>{
           [](Pin& pin) { pin.object.clear(); }, [](Pin& pin) { pin.size_bytes = 0; },
           [](Pin& pin) { pin.summary.rows = 0; }, [](Pin& pin) { pin.summary.first_id = "d"; }}) {
    std::vector<Pin> pins = two_pins();
    spoil(pins[0]);
    EXPECT_FALSE(decode_pins(encode_pins(pins)).ok());
  }
}

}  // namespace
}  // namespace braid::table
