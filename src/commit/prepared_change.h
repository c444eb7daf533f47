// SPDX-License-Identifier: Apache-2.0
// A change that is ready to be committed: what its client's thread worked out on a snapshot, and
// how to work it out again on a newer one. Knows no language: whoever reads or parses hands it
// over. Threads: made by one thread, then owned by the sequencer until it is answered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "commit/batch.h"
#include "commit/receipt.h"
#include "log/record.h"
#include "schema/catalog.h"
#include "table/change_builder.h"

namespace braid::commit {

/// Builds the changes on an image.
using BuildFunction = std::function<Result<table::BuiltChanges>(const table::Image&)>;

/// What a prepared change relied on: the authority token and when it was taken.
struct Token {
  /// The root's position when the image was taken.
  Position based_on;
  BranchIncarnation branch;
  std::optional<CommitId> head;
  /// The record that holds the catalog.
  Position catalog;
};

struct PreparedChange {
  /// Without authoritative_state: the committer binds that.
  MutationBatch batch;
  CommitId commit_id;
  Token token;
  /// Terminal precondition on the branch's effective head.
  std::optional<CommitId> if_commit;
  /// A change without effect leaves a receipt only if the client chose the key.
  bool key_is_callers = false;

  table::BuiltChanges built;
  table::EncodedChangeSet encoded;
  /// The encoded change set as a section, hashed.
  log::Section changes_section;
  /// Insert, upsert, append, merge: may be prepared again. Absent for strict updates and deletes,
  /// which answer `read_set_changed`.
  BuildFunction build;
};

/// The answer to a change.
struct Outcome {
  StoredReceipt receipt;
  /// The stored answer to an earlier call with the same key.
  bool replayed = false;
  /// How often it was prepared: 1, or 2 when others got in between.
  std::uint32_t attempts = 1;
};

/// Builds on `image`, encodes and hashes: fills built, encoded and changes_section.
/// Errors: those of build; `resource_limit` beyond the inline budget.
Status prepare_changes(PreparedChange& change, const table::Image& image, env::Random& random);

/// The inline budget (commit-protocol 2).
inline constexpr std::uint64_t kInlineBytesMax = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kInlineRowsMax = 4'096;

/// Whether a retry is the request that the stored batch was: scope, branch incarnation, principal,
/// key, request digest and purpose are equal (commit-protocol 4). `idempotency_conflict` if not.
Status check_replay_identity(const MutationBatch& stored, const MutationBatch& retry);

}  // namespace braid::commit
