// SPDX-License-Identifier: Apache-2.0
#include "commit/prepared_change.h"

#include "base/assert.h"
#include "state/keys.h"
#include "state/registry.h"

namespace braid::commit {
Result<bool> prepare_inline(PreparedChange& change, const table::Image& image, env::Random& random,
                            const InlineBudget& budget) {
  BRAID_ASSIGN(change.built, change.build(image));
  change.encoded = {};
  change.changes_section = {};
  if (change.built.changes.row_count() > budget.rows_max) return false;
  table::EncodedChangeSet encoded = table::encode(change.built.changes, image.schema());
  if (encoded.bytes.size() > budget.bytes_max) return false;
  change.encoded = std::move(encoded);
  change.changes_section =
      log::make_section(state::number_of(state::SectionTag::changes), change.encoded.bytes, random);
  return true;
}

namespace {

std::shared_ptr<const KeySet> rows_of(const table::ChangeSet& changes, BranchIncarnation branch) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(changes.row_count());
  for (const table::TableChanges& table : changes.tables) {
    for (const table::RowChange& change : table.rows) {
      hashes.push_back(
          KeySet::hash_of(state::row_version_prefix(table.table, branch, change.row.id)));
    }
  }
  return std::make_shared<const KeySet>(std::move(hashes));
}

}  // namespace

void prepare_staged(PreparedChange& change, std::vector<table::Pin> pins,
                    const schema::Schema& schema, env::Random& random) {
  BRAID_ASSERT(!pins.empty());
  const table::ChangeSet without_rows{{}, change.built.changes.hash_parts};
  change.pins = std::move(pins);
  change.staged_rows = rows_of(change.built.changes, change.token.branch);
  change.encoded = table::encode(without_rows, schema);
  change.changes_section =
      log::make_section(state::number_of(state::SectionTag::changes), change.encoded.bytes, random);
}

Error read_set_changed(const PreparedChange& change, const std::string& member, Position actual) {
  return Error(ErrorCode::read_set_changed, "others changed what this change relied on")
      .with("member", member)
      .with("expected", change.token.based_on.value)
      .with("actual", actual.value);
}

Status check_replay_identity(const MutationBatch& stored, const MutationBatch& retry) {
  const char* differs = nullptr;
  if (stored.scope != retry.scope) differs = "scope";
  if (stored.context.principal != retry.context.principal) differs = "principal";
  if (stored.idempotency_key != retry.idempotency_key) differs = "idempotency_key";
  if (stored.request_digest != retry.request_digest) differs = "request";
  if (stored.context.purpose != retry.context.purpose) differs = "purpose";
  if (differs == nullptr) return Unit{};
  return Error(ErrorCode::idempotency_conflict,
               "this idempotency key was used for another request; take a new key")
      .with("key", retry.idempotency_key)
      .with("differs", differs);
}

}  // namespace braid::commit
