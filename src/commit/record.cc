// SPDX-License-Identifier: Apache-2.0
#include "commit/record.h"

#include <fmt/format.h>

#include "state/registry.h"

namespace braid::commit {
namespace {

using state::RecordType;
using state::SectionTag;

log::Section section(SectionTag tag, std::string body, env::Random& random) {
  return log::make_section(state::number_of(tag), std::move(body), random);
}

Error wrong_record(const log::Record& record, std::string_view why) {
  return Error(ErrorCode::corrupt, fmt::format("record {}: {}", record.position.value, why))
      .with("position", record.position.value)
      .with("record_type", record.type);
}

Status expect_sections(const log::Record& record, std::initializer_list<SectionTag> tags) {
  bool same = record.sections.size() == tags.size();
  std::size_t i = 0;
  for (const SectionTag tag : tags) {
    same = same && record.sections[i++].tag == state::number_of(tag);
  }
  if (same) return Unit{};
  return wrong_record(record, "its sections are not those of its type");
}

Result<MutationBatch> batch_of(const log::Record& record, const GraphId& graph) {
  BRAID_ASSIGN(const std::string* body, section_of(record, state::number_of(SectionTag::batch)));
  BRAID_ASSIGN(MutationBatch batch, decode_batch(*body));
  Status valid = validate(batch, graph);
  if (!valid) return wrong_record(record, valid.error().message());
  return batch;
}

// Dense from the commit's first sequence number, each naming the one before it.
Status check_outbox(const log::Record& record, const CommitRecord& commit) {
  if (commit.outbox.empty() || commit.receipt.sequence != commit.meta->sequence) {
    return wrong_record(record, "its outbox events are missing");
  }
  Sequence expected = commit.meta->sequence;
  const OutboxEvent* before = nullptr;
  for (const OutboxEvent& event : commit.outbox) {
    if (event.branch != commit.meta->branch || event.source_version != commit.meta->version) {
      return wrong_record(record, "an outbox event belongs to another commit");
    }
    if (event.sequence != expected || (before != nullptr && event.previous != before->sequence)) {
      return wrong_record(record, "its outbox events are out of order");
    }
    expected = expected.next();
    before = &event;
  }
  return Unit{};
}

// C1: one commit, whichever section says so.
Status check_agreement(const log::Record& record, const CommitRecord& commit) {
  if (commit.receipt.position != record.position) {
    return wrong_record(record, "its receipt names another position");
  }
  if (!commit.meta) {
    if (commit.receipt.commit || commit.batch.authoritative_state) {
      return wrong_record(record, "a receipt without a commit names one");
    }
    return Unit{};
  }
  const auto& state = commit.batch.authoritative_state;
  if (!state || state->target != commit.meta->version || !commit.receipt.commit ||
      *commit.receipt.commit != commit.meta->id || commit.receipt.version != commit.meta->version) {
    return wrong_record(record, "batch, lineage and receipt disagree");
  }
  for (const log::Section& changes : record.sections) {
    if (changes.tag == state::number_of(SectionTag::changes) && changes.digest != state->digest) {
      return wrong_record(record, "the change set is not what the batch was bound to");
    }
  }
  return check_outbox(record, commit);
}

}  // namespace

Result<const std::string*> section_of(const log::Record& record, std::uint16_t tag) {
  const std::string* body = record.section(tag);
  if (body == nullptr) {
    return wrong_record(record, fmt::format("no section {}", state::section_tag_name(tag)));
  }
  return body;
}

log::RecordDraft make_graph_created(const MutationBatch& batch, const schema::Catalog& catalog,
                                    env::Random& random) {
  log::RecordDraft draft;
  draft.type = state::number_of(RecordType::graph_created);
  draft.sections.push_back(section(SectionTag::batch, encode(batch), random));
  draft.sections.push_back(section(SectionTag::schema, schema::encode(catalog), random));
  return draft;
}

Result<GraphCreated> decode_graph_created(const log::Record& record, const GraphId& graph) {
  if (record.type != state::number_of(RecordType::graph_created)) {
    return wrong_record(record, "the first record must create the graph");
  }
  BRAID_TRY(expect_sections(record, {SectionTag::batch, SectionTag::schema}));
  BRAID_ASSIGN(MutationBatch batch, batch_of(record, graph));
  BRAID_ASSIGN(const std::string* body, section_of(record, state::number_of(SectionTag::schema)));
  BRAID_ASSIGN(schema::Catalog catalog, schema::decode_catalog(*body));
  return GraphCreated{std::move(batch), std::move(catalog)};
}

log::RecordDraft make_commit(const BoundCommit& bound, log::Section changes,
                             const std::vector<table::Pin>& pins, env::Random& random) {
  log::RecordDraft draft;
  draft.type = state::number_of(pins.empty() ? RecordType::commit : RecordType::staged_commit);
  draft.sections.reserve(6);
  draft.sections.push_back(section(SectionTag::batch, encode(bound.batch), random));
  draft.sections.push_back(std::move(changes));
  if (!pins.empty()) {
    draft.sections.push_back(section(SectionTag::pins, table::encode_pins(pins), random));
  }
  draft.sections.push_back(section(SectionTag::bound, manifest::encode(bound.meta), random));
  draft.sections.push_back(section(SectionTag::receipt, encode(bound.receipt), random));
  draft.sections.push_back(section(SectionTag::outbox, encode(bound.outbox), random));
  return draft;
}

log::RecordDraft make_receipt_only(const MutationBatch& batch, const StoredReceipt& receipt,
                                   env::Random& random) {
  log::RecordDraft draft;
  draft.type = state::number_of(RecordType::receipt_only);
  draft.sections.push_back(section(SectionTag::batch, encode(batch), random));
  draft.sections.push_back(section(SectionTag::receipt, encode(receipt), random));
  return draft;
}

Result<CommitRecord> decode_commit(const log::Record& record, const GraphId& graph) {
  CommitRecord commit;
  const bool is_staged = record.type == state::number_of(RecordType::staged_commit);
  if (is_staged) {
    BRAID_TRY(
        expect_sections(record, {SectionTag::batch, SectionTag::changes, SectionTag::pins,
                                 SectionTag::bound, SectionTag::receipt, SectionTag::outbox}));
    BRAID_ASSIGN(const std::string* pins, section_of(record, state::number_of(SectionTag::pins)));
    BRAID_ASSIGN(commit.pins, table::decode_pins(*pins));
    if (commit.pins.empty()) return wrong_record(record, "it pins nothing");
  }
  if (is_staged || record.type == state::number_of(RecordType::commit)) {
    if (!is_staged) {
      BRAID_TRY(expect_sections(record, {SectionTag::batch, SectionTag::changes, SectionTag::bound,
                                         SectionTag::receipt, SectionTag::outbox}));
    }
    BRAID_ASSIGN(const std::string* bound, section_of(record, state::number_of(SectionTag::bound)));
    BRAID_ASSIGN(commit.meta, manifest::decode_commit_meta(*bound));
    BRAID_ASSIGN(const std::string* outbox,
                 section_of(record, state::number_of(SectionTag::outbox)));
    BRAID_ASSIGN(commit.outbox, decode_outbox(*outbox));
  } else if (record.type == state::number_of(RecordType::receipt_only)) {
    BRAID_TRY(expect_sections(record, {SectionTag::batch, SectionTag::receipt}));
  } else {
    return wrong_record(record, "it is not a commit");
  }
  BRAID_ASSIGN(commit.batch, batch_of(record, graph));
  BRAID_ASSIGN(const std::string* receipt,
               section_of(record, state::number_of(SectionTag::receipt)));
  BRAID_ASSIGN(commit.receipt, decode_receipt(*receipt));
  BRAID_TRY(check_agreement(record, commit));
  return commit;
}

}  // namespace braid::commit
