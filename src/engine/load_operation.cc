// SPDX-License-Identifier: Apache-2.0
// Graph::load: read, look the key up, parse, build on a snapshot; commit inline what one record
// carries, and what is larger by fragments that the record pins.
#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "engine/graph_core.h"
#include "engine/load_input.h"
#include "engine/snapshot_core.h"

namespace braid::engine {
namespace {

// How often a load whose rows others keep changing is prepared before it says so.
constexpr int kAttemptsMax = 5;
// What the client sent: mode and bytes, not the names of files.
base::Digest digest_of(const std::vector<base::Digest>& texts, LoadMode mode) {
  base::ByteWriter header;
  header.u8(static_cast<std::uint8_t>(mode));
  std::string parts;
  for (const base::Digest& text : texts) parts.append(base::as_view(text));
  return base::sha256({"load\n", header.view(), parts});
}

table::WriteMode write_mode_of(LoadMode mode) {
  switch (mode) {
    case LoadMode::kAppend: return table::WriteMode::append;
    case LoadMode::kMerge: return table::WriteMode::merge;
    case LoadMode::kOverwrite: return table::WriteMode::overwrite;
  }
  return table::WriteMode::append;
}

commit::MutationBatch make_batch(GraphCore& core, const manifest::Branch& branch,
                                 const LoadOptions& options, const base::Digest& digest) {
  env::Env& env = core.env();
  commit::MutationBatch batch;
  batch.context.request_id = env::make_ulid(env.clock, env.random).to_string();
  batch.context.principal = core.mutable_names().principal_of(core.graph(), options.actor);
  if (!options.purpose.empty()) batch.context.purpose = options.purpose;
  batch.scope.name = branch.name;
  batch.scope.incarnation = core.graph_text();
  batch.scope.branch = branch.incarnation;
  batch.idempotency_key =
      options.key.empty() ? env::make_ulid(env.clock, env.random).to_string() : options.key;
  batch.batch_id =
      commit::batch_id_of(core.graph(), batch.context.principal, batch.idempotency_key);
  batch.request_digest = digest;
  batch.operations.push_back({0, "load", commit::Domain::graph_rows});
  batch.outbox.emplace_back(commit::kProjectionRebuild);
  batch.created_at_ms = env.clock.now_ms();
  return batch;
}

Receipt to_receipt(const commit::Outcome& outcome, const std::string& key) {
  const commit::StoredReceipt& stored = outcome.receipt;
  Receipt receipt;
  receipt.commit = stored.commit;
  receipt.version = stored.version;
  receipt.position = stored.position;
  receipt.sequence = stored.sequence;
  receipt.nodes_inserted = stored.counts.nodes_inserted;
  receipt.nodes_updated = stored.counts.nodes_updated;
  receipt.edges_inserted = stored.counts.edges_inserted;
  receipt.edges_updated = stored.counts.edges_updated;
  receipt.key = key;
  receipt.key_valid_until_ms = stored.key_valid_until_ms;
  receipt.replayed = outcome.replayed;
  return receipt;
}

// They go into JSON and onto terminals one day.
Status check_utf8(std::string_view name, std::string_view text) {
  const std::size_t end = base::utf8_end(text);
  if (end == text.size()) return Unit{};
  return Error(ErrorCode::bad_request, fmt::format("the {} is not UTF-8", name))
      .with("field", std::string(name))
      .with("byte", end);
}

Status check_key(const WriteOptions& options) {
  BRAID_TRY(check_utf8("key", options.key));
  BRAID_TRY(check_utf8("actor", options.actor));
  BRAID_TRY(check_utf8("purpose", options.purpose));
  constexpr std::size_t kKeyBytesMax = 1024;
  if (options.key.size() <= kKeyBytesMax) return Unit{};
  return Error(ErrorCode::resource_limit, "the idempotency key is too long")
      .with("resource", "idempotency_key_bytes")
      .with("limit", kKeyBytesMax)
      .with("actual", options.key.size());
}

// Also asked in the committer; here it spares the work.
Status check_head(const WriteOptions& options, const manifest::Branch& branch) {
  if (!options.if_commit || (branch.head && branch.head->id == *options.if_commit)) return Unit{};
  return Error(ErrorCode::precondition_failed, "the branch's head is another commit")
      .with("expected", options.if_commit->to_string())
      .with("actual", branch.head ? branch.head->id.to_string() : "none");
}

// Fragments hold rows that are there: what is gone only a record can say.
Status check_stageable(const table::ChangeSet& changes) {
  std::uint64_t removed = 0;
  for (const table::TableChanges& table : changes.tables) {
    removed += static_cast<std::uint64_t>(std::count_if(
        table.rows.begin(), table.rows.end(),
        [](const table::RowChange& change) { return change.kind == table::ChangeKind::remove; }));
  }
  if (removed == 0) return Unit{};
  return Error(ErrorCode::resource_limit,
               "an overwrite that removes rows must fit one log record: load fewer rows at a time")
      .with("resource", "inline_rows")
      .with("limit", commit::kInlineRowsMax)
      .with("actual", changes.row_count())
      .with("removed", removed);
}

/// A load that has been read and parsed: prepared and committed as often as it takes.
class LoadAttempts {
 public:
  LoadAttempts(GraphCore& core, commit::MutationBatch batch, const LoadOptions& options,
               std::shared_ptr<const LoadRows> rows, const table::BuildOptions& build)
      : core_(core),
        batch_(std::move(batch)),
        options_(options),
        rows_(std::move(rows)),
        build_(build),
        commit_{env::make_ulid(core.env().clock, core.env().random)} {}

