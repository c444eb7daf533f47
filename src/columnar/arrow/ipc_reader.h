// SPDX-License-Identifier: Apache-2.0
// Arrow IPC, read where it lies: of a mapped file nothing is copied but compressed buffers.
//
// Opening a file costs its footer. The metadata of a batch is verified whenever the batch is read,
// sizes and places always; what takes a look at every row (that offsets rise, that text is UTF-8,
// that numbers lead to entries) only under `check_rows`, which is on unless the caller knows who
// wrote the file. Without it a damaged file can give wrong values, but never leads outside (A1).
//
// Invariants
//   A11  Bytes of any kind give `corrupt` with detail `offset`, `unsupported`, `resource_limit` or
//        batches of the schema that was announced; never a read outside of them.
//   A12  Opening looks at no byte between the magic and the footer.
// Layer: columnar.
// Threads: a FileReader may be used from any thread; a StreamReader belongs to one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/buffer.h"
#include "columnar/arrow/record_batch.h"
#include "env/mutex.h"

namespace braid::columnar::arrow {

namespace wire {
struct RecordBatch;
}  // namespace wire
struct MessageView;
class BodyReader;

struct ReadOptions {
  bool check_rows = true;
  /// Of one batch, or of one dictionary, decompressed.
  std::size_t decoded_bytes_max = std::size_t{4} << 30;
};

class FileReader {
 public:
  struct Block {
    std::uint64_t offset = 0;
    std::uint64_t metadata_size = 0;
    std::uint64_t body_size = 0;
  };
  struct Parts;

  /// `bytes` is the whole file and stays as long as `owner` is kept.
  static Result<std::shared_ptr<const FileReader>> open(std::string_view bytes,
                                                        std::shared_ptr<const void> owner,
                                                        ReadOptions options = {});
  explicit FileReader(Parts parts);
  ~FileReader();

  const Schema& schema() const { return *schema_; }
  /// What the footer says beside the schema.
  const Metadata& metadata() const { return metadata_; }
  std::size_t batch_count() const { return batches_.size(); }
  /// Rows of a batch, from its metadata. Requires: index < batch_count().
  Result<std::size_t> length_of(std::size_t index) const;
  /// All columns of a batch. Requires: index < batch_count().
  Result<RecordBatch> read(std::size_t index) const;
  /// Some columns, in that order; the others cost nothing but a step over their names. Requires:
  /// they exist; index < batch_count().
  Result<RecordBatch> read(std::size_t index, std::span<const std::size_t> columns) const;

 private:
  Result<MessageView> message_at(const Block& block) const;
  Result<std::vector<ArrayPointer>> dictionaries() const BRAID_EXCLUDES(mutex_);
  Result<std::vector<ArrayPointer>> load_dictionaries() const;

  Buffer file_;
  ReadOptions options_;
  SchemaPointer schema_;
  Metadata metadata_;
  std::vector<std::int64_t> dictionary_ids_;
  std::vector<Block> dictionary_blocks_;
  std::vector<Block> batches_;
  mutable env::Mutex mutex_;
  /// Loaded with the first batch that needs them.
  mutable std::optional<std::vector<ArrayPointer>> dictionaries_ BRAID_GUARDED_BY(mutex_);
};

class StreamReader {
 public:
  /// `bytes` is the whole stream and stays as long as `owner` is kept.
  static Result<std::unique_ptr<StreamReader>> open(std::string_view bytes,
                                                    std::shared_ptr<const void> owner,
                                                    ReadOptions options = {});

  const Schema& schema() const { return *schema_; }
  /// The next batch; nothing at the end. A stream may end without saying so, between messages.
  Result<std::optional<RecordBatch>> next();

 private:
  StreamReader() = default;

  Buffer stream_;
  ReadOptions options_;
  SchemaPointer schema_;
  std::vector<std::int64_t> dictionary_ids_;
  std::vector<ArrayPointer> dictionaries_;  ///< of each field that has one; null: not seen yet
  std::uint64_t offset_ = 0;
};

}  // namespace braid::columnar::arrow
