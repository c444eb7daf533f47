// SPDX-License-Identifier: Apache-2.0
#include "table/row_hash.h"

#include <gtest/gtest.h>

#include "table/table_fixture.h"

namespace braid::table {
namespace {

constexpr std::uint64_t kSalt = 42;
constexpr columnar::HashScope kScope{kSalt, kPerson};

RowImage aged(std::int32_t age) {
  RowImage row = person_row("a");
  row.values[kAgeAt] = age;
  return row;
}

std::vector<HashPart> parts_of(
    const std::vector<std::pair<const RowImage*, const RowImage*>>& steps) {
  RowHash hash(kSalt);
  for (const auto& [before, after] : steps) {
    hash.replace(*type_of(*test_schema(), kPerson), false, before, after);
  }
  return hash.parts();
}

TEST(ContentHashSalt, IsTheFirstEightBytesOfADigestOfTheGraphsName) {
  GraphId graph;
  for (std::size_t i = 0; i < 16; ++i) graph.ulid.bytes[i] = static_cast<std::uint8_t>(i);

  // SHA-256("braid content hash 1\n00041061050R3GG28A1C60T3GF"), by Python's hashlib.
  EXPECT_EQ(content_hash_salt(graph), 0xA8DA4D382EFEF0B7U);
}

TEST(RowHash, InsertAddsTheRowAndEachPresentCell) {
  const RowImage row = aged(7);
  const auto identity = columnar::RowIdentity::node("a");

  EXPECT_EQ(parts_of({{nullptr, &row}}),
            (std::vector<HashPart>{
                {kPerson, PropertyId{0}, columnar::row_hash(kScope, identity)},
                {kPerson, kEmail, columnar::cell_hash(kScope, kEmail, identity, Value("a"))},
                {kPerson, kAge, columnar::cell_hash(kScope, kAge, identity, std::int32_t{7})},
            }));
}

TEST(RowHash, UpdateTouchesOnlyTheCellsThatDiffer) {
  const RowImage before = aged(7);
  const RowImage after = aged(8);
  const auto identity = columnar::RowIdentity::node("a");
  base::Hash128 delta = columnar::cell_hash(kScope, kAge, identity, std::int32_t{8});
  delta -= columnar::cell_hash(kScope, kAge, identity, std::int32_t{7});

  EXPECT_EQ(parts_of({{&before, &after}}), (std::vector<HashPart>{{kPerson, kAge, delta}}));
}

TEST(RowHash, WhatEndsAsItBeganAddsNothing) {
  const RowImage seven = aged(7);
  const RowImage eight = aged(8);

  EXPECT_TRUE(parts_of({{&seven, &seven}}).empty());
  EXPECT_TRUE(parts_of({{nullptr, &seven}, {&seven, &eight}, {&eight, nullptr}}).empty());
}

TEST(RowHash, PathDoesNotMatterOnlyWhereItLeads) {
  const RowImage seven = aged(7);
  const RowImage eight = aged(8);

  EXPECT_EQ(parts_of({{nullptr, &seven}, {&seven, &eight}}), parts_of({{nullptr, &eight}}));
}

TEST(RowHash, EdgesWithOtherEndsAreOtherRows) {
  const auto hash_of = [](const RowImage& row) {
    RowHash hash(kSalt);
    hash.replace(*type_of(*test_schema(), kKnows), true, nullptr, &row);
    return hash.parts();
  };
  EXPECT_NE(hash_of({"e", "a", "b", {Value()}}), hash_of({"e", "b", "a", {Value()}}));
}

}  // namespace
}  // namespace braid::table
