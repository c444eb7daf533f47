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
  recent.add(position, writes, tables);
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

  EXPECT_TRUE(recent.may_be_written_after(Position{6}, key));
  EXPECT_FALSE(recent.may_be_written_after(Position{7}, key));
  EXPECT_FALSE(recent.may_be_written_after(Position{6}, key.substr(0, key.size() - 1)));
}

// C2: a group that did not come to be leaves its positions to another.
TEST(RecentWrites, RepeatedPositionKeepsTheLaterOne) {
  RecentWrites recent(Position{0});
  note(recent, Position{9}, {row_write("a", Position{9})}, {kTable});
  note(recent, Position{8}, {row_write("a", Position{8})}, {kTable});

  EXPECT_TRUE(touched(recent, {{prefix_of("a")}, {}}, Position{8}));
  EXPECT_TRUE(touched(recent, {{}, {kTable}}, Position{8}));
}

// C2: two keys of one slot.
TEST(RecentWrites, AsksWhoCanTellKeysApart) {
  RecentWrites recent(Position{0}, 1);
  note(recent, Position{5}, {row_write("a", Position{5})});
  std::vector<std::string> asked;
  const auto written = [&](std::string_view key) {
    asked.emplace_back(key);
    return key == prefix_of("a");
  };

  EXPECT_EQ(recent.touched({{prefix_of("b")}, {}}, Position{4}, written), "");
  EXPECT_NE(recent.touched({{prefix_of("b"), prefix_of("a")}, {}}, Position{4}, written), "");
  EXPECT_EQ(asked, (std::vector<std::string>{prefix_of("b"), prefix_of("b"), prefix_of("a")}));
  EXPECT_EQ(recent.touched({{prefix_of("a")}, {}}, Position{5}, written), "");
  EXPECT_EQ(asked.size(), 3U);
}

std::shared_ptr<const KeySet> keys_of(const std::vector<std::string>& rows) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& row : rows) hashes.push_back(KeySet::hash_of(prefix_of(row)));
  return std::make_shared<const KeySet>(std::move(hashes));
}

// C2
TEST(RecentWrites, StagedRowsTouchWhatIsOlderWithoutAsking) {
  RecentWrites recent(Position{4});
  recent.add_staged(Position{6}, keys_of({"b", "a"}));
  recent.add_staged(Position{8}, keys_of({"c"}));
  const auto never = [](std::string_view) {
    ADD_FAILURE();
    return false;
  };

  EXPECT_NE(recent.touched({{prefix_of("a")}, {}}, Position{5}, never), "");
  EXPECT_EQ(recent.touched({{prefix_of("a")}, {}}, Position{6}, never), "");
  EXPECT_NE(recent.touched({{prefix_of("x"), prefix_of("c")}, {}}, Position{7}, never), "");
  EXPECT_EQ(recent.touched({{prefix_of("x")}, {}}, Position{5}, never), "");
}

// C2
TEST(RecentWrites, ForgottenStagedRowsTouchAllThatIsOlder) {
  RecentWrites recent(Position{4});
  recent.add_staged(Position{6}, keys_of({"a"}));
  recent.add_staged(Position{8}, std::make_shared<const KeySet>(std::vector<std::uint64_t>(
                                     RecentWrites::kStagedRowsMax, std::uint64_t{7})));

  EXPECT_TRUE(touched(recent, {{prefix_of("x")}, {}}, Position{5}));
  EXPECT_FALSE(touched(recent, {{prefix_of("x")}, {}}, Position{6}));

  recent.add_staged(Position{9}, keys_of({"b"}));
  EXPECT_TRUE(touched(recent, {{prefix_of("x")}, {}}, Position{7}));
  EXPECT_FALSE(touched(recent, {{prefix_of("x")}, {}}, Position{8}));
  EXPECT_TRUE(touched(recent, {{prefix_of("b")}, {}}, Position{8}));
}

// C2: growing, the table keeps what it knew.
TEST(RecentWrites, ManyKeysAreToldApart) {
  RecentWrites recent(Position{0});
  const std::uint64_t count = 100'000;
  for (std::uint64_t p = 1; p <= count; ++p) {
    note(recent, Position{p}, {row_write(std::to_string(p), Position{p})});
  }
  std::uint64_t false_alarms = 0;
  for (std::uint64_t p = 1; p <= count; ++p) {
    const std::string prefix = prefix_of(std::to_string(p));
    ASSERT_TRUE(recent.may_be_written_after(Position{p - 1}, prefix)) << p;
    // As late as a client comes that prepared beside a hundred others.
    if (p > count - 100) continue;
    if (recent.may_be_written_after(Position{count - 100}, prefix)) ++false_alarms;
  }
  // A hundred slots of 2^17 are younger: about one key in 1,311 shares one.
  EXPECT_LT(false_alarms, 2 * count / 1'311);
}

// C2: against a memory of every key, with fewer slots than keys and with more.
TEST(RecentWrites, NeverMissesAWrite) {
  for (const std::size_t slots : {1U, 2U, 8U, 1024U}) {
    env::Xoshiro256 chance(slots);
    RecentWrites recent(Position{0}, slots);
    std::map<std::string, std::uint64_t> last_write;
    std::map<std::uint64_t, std::uint64_t> last_table;
    const auto id = [&] { return std::string(1, static_cast<char>('a' + chance.below(6))); };
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
      if (slots == 1024) {  // these six keys have slots of their own
        ASSERT_EQ(touched(recent, footprint, Position{since}), written) << p;
      }
    }
  }
}

}  // namespace
}  // namespace braid::commit
