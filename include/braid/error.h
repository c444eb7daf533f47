// SPDX-License-Identifier: Apache-2.0
// Errors are values: a stable code says what happened, its kind says what the caller should do.
//
// The list of codes is closed. The text is for people and may change; programs look at the code
// and at the structured details. Layer: base.
// Threads: an Error is an immutable value; any thread may read or copy it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace braid {

/// What the caller should do about an error.
enum class ErrorKind : std::uint8_t {
  kInvalid,      ///< the request is wrong: fix it
  kDenied,       ///< this actor may not
  kNotFound,     ///< there is no such thing
  kConflict,     ///< read again, then decide
  kFenced,       ///< another took over: stop
  kUnavailable,  ///< the same call may succeed later
  kExhausted,    ///< a stated limit was reached: make room, or ask for less
  kGone,         ///< start again from a baseline
  kCorrupt,      ///< stored bytes or the machine broke a rule: an operator must look
};

// X(name, kind, HTTP status). Order is not stored anywhere; names are.
#define BRAID_ERROR_CODES(X)              \
  X(bad_request, kInvalid, 400)           \
  X(parse_error, kInvalid, 400)           \
  X(type_error, kInvalid, 400)            \
  X(mixed_mutation, kInvalid, 400)        \
  X(unsupported, kInvalid, 400)           \
  X(constraint_violation, kInvalid, 422)  \
  X(confirmation_required, kInvalid, 400) \
  X(unauthenticated, kDenied, 401)        \
  X(denied, kDenied, 403)                 \
  X(permission, kDenied, 500)             \
  X(not_found, kNotFound, 404)            \
  X(read_set_changed, kConflict, 409)     \
  X(key_conflict, kConflict, 409)         \
  X(merge_conflicts, kConflict, 409)      \
  X(schema_conflict, kConflict, 409)      \
  X(idempotency_conflict, kConflict, 409) \
  X(stale_version, kConflict, 409)        \
  X(already_exists, kConflict, 409)       \
  X(precondition_failed, kConflict, 412)  \
  X(stale_fence, kFenced, 409)            \
  X(stale_outbox_lease, kFenced, 409)     \
  X(outbox_order_gap, kFenced, 409)       \
  X(fenced, kFenced, 409)                 \
  X(busy, kUnavailable, 429)              \
  X(tenant_quota, kUnavailable, 429)      \
  X(locked, kUnavailable, 503)            \
  X(outcome_unknown, kUnavailable, 503)   \
  X(unavailable, kUnavailable, 503)       \
  X(deadline_exceeded, kUnavailable, 504) \
  X(cancelled, kUnavailable, 503)         \
  X(resource_limit, kExhausted, 413)      \
  X(no_space, kExhausted, 507)            \
  X(read_only, kExhausted, 503)           \
  X(history_reclaimed, kGone, 410)        \
  X(feed_gap, kGone, 410)                 \
  X(key_expired, kGone, 410)              \
  X(corrupt, kCorrupt, 500)               \
  X(format_mismatch, kCorrupt, 500)       \
  X(io_error, kCorrupt, 500)              \
  X(internal, kCorrupt, 500)

/// What happened. `ErrorCode::key_conflict` prints as "key_conflict".
enum class ErrorCode : std::uint8_t {
#define BRAID_ERROR_ENUM(name, kind, http) name,
  BRAID_ERROR_CODES(BRAID_ERROR_ENUM)
#undef BRAID_ERROR_ENUM
};

/// The kind a code belongs to.
ErrorKind kind_of(ErrorCode code);
/// The code's stable name, e.g. "parse_error".
std::string_view name_of(ErrorCode code);
/// The kind's stable name, e.g. "invalid".
std::string_view name_of(ErrorKind kind);
/// The HTTP status a server answers with.
int http_status_of(ErrorCode code);
/// The exit status of the command line (usage errors, 2, are the command line's own).
int exit_status_of(ErrorCode code);

/// A place in a source text. Lines and columns count from 1, columns in Unicode code points;
/// `byte` counts from 0; `length` is in bytes (0 means: the end of the text).
struct SourceSpan {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint64_t byte = 0;
  std::uint64_t length = 0;
  friend bool operator==(const SourceSpan&, const SourceSpan&) = default;
};

/// One failure. Cheap to move, cheap to copy.
class [[nodiscard]] Error {
 public:
  using Detail = std::pair<std::string, std::string>;

  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return body_->code; }
  ErrorKind kind() const { return kind_of(body_->code); }
  /// For people: what happened, what was expected, what to do.
  const std::string& message() const { return body_->message; }
  /// Structured facts in the order they were added, e.g. {"file", "log/…"}, {"offset", "4096"}.
  const std::vector<Detail>& details() const { return body_->details; }
  /// The value of the named detail, or nullptr.
  const std::string* detail(std::string_view name) const;
  /// Where in the source text, for errors about a text.
  const std::optional<SourceSpan>& span() const { return body_->span; }

  /// Copies of this error with a fact, a place or a more helpful message.
  Error with(std::string name, std::string value) const;
  Error with(std::string name, std::uint64_t value) const;
  Error at(SourceSpan span) const;
  Error prefixed(std::string_view context) const;

 private:
  struct Body {
    ErrorCode code;
    std::string message;
    std::vector<Detail> details;
    std::optional<SourceSpan> span;
  };
  explicit Error(std::shared_ptr<const Body> body) : body_(std::move(body)) {}

  std::shared_ptr<const Body> body_;
};

/// `code: message {detail=value, …}` for logs and tests.
std::string to_string(const Error& error);

}  // namespace braid
