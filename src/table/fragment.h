// SPDX-License-Identifier: Apache-2.0
// A fragment: rows of one table in an immutable Arrow IPC file, ascending by id, each id once
// (docs/formats/fragments.md). Written by loads and folds, mapped and read in place: opening looks
// at the footer, finding a key at O(log rows) ids, a scan at the columns it is for.
//
// A fragment is written under one schema and read under a later one: columns are found by the
// identity of their property, and a property that the fragment does not have is null.
//
// Invariants
//   T8  The ids of a fragment ascend strictly by byte value, through all of its batches; check()
//       says `corrupt` where they do not, other readers may miss rows then.
//   T9  A row read is the row written: read(find(row.id)) = row for every appended row, and find()
//       is nothing for every other id.
//   T14 What decides about other rows (ids, ends, stamps, members of unique constraints) is what
//   was
//       written, or reading it says `corrupt`: a batch's checksums are compared when it is first
//       read. Other values are not looked at. Fragments of before there were checksums have none.
// Errors: of reading, `corrupt` with details `file`, and `offset` where there is one.
// Threads: a FragmentWriter belongs to one thread; a Fragment is immutable to its users, any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ids.h"
#include "braid/result.h"
#include "columnar/arrow/builder.h"
#include "columnar/arrow/ipc_reader.h"
#include "columnar/arrow/ipc_writer.h"
#include "env/mutex.h"
#include "schema/schema.h"
#include "table/change_set.h"

namespace braid::table {

/// A row of a fragment with what commits need to know of it.
struct FragmentRow {
  RowImage row;
  /// The stamp of the row that it replaced where it was written; 0 for an insert.
  Position previous;
  /// Who wrote it; nullopt: whoever pinned the fragment.
  std::optional<Position> stamp;
  friend bool operator==(const FragmentRow&, const FragmentRow&) = default;
};

struct FragmentOptions {
  /// A batch ends with whichever comes first.
  std::size_t batch_rows = 65'536;
  std::size_t batch_bytes = std::size_t{64} << 20;
  columnar::arrow::Compression compression = columnar::arrow::Compression::none;
  /// Whether rows may replace others; without it, all are inserts.
  bool with_previous = false;
  /// Whether rows carry stamps of their own, as those of a fold do.
  bool with_stamps = false;
};

/// An edge of a fragment without its properties. The text stays as long as the fragment.
struct FragmentEdge {
  std::string_view id;
  std::string_view src;
  std::string_view dst;
  /// Who wrote it; nullopt: whoever pinned the fragment.
  std::optional<Position> stamp;
};

/// Where the edges of one batch begin and end.
struct EndColumns {
  columnar::arrow::ArrayPointer src;
  columnar::arrow::ArrayPointer dst;
};

/// What a pin says about a fragment, so that most look-ups need not open it.
struct FragmentSummary {
  std::uint64_t rows = 0;
  std::string first_id;
  std::string last_id;
  friend bool operator==(const FragmentSummary&, const FragmentSummary&) = default;
};

class FragmentWriter {
  struct Token {
    explicit Token() = default;
  };

 public:
  /// `sink` and `type` outlive the writer.
  static Result<std::unique_ptr<FragmentWriter>> begin(columnar::arrow::Sink& sink,
                                                       const schema::RecordType& type, bool is_edge,
                                                       const FragmentOptions& options = {});

  /// Requires: ids ascend (T8); the row fits the type; previous and stamp as the options say.
  Status append(const FragmentRow& row);
  /// Completes the file. Call it once, last. Requires: at least one row.
  Result<FragmentSummary> finish();
  /// What the rows that are not written yet hold in memory.
  std::size_t memory_bytes() const;

  FragmentWriter(Token, columnar::arrow::Sink& sink, const schema::RecordType& type, bool is_edge,
                 const FragmentOptions& options);

 private:
  Status append_values(const FragmentRow& row);
  Status write_batch();

  columnar::arrow::Sink& sink_;
  const schema::RecordType& type_;
  bool is_edge_;
  FragmentOptions options_;
  columnar::arrow::SchemaPointer schema_;
  std::unique_ptr<columnar::arrow::IpcWriter> writer_;
  std::vector<std::unique_ptr<columnar::arrow::ArrayBuilder>> builders_;
  std::size_t batch_rows_ = 0;
  /// Of each batch, of each column.
  std::vector<std::uint32_t> sums_;
  FragmentSummary summary_;
};

/// Where a row stands.
struct FragmentPlace {
  std::size_t batch = 0;
  std::size_t row = 0;
  friend bool operator==(const FragmentPlace&, const FragmentPlace&) = default;
};

class Fragment {
  struct Token {
    explicit Token() = default;
  };

