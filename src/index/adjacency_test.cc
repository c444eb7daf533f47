// SPDX-License-Identifier: Apache-2.0
#include "index/adjacency.h"

#include <algorithm>
#include <map>

#include "env/manual.h"
#include "index/adjacency_builder.h"
#include "table/fragment_fixture.h"
#include "table/table_fixture.h"

namespace braid::index {
namespace {

namespace arrow = columnar::arrow;
using state::Direction;
using table::FragmentRow;
using Ends = std::vector<std::pair<std::string, std::string>>;
using Ordinals = std::vector<std::uint32_t>;

/// Edges in a fragment, which are found by their ordinals.
class Edges {
 public:
  explicit Edges(const Ends& ends, std::size_t batch_rows = 3) {
    std::vector<FragmentRow> rows;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      FragmentRow row;
      row.row = {id_of(i), ends[i].first, ends[i].second, {Value()}};
      rows.push_back(row);
    }
    const auto schema = table::test_schema();
    const std::shared_ptr<const schema::RecordType> type(schema, schema->edge_type("Knows"));
    pin = fragments_.put(rows, *type, true, {.batch_rows = batch_rows});
    fragment = *fragments_.fragment(pin, type, true);
  }
  static std::string id_of(std::size_t ordinal) {
    std::string digits = std::to_string(ordinal);
    return "e" + std::string(8 - digits.size(), '0') + digits;
  }
  arrow::Buffer build() const {
    auto built = build_adjacency(*fragment, pin);
    EXPECT_TRUE(built.ok()) << to_string(built.error());
    return *built;
  }

  table::Pin pin;
  std::shared_ptr<const table::Fragment> fragment;

 private:
  table::MemoryFragments fragments_;
};

Ordinals edges_of(const Adjacency& index, std::string_view node, Direction direction) {
  const auto rows = index.edges_of(node, direction);
  EXPECT_TRUE(rows.ok());
  return rows ? Ordinals(rows->begin(), rows->end()) : Ordinals{UINT32_MAX};
}

Ends random_ends(env::Xoshiro256& chance, std::size_t rows, std::uint64_t nodes) {
  const auto node = [&] {
    const std::uint64_t number = chance.below(nodes);
    // Ids of many lengths; one is empty, and some have zeros inside.
    return number == 0 ? "" : std::string(number % 5, '\0') + std::to_string(number);
  };
  Ends ends;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string src = node();
    ends.emplace_back(std::move(src), node());
  }
  return ends;
}

// I1
TEST(Adjacency, GivesTheOrdinalsOfEachNodeBothWays) {
  const Edges edges({{"a", "b"}, {"b", "c"}, {"a", "c"}, {"c", "a"}, {"a", "b"}});
  const auto index = *Adjacency::open(edges.build(), edges.pin);

  EXPECT_EQ(edges_of(*index, "a", Direction::kOut), (Ordinals{0, 2, 4}));
  EXPECT_EQ(edges_of(*index, "b", Direction::kOut), (Ordinals{1}));
  EXPECT_EQ(edges_of(*index, "c", Direction::kOut), (Ordinals{3}));
  EXPECT_EQ(edges_of(*index, "a", Direction::kIn), (Ordinals{3}));
  EXPECT_EQ(edges_of(*index, "b", Direction::kIn), (Ordinals{0, 4}));
  EXPECT_EQ(edges_of(*index, "c", Direction::kIn), (Ordinals{1, 2}));
  EXPECT_EQ(edges_of(*index, "d", Direction::kOut), Ordinals());
  EXPECT_EQ(edges_of(*index, "", Direction::kIn), Ordinals());
  EXPECT_EQ(*index->degree("a", Direction::kOut), 3U);
  EXPECT_EQ(*index->degree("d", Direction::kOut), 0U);
  EXPECT_EQ(index->nodes(), 3U);
  EXPECT_EQ(index->rows(), 5U);
  EXPECT_TRUE(index->check().ok());
}

// I1
TEST(Adjacency, AgreesWithAScanOfAnyFragment) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    env::Xoshiro256 chance(seed);
    const Ends ends = random_ends(chance, 1 + chance.below(3000), 1 + chance.below(500));
    const Edges edges(ends, 1 + chance.below(700));
    const auto index = *Adjacency::open(edges.build(), edges.pin);
    std::map<std::string, std::pair<Ordinals, Ordinals>> expected;
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
      expected[ends[i].first].first.push_back(i);
      expected[ends[i].second].second.push_back(i);
    }
    EXPECT_EQ(index->nodes(), expected.size());
    for (const auto& [node, rows] : expected) {
      ASSERT_EQ(edges_of(*index, node, Direction::kOut), rows.first) << seed;
      ASSERT_EQ(edges_of(*index, node, Direction::kIn), rows.second) << seed;
      ASSERT_EQ(*index->degree(node, Direction::kOut), rows.first.size());
      ASSERT_FALSE(index->find(node + "x").node.has_value() && !expected.contains(node + "x"));
    }
  }
}

