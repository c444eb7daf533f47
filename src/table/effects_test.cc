// SPDX-License-Identifier: Apache-2.0
#include "table/effects.h"

#include <gtest/gtest.h>

#include "state/keys.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

constexpr Position kAt{9};

// "key=value" of each write, in hex.
std::vector<std::string> effects_of(const ChangeSet& changes) {
  std::vector<state::StateWrite> writes;
  append_effects(changes, encode(changes, *test_schema()), *test_schema(), {kMain, kAt}, writes);
  std::vector<std::string> out;
  for (const state::StateWrite& write : writes) {
    EXPECT_TRUE(write.value.has_value());
    out.push_back(base::hex(write.key) + "=" + base::hex(write.value.value_or("")));
  }
  return out;
}

std::string line(const std::string& key, std::string_view value_hex) {
  return base::hex(key) + "=" + std::string(value_hex);
}

TEST(Effects, InsertedRowIsFoundByIdAndByItsUniqueValues) {
  RowImage ada = person_row("a");
  ada.values[kBadgeAt] = std::int64_t{4};

  // The row is ten bytes from byte 4 on: kind, previous, id (2), count, email (3), badge (2).
  EXPECT_EQ(effects_of({{{kPerson, {{ChangeKind::insert, Position{0}, ada}}}}, {}}),
            (std::vector<std::string>{
                line(state::row_key(kPerson, kMain, "a", kAt), "01040a"),
                line(state::unique_key(kPerson, kMain, 0, "\x08", kAt), "61"),
            }));
}

TEST(Effects, RemovedRowLeavesATombstoneAndNoUniqueEntry) {
  RowImage ada = person_row("a");
  ada.values.assign(5, Value());

  EXPECT_EQ(effects_of({{{kPerson, {{ChangeKind::remove, Position{3}, ada}}}}, {}}),
            (std::vector<std::string>{line(state::row_key(kPerson, kMain, "a", kAt), "00")}));
}

// T12
TEST(Effects, EdgesAreFoundFromBothOfTheirEnds) {
  const TableId cites_table = test_schema()->edge_type("Cites")->id;
  for (const TableId table : {kKnows, cites_table}) {
    RowImage edge{"e", "a", "b", {Value()}};
    const auto out = state::adjacency_key(state::Direction::kOut, table, kMain, {"a", "e"}, kAt);
    const auto in = state::adjacency_key(state::Direction::kIn, table, kMain, {"b", "e"}, kAt);

    EXPECT_EQ(effects_of({{{table, {{ChangeKind::insert, Position{0}, edge}}}}, {}}),
              (std::vector<std::string>{line(state::row_key(table, kMain, "e", kAt), "010409"),
                                        line(out, "01"), line(in, "01")}));
    EXPECT_EQ(effects_of({{{table, {{ChangeKind::remove, Position{3}, edge}}}}, {}}),
              (std::vector<std::string>{line(state::row_key(table, kMain, "e", kAt), "00"),
                                        line(out, "00"), line(in, "00")}));
  }
}

TEST(Effects, StagedRowsLeaveNothingButTheirUniqueValues) {
  const schema::EdgeType* knows = test_schema()->edge_type("Knows");
  EXPECT_FALSE(has_index_effects(*knows));
  std::vector<state::StateWrite> writes;
  append_index_effects({"e", "a", "b", {Value()}}, true, *knows, {kMain, kAt}, writes);
  EXPECT_TRUE(writes.empty());
  const schema::EdgeType* cites = test_schema()->edge_type("Cites");
  EXPECT_TRUE(has_index_effects(*cites));
  append_index_effects({"e", "a", "b", {Value("n")}}, true, *cites, {kMain, kAt}, writes);
  EXPECT_EQ(writes.size(), 1U);
}

TEST(UniqueTuple, BothZerosAreOneValue) {
  const schema::RecordType& type = *type_of(*test_schema(), kPerson);
  RowImage row = person_row("a");
  row.values[kRatioAt] = -0.0;

  EXPECT_EQ(unique_tuple(type, type.uniques[1], row), std::string(8, '\0'));
}

TEST(UniqueTuple, NullMemberExemptsTheRow) {
  const schema::RecordType& type = *type_of(*test_schema(), kPerson);

  EXPECT_EQ(unique_tuple(type, type.uniques[0], person_row("a")), std::nullopt);
}

TEST(UniqueTuple, EndpointsAndPropertiesStandSideBySide) {
  const schema::RecordType& type = *test_schema()->edge_type("Cites");
  const RowImage row{"e", "ab", "c", {Value("n")}};

  EXPECT_EQ(unique_tuple(type, type.uniques[0], row),
            "\x02"
            "ab"
            "\x01"
            "n");
}

TEST(RowValue, DecodesWhatItEncodesAndNothingElse) {
  EXPECT_EQ(base::hex(row_value(RowPlace{300, 2})), "01ac0202");
  EXPECT_EQ(base::hex(row_value(std::nullopt)), "00");
  const auto place = decode_row_value("\x01\xAC\x02\x02");
  ASSERT_TRUE(place.ok() && place->has_value());
  EXPECT_EQ((*place)->offset, 300U);
  EXPECT_EQ((*place)->size_bytes, 2U);
  EXPECT_FALSE(decode_row_value("").ok());
  EXPECT_FALSE(decode_row_value("\x02").ok());
  EXPECT_FALSE(decode_row_value("\x01\x05").ok());
  EXPECT_FALSE(decode_row_value(std::string("\x00\x00", 2)).ok());
}

TEST(AdjacencyValue, DecodesWhatItEncodesAndNothingElse) {
  EXPECT_EQ(base::hex(adjacency_value(true)), "01");
  EXPECT_EQ(base::hex(adjacency_value(false)), "00");
  EXPECT_TRUE(*decode_adjacency_value("\x01"));
  EXPECT_FALSE(*decode_adjacency_value(std::string(1, '\0')));
  EXPECT_FALSE(decode_adjacency_value("").ok());
  EXPECT_FALSE(decode_adjacency_value("\x02").ok());
  EXPECT_FALSE(decode_adjacency_value("\x01\x01").ok());
}

}  // namespace
}  // namespace braid::table
