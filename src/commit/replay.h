// SPDX-License-Identifier: Apache-2.0
// From records to what follows from them: the effects on the state and the next root. Used to open,
// to follow, to catch up after an unknown outcome and to rebuild a state.
//
// Invariants
//   C3  Replay is a pure function of the records: it reads no clock, chance or configuration.
//   C4  Replaying a record gives the effects that committing it gave.
// Threads: a Replay belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commit/prepared_change.h"
#include "commit/record.h"
#include "log/log.h"
#include "manifest/root.h"
#include "table/change_set.h"
#include "table/effects.h"
#include "table/layers.h"

namespace braid::commit {

/// The part of a root that records determine.
struct Heads {
  manifest::Counters counters;
  std::shared_ptr<const schema::Catalog> catalog;
  manifest::BranchMap branches;
  std::shared_ptr<const table::Layers> layers = table::Layers::none();
};
/// The same of a root.
Heads heads_of(const manifest::Root& root);

/// Moves the heads over one commit. `corrupt` unless version, sequence, parents, branch and content
/// hash go on from where the heads are (M2).
Status advance(Heads& heads, const manifest::CommitMeta& meta, Position position,
               const table::ChangeSet& changes, std::size_t outbox_events);

/// The tables that a change set touches.
std::vector<TableId> tables_of(const table::ChangeSet& changes);

/// How many rows of each table were inserted, updated and removed.
std::vector<manifest::TableCounts> counts_of(const table::ChangeSet& changes);

/// The stored answer to the batch's key, if it was used up to the root's position.
/// `idempotency_conflict` if it was used for another request.
Result<std::optional<Outcome>> find_outcome(const manifest::Root& root, const log::CommitLog& log,
                                            const MutationBatch& batch);

/// What the key of a batch is called in the state.
std::string idempotency_state_key(const base::Digest& batch_id);

/// What of a commit or receipt the state must know besides its rows.
struct EffectSource {
  const base::Digest& batch_id;
  /// nullptr for a receipt without a commit.
  const manifest::CommitMeta* meta;
  /// Of a staged commit.
  std::span<const table::Pin> pins;
};

/// The effects of one commit or receipt, without branch records and without what a staged commit's
/// rows leave (append_staged_row_effects).
void append_commit_effects(const EffectSource& commit, Position position,
                           const table::ChangeSet& changes, const table::EncodedChangeSet& encoded,
                           const schema::Schema& schema, std::vector<state::StateWrite>& writes);
/// What the rows of a staged commit's change set leave in the state beside themselves.
void append_staged_row_effects(const table::ChangeSet& changes, const schema::Schema& schema,
                               table::RecordPlace place, std::vector<state::StateWrite>& writes);
/// The branch records as of the heads.
void append_branch_effects(const Heads& heads, std::vector<state::StateWrite>& writes);

class Replay {
 public:
  /// `fragments` outlives the replay; it is asked for rows that leave more in the state than
  /// themselves.
  Replay(const GraphId& graph, Heads heads, const table::FragmentSource& fragments)
      : graph_(graph), heads_(std::move(heads)), fragments_(fragments) {}

  const Heads& heads() const { return heads_; }
  /// Moves over `record` and appends its effects.
  Status apply(const log::Record& record, std::vector<state::StateWrite>& writes);

 private:
  Status apply_created(const log::Record& record);
  Status apply_commit(const log::Record& record, std::vector<state::StateWrite>& writes);
  Status apply_pins(const CommitRecord& commit, Position position,
                    std::vector<state::StateWrite>& writes);

  GraphId graph_;
  Heads heads_;
  const table::FragmentSource& fragments_;
};

/// A root that goes on from another one.
struct Followed {
  std::shared_ptr<manifest::Root> root;
  std::vector<state::StateWrite> writes;
  std::uint64_t records = 0;
};
/// Replays the records from `root` to the log's tail; their effects are in the overlay.
Result<Followed> follow(const log::CommitLog& log, const manifest::Root& root,
                        const table::FragmentSource& fragments);

}  // namespace braid::commit
