// SPDX-License-Identifier: Apache-2.0
#include "log/log.h"

#include "log/record_codec.h"

namespace braid::log {
namespace {

Error over_limit(std::string_view resource, std::uint64_t limit, std::uint64_t actual) {
  return Error(ErrorCode::resource_limit, "the group is over a limit of the log")
      .with("resource", std::string(resource))
      .with("limit", limit)
      .with("actual", actual);
}

}  // namespace

Status check_group(std::span<const RecordDraft> group, const GroupLimits& limits) {
  if (group.empty()) return Error(ErrorCode::bad_request, "a group needs at least one record");
  if (group.size() > limits.records_max) {
    return over_limit("group_records", limits.records_max, group.size());
  }
  std::uint64_t bytes = 0;
  for (const RecordDraft& draft : group) {
    if (draft.sections.size() > kRecordSectionsMax) {
      return over_limit("record_sections", kRecordSectionsMax, draft.sections.size());
    }
    bytes += encoded_size(draft);
  }
  if (bytes > limits.bytes_max) return over_limit("group_bytes", limits.bytes_max, bytes);
  return Unit{};
}

Result<Record> read_one(const CommitLog& log, Position position) {
  std::optional<Record> found;
  BRAID_TRY(log.read(position, position, [&](const Record& record) -> Status {
    found = record;
    return Unit{};
  }));
  if (!found) {
    return Error(ErrorCode::not_found, "the log does not reach this position")
        .with("position", position.value);
  }
  return *std::move(found);
}

}  // namespace braid::log
