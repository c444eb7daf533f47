// SPDX-License-Identifier: Apache-2.0
// The public C++ API: open a graph, read snapshots, commit changes, look at history.
//
//   auto graph = braid::Graph::open("shop.braid", {});
//   auto receipt = graph->load({braid::LoadSource::from_file("rows.jsonl")}, {.key = "import-1"});
//   auto result = graph->read()->query(R"(query q() { match { $p: Person { slug: "ann" } }
//                                                  return { $p.name } })");
//
// Layer: engine.
// No exception leaves the library. Threads: a Graph may be used from any thread; a Snapshot is
// immutable and may outlive later commits, but not its Graph.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "braid/value.h"

namespace braid {

namespace engine {
class GraphCore;
class SnapshotCore;
}  // namespace engine

struct InitOptions {
  /// Succeeds without a change when the graph is already there.
  bool if_not_exists = false;
  /// Who creates it; a pseudonym of this name goes into the log.
  std::string actor = "unknown";
};

struct OpenOptions {
  /// Takes no lock, changes no file, follows a live writer.
  bool read_only = false;
  /// How long to wait for another process that holds the graph; then `locked` {holder}.
  std::uint32_t lock_wait_ms = 10'000;
  /// Batches that may wait for the sequencer; then `busy`. 1 … 65,536.
  std::uint32_t queue_batches_max = 4'096;
  /// Commits the state may lag behind the log; then `busy`. 1,024 … 1,048,576.
  std::uint32_t state_lag_records_max = 65'536;
  /// What this process is called in `locked` errors of others, e.g. its command line.
  std::string process_name = "braid";
};

/// One input of a load.
struct LoadSource {
  /// For error messages. If it ends in `.gz` or `.zst`, the bytes are gzip or Zstandard.
  std::string name;
  /// Fills the buffer with the next bytes and returns how many; 0 at the end.
  std::function<Result<std::size_t>(char* out, std::size_t size)> read;

  static LoadSource from_text(std::string name, std::string text);
  /// Opened when the load starts.
  static LoadSource from_file(std::string path);
};

enum class LoadMode : std::uint8_t {
  kAppend,  ///< an id that exists is `key_conflict`
  kMerge,   ///< upsert by id: named properties are set, others keep their value
  /// The types that have rows here have these rows and no others afterwards; `constraint_violation`
  /// if an edge of another type would lose an end. What removes rows must fit one log record (4,096
  /// rows, 1 MiB), or it is `resource_limit`.
  kOverwrite,
};

/// What every change may say about itself.
struct WriteOptions {
  std::string branch = "main";
  /// The idempotency key: a retry with the same key and the same request gets the first receipt.
  /// Empty: a fresh one is made.
  std::string key;
  /// Terminal precondition: the branch's head must be exactly this commit.
  std::optional<CommitId> if_commit;
  /// Who; a pseudonym of this name goes into the log, the name into the erasable directory.
  std::string actor = "unknown";
  /// Why; part of the replay identity.
  std::string purpose;
};

/// How far a load is.
struct LoadProgress {
  /// Of text, after decompression.
  std::uint64_t bytes_read = 0;
  /// All text is read before the first row is parsed, all rows are parsed before the first is
  /// written.
  std::uint64_t rows_parsed = 0;
};

struct LoadOptions : WriteOptions {
  LoadMode mode = LoadMode::kAppend;
  /// How many threads may work on it; 0: as many as the machine can run. The outcome, errors too,
  /// does not depend on it.
  std::uint32_t threads = 0;
  /// Told now and then, once for each MiB of text or so; each number only grows. By one thread at a
  /// time, perhaps not the caller's, and never after load() has returned. May not use the graph.
  std::function<void(const LoadProgress&)> progress = {};
};

/// What a committed (or replayed) change is answered with.
struct Receipt {
  /// Absent when nothing had to change.
  std::optional<CommitId> commit;
  Version version;
  Position position;
  Sequence sequence;
  std::uint64_t nodes_inserted = 0;
  std::uint64_t nodes_updated = 0;
  std::uint64_t edges_inserted = 0;
  std::uint64_t edges_updated = 0;
  std::string key;
  /// 0: the key is not kept (nothing was committed, and the caller gave none).
  std::int64_t key_valid_until_ms = 0;
  /// True when this is the stored answer to an earlier call with the same key.
  bool replayed = false;
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// Where a parameter comes from: its name (without '$') to its value.
using Parameters = std::map<std::string, Value, std::less<>>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

/// Rows of one type that a commit touched.
struct TypeChange {
  std::string type;
  bool is_edge = false;
  std::uint64_t inserted = 0;
  std::uint64_t updated = 0;
  std::uint64_t deleted = 0;
  friend bool operator==(const TypeChange&, const TypeChange&) = default;
};

/// One changed row, for `show`.
struct RowChange {
  enum class Kind : std::uint8_t { kInserted, kUpdated, kDeleted };
  Kind kind = Kind::kInserted;
  std::string type;
  bool is_edge = false;
  std::string id;
  /// Of an edge.
  std::string from;
  std::string to;
  /// The row after the change: properties in schema order, nulls left out.
  Value::Object after;
};

/// A commit as `log` lists it.
struct CommitInfo {
  CommitId id;
  std::vector<CommitId> parents;
  Version version;
  Position position;
  Sequence sequence;
  std::string branch;
  /// "principal:sha256:…".
  std::string principal;
  /// The name behind it, if the directory of names still has it.
  std::optional<std::string> actor;
  /// "init", "load", …
  std::string surface;
  std::string purpose;
  std::string key;
  std::int64_t authored_ms = 0;
  std::int64_t committed_ms = 0;
  /// Hexadecimal: 32 digits for the content of the branch after it, 64 for its link in the audit
  /// chain.
  std::string content_hash;
  std::string record_hash;
  std::vector<TypeChange> changes;
};

struct CommitDetail {
  CommitInfo info;
  std::vector<RowChange> rows;
};

struct VerifyReport {
  std::uint64_t records = 0;
  std::uint64_t commits = 0;
  std::uint64_t rows = 0;
  /// Empty: everything holds.
  std::vector<Error> findings;
  /// There are more than are listed.
  bool findings_truncated = false;
};

/// What an export takes, and where it goes.
struct ExportOptions {
  /// Names of node and edge types; empty: all. A name that both kinds have means both.
  std::vector<std::string> types;
};
/// Takes the next piece, of JSON Lines whole lines; an error ends the export and is passed on.
using ExportSink = std::function<Status(std::string_view piece)>;

/// An immutable view of one branch at one commit.
class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const engine::SnapshotCore> core);
  /// The head commit it shows.
  CommitId commit() const;
  Version version() const;
  /// Runs the query named `name` of `text` (the only one, if empty). `parse_error` and `type_error`
  /// carry a span in `text`; `unsupported` names the construct that is not there yet.
  Result<QueryResult> query(std::string_view text, const Parameters& parameters = {},
                            std::string_view name = {}) const;
  /// The canonical text of the schema.
  std::string schema() const;
  /// Every row as JSON Lines that load() reads: node types by name, then edge types by name, rows
  /// by id. The same rows give the same bytes, whatever commits wrote them. `bad_request` {type}
  /// for a type that the schema does not have.
  Status export_jsonl(const ExportOptions& options, const ExportSink& sink) const;
  /// The rows of one node or edge type, by id, as an Arrow IPC file: the columns `id`, of edges
  /// `src` and `dst`, and one for each property (docs/formats/fragments.md says which Arrow type).
  /// `bad_request` {type} for a name that the schema does not have or that both kinds have.
  Status export_arrow(std::string_view type, const ExportSink& sink) const;

