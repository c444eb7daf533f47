// SPDX-License-Identifier: Apache-2.0
// The stored result of a change: what the client was given, and what every retry is given again.
// The `receipt` section of a record (docs/formats/records.md). Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/ids.h"
#include "braid/result.h"
#include "table/change_builder.h"

namespace braid::commit {

/// How long an idempotency key is kept: 7 days.
inline constexpr std::int64_t kKeyValidMs = std::int64_t{7} * 24 * 3600 * 1000;

struct StoredReceipt {
  /// Absent when the change matched nothing.
  std::optional<CommitId> commit;
  /// Of the branch's effective head after the change.
  Version version;
  Position position;
  /// Of its first outbox event; 0 without one.
  Sequence sequence;
  table::RowCounts counts;
  std::int64_t key_valid_until_ms = 0;
  friend bool operator==(const StoredReceipt&, const StoredReceipt&) = default;
};

std::string encode(const StoredReceipt& receipt);
Result<StoredReceipt> decode_receipt(std::string_view bytes);

}  // namespace braid::commit
