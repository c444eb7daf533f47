// SPDX-License-Identifier: Apache-2.0
// The edges of a node, wherever their rows are.
#include <map>
#include <optional>
#include <set>

#include "env/manual.h"
#include "table/fragment_fixture.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

using state::Direction;

constexpr BranchIncarnation kChild{2};
constexpr BranchIncarnation kGrandchild{3};

RowImage knows(const std::string& id, const std::string& src, const std::string& dst) {
  return {id, src, dst, {Value()}};
}

/// A world of edges whose records may publish fragments.
class EdgeWorld : public World {
 public:
  Position put(const RowImage& row, BranchIncarnation branch = kMain) {
    return commit_row(kKnows, {ChangeKind::insert, {}, row}, branch);
  }
  Position remove(const RowImage& row, BranchIncarnation branch = kMain) {
    RowImage ends{row.id, row.src, row.dst, {}};
    ends.values.resize(1);
    return commit_row(kKnows, {ChangeKind::remove, last(), ends}, branch);
  }
  Position pin(const std::map<std::string, RowImage>& rows, BranchIncarnation branch = kMain) {
    std::vector<FragmentRow> fragment;
    for (const auto& [id, row] : rows) fragment.push_back({row, {}, {}});
    return pin_rows(fragment, branch, {.batch_rows = 2});
  }
  Position pin_rows(const std::vector<FragmentRow>& rows, BranchIncarnation branch,
                    const FragmentOptions& options) {
    const Pin pin = fragments.put(rows, *test_schema()->edge_type("Knows"), true, options);
    const Position position = skip();
    layers_ = layers_->with(position, branch, {pin});
    return position;
  }
  Image image_at(std::vector<LineageStep> lineage) const {
    return {
        state::StateView(memory_), std::move(lineage), test_schema(), *this, {layers_, &fragments}};
  }
  Image now() const { return image_at({{kMain, last()}}); }

  MemoryFragments fragments;

 private:
  std::shared_ptr<const Layers> layers_ = Layers::none();
  std::shared_ptr<const state::State> memory_{std::shared_ptr<const void>(), &state()};
};

/// "e(a-b)@2": id, ends and stamp of each edge, as the rows say that the edges lead to.
std::string edges_of(const Image& image, std::string_view node, Direction direction) {
  std::string out;
  const Status status =
      image.edges(kKnows, node, direction, [&](const AdjacentEdge& edge) -> Status {
        BRAID_ASSIGN(const StoredRow row, image.read(kKnows, edge.pointer));
        EXPECT_EQ(row.row.id, edge.id);
        if (!out.empty()) out += ' ';
        out += row.row.id + "(" + row.row.src + "-" + row.row.dst + ")@" +
               std::to_string(row.stamp.value);
        return Unit{};
      });
  EXPECT_TRUE(status.ok()) << to_string(status.error());
  return out;
}

/// The same of every node that has edges, by looking at every row.
std::map<std::string, std::string, std::less<>> scanned_edges(const Image& image,
                                                              Direction direction) {
  std::map<std::string, std::string, std::less<>> out;
  const Status status = image.scan(kKnows, [&](const StoredRow& row) -> Status {
    std::string& text = out[direction == Direction::kOut ? row.row.src : row.row.dst];
    if (!text.empty()) text += ' ';
    text +=
        row.row.id + "(" + row.row.src + "-" + row.row.dst + ")@" + std::to_string(row.stamp.value);
    return Unit{};
  });
  EXPECT_TRUE(status.ok()) << to_string(status.error());
  return out;
}

