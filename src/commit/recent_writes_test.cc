// SPDX-License-Identifier: Apache-2.0
#include "commit/recent_writes.h"

#include <map>

#include <gtest/gtest.h>

#include "env/manual.h"
#include "state/keys.h"

namespace braid::commit {
namespace {

constexpr TableId kTable{1};
constexpr BranchIncarnation kBranch{1};

std::string prefix_of(std::string_view id) {
  return state::row_version_prefix(kTable, kBranch, id);
}

state::StateWrite row_write(std::string_view id, Position position) {
  return {state::row_key(kTable, kBranch, id, position), "v"};
}

void note(RecentWrites& recent, Position position, const std::vector<state::StateWrite>& writes,
          const std::vector<TableId>& tables = {}) {
  std::vector<RecentWrites::KeyHash> hashes;
  RecentWrites::append_hashes(writes, hashes);
  recent.add(position, hashes, tables);
}

bool touched(const RecentWrites& recent, const table::Footprint& footprint, Position since) {
  return !recent.touched(footprint, since).empty();
}

// C2
TEST(RecentWrites, KeyIsTouchedByWhatCameAfterOnly) {
  RecentWrites recent(Position{4});
  note(recent, Position{5}, {row_write("a", Position{5})});

  EXPECT_TRUE(touched(recent, {{prefix_of("a")}, {}}, Position{4}));
  EXPECT_FALSE(touched(recent, {{prefix_of("a")}, {}}, Position{5}));
  EXPECT_FALSE(touched(recent, {{prefix_of("b")}, {}}, Position{4}));
  EXPECT_TRUE(touched(recent, {{prefix_of("b"), prefix_of("a")}, {}}, Position{4}));
}

// C2
TEST(RecentWrites, TableIsTouchedByAnyOfItsRows) {
  RecentWrites recent(Position{4});
  note(recent, Position{5}, {row_write("a", Position{5})}, {kTable});

  EXPECT_TRUE(touched(recent, {{}, {kTable}}, Position{4}));
  EXPECT_FALSE(touched(recent, {{}, {kTable}}, Position{5}));
  EXPECT_FALSE(touched(recent, {{}, {TableId{2}}}, Position{4}));
}

// C2
TEST(RecentWrites, WhatIsOlderThanTheMemoryCountsAsTouched) {
  RecentWrites recent(Position{4});
  EXPECT_TRUE(touched(recent, {{prefix_of("a")}, {}}, Position{3}));
  EXPECT_FALSE(touched(recent, {{prefix_of("a")}, {}}, Position{4}));
}

TEST(RecentWrites, KeyWithoutVersionsCountsWhole) {
  RecentWrites recent(Position{0});
  const std::string key = state::idempotency_key({});
  note(recent, Position{7}, {{key, "v"}});

  EXPECT_EQ(recent.last_write(key), Position{7});
  EXPECT_EQ(recent.last_write(key.substr(0, key.size() - 1)), Position{});
}

TEST(RecentWrites, FloorRisesOverWhatIsForgotten) {
  RecentWrites recent(Position{0}, 2);
  for (std::uint64_t p = 1; p <= 3; ++p) {
    note(recent, Position{p}, {row_write("k" + std::to_string(p), Position{p})});
  }
  EXPECT_EQ(recent.floor(), Position{1});
  EXPECT_EQ(recent.last_write(prefix_of("k2")), Position{2});
}

// C2: against a memory that forgets nothing, with room for a few keys and for many.
TEST(RecentWrites, NeverMissesAWriteWhateverItForgot) {
  for (const std::size_t keys_max : {1U, 2U, 5U, 40U}) {
    env::Xoshiro256 chance(keys_max);
    RecentWrites recent(Position{0}, keys_max);
    std::map<std::string, std::uint64_t> last_write;
    std::map<std::uint64_t, std::uint64_t> last_table;
    const auto id = [&] { return std::string(1, static_cast<char>('a' + chance.below(6))); };
    std::size_t exact = 0;
    for (std::uint64_t p = 1; p <= 2000; ++p) {
      std::vector<state::StateWrite> writes;
      for (std::uint64_t n = chance.below(3); n > 0; --n) {
        const std::string row = id();
        writes.push_back(row_write(row, Position{p}));
        last_write[prefix_of(row)] = p;
      }
      std::vector<TableId> tables;
      if (chance.one_in(3)) {
        tables.push_back(TableId{chance.below(3)});
        last_table[tables.back().value] = p;
      }
      note(recent, Position{p}, writes, tables);

      const std::uint64_t since = p - chance.below(std::min<std::uint64_t>(p, 12) + 1);
      table::Footprint footprint;
      footprint.keys = {prefix_of(id())};
      bool written = last_write[footprint.keys[0]] > since;
      if (chance.one_in(2)) {
        footprint.tables = {TableId{chance.below(3)}};
        written = written || last_table[footprint.tables[0].value] > since;
      }
      if (written) {
        ASSERT_TRUE(touched(recent, footprint, Position{since})) << p;
      }
      // What is remembered is answered exactly.
      if (Position{since} >= recent.floor()) {
        ASSERT_EQ(touched(recent, footprint, Position{since}), written) << p;
        ++exact;
      }
    }
    EXPECT_GT(exact, 0U);
  }
}

}  // namespace
}  // namespace braid::commit
