// SPDX-License-Identifier: Apache-2.0
#include "log/record.h"

#include <gtest/gtest.h>

#include "env/manual.h"
#include "log/record_codec.h"

namespace braid::log {
namespace {

RecordDraft example() {
  env::SeededRandom random(1);
  RecordDraft draft;
  draft.type = 7;
  draft.sections.push_back(make_section(1, "one", random));
  draft.sections.push_back(make_section(2, "", random));
  return draft;
}

std::string encoded(const RecordDraft& draft) {
  base::ByteWriter out;
  encode_record(out, draft);
  return std::move(out).take();
}

Result<RecordDraft> decoded(std::string_view bytes) {
  base::ByteReader in(bytes);
  return decode_record(in);
}

TEST(Record, EncodesToTheDocumentedBytes) {
  Section section;
  section.tag = 0x0102;
  section.body = "ab";
  section.size_bytes = 2;
  section.salt.fill(0x11);
  section.digest.fill(0x22);
  const RecordDraft draft{.type = 0x0304, .sections = {section}};

  const std::string bytes = encoded(draft);

  const std::string header("\x42\0\0\0\x04\x03\x01\0\x02\x01\0\0\x02\0\0\0", 16);
  EXPECT_EQ(bytes, header + std::string(16, '\x11') + std::string(32, '\x22') + "ab");
  EXPECT_EQ(encoded_size(draft), bytes.size());
}

TEST(Record, DecodesWhatWasEncoded) {
  const RecordDraft draft = example();

  const auto back = decoded(encoded(draft));

  ASSERT_TRUE(back);
  EXPECT_EQ(back->type, draft.type);
  ASSERT_EQ(back->sections.size(), 2U);
  EXPECT_EQ(back->sections[0].body, "one");
  EXPECT_EQ(back->sections[1].body, "");
  EXPECT_TRUE(digest_matches(back->sections[0]));
  EXPECT_TRUE(digest_matches(back->sections[1]));
}

TEST(Record, AnyCutIsCorrupt) {
  const std::string bytes = encoded(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto back = decoded(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(back) << size;
    EXPECT_EQ(back.error().code(), ErrorCode::corrupt);
  }
}

TEST(Record, UnknownSectionFlagIsCorrupt) {
  std::string bytes = encoded(example());
  bytes[kRecordHeaderBytes + 2] = 2;
  EXPECT_FALSE(decoded(bytes));
}

TEST(Record, ErasureKeepsTheChainAndHidesTheBody) {  // L1, L2
  RecordDraft draft = example();
  const base::Digest before = chain_hash({}, {9}, draft.type, draft.sections);

  draft.sections[0].erased = true;
  const auto back = decoded(encoded(draft));

  ASSERT_TRUE(back);
  EXPECT_EQ(chain_hash({}, {9}, back->type, back->sections), before);
  EXPECT_EQ(back->sections[0].size_bytes, 3U);
  EXPECT_EQ(back->sections[0].body, "");
  EXPECT_EQ(back->sections[0].salt, SectionSalt{});
  EXPECT_TRUE(digest_matches(back->sections[0]));
}

TEST(Record, EqualBodiesHaveDifferentDigests) {  // L2
  env::SeededRandom random(1);
  EXPECT_NE(make_section(1, "same", random).digest, make_section(1, "same", random).digest);
}

TEST(Record, ChainHashCoversEachPart) {  // L1
  const RecordDraft draft = example();
  const base::Digest hash = chain_hash({}, {9}, draft.type, draft.sections);

  EXPECT_NE(chain_hash({1}, {9}, draft.type, draft.sections), hash);
  EXPECT_NE(chain_hash({}, {8}, draft.type, draft.sections), hash);
  EXPECT_NE(chain_hash({}, {9}, 8, draft.sections), hash);
  for (std::size_t i = 0; i < draft.sections.size(); ++i) {
    std::vector<Section> changed = draft.sections;
    changed[i].tag += 1;
    EXPECT_NE(chain_hash({}, {9}, draft.type, changed), hash);
    changed = draft.sections;
    changed[i].size_bytes += 1;
    EXPECT_NE(chain_hash({}, {9}, draft.type, changed), hash);
    changed = draft.sections;
    changed[i].digest[31] ^= 1;
    EXPECT_NE(chain_hash({}, {9}, draft.type, changed), hash);
  }
}

TEST(Record, GenesisDiffersFromGraphToGraph) {
  EXPECT_NE(genesis_hash(GraphId{}), genesis_hash(GraphId{Ulid::make(1, {})}));
}

TEST(Record, ErasedSectionHasNoBody) {
  Record record;
  record.sections = example().sections;
  EXPECT_EQ(*record.section(1), "one");
  record.sections[0].erased = true;
  EXPECT_EQ(record.section(1), nullptr);
  EXPECT_EQ(record.section(3), nullptr);
}

}  // namespace
}  // namespace braid::log
