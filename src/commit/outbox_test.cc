// SPDX-License-Identifier: Apache-2.0
#include "commit/outbox.h"

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::commit {
namespace {

std::vector<OutboxEvent> example() {
  return {
      {Sequence{2}, Sequence{1}, BranchIncarnation{3}, VersionScope::graph, Version{4}, "ab"},
      {Sequence{3}, Sequence{2}, BranchIncarnation{3}, VersionScope::non_graph, Version{0}, ""}};
}

TEST(Outbox, IsEncodedByteByByte) {
  EXPECT_EQ(base::hex(encode(example())),
            "01"                // encoding version
            "02"                // two events
            "0200000000000000"  // sequence
            "0100000000000000"  // the branch's event before it
            "0300000000000000"  // branch
            "01"                // of a graph
            "0400000000000000"  // source version
            "026162"            // kind
            "0300000000000000"
            "0200000000000000"
            "0300000000000000"
            "02"  // of no graph
            "0000000000000000"
            "00");
  EXPECT_EQ(base::hex(encode(std::vector<OutboxEvent>{})), "0100");
}

TEST(Outbox, DecodesWhatWasEncoded) {
  const auto decoded = decode_outbox(encode(example()));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, example());
}

TEST(Outbox, VersionIsThereExactlyForAGraph) {
  std::vector<OutboxEvent> events = example();
  events[0].source_version = Version{0};
  EXPECT_FALSE(decode_outbox(encode(events)).ok());
  events = example();
  events[1].source_version = Version{1};
  EXPECT_FALSE(decode_outbox(encode(events)).ok());
}

TEST(Outbox, EveryOtherBytesAreCorrupt) {
  const std::string whole = encode(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = decode_outbox(whole.substr(0, size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::corrupt);
  }
  EXPECT_FALSE(decode_outbox(whole + '\0').ok());
  constexpr std::size_t kScopeAt = 26;
  for (const auto& [at, value] :
       {std::pair<std::size_t, char>{0, '\2'}, {kScopeAt, '\0'}, {kScopeAt, '\3'}}) {
    std::string other = whole;
    other[at] = value;
    EXPECT_FALSE(decode_outbox(other).ok()) << at;
  }
}

}  // namespace
}  // namespace braid::commit
