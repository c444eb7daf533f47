// SPDX-License-Identifier: Apache-2.0
// The commit log in a directory of segment files. This is the entry of the layer; the format and
// what every crash leaves are in docs/formats/log.md.
//
//   frame.h, segment.h   bytes                    survey.h       what is there, what is durable
//   segment_walk.h       from frame to frame      log_writer.h   append, seal, switch, recover
//   segment_maker.h      spare and reserve        log_reader.h   read by position, verify
//
// Exclusive access of one writer is the caller's business (a lock on the graph's directory).
// Threads: as CommitLog.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "env/env.h"
#include "env/mutex.h"
#include "log/log.h"
#include "log/log_reader.h"
#include "log/log_writer.h"

namespace braid::log {

class FileLog final : public CommitLog {
  struct Key {
    explicit Key() = default;
  };

 public:
  /// A new log for `graph`, in a directory that need not exist; its parent does. Completes what a
  /// crash in an earlier create() left. `already_exists` if there is a log that holds records, or
  /// one that cannot be read: nothing is ever overwritten that may be worth something.
  static Result<std::unique_ptr<FileLog>> create(env::Env& env, std::string directory,
                                                 GraphId graph, const LogOptions& options = {});
  /// For writing: a new session. After an unclean stop, what survived is made durable first.
  /// `graph`: whose log it must be; nullopt takes any. `corrupt` {file, offset, expected, actual}
  /// for damage, and for a missing directory or segment; `format_mismatch`; `no_space` when an
  /// unclean stop needs room that there is none for (read-only opening still works).
  static Result<std::unique_ptr<FileLog>> open(env::Env& env, std::string directory,
                                               std::optional<GraphId> graph,
                                               const LogOptions& options = {});
  /// Follows a log that another handle, or nobody, writes. Creates and changes no file, takes no
  /// lock. Shows what is proven durable: of a live writer that may be one group less than it
  /// acknowledged, until the next group or, when idle, the seal.
  static Result<std::unique_ptr<FileLog>> open_read_only(env::Env& env, std::string directory,
                                                         std::optional<GraphId> graph);

  FileLog(Key, env::Env& env, std::string directory, GraphId graph);
  ~FileLog() override;

  GraphId graph() const override { return graph_; }
  LogTail tail() const override { return reader_.tail(); }
  AppendResult append(Position first, std::span<const RecordDraft> group,
                      std::int64_t time_ms) override;
  Result<LogTail> recover() override;
  Status read(Position first, Position last, const RecordVisitor& visit) const override {
    return reader_.read(first, last, visit);
  }
  std::int64_t clock_ms() const override;
  Status truncate_below(Position keep_from) override;
  Position first() const override { return reader_.first(); }
  Result<LogTail> refresh() override;
  Status verify() const override { return reader_.verify(); }
  /// The destructor without close() is an unclean stop.
  Status close() override;

  /// Zeros in a read-only handle.
  LogStats stats() const;

 private:
  env::Env& env_;
  const std::string directory_;
  const GraphId graph_;
  LogReader reader_;
  /// Null in a read-only handle.
  std::unique_ptr<LogWriter> writer_;

  env::Mutex follow_mutex_;
  std::optional<Survey> followed_ BRAID_GUARDED_BY(follow_mutex_);
};

}  // namespace braid::log
