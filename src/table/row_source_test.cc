// SPDX-License-Identifier: Apache-2.0
#include "table/row_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "columnar/value_codec.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

void add(PackedBlock& block, const RowWrite& row) {
  block.add(*row.type, row.is_edge, row.id, row.src, row.dst, row.assigned);
}

void expect_same(const RowWrite& read, const RowWrite& row) {
  EXPECT_EQ(read.type, row.type);
  EXPECT_EQ(read.is_edge, row.is_edge);
  EXPECT_EQ(read.id, row.id);
  EXPECT_EQ(read.src, row.src);
  EXPECT_EQ(read.dst, row.dst);
  ASSERT_EQ(read.assigned.size(), row.assigned.size());
  for (std::size_t i = 0; i < row.assigned.size(); ++i) {
    EXPECT_EQ(read.assigned[i].first, row.assigned[i].first);
    EXPECT_TRUE(columnar::same_value(read.assigned[i].second, row.assigned[i].second)) << i;
  }
}

std::vector<RowWrite> rows_of_every_kind() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {person("a"),
          person("", {{kAgeAt, std::int32_t{-7}}, {kCodeAt, Value()}, {kRatioAt, nan}}),
          with_id(person("b", {{kBadgeAt, std::int64_t{1} << 40}}), "b"),
          with_id(node("Doc", {{0, std::string("\0ü", 3)}}), "d"),
          edge("Knows", "a", "", {{0, Date{-3}}}),
          with_id(edge("Cites", "d", "d"), "c")};
}

// T13
TEST(PackedRows, ReadAsTheyWereAddedInAnyOrder) {
  const std::vector<RowWrite> rows = rows_of_every_kind();
  PackedRows packed;
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    PackedBlock block;
    add(block, rows[i]);
    add(block, rows[i + 1]);
    block.shrink();
    packed.add(std::move(block));
    packed.add(PackedBlock());
  }

  ASSERT_EQ(packed.size(), rows.size());
  RowWrite read;
  for (const std::size_t i : {4U, 1U, 0U, 5U, 3U, 2U}) {
    packed.read(i, read);
    expect_same(read, rows[i]);
    EXPECT_EQ(read.ordinal, i);
  }
}

TEST(PackedRows, IdsAreDrawnInOrderForUnkeyedRowsWithoutOneAndForNoOthers) {
  PackedBlock block;
  add(block, person("a"));
  add(block, node("Doc", {{0, "t"}}));
  add(block, with_id(node("Doc", {{0, "t"}}), "d"));
  add(block, edge("Cites", "d", "d"));
  PackedRows packed;
  packed.add(std::move(block));
  std::uint8_t drawn = 0;
  packed.draw_ids([&drawn] {
    Ulid id;
    id.bytes.back() = ++drawn;
    return id;
  });

  std::vector<std::string> ids;
  RowWrite read;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed.read(i, read);
    ids.push_back(read.fresh_id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("", "00000000000000000000000001", "",
                                        "00000000000000000000000002"));
}

}  // namespace
}  // namespace braid::table
