// SPDX-License-Identifier: Apache-2.0
#include "state/key_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "state/keys.h"

namespace braid::state {
namespace {

constexpr TableId kTable{7};
constexpr BranchIncarnation kBranch{1};

std::string key_of(std::size_t number, Position position) {
  return row_key(kTable, kBranch, "row-" + std::to_string(number), position);
}

std::string prefix_of(std::size_t number) {
  return row_version_prefix(kTable, kBranch, "row-" + std::to_string(number));
}

// S12
TEST(KeyFilter, ManyLayersOfKeysThenEachIsFoundByItsPrefixInAnyVersion) {
  constexpr std::size_t kKeys = 200'000;  // four layers
  KeyFilter filter;
  for (std::size_t i = 0; i < kKeys; ++i) filter.add(key_of(i, Position{i + 1}));

  for (std::size_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(filter.may_contain_prefix(prefix_of(i))) << i;
    ASSERT_TRUE(filter.may_contain_key(key_of(i, Position{1'000'000}))) << i;
  }
}

TEST(KeyFilter, KeysThatWereNotAddedThenFewAreSaidToBeThere) {
  constexpr std::size_t kKeys = 200'000;
  KeyFilter filter;
  for (std::size_t i = 0; i < kKeys; ++i) filter.add(key_of(i, Position{1}));

  std::size_t wrong = 0;
  for (std::size_t i = kKeys; i < 2 * kKeys; ++i) {
    wrong += filter.may_contain_prefix(prefix_of(i)) ? 1 : 0;
  }

  // 16 bits a key and 7 bits set promise under 0.2 % a full layer; there are four.
  EXPECT_LT(wrong, kKeys / 100);
}

TEST(KeyFilter, KeyWithoutVersionsThenFoundWhole) {
  KeyFilter filter;
  CommitId commit;
  commit.ulid.bytes[3] = 5;
  filter.add(commit_key(commit));

  EXPECT_TRUE(filter.may_contain_key(commit_key(commit)));
  EXPECT_FALSE(filter.may_contain_key(commit_key(CommitId{})));
}

TEST(KeyFilter, MemoryThenAboutTwoBytesAKey) {
  KeyFilter filter;
  for (std::size_t i = 0; i < 100'000; ++i) filter.add(key_of(i, Position{1}));

  EXPECT_LE(filter.memory_bytes(), 100'000U * 2 * 4);
}

TEST(KeyFilter, NewThenNotComplete) {
  KeyFilter filter;
  EXPECT_FALSE(filter.is_complete());
  filter.mark_complete();
  EXPECT_TRUE(filter.is_complete());
}

}  // namespace
}  // namespace braid::state