  Result<commit::Outcome> run(std::shared_ptr<const manifest::Root> root) {
    for (int attempt = 1;; ++attempt) {
      const manifest::Branch* branch = root->branch(batch_.scope.branch);
      if (branch == nullptr) {
        return Error(ErrorCode::not_found, "the branch is not there any more")
            .with("branch", batch_.scope.name);
      }
      commit::PreparedChange change = begin(root, *branch, attempt);
      const table::Image image = image_of(core_, root, *branch);
      BRAID_ASSIGN(const bool is_inline, commit::prepare_inline(change, image, core_.env().random,
                                                                core_.options().inline_budget));
      if (!is_inline) BRAID_TRY(check_stageable(change.built.changes));
      auto outcome = is_inline ? core_.sequencer()->commit(std::move(change))
                               : commit_staged(std::move(change), image.schema());
      const bool touched = !outcome && outcome.error().code() == ErrorCode::read_set_changed;
      if (!touched || attempt == kAttemptsMax) return outcome;
      BRAID_ASSIGN(root, core_.root());
    }
  }

 private:
  commit::PreparedChange begin(const std::shared_ptr<const manifest::Root>& root,
                               const manifest::Branch& branch, int attempt) const {
    commit::PreparedChange change;
    change.batch = batch_;
    change.commit_id = commit_;
    change.token = {root->position, branch.incarnation,
                    branch.head ? std::optional(branch.head->id) : std::nullopt,
                    root->counters.catalog};
    change.if_commit = options_.if_commit;
    change.key_is_callers = !options_.key.empty();
    // A chosen key was looked up in the first root or a later one; one that was drawn is new. Of a
    // later attempt, nobody looked it up.
    change.key_unused_at = attempt == 1 ? root->position : Position{};
    // The rows point into the catalog of `root`, which the closure keeps alive.
    change.build = [rows = rows_, build = build_, root](const table::Image& image) {
      return table::build_changes(rows->rows(), build, image);
    };
    return change;
  }

  // The files are this operation's own until a record pins them.
  Result<commit::Outcome> commit_staged(commit::PreparedChange change,
                                        const schema::Schema& schema) {
    FragmentStore& fragments = core_.fragments();
    const Ulid operation = env::make_ulid(core_.env().clock, core_.env().random);
    auto staged = fragments.stage(operation, change.built.changes.tables, schema);
    if (!staged) {
      fragments.discard(operation);
      return staged.error();
    }
    const std::vector<table::Pin> pins = *staged;
    commit::prepare_staged(change, *std::move(staged), schema, core_.env().random);
    auto outcome = core_.sequencer()->commit(std::move(change));
    // Of unknown outcome, they may be pinned: the next open knows.
    const bool unknown = !outcome && outcome.error().code() == ErrorCode::outcome_unknown;
    if (!unknown && (!outcome || outcome->replayed)) fragments.discard(pins);
    return outcome;
  }

  GraphCore& core_;
  const commit::MutationBatch batch_;
  const LoadOptions& options_;
  const std::shared_ptr<const LoadRows> rows_;
  const table::BuildOptions build_;
  const CommitId commit_;
};

}  // namespace

Result<Receipt> GraphCore::load(std::vector<LoadSource> sources, const LoadOptions& options) {
  BRAID_TRY(check_writable());
  BRAID_TRY(check_key(options));
  ProgressTeller progress(options.progress);
  BRAID_ASSIGN(LoadTexts input, read_sources(sources, progress));
  BRAID_ASSIGN(const auto root, this->root());
  const manifest::Branch* branch = root->branch(options.branch);
  if (branch == nullptr) {
    return Error(ErrorCode::not_found, "there is no such branch").with("branch", options.branch);
  }
  commit::MutationBatch batch =
      make_batch(*this, *branch, options, digest_of(input.digests, options.mode));
  BRAID_TRY(commit::validate(batch, graph_));
  const std::string key = batch.idempotency_key;
  if (!options.key.empty()) {
    // A retry is answered before anything is parsed.
    BRAID_ASSIGN(const auto replayed, sequencer_->replayed(batch));
    if (replayed) return to_receipt(*replayed, key);
  }
  BRAID_TRY(check_head(options, *branch));
  BRAID_TRY(names_->remember(batch.context.principal, options.actor));

  const env::Crew crew(env_.workers, options.threads);
  BRAID_ASSIGN(LoadRows parsed,
               parse_texts(std::move(input.texts), root->catalog->schema(), env_, crew, progress));
  const auto rows = std::make_shared<const LoadRows>(std::move(parsed));
  const table::BuildOptions build{write_mode_of(options.mode), hash_salt_, crew};
  auto outcome = LoadAttempts(*this, std::move(batch), options, rows, build).run(root);
  if (!outcome) return rows->locate(outcome.error());
  return to_receipt(*outcome, key);
}

}  // namespace braid::engine
