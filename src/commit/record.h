// SPDX-License-Identifier: Apache-2.0
// From what a commit is to the sections of its log record, and back. One place knows which sections
// each type of record has (docs/formats/records.md).
//
// Invariants
//   C1  A record carries all of its commit: batch, rows, lineage, receipt, events. What a reader
//       derives from it needs nothing else but the catalog that it names.
// Threads: pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commit/batch.h"
#include "commit/outbox.h"
#include "commit/receipt.h"
#include "log/record.h"
#include "manifest/commit_meta.h"
#include "schema/catalog.h"
#include "table/layers.h"

namespace braid::commit {

/// The first record of a graph.
struct GraphCreated {
  MutationBatch batch;
  schema::Catalog catalog;
};

/// A decoded record of type commit, staged_commit or receipt_only; the change set stays encoded.
struct CommitRecord {
  MutationBatch batch;
  StoredReceipt receipt;
  /// Only of a commit.
  std::optional<manifest::CommitMeta> meta;
  std::vector<OutboxEvent> outbox;
  /// Of a staged commit, at least one.
  std::vector<table::Pin> pins;
};

log::RecordDraft make_graph_created(const MutationBatch& batch, const schema::Catalog& catalog,
                                    env::Random& random);
Result<GraphCreated> decode_graph_created(const log::Record& record, const GraphId& graph);

/// What the committer has bound; `changes` is already a section, hashed by the client's thread.
struct BoundCommit {
  const MutationBatch& batch;
  const manifest::CommitMeta& meta;
  const StoredReceipt& receipt;
  const std::vector<OutboxEvent>& outbox;
};
/// Where make_commit() puts the change set.
inline constexpr std::size_t kChangesSection = 1;
/// With pins, a staged commit, whose change set has no rows.
log::RecordDraft make_commit(const BoundCommit& bound, log::Section changes,
                             const std::vector<table::Pin>& pins, env::Random& random);
log::RecordDraft make_receipt_only(const MutationBatch& batch, const StoredReceipt& receipt,
                                   env::Random& random);

/// `corrupt` unless the record has exactly the sections of its type and they agree with each other
/// and with the record's position.
Result<CommitRecord> decode_commit(const log::Record& record, const GraphId& graph);

/// The body of a section that the record must have; `corrupt` without it.
Result<const std::string*> section_of(const log::Record& record, std::uint16_t tag);

}  // namespace braid::commit
