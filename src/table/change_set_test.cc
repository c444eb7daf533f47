// SPDX-License-Identifier: Apache-2.0
#include "table/change_set.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "table/table_fixture.h"

namespace braid::table {
namespace {

// A string with zero bytes in it.
template <std::size_t kSize>
std::string bytes(const char (&text)[kSize]) {
  return {text, kSize - 1};
}

ChangeSet one_insert() {
  RowImage ada = person_row("a");
  ada.values[kAgeAt] = std::int32_t{7};
  return {{{kPerson, {{ChangeKind::insert, Position{0}, ada}}}},
          {{kPerson, PropertyId{0}, {5, 6}}}};
}

std::string one_insert_bytes() {
  return bytes(
      "\x01"          // one table
      "\x01\x01"      // table 1, one row
      "\x0A"          // of ten bytes
      "\x01\x00"      // insert, nothing before it
      "\x01\x61"      // id "a"
      "\x02"          // two values
      "\x02\x01\x61"  // property 2: "a"
      "\x03\x0E"      // property 3: 7, zigzag
      "\x01"          // one hash part
      "\x01\x00"      // table 1, existence of rows
      "\x05\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00");
}

// An edge that is updated and one that is removed.
ChangeSet two_edges() {
  RowImage updated{"e", "a", "b", {Value(Date{1})}};
  RowImage removed{"f", "b", "a", {Value()}};
  return {{{kKnows,
            {{ChangeKind::update, Position{300}, updated},
             {ChangeKind::remove, Position{5}, removed}}}},
          {}};
}

std::string two_edges_bytes() {
  return bytes(
      "\x01\x0E\x02"              // one table: 14, two rows
      "\x0C\x02\xAC\x02"          // twelve bytes: update of what position 300 wrote
      "\x01\x65\x01\x61\x01\x62"  // "e" from "a" to "b"
      "\x01\x0F\x02"              // one value: property 15, day 1
      "\x09\x03\x05"              // nine bytes: removal of what position 5 wrote
      "\x01\x66\x01\x62\x01\x61"  // "f" from "b" to "a"
      "\x00"                      // no value
      "\x00");                    // no hash part
}

// T1 T3
TEST(ChangeSet, InsertIsTheWholeRowByteByByte) {
  const EncodedChangeSet encoded = encode(one_insert(), *test_schema());

  EXPECT_EQ(base::hex(encoded.bytes), base::hex(one_insert_bytes()));
  ASSERT_EQ(encoded.places.size(), 1U);
  ASSERT_EQ(encoded.places[0].size(), 1U);
  EXPECT_EQ(encoded.places[0][0].offset, 4U);
  EXPECT_EQ(encoded.places[0][0].size_bytes, 10U);
}

// T3
TEST(ChangeSet, EdgesCarryTheirEndsByteByByte) {
  const EncodedChangeSet encoded = encode(two_edges(), *test_schema());

  EXPECT_EQ(base::hex(encoded.bytes), base::hex(two_edges_bytes()));
  ASSERT_EQ(encoded.places[0].size(), 2U);
  EXPECT_EQ(encoded.places[0][0].offset, 4U);
  EXPECT_EQ(encoded.places[0][1].offset, 17U);
  EXPECT_EQ(encoded.places[0][1].size_bytes, 9U);
}

TEST(ChangeSet, NothingIsTwoZeros) {
  EXPECT_EQ(base::hex(encode({}, *test_schema()).bytes), "0000");
}

// T3
TEST(ChangeSet, WhatIsEncodedDecodesToItself) {
  for (const ChangeSet& changes : {ChangeSet{}, one_insert(), two_edges()}) {
    const auto decoded = decode_change_set(encode(changes, *test_schema()).bytes, *test_schema());
    ASSERT_TRUE(decoded.ok()) << to_string(decoded.error());
    EXPECT_EQ(*decoded, changes);
  }
}

// T1
TEST(ChangeSet, RowIsReadFromItsPlaceAlone) {
  const auto row =
      decode_row_at(two_edges_bytes(), {4, 12}, *type_of(*test_schema(), kKnows), true);

  ASSERT_TRUE(row.ok());
  EXPECT_EQ(*row, two_edges().tables[0].rows[0]);
}

// T3
TEST(ChangeSet, PlaceOutsideOrAcrossRowsIsCorrupt) {
  const auto read = [](RowPlace place) {
    const auto row =
        decode_row_at(two_edges_bytes(), place, *type_of(*test_schema(), kKnows), true);
    return row.ok() ? "a row" : std::string(name_of(row.error().code()));
  };
  EXPECT_EQ(read({4, 11}), "corrupt");
  EXPECT_EQ(read({4, 13}), "corrupt");
  EXPECT_EQ(read({5, 12}), "corrupt");
  EXPECT_EQ(read({4, 1000}), "corrupt");
  EXPECT_EQ(read({1000, 0}), "corrupt");
  EXPECT_EQ(read({UINT64_MAX, 2}), "corrupt");
}

// T3
TEST(ChangeSet, CutOrLengthenedBytesAreCorrupt) {
  for (const std::string& whole : {one_insert_bytes(), two_edges_bytes()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(decode_change_set(whole.substr(0, size), *test_schema()).ok()) << size;
    }
    EXPECT_FALSE(decode_change_set(whole + '\0', *test_schema()).ok());
  }
}

// T2 T3
TEST(ChangeSet, OtherSpellingsAreCorrupt) {
  struct {
    const char* what;
    std::string bytes;
  } const examples[] = {
      {"an unknown table", bytes("\x01\x63\x01\x04\x01\x00\x01\x61\x00\x00")},
      {"a table without rows", bytes("\x01\x01\x00\x00")},
      {"a table twice",
       bytes("\x02\x01\x01\x05\x01\x00\x01\x61\x00\x01\x01\x05\x01\x00\x01\x62\x00\x00")},
      {"tables that descend",
       bytes("\x02\x07\x01\x05\x01\x00\x01\x61\x00\x01\x01\x05\x01\x00\x01\x62\x00\x00")},
      {"change kind 0", bytes("\x01\x01\x01\x05\x00\x00\x01\x61\x00\x00")},
      {"change kind 4", bytes("\x01\x01\x01\x05\x04\x01\x01\x61\x00\x00")},
      {"an insert over something", bytes("\x01\x01\x01\x05\x01\x01\x01\x61\x00\x00")},
      {"an update of nothing", bytes("\x01\x01\x01\x05\x02\x00\x01\x61\x00\x00")},
      {"a property of another type", bytes("\x01\x01\x01\x08\x01\x00\x01\x61\x01\x08\x01\x61\x00")},
      {"a property twice", bytes("\x01\x01\x01\x09\x01\x00\x01\x61\x02\x03\x0E\x03\x0E\x00")},
      {"properties that descend",
       bytes("\x01\x01\x01\x0A\x01\x00\x01\x61\x02\x03\x0E\x02\x01\x61\x00")},
      {"a removed row with values", bytes("\x01\x01\x01\x07\x03\x01\x01\x61\x01\x03\x0E\x00")},
      {"a long varint", bytes("\x81\x00\x01\x01\x05\x01\x00\x01\x61\x00\x00")},
      {"a zero hash part",
       bytes("\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
  };
  for (const auto& example : examples) {
    const auto decoded = decode_change_set(example.bytes, *test_schema());
    ASSERT_FALSE(decoded.ok()) << example.what;
    EXPECT_EQ(decoded.error().code(), ErrorCode::corrupt) << example.what;
  }
}

// T2 T3
TEST(ChangeSet, RowTwiceInItsTableIsCorrupt) {
  const auto decoded = decode_change_set(
      bytes("\x01\x01\x02\x05\x01\x00\x01\x61\x00\x05\x01\x00\x01\x61\x00\x00"), *test_schema());

  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code(), ErrorCode::corrupt);
}

// T2
TEST(ChangeSet, RowsStandByTheirIds) {
  const auto decode = [](char first, char second) {
    std::string text = bytes("\x01\x01\x02\x05\x01\x00\x01\x61\x00\x05\x01\x00\x01\x61\x00\x00");
    text[7] = first;
    text[13] = second;
    return decode_change_set(text, *test_schema()).ok();
  };
  EXPECT_TRUE(decode('a', 'b'));
  EXPECT_FALSE(decode('b', 'a'));
}

// T3
TEST(ChangeSet, HashPartsOutOfOrderAreCorrupt) {
  base::ByteWriter writer;
  writer.raw(bytes("\x00\x02"));
  for (const std::uint8_t property : {std::uint8_t{3}, std::uint8_t{2}}) {
    writer.u8(1);
    writer.u8(property);
    writer.u64(1);
    writer.u64(0);
  }
  EXPECT_FALSE(decode_change_set(writer.view(), *test_schema()).ok());
}

TEST(ChangeSet, HashDeltaIsTheSumOfThePartsModuloTwoToThe128) {
  ChangeSet changes;
  changes.hash_parts = {{kPerson, PropertyId{0}, {UINT64_MAX, UINT64_MAX}},
                        {kPerson, PropertyId{2}, {3, 0}}};

  EXPECT_EQ(changes.hash_delta(), (base::Hash128{2, 0}));
}

}  // namespace
}  // namespace braid::table
