// SPDX-License-Identifier: Apache-2.0
#include "log/frame.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "env/manual.h"

namespace braid::log {
namespace {

SegmentKey example_key() {
  SegmentKey key;
  key.graph.ulid = Ulid::make(1, {1, 2, 3});
  key.life = 77;
  key.salt.fill(0x5A);
  return key;
}

EncodedFrame example_group(const SegmentKey& key, std::size_t body_bytes = 100) {
  env::SeededRandom random(3);
  std::vector<RecordDraft> group(2);
  group[0].sections.push_back(make_section(1, std::string(body_bytes, 'a'), random));
  group[1].type = 2;
  group[1].sections.push_back(make_section(1, "b", random));
  FrameHeader header;
  header.epoch = {4};
  header.offset = 8192;
  header.first = {10};
  header.time_ms = 123;
  header.hash_before = genesis_hash(key.graph);
  return encode_group(key, header, group);
}

TEST(Frame, DecodesTheGroupThatWasEncoded) {
  const SegmentKey key = example_key();
  const EncodedFrame frame = example_group(key, 5000);

  const auto header = decode_frame_header(key, frame.bytes, 8192);
  ASSERT_TRUE(header) << to_string(header.error());
  const auto records = decode_frame_records(key, *header, frame.bytes);

  ASSERT_TRUE(records) << to_string(records.error());
  EXPECT_EQ(*header, frame.header);
  EXPECT_EQ(frame.bytes.size(), 2 * kBlockBytes);
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ((*records)[0].position, Position{10});
  EXPECT_EQ((*records)[1].position, Position{11});
  EXPECT_EQ((*records)[1].epoch, Epoch{4});
  EXPECT_EQ((*records)[1].time_ms, 123);
  EXPECT_EQ((*records)[0].previous_hash, genesis_hash(key.graph));
  EXPECT_EQ((*records)[1].previous_hash, (*records)[0].hash);
  EXPECT_EQ(*(*records)[1].section(1), "b");
}

TEST(Frame, EveryFlippedBitIsFound) {  // L8
  const SegmentKey key = example_key();
  EncodedFrame frame = example_group(key);
  for (std::size_t at = 0; at < frame.bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      frame.bytes[at] = static_cast<char>(frame.bytes[at] ^ (1 << bit));
      const auto header = decode_frame_header(key, frame.bytes, 8192);
      if (header) {
        ASSERT_GE(at, kFrameHeaderBytes);
        ASSERT_FALSE(check_frame_bytes(key, *header, frame.bytes)) << at;
      } else {
        ASSERT_LT(at, kFrameHeaderBytes);
        ASSERT_EQ(header.error().code(), ErrorCode::corrupt);
      }
      frame.bytes[at] = static_cast<char>(frame.bytes[at] ^ (1 << bit));
    }
  }
}

TEST(Frame, IsBelievedOnlyInItsPlace) {  // L7
  const SegmentKey key = example_key();
  const EncodedFrame frame = example_group(key);
  SegmentKey other_salt = key;
  other_salt.salt[31] ^= 1;  // the CRC starts from the first four bytes: only the seal differs
  SegmentKey other_life = key;
  other_life.life += 1;
  SegmentKey other_graph = key;
  other_graph.graph.ulid.bytes[0] ^= 1;

  EXPECT_FALSE(decode_frame_header(other_salt, frame.bytes, 8192));
  EXPECT_FALSE(decode_frame_header(other_life, frame.bytes, 8192));
  EXPECT_FALSE(decode_frame_header(other_graph, frame.bytes, 8192));
  EXPECT_FALSE(decode_frame_header(key, frame.bytes, 4096));
  EXPECT_TRUE(decode_frame_header(key, frame.bytes, 8192));
}

TEST(Frame, MarkersFillOneBlockAndTakeNoPosition) {
  const SegmentKey key = example_key();
  FrameHeader header;
  header.kind = FrameKind::kSeal;
  header.offset = 4096;
  header.first = {5};

  const EncodedFrame frame = encode_frame(key, header, "");

  EXPECT_EQ(frame.bytes.size(), kBlockBytes);
  const auto back = decode_frame_header(key, frame.bytes, 4096);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->next(), Position{5});
  EXPECT_TRUE(check_frame_bytes(key, *back, frame.bytes));
}

TEST(Frame, TruncationMarkerNamesItsPosition) {
  const SegmentKey key = example_key();
  FrameHeader header;
  header.kind = FrameKind::kTruncated;
  header.first = {5};
  base::ByteWriter payload;
  payload.u64(4);

  const EncodedFrame frame = encode_frame(key, header, payload.view());

  const auto first = decode_truncated(frame.header, frame.bytes);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, Position{4});
}

TEST(Frame, ShortInputIsCorrupt) {
  const SegmentKey key = example_key();
  const EncodedFrame frame = example_group(key);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kFrameHeaderBytes - 1}) {
    EXPECT_FALSE(decode_frame_header(key, std::string_view(frame.bytes).substr(0, size), 8192));
  }
  EXPECT_FALSE(check_frame_bytes(key, frame.header,
                                 std::string_view(frame.bytes).substr(0, kFrameHeaderBytes)));
}

}  // namespace
}  // namespace braid::log
