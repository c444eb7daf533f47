// SPDX-License-Identifier: Apache-2.0
#include "manifest/commit_meta.h"

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::manifest {
namespace {

CommitId commit_of(std::uint8_t byte) {
  CommitId id;
  id.ulid.bytes.fill(byte);
  return id;
}

CommitMeta example() {
  CommitMeta meta;
  meta.id = commit_of(0xAA);
  meta.branch = BranchIncarnation{1};
  meta.parents = {{commit_of(0xBB), Position{2}}};
  meta.version = Version{3};
  meta.sequence = Sequence{4};
  meta.committed_ms = 0x18BCFE56800;
  meta.authored_ms = -1;
  meta.catalog = Position{5};
  meta.content_hash = {6, 7};
  meta.tables = {{TableId{300}, 1, 2, 3}};
  return meta;
}

constexpr const char* kExampleHex =
    "01"                                // encoding version
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"  // commit
    "0100000000000000"                  // branch incarnation
    "01"                                // one parent
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    "0200000000000000"
    "0300000000000000"  // version
    "0400000000000000"  // sequence
    "0068e5cf8b010000"  // committed, 1'700'000'000'000 ms
    "ffffffffffffffff"  // authored, -1 ms
    "0500000000000000"  // catalog
    "0600000000000000"  // content hash, low half
    "0700000000000000"  // and high half
    "01"                // one table
    "ac02010203";

// The bytes that hexadecimal text names.
std::string from_hex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

TEST(CommitMeta, IsEncodedByteByByte) { EXPECT_EQ(base::hex(encode(example())), kExampleHex); }

TEST(CommitMeta, FirstCommitHasNoParent) {
  CommitMeta meta = example();
  meta.parents.clear();
  meta.tables.clear();
  const auto decoded = decode_commit_meta(encode(meta));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, meta);
}

TEST(CommitMeta, DecodesWhatWasEncoded) {
  const auto decoded = decode_commit_meta(from_hex(kExampleHex));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, example());
}

TEST(CommitMeta, EveryOtherBytesAreCorrupt) {
  const std::string whole = from_hex(kExampleHex);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = decode_commit_meta(whole.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::corrupt);
  }
  EXPECT_FALSE(decode_commit_meta(whole + '\0').ok());
  for (const char version : {'\0', '\2'}) {
    std::string other = whole;
    other[0] = version;
    EXPECT_FALSE(decode_commit_meta(other).ok());
  }
}

}  // namespace
}  // namespace braid::manifest
