// SPDX-License-Identifier: Apache-2.0
// The answers that all logs give alike. Threads: functions of their arguments.
#pragma once

#include <utility>

#include "log/log.h"

namespace braid::log {

inline AppendResult done(const LogTail& tail) {
  return {AppendOutcome::kDone, std::nullopt, tail.hash, tail.time_ms};
}

inline AppendResult refused(Error error) {
  return {AppendOutcome::kRefused, std::move(error), {}, 0};
}

inline AppendResult unknown(Error error) {
  return {AppendOutcome::kUnknown, std::move(error), {}, 0};
}

inline AppendResult lost(Position expected, Position actual) {
  return {AppendOutcome::kLost,
          Error(ErrorCode::fenced, "another appender owns this position of the log")
              .with("expected", expected.value)
              .with("actual", actual.value),
          {},
          0};
}

inline Error closed_error() {
  return Error(ErrorCode::unavailable, "this session of the log has ended: open it again");
}

inline Error read_only_error() {
  return Error(ErrorCode::read_only, "the log was opened for reading only");
}

/// What an append, a truncation or a close says between a failed write and recover().
inline Error outcome_unknown_error(const Error& cause) {
  return Error(ErrorCode::outcome_unknown,
               "a write to the log failed, so its last group may or may not be there: recover")
      .with("cause", to_string(cause));
}

inline Error reclaimed(Position asked, Position first) {
  return Error(ErrorCode::history_reclaimed, "the log no longer holds this position")
      .with("position", asked.value)
      .with("first", first.value);
}

}  // namespace braid::log