// The numbers are worked out by hand from docs/formats/adjacency.md.
TEST(Adjacency, StandsInTheFileAsTheFormatSays) {
  const Edges edges(Ends{{"a", "bb"}});
  ASSERT_EQ(edges.pin.object, "fragment-0");  // 10 bytes: sections begin at 192
  const std::string bytes(edges.build().bytes());
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return value;
  };
  const auto numbers = [&](std::size_t at, std::size_t size, std::size_t count) {
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(number(at + i * size, size));
    return values;
  };
  using Numbers = std::vector<std::uint64_t>;
  ASSERT_EQ(bytes.size(), 640U);
  EXPECT_EQ(bytes.substr(0, 8), "BRAIDADJ");
  EXPECT_EQ(numbers(8, 4, 2), (Numbers{1, 10}));
  EXPECT_EQ(number(16, 8), edges.pin.size_bytes);
  EXPECT_EQ(bytes.substr(24, 32), base::as_view(edges.pin.digest));
  EXPECT_EQ(numbers(56, 8, 3), (Numbers{1, 2, 3}));
  EXPECT_EQ(bytes.substr(96, 28), std::string(28, '\0'));
  EXPECT_EQ(bytes.substr(128, 10), "fragment-0");
  const auto slots = numbers(192, 8, 4);
  EXPECT_EQ(std::count(slots.begin(), slots.end(), 0U), 2);
  EXPECT_EQ(numbers(256, 8, 3), (Numbers{0, 1, 3}));
  EXPECT_EQ(bytes.substr(320, 3), "abb");
  EXPECT_EQ(numbers(384, 4, 3), (Numbers{0, 1, 1}));
  EXPECT_EQ(numbers(448, 4, 1), (Numbers{0}));
  EXPECT_EQ(numbers(512, 4, 3), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(576, 4, 1), (Numbers{0}));
}

// I3
TEST(Adjacency, OfOneFragmentIsAlwaysTheSameBytes) {
  env::Xoshiro256 chance(7);
  const Edges edges(random_ends(chance, 500, 90));
  EXPECT_EQ(edges.build().bytes(), edges.build().bytes());
}

// The cost of a look-up: with two slots of three taken, linear probing looks at 2 slots for a node
// that is there and at 5 for one that is not (Knuth 6.4), however many there are.
TEST(Adjacency, LooksAtAFewSlotsAndOneIdHoweverManyNodesThereAre) {
  for (const std::size_t nodes : {30U, 3'000U, 100'000U}) {
    Ends ends;
    for (std::size_t i = 0; i < nodes; ++i) ends.emplace_back(Edges::id_of(i), Edges::id_of(0));
    const Edges edges(ends, 65'536);
    const auto index = *Adjacency::open(edges.build(), edges.pin);
    std::uint64_t slots = 0;
    std::uint64_t ids = 0;
    std::uint64_t missed = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      const NodeLookup found = index->find(Edges::id_of(i));
      ASSERT_TRUE(found.node.has_value());
      slots += found.slots_read;
      ids += found.ids_read;
      missed += index->find(Edges::id_of(nodes + i)).slots_read;
    }
    EXPECT_LE(ids, nodes + 10);  // of 10^5 hashes of 32 bits about one pair is equal
    EXPECT_LE(slots, 3 * nodes);
    EXPECT_LE(missed, 8 * nodes);
  }
}

// I4
TEST(Adjacency, OfAnotherFragmentIsCorrupt) {
  const Edges edges({{"a", "b"}, {"b", "c"}});
  const auto file = edges.build();
  for (const auto& change : std::vector<void (*)(table::Pin&)>{
           [](table::Pin& pin) { pin.object += "x"; }, [](table::Pin& pin) { ++pin.size_bytes; },
           [](table::Pin& pin) { pin.digest[31] ^= 1; },
           [](table::Pin& pin) { ++pin.summary.rows; }}) {
    table::Pin other = edges.pin;
    change(other);
    EXPECT_EQ(Adjacency::open(file, other).error().code(), ErrorCode::corrupt);
  }
  EXPECT_TRUE(Adjacency::open(file, edges.pin).ok());
}

TEST(Adjacency, OfALaterFormatIsNotRead) {
  const Edges edges(Ends{{"a", "b"}});
  std::string bytes(edges.build().bytes());
  bytes[8] = 2;
  EXPECT_EQ(Adjacency::open(arrow::Buffer::copy_of(bytes), edges.pin).error().code(),
            ErrorCode::format_mismatch);
}

// I2
TEST(Adjacency, CutOrLengthenedIsCorrupt) {
  const Edges edges({{"a", "b"}, {"b", "c"}});
  const std::string bytes(edges.build().bytes());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = arrow::Buffer::copy_of(bytes.substr(0, size));
    ASSERT_EQ(Adjacency::open(cut, edges.pin).error().code(), ErrorCode::corrupt) << size;
  }
  EXPECT_FALSE(Adjacency::open(arrow::Buffer::copy_of(bytes + '\0'), edges.pin).ok());
}

// I2: each bit is refused, or found by the check; meanwhile what is read stays inside.
TEST(Adjacency, EveryFlippedBitIsFoundByTheCheck) {
  const Edges edges({{"a", "b"}, {"b", "c"}, {"a", "c"}});
  const std::string bytes(edges.build().bytes());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string spoilt = bytes;
    spoilt[bit / 8] = static_cast<char>(spoilt[bit / 8] ^ (1 << bit % 8));
    const auto index = Adjacency::open(arrow::Buffer::copy_of(spoilt), edges.pin);
    if (!index) continue;
    for (const char* node : {"a", "b", "c", "d"}) {
      for (const Direction direction : {Direction::kOut, Direction::kIn}) {
        const auto rows = (*index)->edges_of(node, direction);
        if (!rows) continue;
        EXPECT_TRUE(std::is_sorted(rows->begin(), rows->end()));
        EXPECT_TRUE(rows->empty() || rows->back() < 3U);
      }
    }
    EXPECT_EQ((*index)->check().error().code(), ErrorCode::corrupt) << bit;
  }
}

TEST(Adjacency, OfAFragmentWithOtherRowsThanItsPinSaysIsNotBuilt) {
  const Edges edges({{"a", "b"}, {"b", "c"}});
  table::Pin pin = edges.pin;
  ++pin.summary.rows;
  EXPECT_EQ(build_adjacency(*edges.fragment, pin).error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace braid::index
