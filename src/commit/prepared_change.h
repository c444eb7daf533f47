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
#include "commit/recent_writes.h"
#include "log/record.h"
#include "schema/catalog.h"
#include "table/change_builder.h"
#include "table/layers.h"

namespace braid::commit {

/// The inline budget: what one record carries.
inline constexpr std::uint64_t kInlineBytesMax = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kInlineRowsMax = 4'096;
/// The same for tests that stage with few rows.
struct InlineBudget {
  std::uint64_t rows_max = kInlineRowsMax;
  std::uint64_t bytes_max = kInlineBytesMax;
};

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
  /// A root's position at which the key is known to have been unused; 0: nobody looked.
  Position key_unused_at;

  table::BuiltChanges built;
  /// The committer built it, or tried to, on a group that is not durable: should that fail, it must
  /// be built again.
  bool built_in_group = false;
  table::EncodedChangeSet encoded;
  /// Of a change whose rows have been staged: fragments with the rows of `built`. `encoded` has
  /// none then, and it is not built again in the committer (`read_set_changed` if it must be).
  std::vector<table::Pin> pins;
  /// With pins: the rows in them, for those who rely on one.
  std::shared_ptr<const KeySet> staged_rows;
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

/// Builds on `image`: fills `built`. If that is within the inline budget, also encodes and hashes
/// it (encoded, changes_section) and returns true; else those are empty. After an error of the
/// build, the change is what it was.
Result<bool> prepare_inline(PreparedChange& change, const table::Image& image, env::Random& random,
                            const InlineBudget& budget = {});

/// As prepare_inline(), of a change that was built and whose rows are in the fragments of `pins`.
void prepare_staged(PreparedChange& change, std::vector<table::Pin> pins,
                    const schema::Schema& schema, env::Random& random);

/// `read_set_changed` {member, expected, actual}: others wrote what the change relied on, by
/// `actual`.
Error read_set_changed(const PreparedChange& change, const std::string& member, Position actual);

/// Whether a retry is the request that the stored batch was: scope, branch incarnation, principal,
/// key, request digest and purpose are equal. `idempotency_conflict` if not.
Status check_replay_identity(const MutationBatch& stored, const MutationBatch& retry);

}  // namespace braid::commit
