// SPDX-License-Identifier: Apache-2.0
#include "commit/receipt.h"

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::commit {
namespace {

StoredReceipt example() {
  StoredReceipt receipt;
  receipt.commit.emplace();
  receipt.commit->ulid.bytes.fill(0xAA);
  receipt.version = Version{3};
  receipt.position = Position{4};
  receipt.sequence = Sequence{5};
  receipt.counts = {
      .nodes_inserted = 1, .nodes_updated = 300, .edges_inserted = 2, .edges_updated = 0};
  receipt.key_valid_until_ms = 0x0102;
  return receipt;
}

TEST(StoredReceipt, IsEncodedByteByByte) {
  EXPECT_EQ(base::hex(encode(example())),
            "01"                                // encoding version
            "01"                                // with a commit
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"  // its id
            "0300000000000000"                  // version
            "0400000000000000"                  // position
            "0500000000000000"                  // sequence
            "01ac020200"                        // counts
            "0201000000000000");                // key valid until
}

TEST(StoredReceipt, OfNothingHasNoCommit) {
  StoredReceipt receipt;
  receipt.position = Position{1};
  EXPECT_EQ(base::hex(encode(receipt)), "0100" + std::string(16, '0') + "0100000000000000" +
                                            std::string(16, '0') + "00000000" +
                                            std::string(16, '0'));
}

TEST(StoredReceipt, DecodesWhatWasEncoded) {
  for (const StoredReceipt& receipt : {example(), StoredReceipt{}}) {
    const auto decoded = decode_receipt(encode(receipt));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, receipt);
  }
}

TEST(StoredReceipt, EveryOtherBytesAreCorrupt) {
  const std::string whole = encode(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = decode_receipt(whole.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::corrupt);
  }
  EXPECT_FALSE(decode_receipt(whole + '\0').ok());
  for (const std::size_t at : {0U, 1U}) {
    std::string other = whole;
    other[at] = 2;
    EXPECT_FALSE(decode_receipt(other).ok()) << at;
  }
}

}  // namespace
}  // namespace braid::commit
