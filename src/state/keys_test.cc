// SPDX-License-Identifier: Apache-2.0
#include "state/keys.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::state {
namespace {

constexpr TableId kTable{0x0102030405060708};
constexpr BranchIncarnation kBranch{0x1112131415161718};
constexpr Position kPosition{0x2122232425262728};  // inverted: dedddcdbdad9d8d7

Ulid counting_ulid() {
  Ulid ulid;
  for (std::size_t i = 0; i < 16; ++i) ulid.bytes[i] = static_cast<std::uint8_t>(0xA0 + i);
  return ulid;
}

// clang-format off: one literal a field.
// The expected bytes below are written by hand from docs/formats/state.md.

TEST(StateKeysGolden, BranchKeyIsItsIncarnation) {
  EXPECT_EQ(base::hex(branch_key(kBranch)), "62" "1112131415161718");
  EXPECT_EQ(base::hex(pin_key({TableId{0x0102030405060708}, kBranch, Position{0x21}, 0x31})),
            "70" "0102030405060708" "1112131415161718" "0000000000000021" "00000031");
  EXPECT_EQ(base::hex(branch_prefix()), "62");
}

TEST(StateKeysGolden, CommitKeyIsItsUlid) {
  EXPECT_EQ(base::hex(commit_key({counting_ulid()})), "63" "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  EXPECT_EQ(base::hex(commit_prefix()), "63");
}

TEST(StateKeysGolden, IdempotencyKeyIsTheBatchPrefix) {
  EXPECT_EQ(base::hex(idempotency_key(counting_ulid().bytes)),
            "69" "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  EXPECT_EQ(base::hex(idempotency_prefix()), "69");
}

TEST(StateKeysGolden, RowKeyEscapesItsIdAndInvertsItsPosition) {
  EXPECT_EQ(base::hex(row_prefix(kTable, kBranch)), "72" "0102030405060708" "1112131415161718");
  EXPECT_EQ(base::hex(row_version_prefix(kTable, kBranch, std::string_view("a\0b", 3))),
            "72" "0102030405060708" "1112131415161718" "6100ff62" "0001");
  EXPECT_EQ(base::hex(row_key(kTable, kBranch, std::string_view("a\0b", 3), kPosition)),
            "72" "0102030405060708" "1112131415161718" "6100ff62" "0001" "dedddcdbdad9d8d7");
}

TEST(StateKeysGolden, UniqueKeyNamesItsConstraint) {
  EXPECT_EQ(base::hex(unique_prefix(kTable, kBranch, 0x31323334)),
            "75" "0102030405060708" "1112131415161718" "31323334");
  EXPECT_EQ(base::hex(unique_version_prefix(kTable, kBranch, 0x31323334, "xy")),
            "75" "0102030405060708" "1112131415161718" "31323334" "7879" "0001");
  EXPECT_EQ(base::hex(unique_key(kTable, kBranch, 0x31323334, "xy", kPosition)),
            "75" "0102030405060708" "1112131415161718" "31323334" "7879" "0001"
            "dedddcdbdad9d8d7");
}

TEST(StateKeysGolden, AdjacencyKeyNamesTheEndpointThenTheEdge) {
  const EdgeEndsView ends{.endpoint = "n", .edge = "e"};
  EXPECT_EQ(base::hex(adjacency_prefix(Direction::kOut, kTable, kBranch)),
            "6f" "0102030405060708" "1112131415161718");
  EXPECT_EQ(base::hex(adjacency_endpoint_prefix(Direction::kIn, kTable, kBranch, "n")),
            "6e" "0102030405060708" "1112131415161718" "6e" "0001");
  EXPECT_EQ(base::hex(adjacency_version_prefix(Direction::kOut, kTable, kBranch, ends)),
            "6f" "0102030405060708" "1112131415161718" "6e" "0001" "65" "0001");
  EXPECT_EQ(base::hex(adjacency_key(Direction::kIn, kTable, kBranch, ends, kPosition)),
            "6e" "0102030405060708" "1112131415161718" "6e" "0001" "65" "0001"
            "dedddcdbdad9d8d7");
}

TEST(StateKeysGolden, MetaEntriesHoldStampAndAppliedPosition) {
  EXPECT_EQ(kStampKey, "m/format");
  EXPECT_EQ(kAppliedKey, "m/applied");
  EXPECT_EQ(base::hex(stamp_value({.format = 2, .graph = {counting_ulid()}})),
            "02000000" "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  Applied applied{.position = Position{0x0102}, .hash = {}};
  applied.hash[0] = 0xEE;
  applied.hash[31] = 0xFF;
  EXPECT_EQ(base::hex(applied_value(applied)),
            "0201000000000000"
            "ee000000000000000000000000000000000000000000000000000000000000ff");
}

TEST(StateKeysGolden, PositionValueIsLittleEndian) {
  EXPECT_EQ(base::hex(position_value(kPosition)), "2827262524232221");
}

// clang-format on
TEST(StateKeys, EveryKindOfKeyDecodesToWhatWasEncoded) {
  const std::string id(
      "\0\x01\xFF"
      "a\0",
      5);
  const RowKey row{kTable, kBranch, id, kPosition};
  const UniqueKey unique{kTable, kBranch, 7, id, kPosition};
  const AdjacencyKey adjacency{Direction::kIn, kTable, kBranch, id, "", kPosition};

  const auto row_back = decode_row_key(row_key(kTable, kBranch, id, kPosition));
  const auto unique_back = decode_unique_key(unique_key(kTable, kBranch, 7, id, kPosition));
  const auto adjacency_back = decode_adjacency_key(
      adjacency_key(Direction::kIn, kTable, kBranch, {.endpoint = id, .edge = ""}, kPosition));

  ASSERT_TRUE(row_back);
  EXPECT_EQ(*row_back, row);
  ASSERT_TRUE(unique_back);
  EXPECT_EQ(*unique_back, unique);
  ASSERT_TRUE(adjacency_back);
  EXPECT_EQ(*adjacency_back, adjacency);
  EXPECT_EQ(*decode_branch_key(branch_key(kBranch)), kBranch);
  const PinKey pin{TableId{1}, kBranch, Position{UINT64_MAX}, UINT32_MAX};
  EXPECT_EQ(*decode_pin_key(pin_key(pin)), pin);
  EXPECT_FALSE(decode_pin_key(pin_key(pin) + "x"));
  EXPECT_FALSE(decode_pin_key(branch_key(kBranch)));
  EXPECT_FALSE(is_version_prefix(pin_key(pin)));
  EXPECT_EQ(*decode_commit_key(commit_key({counting_ulid()})), CommitId{counting_ulid()});
  EXPECT_EQ(*decode_idempotency_key(idempotency_key(counting_ulid().bytes)), counting_ulid().bytes);
  EXPECT_EQ(*decode_position_value(position_value(kPosition)), kPosition);
}

// S5
TEST(StateKeys, MalformedKeyIsRefusedAsCorrupt) {
  const std::string row = row_key(kTable, kBranch, std::string_view("a\0b", 3), kPosition);
  std::vector<std::string> malformed = {
      "", "m", "m/", "m/other", "z", row + "x", "b1234567", "b123456789", "c", std::string(18, 'c'),
      "i"};
  for (std::size_t size = 1; size < row.size(); ++size) malformed.push_back(row.substr(0, size));
  std::string bad_escape = row;
  bad_escape[19] = '\x02';  // the byte after the zero of the id
  malformed.push_back(bad_escape);
  const std::string edge =
      adjacency_key(Direction::kOut, kTable, kBranch, {.endpoint = "n", .edge = "e"}, kPosition);
  for (std::size_t size = 1; size < edge.size(); ++size) malformed.push_back(edge.substr(0, size));

  for (const std::string& key : malformed) {
    const Status checked = check_key(key);
    ASSERT_FALSE(checked) << base::hex(key);
    EXPECT_EQ(checked.error().code(), ErrorCode::corrupt) << base::hex(key);
  }
}

// S5
TEST(StateKeys, KeyOfAnotherFamilyIsRefused) {
  const std::string row = row_key(kTable, kBranch, "a", kPosition);
  EXPECT_FALSE(decode_unique_key(row));
  EXPECT_FALSE(decode_adjacency_key(row));
  EXPECT_FALSE(decode_branch_key(row));
  EXPECT_FALSE(decode_commit_key(row));
  EXPECT_FALSE(decode_idempotency_key(row));
  EXPECT_FALSE(decode_row_key(branch_key(kBranch)));
}

TEST(StateKeys, MalformedValueIsRefusedAsCorrupt) {
  for (const std::string& value : {std::string(), std::string(7, 'x'), std::string(9, 'x')}) {
    EXPECT_EQ(decode_position_value(value).error().code(), ErrorCode::corrupt);
  }
  EXPECT_EQ(decode_stamp_value(std::string("\2\0\0\0", 4) + std::string(15, 'x')).error().code(),
            ErrorCode::corrupt);
  EXPECT_EQ(decode_stamp_value(std::string("\2\0\0\0", 4) + std::string(17, 'x')).error().code(),
            ErrorCode::corrupt);
  EXPECT_EQ(decode_stamp_value("\1").error().code(), ErrorCode::corrupt);
  EXPECT_EQ(decode_applied_value(std::string(39, 'x')).error().code(), ErrorCode::corrupt);
  EXPECT_EQ(decode_applied_value(std::string(41, 'x')).error().code(), ErrorCode::corrupt);
}

TEST(StateKeys, PrefixIsAVersionPrefixOnlyWhereAPositionBegins) {
  EXPECT_TRUE(is_version_prefix(row_version_prefix(kTable, kBranch, "a")));
  EXPECT_TRUE(is_version_prefix(unique_version_prefix(kTable, kBranch, 1, "a")));
  EXPECT_TRUE(is_version_prefix(
      adjacency_version_prefix(Direction::kOut, kTable, kBranch, {.endpoint = "n", .edge = "e"})));

  EXPECT_FALSE(is_version_prefix(""));
  EXPECT_FALSE(is_version_prefix(row_prefix(kTable, kBranch)));
  EXPECT_FALSE(is_version_prefix(row_key(kTable, kBranch, "a", kPosition)));
  EXPECT_FALSE(is_version_prefix(unique_prefix(kTable, kBranch, 1)));
  EXPECT_FALSE(is_version_prefix(adjacency_endpoint_prefix(Direction::kOut, kTable, kBranch, "n")));
  EXPECT_FALSE(is_version_prefix(branch_key(kBranch)));
  EXPECT_FALSE(is_version_prefix(commit_key({counting_ulid()})));
}

TEST(StateKeys, VersionPrefixOfAKeyIsTheKeyWithoutItsPosition) {
  const std::string prefix = row_version_prefix(kTable, kBranch, "a");
  EXPECT_EQ(version_prefix_of(prefix + version_suffix(kPosition)), prefix);
  EXPECT_EQ(version_prefix_of(prefix), std::nullopt);
  EXPECT_EQ(version_prefix_of(commit_key({counting_ulid()})), std::nullopt);
  EXPECT_EQ(version_prefix_of("m/applied"), std::nullopt);
  EXPECT_EQ(position_of_suffix(version_suffix(kPosition)), kPosition);
}

// Ids full of the bytes that the escaping is about.
std::string nasty_id(std::mt19937_64& random) {
  static constexpr char kBytes[] = {'\x00', '\x01', '\x02', 'a', '\xFE', '\xFF'};
  std::string id;
  for (std::uint64_t left = random() % 5; left > 0; --left) id.push_back(kBytes[random() % 6]);
  return id;
}

// S6
TEST(StateKeys, ByteOrderIsTheOrderOfTheFieldsNewestFirst) {
  using Fields = std::tuple<std::uint64_t, std::uint64_t, std::string, std::uint64_t>;
  constexpr std::uint64_t kNumbers[] = {0, 1, 255, 256, 1ull << 40, ~0ull};
  std::mt19937_64 random(1);
  std::vector<std::pair<std::string, Fields>> keys;
  for (int i = 0; i < 3'000; ++i) {
    const auto number = [&] { return kNumbers[random() % std::size(kNumbers)]; };
    const std::uint64_t table = number();
    const std::uint64_t branch = number();
    const std::uint64_t position = number();
    const std::string id = nasty_id(random);
    keys.emplace_back(row_key(TableId{table}, BranchIncarnation{branch}, id, Position{position}),
                      Fields(table, branch, id, ~position));
  }

  std::sort(keys.begin(), keys.end());

  const auto by_fields = [](const auto& a, const auto& b) { return a.second < b.second; };
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), by_fields));
}

// S6
TEST(StateKeys, VersionPrefixOfOneIdNeverBeginsAKeyOfAnother) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = nasty_id(random);
    const std::string b = nasty_id(random);
    const std::string key = row_key(kTable, kBranch, b, Position{random()});
    EXPECT_EQ(key.starts_with(row_version_prefix(kTable, kBranch, a)), a == b);
  }
}

}  // namespace
}  // namespace braid::state
