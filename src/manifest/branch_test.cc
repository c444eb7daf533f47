// SPDX-License-Identifier: Apache-2.0
#include "manifest/branch.h"

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::manifest {
namespace {

Branch example() {
  Branch branch;
  branch.incarnation = BranchIncarnation{2};
  branch.name = "dev";
  branch.fork = Fork{BranchIncarnation{1}, Position{9}};
  branch.head = CommitRef{{}, Position{10}};
  branch.head->id.ulid.bytes.fill(0xAA);
  branch.version = Version{3};
  branch.content_hash = {4, 5};
  branch.committed_ms = 6;
  branch.last_sequence = Sequence{7};
  return branch;
}

constexpr Counters kCounters{Version{0x11}, Sequence{0x12}, Position{0x13}};

const std::string kExampleHex =
    "01"                // encoding version
    "0200000000000000"  // incarnation
    "03646576"          // name
    "01"                // forked
    "0100000000000000"  // from branch 1
    "0900000000000000"  // at position 9
    "01"                // has a head
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "0a00000000000000"
    "0300000000000000"   // version
    "0400000000000000"   // content hash, low half
    "0500000000000000"   // and high half
    "0600000000000000"   // committed
    "0700000000000000"   // last sequence
    "1100000000000000"   // the graph's version,
    "1200000000000000"   // sequence
    "1300000000000000";  // and catalog

TEST(BranchRecord, IsEncodedByteByByte) {
  EXPECT_EQ(base::hex(encode(example(), kCounters)), kExampleHex);
}

TEST(BranchRecord, EmptyBranchHasNeitherForkNorHead) {
  Branch main;
  main.incarnation = BranchIncarnation{1};
  main.name = "main";
  const std::string bytes = encode(main, {});

  EXPECT_EQ(base::hex(bytes),
            "01"
            "0100000000000000"
            "046d61696e"
            "00"
            "00" +
                std::string(128, '0'));
  const auto decoded = decode_branch(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->branch, main);
  EXPECT_EQ(decoded->counters, Counters{});
}

TEST(BranchRecord, DecodesWhatWasEncoded) {
  const auto decoded = decode_branch(encode(example(), kCounters));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->branch, example());
  EXPECT_EQ(decoded->counters, kCounters);
}

TEST(BranchRecord, EveryOtherBytesAreCorrupt) {
  const std::string whole = encode(example(), kCounters);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = decode_branch(whole.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::corrupt);
  }
  EXPECT_FALSE(decode_branch(whole + '\0').ok());
  constexpr std::size_t kVersionAt = 0;
  constexpr std::size_t kForkedAt = 13;
  constexpr std::size_t kHasHeadAt = 30;
  for (const std::size_t at : {kVersionAt, kForkedAt, kHasHeadAt}) {
    std::string other = whole;
    ASSERT_EQ(other[at], 1);
    other[at] = 2;
    EXPECT_FALSE(decode_branch(other).ok()) << at;
  }
}

}  // namespace
}  // namespace braid::manifest
