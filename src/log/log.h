// SPDX-License-Identifier: Apache-2.0
// The commit log: the authority. A change exists when, and only when, its record is durable here.
// File (file_log.h), memory (memory_log.h) and simulated (sim_log.h) logs stand behind this
// interface and pass one conformance suite (tests/log).
//
// Invariants
//   L3  append() answers kDone only after the whole group is durable.
//   L4  Positions are dense from 1; a position once acknowledged never changes its record.
//   L5  Nothing is returned by any read that a crash could take back.
//   L6  At most one group is in flight: group n+1 is written only after n is durable.
// Threads: one appender at a time (the sequencer); reads from any thread, also during append().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "log/record.h"

namespace braid::log {

struct LogTail {
  /// The last durable record; 0 while there is none.
  Position last;
  /// Its hash, or the genesis hash.
  base::Digest hash{};
  Epoch epoch;
  /// The log's clock at the last append, milliseconds.
  std::int64_t time_ms = 0;
};

enum class AppendOutcome : std::uint8_t {
  kDone,     ///< durable
  kRefused,  ///< nothing was written; the log is usable (`no_space`, `resource_limit`)
  kLost,     ///< another appender owns the position (`fenced`)
  kUnknown,  ///< may or may not be there; only recover() can tell
};

struct AppendResult {
  AppendOutcome outcome = AppendOutcome::kDone;
  /// Why not; absent when done.
  std::optional<Error> error;
  /// When done: the chain hash and the time (log's clock) of the group.
  base::Digest last_hash{};
  std::int64_t time_ms = 0;
};

/// Bounds of one group; a graph's log has one setting for its life.
struct GroupLimits {
  /// Sum of encoded_size() over the group.
  std::size_t bytes_max = std::size_t{4} << 20;
  std::size_t records_max = 1024;
};

/// `bad_request` for an empty group, `resource_limit` for one over the limits.
Status check_group(std::span<const RecordDraft> group, const GroupLimits& limits);

/// Receives records in order; an error stops the read and is passed on.
using RecordVisitor = std::function<Status(const Record&)>;

class CommitLog {
 public:
  virtual ~CommitLog() = default;

  virtual GraphId graph() const = 0;
  /// What is durable now.
  virtual LogTail tail() const = 0;

  /// Appends the group at `first`, one frame: all of it or none. Blocks until durable. `time_ms` is
  /// stored as the group's time (take it from clock_ms(); an earlier time than the last group's is
  /// raised to that). An empty group or one over the limits is refused. kLost when `first` is not
  /// the position after the last. After kUnknown every append answers kUnknown until recover()
  /// succeeded.
  virtual AppendResult append(Position first, std::span<const RecordDraft> group,
                              std::int64_t time_ms) = 0;

  /// After kUnknown: finds out what survived, makes it durable and makes the log usable again.
  /// Harmless at any other time. On failure the log stays unusable and reads go on.
  virtual Result<LogTail> recover() = 0;

  /// Visits the durable records from `first` to `last`, inclusive; stops early at the durable end.
  /// `corrupt` {file, offset} for damage, `history_reclaimed` below the truncation point.
  virtual Status read(Position first, Position last, const RecordVisitor& visit) const = 0;

  /// max(time of the last group, wall clock): never back.
  virtual std::int64_t clock_ms() const = 0;

  /// Lets go of whole segments below `keep_from`. Positions stay taken.
  virtual Status truncate_below(Position keep_from) = 0;
  /// The first position that can still be read.
  virtual Position first() const = 0;

  /// For followers (read-only handles): looks for what the writer has made durable since.
  virtual Result<LogTail> refresh() = 0;

  /// Re-reads everything: frames, digests, chain, order. The first damage found, or nothing.
  virtual Status verify() const = 0;

  /// Ends the session: a clean-stop marker, so that the next open trusts the tail. Appends are
  /// refused afterwards (`unavailable`).
  virtual Status close() = 0;
};

/// One record; `not_found` beyond the durable end.
Result<Record> read_one(const CommitLog& log, Position position);

}  // namespace braid::log
