// SPDX-License-Identifier: Apache-2.0
#include "columnar/content_hash.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <gtest/gtest.h>

namespace braid::columnar {
namespace {

using std::string_literals::operator""s;

constexpr HashScope kScope{0x1122334455667788, TableId{7}};
constexpr PropertyId kName{8};
constexpr PropertyId kAge{9};
const RowIdentity kAda = RowIdentity::node("ada");
const RowIdentity kBob = RowIdentity::node("bob");

std::string form(const Value& value) { return base::hex(hashed_form(value)); }

// Messages written by hand from docs/formats/content-hash.md.
TEST(ContentHash, RowMessageIsAsTheFormatPrescribes) {
  const std::string node = "r\7\0\0\0\0\0\0\0n\3ada"s;
  const std::string edge = "r\7\0\0\0\0\0\0\0e\2e1\3ada\3bob"s;

  EXPECT_EQ(row_hash(kScope, kAda), base::xxh3_128(node, kScope.salt));
  EXPECT_EQ(row_hash(kScope, RowIdentity::edge("e1", "ada", "bob")),
            base::xxh3_128(edge, kScope.salt));
}

TEST(ContentHash, CellMessageIsAsTheFormatPrescribes) {
  const std::string message = "c\7\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0n\3ada\5Ada"s;

  EXPECT_EQ(cell_hash(kScope, kName, kAda, "Ada"), base::xxh3_128(message, kScope.salt));
}

TEST(ContentHash, HashedFormsAreAsTheFormatPrescribes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<Value, std::string> examples[] = {
      {false, "0100"},
      {true, "0101"},
      {std::int32_t{5}, "020500000000000000"},
      {std::int32_t{-1}, "03ffffffffffffffff"},
      {std::numeric_limits<std::int64_t>::min(), "030000000000000080"},
      {std::numeric_limits<std::uint64_t>::max(), "02ffffffffffffffff"},
      {0.5, "04000000000000e03f"},
      {-0.0, "040000000000000080"},
      {nan, "04000000000000f87f"},
      {0x1p64, "04000000000000f043"},
      {-0x1p63, "030000000000000080"},
      {-0x1.8p63, "04000000000000e8c3"},
      {"a", "0561"},
      {"", "05"},
      {Blob{""}, "06e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {Date{-1}, "07ffffffff"},
      {DateTime{1}, "080100000000000000"},
      {Value::List{}, "09"},
      {Value::List{"a", ""}, "090205610105"},
      {Value::Vector{1.0F, -0.0F}, "0a0000803f00000080"},
  };
  for (const auto& [value, hex] : examples) EXPECT_EQ(form(value), hex);
}

// V6
TEST(ContentHash, NumbersOfAnyWidthHashByTheirValue) {
  const std::string five = form(std::int32_t{5});
  EXPECT_EQ(form(std::int64_t{5}), five);
  EXPECT_EQ(form(std::uint32_t{5}), five);
  EXPECT_EQ(form(std::uint64_t{5}), five);
  EXPECT_EQ(form(5.0F), five);
  EXPECT_EQ(form(5.0), five);
  EXPECT_EQ(form(std::int32_t{-5}), form(-5.0F));
  EXPECT_EQ(form(0.5F), form(0.5));
  EXPECT_EQ(form(0.0), form(std::uint32_t{0}));
  EXPECT_EQ(form(std::bit_cast<float>(0xFFC12345U)), form(std::bit_cast<double>(~0ULL)));
  EXPECT_EQ(form(Value::List{std::int32_t{1}}), form(Value::List{std::int64_t{1}}));

  EXPECT_NE(form(0.1F), form(0.1));
  EXPECT_NE(form(-0.0), form(0.0));
  EXPECT_NE(form(std::int64_t{9'007'199'254'740'993}), form(9'007'199'254'740'992.0));
}

TEST(ContentHash, ValuesOfDifferentKindsDiffer) {
  const Value values[] = {Value("1"),
                          std::int32_t{1},
                          true,
                          Blob{"1"},
                          Date{1},
                          DateTime{1},
                          Value::List{"1"},
                          Value::List{std::int32_t{1}},
                          Value::Vector{1.0F},
                          Value::List{Value("1"), Value("")},
                          Value::List{"1\1\5"},
                          Value::List{}};
  for (const Value& a : values) {
    for (const Value& b : values) EXPECT_EQ(&a == &b, form(a) == form(b));
  }
}

// V6
TEST(ContentHash, NullAndTheInitialDefaultAddNothing) {
  const Value fallback(std::int32_t{5});

  EXPECT_TRUE(cell_hash(kScope, kAge, kAda, Value()).is_zero());
  EXPECT_TRUE(cell_hash(kScope, kAge, kAda, Value(), &fallback).is_zero());
  EXPECT_TRUE(cell_hash(kScope, kAge, kAda, fallback, &fallback).is_zero());
  EXPECT_TRUE(cell_hash(kScope, kAge, kAda, std::int64_t{5}, &fallback).is_zero());

  EXPECT_FALSE(cell_hash(kScope, kAge, kAda, std::int32_t{6}, &fallback).is_zero());
  EXPECT_FALSE(cell_hash(kScope, kName, kAda, "").is_zero());
}

TEST(ContentHash, EveryPartOfTheMessageCounts) {
  const base::Hash128 base_hash = cell_hash(kScope, kAge, kAda, true);
  EXPECT_NE(cell_hash({kScope.salt + 1, kScope.table}, kAge, kAda, true), base_hash);
  EXPECT_NE(cell_hash({kScope.salt, TableId{8}}, kAge, kAda, true), base_hash);
  EXPECT_NE(cell_hash(kScope, kName, kAda, true), base_hash);
  EXPECT_NE(cell_hash(kScope, kAge, kBob, true), base_hash);
  EXPECT_NE(cell_hash(kScope, kAge, kAda, false), base_hash);
  EXPECT_NE(RowIdentity::edge("a", "b", "c").bytes(), RowIdentity::edge("a", "c", "b").bytes());
  EXPECT_NE(RowIdentity::edge("ab", "", "c").bytes(), RowIdentity::edge("a", "b", "c").bytes());
}

ContentHash two_people() {
  ContentHash hash;
  hash.add_row(kScope, kAda);
  hash.add_cell(kScope, kName, kAda, "Ada");
  hash.add_row(kScope, kBob);
  hash.add_cell(kScope, kName, kBob, "Bob");
  return hash;
}

// V5
TEST(ContentHash, OrderAndDetoursLeaveNoTrace) {
  ContentHash other;
  other.add_cell(kScope, kAge, kBob, std::int32_t{40});
  other.add_row(kScope, kBob);
  other.add_cell(kScope, kName, kBob, "Robert");
  other.add_row(kScope, kAda);
  other.remove_cell(kScope, kName, kBob, "Robert");
  other.add_cell(kScope, kName, kBob, "Bob");
  other.add_cell(kScope, kName, kAda, "Ada");
  other.remove_cell(kScope, kAge, kBob, std::int32_t{40});

  EXPECT_EQ(other, two_people());
  EXPECT_EQ(other.total(), two_people().total());
}

// V5
TEST(ContentHash, LayersAddUpAndComeOff) {
  ContentHash layer;
  layer.add_row(kScope, kBob);
  layer.add_cell(kScope, kName, kBob, "Bob");
  ContentHash below;
  below.add_row(kScope, kAda);
  below.add_cell(kScope, kName, kAda, "Ada");

  ContentHash sum = below;
  sum += layer;
  EXPECT_EQ(sum, two_people());
  sum -= layer;
  EXPECT_EQ(sum, below);
}

// V7
TEST(ContentHash, WhatIsRemovedLeavesTheHashOfNothing) {
  ContentHash hash = two_people();
  for (const RowIdentity* row : {&kAda, &kBob}) hash.remove_row(kScope, *row);
  hash.remove_cell(kScope, kName, kAda, "Ada");
  hash.remove_cell(kScope, kName, kBob, "Bob");

  EXPECT_TRUE(hash.parts().empty());
  // SHA-256 of "braid content 1\n", by Python's hashlib.
  EXPECT_EQ(base::hex_of(hash.total()),
            "2393073875e85a34532ad8050168569f84c1a4068b9e4cab4167fdefef6040d4");
}

TEST(ContentHash, PartsAreKeptApart) {
  const ContentHash hash = two_people();

  ASSERT_EQ(hash.parts().size(), 2U);
  base::Hash128 rows = row_hash(kScope, kAda);
  rows += row_hash(kScope, kBob);
  EXPECT_EQ(hash.part({kScope.table, {}}), rows);
  EXPECT_FALSE(hash.part({kScope.table, kName}).is_zero());
  EXPECT_TRUE(hash.part({kScope.table, kAge}).is_zero());
}

TEST(ContentHash, PartsComeBackFromTheirBytes) {
  base::ByteWriter writer;
  two_people().encode(writer);
  const std::string& bytes = writer.view();
  ASSERT_EQ(bytes.size(), 1U + 2U * 32U);

  base::ByteReader reader(bytes);
  const auto back = ContentHash::decode(reader);

  ASSERT_TRUE(back);
  EXPECT_TRUE(reader.finish("content hash"));
  EXPECT_EQ(*back, two_people());
}

// V7
TEST(ContentHash, PartsOutOfOrderRepeatedZeroOrCutAreCorrupt) {
  const std::string part1 = "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s;
  const std::string part2 = "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s;
  const std::string zero = "\2"s + std::string(31, '\0');
  const auto decodes = [](const std::string& bytes) {
    base::ByteReader reader(bytes);
    return ContentHash::decode(reader).ok();
  };

  EXPECT_TRUE(decodes("\0"s));
  EXPECT_TRUE(decodes("\2" + part1 + part2));
  EXPECT_FALSE(decodes("\2" + part2 + part1));
  EXPECT_FALSE(decodes("\2" + part1 + part1));
  EXPECT_FALSE(decodes("\2" + part1 + zero));
  EXPECT_FALSE(decodes("\2" + part1));
  EXPECT_FALSE(decodes("\xFF\xFF\xFF\xFF\x0F" + part1));
  EXPECT_FALSE(decodes(""));
}

}  // namespace
}  // namespace braid::columnar
