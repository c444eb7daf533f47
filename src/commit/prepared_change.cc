// SPDX-License-Identifier: Apache-2.0
#include "commit/prepared_change.h"

#include "base/assert.h"
#include "state/registry.h"

namespace braid::commit {
namespace {

Error over_budget(std::string resource, std::uint64_t limit, std::uint64_t actual) {
  return Error(ErrorCode::resource_limit,
               "the change is larger than one log record may carry; split it")
      .with("resource", std::move(resource))
      .with("limit", limit)
      .with("actual", actual);
}

}  // namespace

Result<bool> prepare_inline(PreparedChange& change, const table::Image& image, env::Random& random,
                            const InlineBudget& budget) {
  BRAID_ASSIGN(change.built, change.build(image));
  change.encoded = {};
  if (change.built.changes.row_count() > budget.rows_max) return false;
  change.encoded = table::encode(change.built.changes, image.schema());
  if (change.encoded.bytes.size() > budget.bytes_max) return false;
  change.changes_section =
      log::make_section(state::number_of(state::SectionTag::changes), change.encoded.bytes, random);
  return true;
}

Status prepare_changes(PreparedChange& change, const table::Image& image, env::Random& random) {
  BRAID_ASSIGN(const bool fits, prepare_inline(change, image, random));
  if (fits) return Unit{};
  const std::uint64_t rows = change.built.changes.row_count();
  if (rows > kInlineRowsMax) return over_budget("inline_rows", kInlineRowsMax, rows);
  return over_budget("inline_bytes", kInlineBytesMax, change.encoded.bytes.size());
}

void prepare_staged(PreparedChange& change, std::vector<table::Pin> pins,
                    const schema::Schema& schema, env::Random& random) {
  BRAID_ASSERT(!pins.empty());
  const table::ChangeSet without_rows{{}, change.built.changes.hash_parts};
  change.pins = std::move(pins);
  change.encoded = table::encode(without_rows, schema);
  change.changes_section =
      log::make_section(state::number_of(state::SectionTag::changes), change.encoded.bytes, random);
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
