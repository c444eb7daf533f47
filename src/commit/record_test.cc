// SPDX-License-Identifier: Apache-2.0
#include "commit/record.h"

#include <gtest/gtest.h>

#include "commit/commit_fixture.h"
#include "state/registry.h"

namespace braid::commit {
namespace {

using state::RecordType;
using state::SectionTag;

log::Section& section(log::Record& record, SectionTag tag) {
  for (log::Section& section : record.sections) {
    if (section.tag == state::number_of(tag)) return section;
  }
  ADD_FAILURE() << "no section " << static_cast<int>(tag);
  return record.sections.front();
}

std::vector<std::uint16_t> tags_of(const log::Record& record) {
  std::vector<std::uint16_t> tags;
  for (const log::Section& section : record.sections) tags.push_back(section.tag);
  return tags;
}

// The records of a creation, a commit and a receipt.
std::vector<log::Record> three_records() {
  Bench bench;
  EXPECT_TRUE(bench.load({aged("a", 1)}, "k1").ok());
  EXPECT_TRUE(bench.load({aged("a", 1)}, "k2").ok());
  return bench.records();
}

TEST(CommitRecord, EachTypeHasItsSectionsInTheirOrder) {
  const auto records = three_records();

  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].type, 1);
  EXPECT_EQ(tags_of(records[0]), (std::vector<std::uint16_t>{1, 6}));
  EXPECT_EQ(records[1].type, 2);
  EXPECT_EQ(tags_of(records[1]), (std::vector<std::uint16_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(records[2].type, 3);
  EXPECT_EQ(tags_of(records[2]), (std::vector<std::uint16_t>{1, 4}));
}

// C1
TEST(CommitRecord, CarriesAllOfItsCommit) {
  const auto records = three_records();
  const auto commit = decode_commit(records[1], test_graph());

  ASSERT_TRUE(commit.ok()) << to_string(commit.error());
  EXPECT_EQ(commit->batch.idempotency_key, "k1");
  ASSERT_TRUE(commit->meta.has_value());
  EXPECT_EQ(commit->meta->version, Version{1});
  EXPECT_EQ(commit->meta->authored_ms, 1'600'000'000'000);
  EXPECT_EQ(commit->meta->committed_ms, 1'700'000'000'000);
  EXPECT_EQ(commit->meta->catalog, Position{1});
  EXPECT_TRUE(commit->meta->parents.empty());
  EXPECT_EQ(commit->meta->tables, (std::vector<manifest::TableCounts>{{kPerson, 1, 0, 0}}));
  EXPECT_EQ(commit->receipt.commit, commit->meta->id);
  EXPECT_EQ(commit->receipt.position, Position{2});
  EXPECT_EQ(commit->receipt.counts, (table::RowCounts{.nodes_inserted = 1}));
  EXPECT_EQ(commit->receipt.key_valid_until_ms, 1'700'000'000'000 + 604'800'000);
  ASSERT_EQ(commit->outbox.size(), 1U);
  EXPECT_EQ(commit->outbox[0].kind, "engine.projection.rebuild");
  const auto changes = table::decode_change_set(*records[1].section(2), *table::test_schema());
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(changes->tables[0].rows[0].row.id, "a");
}

// C1
TEST(CommitRecord, ReceiptWithoutACommitNamesNone) {
  const auto receipt = decode_commit(three_records()[2], test_graph());

  ASSERT_TRUE(receipt.ok());
  EXPECT_FALSE(receipt->meta.has_value());
  EXPECT_FALSE(receipt->receipt.commit.has_value());
  EXPECT_TRUE(receipt->outbox.empty());
}

TEST(GraphCreatedRecord, HoldsTheFirstSchema) {
  const auto created = decode_graph_created(three_records()[0], test_graph());

  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->batch.operations[0].surface, "init");
  EXPECT_NE(created->catalog.schema().node_type("Person"), nullptr);
}

TEST(GraphCreatedRecord, OtherRecordsAreNone) {
  EXPECT_EQ(code_of(decode_graph_created(three_records()[1], test_graph())), "corrupt");
}

// C1
TEST(CommitRecord, MissingRepeatedOrStrangeSectionIsCorrupt) {
  const auto records = three_records();
  for (std::size_t i = 0; i < records[1].sections.size(); ++i) {
    log::Record missing = records[1];
    missing.sections.erase(missing.sections.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(code_of(decode_commit(missing, test_graph())), "corrupt") << i;
    log::Record repeated = records[1];
    repeated.sections.push_back(records[1].sections[i]);
    EXPECT_EQ(code_of(decode_commit(repeated, test_graph())), "corrupt") << i;
    log::Record strange = records[1];
    strange.sections[i].tag = 99;
    EXPECT_EQ(code_of(decode_commit(strange, test_graph())), "corrupt") << i;
  }
  EXPECT_EQ(code_of(decode_commit(records[0], test_graph())), "corrupt");
}

// C1
TEST(CommitRecord, PartsThatDisagreeAreCorrupt) {
  const log::Record good = three_records()[1];
  const CommitRecord commit = *decode_commit(good, test_graph());
  const auto with = [&](SectionTag tag, std::string body) {
    log::Record record = good;
    section(record, tag).body = std::move(body);
    return code_of(decode_commit(record, test_graph()));
  };
  ASSERT_EQ(with(SectionTag::batch, encode(commit.batch)), "ok");

  MutationBatch batch = commit.batch;
  batch.authoritative_state.reset();
  EXPECT_EQ(with(SectionTag::batch, encode(batch)), "corrupt");
  batch = commit.batch;
  batch.idempotency_key = "other";
  EXPECT_EQ(with(SectionTag::batch, encode(batch)), "corrupt");
  batch = commit.batch;
  batch.authoritative_state->digest[0] ^= 1;
  EXPECT_EQ(with(SectionTag::batch, encode(batch)), "corrupt");

  manifest::CommitMeta meta = *commit.meta;
  meta.version = meta.version.next();
  EXPECT_EQ(with(SectionTag::bound, encode(meta)), "corrupt");
  meta = *commit.meta;
  meta.id.ulid.bytes[0] ^= 1;
  EXPECT_EQ(with(SectionTag::bound, encode(meta)), "corrupt");

  StoredReceipt receipt = commit.receipt;
  receipt.position = receipt.position.next();
  EXPECT_EQ(with(SectionTag::receipt, encode(receipt)), "corrupt");
  receipt = commit.receipt;
  receipt.commit.reset();
  EXPECT_EQ(with(SectionTag::receipt, encode(receipt)), "corrupt");
  receipt = commit.receipt;
  receipt.version = receipt.version.next();
  EXPECT_EQ(with(SectionTag::receipt, encode(receipt)), "corrupt");

  EXPECT_EQ(with(SectionTag::outbox, encode(std::vector<OutboxEvent>{})), "corrupt");
  std::vector<OutboxEvent> outbox = commit.outbox;
  outbox[0].sequence = outbox[0].sequence.next();
  EXPECT_EQ(with(SectionTag::outbox, encode(outbox)), "corrupt");
  outbox = commit.outbox;
  outbox[0].branch = BranchIncarnation{2};
  EXPECT_EQ(with(SectionTag::outbox, encode(outbox)), "corrupt");
}

// C1
TEST(CommitRecord, ReceiptOfAnotherSequenceOrGapInItsEventsIsCorrupt) {
  const log::Record good = three_records()[1];
  const CommitRecord commit = *decode_commit(good, test_graph());
  const auto with = [&](SectionTag tag, std::string body) {
    log::Record record = good;
    section(record, tag).body = std::move(body);
    return code_of(decode_commit(record, test_graph()));
  };
  StoredReceipt receipt = commit.receipt;
  receipt.sequence = receipt.sequence.next();
  EXPECT_EQ(with(SectionTag::receipt, encode(receipt)), "corrupt");

  std::vector<OutboxEvent> outbox = commit.outbox;
  outbox.push_back(outbox[0]);
  outbox[1].previous = outbox[0].sequence;
  outbox[1].sequence = outbox[0].sequence.next().next();
  EXPECT_EQ(with(SectionTag::outbox, encode(outbox)), "corrupt");
  outbox[1].sequence = outbox[0].sequence.next();
  outbox[1].previous = Sequence{0};
  EXPECT_EQ(with(SectionTag::outbox, encode(outbox)), "corrupt");
  outbox[1].previous = outbox[0].sequence;
  EXPECT_EQ(with(SectionTag::outbox, encode(outbox)), "ok");
}

}  // namespace
}  // namespace braid::commit
