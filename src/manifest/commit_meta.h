// SPDX-License-Identifier: Apache-2.0
// What the committer binds to a change once its order is known: the `bound` section of a commit's
// record (docs/formats/records.md). Lineage, counters, times, content hash, and per-table counts so
// that history can be listed without reading rows.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"

namespace braid::manifest {

/// A commit and where its record stands.
struct CommitRef {
  CommitId id;
  Position position;
  friend bool operator==(const CommitRef&, const CommitRef&) = default;
};

struct TableCounts {
  TableId table;
  std::uint64_t inserted = 0;
  std::uint64_t updated = 0;
  std::uint64_t removed = 0;
  friend bool operator==(const TableCounts&, const TableCounts&) = default;
};

struct CommitMeta {
  CommitId id;
  BranchIncarnation branch;
  /// First parent first; none for the first commit of a graph.
  std::vector<CommitRef> parents;
  Version version;
  /// Of the commit's first outbox event.
  Sequence sequence;
  /// By the log's clock; at least the parent's.
  std::int64_t committed_ms = 0;
  /// When the client asked; kept on replay.
  std::int64_t authored_ms = 0;
  /// The record that holds the catalog under which the change set reads.
  Position catalog;
  /// Of the branch after this commit.
  base::Hash128 content_hash;
  std::vector<TableCounts> tables;
  friend bool operator==(const CommitMeta&, const CommitMeta&) = default;
};

std::string encode(const CommitMeta& meta);
Result<CommitMeta> decode_commit_meta(std::string_view bytes);

}  // namespace braid::manifest
