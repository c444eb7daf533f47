// SPDX-License-Identifier: Apache-2.0
#include "commit/prepared_change.h"

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

Status prepare_changes(PreparedChange& change, const table::Image& image, env::Random& random) {
  BRAID_ASSIGN(change.built, change.build(image));
  const std::uint64_t rows = change.built.changes.row_count();
  if (rows > kInlineRowsMax) return over_budget("inline_rows", kInlineRowsMax, rows);
  change.encoded = table::encode(change.built.changes, image.schema());
  if (change.encoded.bytes.size() > kInlineBytesMax) {
    return over_budget("inline_bytes", kInlineBytesMax, change.encoded.bytes.size());
  }
  change.changes_section =
      log::make_section(state::number_of(state::SectionTag::changes), change.encoded.bytes, random);
  return Unit{};
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