// T12
TEST(ImageEdges, AreFoundInDeltaRowsAndFragmentsBothWays) {
  EdgeWorld world;
  world.put(knows("e1", "a", "b"));                                           // 1
  world.pin({{"e2", knows("e2", "a", "c")}, {"e3", knows("e3", "c", "a")}});  // 2
  world.put(knows("e2", "a", "c"));                                           // 3: an update
  world.remove(knows("e1", "a", "b"));                                        // 4
  world.pin({{"e4", knows("e4", "a", "a")}});                                 // 5
  world.remove(knows("e3", "c", "a"));                                        // 6

  EXPECT_EQ(edges_of(world.now(), "a", Direction::kOut), "e2(a-c)@3 e4(a-a)@5");
  EXPECT_EQ(edges_of(world.now(), "a", Direction::kIn), "e4(a-a)@5");
  EXPECT_EQ(edges_of(world.now(), "c", Direction::kIn), "e2(a-c)@3");
  EXPECT_EQ(edges_of(world.now(), "b", Direction::kIn), "");
  const Image before = world.image_at({{kMain, Position{3}}});
  EXPECT_EQ(edges_of(before, "a", Direction::kOut), "e1(a-b)@1 e2(a-c)@3");
  EXPECT_EQ(edges_of(before, "a", Direction::kIn), "e3(c-a)@2");
  EXPECT_EQ(*before.degree(kKnows, "a", Direction::kOut), 2U);
  EXPECT_EQ(*world.now().out_degree(kKnows, "a"), 2U);
  EXPECT_EQ(*world.now().degree(kKnows, "c", Direction::kOut), 0U);
}

// T12: an id may join other nodes once its edge was removed.
TEST(ImageEdges, EdgeThatIsMadeAgainElsewhereIsFoundThereOnly) {
  EdgeWorld world;
  world.pin({{"e", knows("e", "a", "b")}});  // 1
  world.remove(knows("e", "a", "b"));        // 2
  world.pin({{"e", knows("e", "c", "d")}});  // 3

  EXPECT_EQ(edges_of(world.now(), "a", Direction::kOut), "");
  EXPECT_EQ(edges_of(world.now(), "b", Direction::kIn), "");
  EXPECT_EQ(edges_of(world.now(), "c", Direction::kOut), "e(c-d)@3");
  EXPECT_EQ(edges_of(world.image_at({{kMain, Position{1}}}), "a", Direction::kOut), "e(a-b)@1");
}

// T12: rows of a fold are as old as they say.
TEST(ImageEdges, RowsWithStampsOfTheirOwnAreAsOldAsThese) {
  EdgeWorld world;
  const RowImage row = knows("e", "a", "b");
  world.put(row);     // 1
  world.remove(row);  // 2: while the fold of the first was written
  world.pin_rows({{row, {}, Position{1}}}, kMain, {.with_stamps = true});  // 3

  EXPECT_EQ(edges_of(world.now(), "a", Direction::kOut), "");
  EXPECT_EQ(edges_of(world.image_at({{kMain, Position{1}}}), "a", Direction::kOut), "e(a-b)@1");
}

TEST(ImageEdges, OfALostFragmentAreAnErrorAndNeverMissing) {
  EdgeWorld world;
  world.pin({{"e", knows("e", "a", "b")}});
  world.fragments.lose_all();

  const Status status = world.now().edges(kKnows, "a", Direction::kOut,
                                          [](const AdjacentEdge&) -> Status { return Unit{}; });
  EXPECT_EQ(status.error().code(), ErrorCode::corrupt);
  EXPECT_FALSE(world.now().degree(kKnows, "a", Direction::kIn).ok());
}

// T12: an index that lies is met by the rows.
TEST(ImageEdges, OfAnIndexThatNamesOtherRowsAreCorrupt) {
  class Liar : public FragmentSource {
   public:
    explicit Liar(const FragmentSource& truth) : truth_(truth) {}
    Result<std::shared_ptr<const Fragment>> fragment(
        const Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
        bool is_edge) const override {
      return truth_.fragment(pin, type, is_edge);
    }
    Result<std::shared_ptr<const FragmentEdges>> edges(
        const Pin&, const std::shared_ptr<const schema::RecordType>&) const override {
      class All : public FragmentEdges {
       public:
        Result<std::span<const std::uint32_t>> edges_of(std::string_view,
                                                        Direction) const override {
          static constexpr std::uint32_t kAll[] = {0, 1};
          return std::span<const std::uint32_t>(kAll);
        }
      };
      return std::make_shared<const All>();
    }

   private:
    const FragmentSource& truth_;
  };
  EdgeWorld world;
  MemoryFragments fragments;
  const Pin pin = fragments.put({{knows("e", "a", "b"), {}, {}}, {knows("f", "c", "b"), {}, {}}},
                                *test_schema()->edge_type("Knows"), true);
  const Position at = world.skip();
  const Liar liar(fragments);
  const Image image(state::StateView(std::shared_ptr<const state::State>(
                        std::shared_ptr<const void>(), &world.state())),
                    {{kMain, at}}, test_schema(), world,
                    {Layers::none()->with(at, kMain, {pin}), &liar});

  EXPECT_EQ(image.degree(kKnows, "a", Direction::kOut).error().code(), ErrorCode::corrupt);
  EXPECT_EQ(*image.degree(kKnows, "b", Direction::kIn), 2U);
}