 private:
  std::shared_ptr<const engine::SnapshotCore> core_;
};

/// An open graph. Movable handle; the last one to go closes the graph.
class Graph {
 public:
  /// Makes a new graph in the directory `path` (created if absent; must hold nothing else) with the
  /// `.pg` schema. Safe to repeat after a crash: an unfinished init starts over. `already_exists`.
  static Result<Graph> init(std::string_view path, std::string_view schema,
                            const InitOptions& init_options = {}, const OpenOptions& options = {});
  /// `not_found`, `locked` {holder}, `corrupt` {file, offset}, `format_mismatch`.
  static Result<Graph> open(std::string_view path, const OpenOptions& options = {});
  /// A graph without a directory; gone with its last handle.
  static Result<Graph> in_memory(std::string_view schema, const OpenOptions& options = {});

  /// The newest durable snapshot of a branch. Never waits for writers. `not_found`.
  Result<Snapshot> read(std::string_view branch = "main") const;

  /// Commits all rows of the sources at once, or none. Errors of the input (`parse_error`,
  /// `type_error`, `constraint_violation`, `key_conflict`) carry file, line, byte, field, value and
  /// expected type. Others: `not_found` (the branch), `idempotency_conflict`,
  /// `precondition_failed`, `resource_limit` (512 MiB of text, 4,194,304 rows), `busy`, `no_space`,
  /// `read_set_changed` (a large load whose rows others kept changing), `read_only`, `unavailable`
  /// (closed, or nothing was written: try again), and `outcome_unknown` {batch_id}: ask again with
  /// the same key.
  Result<Receipt> load(std::vector<LoadSource> sources, const LoadOptions& options = {});

  /// Newest first, along first parents. `limit` 0: all.
  Result<std::vector<CommitInfo>> log(std::string_view branch = "main",
                                      std::uint64_t limit = 0) const;
  /// `not_found`; `bad_request` for what is no commit id.
  Result<CommitDetail> show(std::string_view commit) const;

  /// Re-checks frames, chain, content hashes, the state against the log, and that each known name
  /// belongs to its pseudonym.
  Result<VerifyReport> verify() const;

  /// Writes what is pending and marks the log as cleanly closed; other calls are `unavailable` from
  /// then on. Repeating it gives the first call's answer. An error here loses no commit: the next
  /// open recovers.
  /// Let snapshots go first: while one is alive, the graph cannot be opened for writing (`locked`).
  Status close();

 private:
  explicit Graph(std::shared_ptr<engine::GraphCore> core);
  std::shared_ptr<engine::GraphCore> core_;
};

}  // namespace braid