 public:
  /// `bytes` is the whole file and stays as long as `owner` is kept; `file`: what errors of reading
  /// call it. `corrupt` unless it is a fragment of this type's table; `format_mismatch` for one of
  /// a later format.
  static Result<std::shared_ptr<const Fragment>> open(
      std::string_view bytes, std::shared_ptr<const void> owner,
      std::shared_ptr<const schema::RecordType> type, bool is_edge, std::string file = {});

  std::uint64_t rows() const { return rows_; }
  std::size_t batch_count() const { return file_->batch_count(); }

  Result<std::optional<FragmentPlace>> find(std::string_view id) const;
  /// Requires: a place of this fragment.
  Result<FragmentRow> read(FragmentPlace place) const;
  /// Of a row that has one of its own. Requires: a place of this fragment.
  Result<std::optional<Position>> stamp(FragmentPlace place) const;
  /// The rows with these ordinals, which count from 0 through all batches; an error ends it and is
  /// passed on. `corrupt` if there is no such row. Requires: of edges; `ordinals` ascend.
  Status edges_at(std::span<const std::uint32_t> ordinals,
                  const std::function<Status(FragmentPlace, const FragmentEdge&)>& visit) const;
  /// Both ends of a batch's edges, not kept. Requires: of edges; batch < batch_count().
  Result<EndColumns> ends(std::size_t batch) const;
  /// Looks at every row: T8, text, offsets, the number of rows.
  Status check() const;

  Fragment(Token, std::shared_ptr<const columnar::arrow::FileReader> file,
           std::shared_ptr<const schema::RecordType> type, bool is_edge, std::string name);

 private:
  friend class FragmentCursor;
  struct Columns {
    std::size_t id = 0;
    std::optional<std::size_t> src;
    std::optional<std::size_t> dst;
    std::optional<std::size_t> previous;
    std::optional<std::size_t> stamp;
    /// By property of the type; nullopt: the fragment has none.
    std::vector<std::optional<std::size_t>> properties;
  };

  Status resolve_columns();
  Status read_footer();
  /// T14
  Status check_sum(std::size_t batch, std::size_t column,
                   const columnar::arrow::Array& array) const;
  Error in_file(const Error& error) const;
  /// These columns, all of which are compared with their checksums. Not kept.
  Result<columnar::arrow::RecordBatch> read_checked(std::size_t batch,
                                                    std::span<const std::size_t> columns) const;
  /// The ids of a batch, kept once read.
  Result<columnar::arrow::ArrayPointer> ids(std::size_t batch) const BRAID_EXCLUDES(mutex_);
  Result<std::shared_ptr<const columnar::arrow::RecordBatch>> batch(std::size_t index) const
      BRAID_EXCLUDES(mutex_);
  Result<FragmentRow> row_of(const columnar::arrow::RecordBatch& batch, std::size_t row) const;
  /// The ordinal behind the last row of each batch.
  Result<std::shared_ptr<const std::vector<std::uint64_t>>> batch_ends() const
      BRAID_EXCLUDES(mutex_);
  /// The first place whose id is not below `id`; past the end if there is none.
  Result<FragmentPlace> lower_bound(std::string_view id) const;

  std::shared_ptr<const columnar::arrow::FileReader> file_;
  const std::shared_ptr<const schema::RecordType> type_;
  const bool is_edge_;
  const std::string name_;
  Columns columns_;
  /// Those whose checksums are compared (T14).
  std::vector<std::size_t> deciding_;
  /// Of each batch, of each column; empty: the file has none.
  std::vector<std::uint32_t> sums_;
  std::uint64_t rows_ = 0;
  mutable env::Mutex mutex_;
  mutable std::vector<columnar::arrow::ArrayPointer> ids_ BRAID_GUARDED_BY(mutex_);
  mutable std::vector<std::shared_ptr<const columnar::arrow::RecordBatch>> batches_
      BRAID_GUARDED_BY(mutex_);
  /// Made when it is first asked for.
  mutable std::shared_ptr<const std::vector<std::uint64_t>> batch_ends_ BRAID_GUARDED_BY(mutex_);
};

/// Goes over the rows of a fragment by id. Belongs to one thread.
class FragmentCursor {
 public:
  explicit FragmentCursor(std::shared_ptr<const Fragment> fragment)
      : fragment_(std::move(fragment)) {}

  /// To the first row whose id is not below `from`.
  Status seek(std::string_view from);
  bool valid() const { return ids_ != nullptr; }
  Status next();
  // Require: valid(). The id stays until the cursor moves.
  std::string_view id() const { return ids_->bytes(place_.row); }
  FragmentPlace place() const { return place_; }
  Result<FragmentRow> row() const { return fragment_->read(place_); }
  Result<std::optional<Position>> stamp() const { return fragment_->stamp(place_); }

 private:
  Status enter();

  std::shared_ptr<const Fragment> fragment_;
  FragmentPlace place_;
  columnar::arrow::ArrayPointer ids_;
};

}  // namespace braid::table