/// Histories of three branches, each forked from the one before: deltas, removals and fragments.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint64_t seed) : chance_(seed) {
    for (int step = 0; step < 60; ++step) act();
  }
  EdgeWorld world;

  std::vector<LineageStep> lineage_of(std::size_t branch) const {
    std::vector<LineageStep> lineage = {{kBranches[branch], world.last()}};
    for (; branch > 0; --branch) lineage.push_back({kBranches[branch - 1], forks_[branch - 1]});
    return lineage;
  }
  std::size_t branches() const { return forks_.size() + 1; }
  const std::map<std::string, RowImage>& rows(std::size_t branch) const { return rows_[branch]; }

 private:
  static constexpr BranchIncarnation kBranches[] = {kMain, kChild, kGrandchild};

  std::string name(char first, std::uint64_t count) {
    return std::string(1, static_cast<char>(first + static_cast<char>(chance_.below(count))));
  }
  // A row that may be written: of an edge that is there, the ends stay.
  RowImage row_for(const std::string& id, std::size_t branch) {
    const auto found = rows_[branch].find(id);
    if (found != rows_[branch].end()) return found->second;
    const std::string src = name('a', 4);
    return knows(id, src, name('a', 4));
  }
  void act() {
    if (forks_.size() < 2 && chance_.one_in(12)) {
      forks_.push_back(world.last());
      rows_[forks_.size()] = rows_[forks_.size() - 1];
      return;
    }
    const std::size_t branch = chance_.below(forks_.size() + 1);
    const std::string id = name('p', 8);
    switch (chance_.below(3)) {
      case 0: world.put(rows_[branch][id] = row_for(id, branch), kBranches[branch]); break;
      case 1:
        if (const auto found = rows_[branch].find(id); found != rows_[branch].end()) {
          world.remove(found->second, kBranches[branch]);
          rows_[branch].erase(found);
        }
        break;
      default: {
        std::map<std::string, RowImage> rows;
        for (std::uint64_t n = 1 + chance_.below(4); n > 0; --n) {
          const std::string staged = name('p', 8);
          rows[staged] = row_for(staged, branch);
        }
        world.pin(rows, kBranches[branch]);
        for (const auto& [staged, row] : rows) rows_[branch][staged] = row;
      }
    }
  }

  env::Xoshiro256 chance_;
  std::vector<Position> forks_;
  std::map<std::string, RowImage> rows_[3];
};

// T4 T11 T12
TEST(ImageEdges, AgreeWithAModelAndAScanOverForksDeltasAndFragments) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomHistory history(seed);
    for (std::size_t branch = 0; branch < history.branches(); ++branch) {
      const Image present = history.world.image_at(history.lineage_of(branch));
      for (const std::string node : {"a", "b", "c", "d", "e"}) {
        std::uint64_t degree = 0;
        for (const auto& [id, row] : history.rows(branch)) degree += row.src == node ? 1 : 0;
        ASSERT_EQ(*present.out_degree(kKnows, node), degree) << seed << " " << branch;
      }
      for (std::uint64_t p = 1 + seed % 8; p <= history.world.last().value; p += 8) {
        std::vector<LineageStep> lineage = history.lineage_of(branch);
        for (LineageStep& step : lineage) step.up_to = std::min(step.up_to, Position{p});
        const Image image = history.world.image_at(lineage);
        for (const Direction direction : {Direction::kOut, Direction::kIn}) {
          auto expected = scanned_edges(image, direction);
          for (const std::string node : {"a", "b", "c", "d"}) {
            ASSERT_EQ(edges_of(image, node, direction), expected[node])
                << seed << " " << branch << " at " << p;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace braid::table
