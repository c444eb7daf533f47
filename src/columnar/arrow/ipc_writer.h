// SPDX-License-Identifier: Apache-2.0
// Arrow IPC, written: the file format and the stream format (docs/formats/arrow.md).
//
// Invariants
//   A8  Every body and every buffer in it begins at a multiple of 64 bytes of the file; an
//       uncompressed buffer that was mapped can be used where it lies.
//   A9  The same batches give the same bytes.
// Layer: columnar.
// Threads: a writer belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "braid/result.h"
#include "columnar/arrow/buffer.h"
#include "columnar/arrow/compression.h"
#include "columnar/arrow/record_batch.h"
#include "columnar/arrow/sink.h"

namespace braid::columnar::arrow {

enum class Container : std::uint8_t {
  file,    ///< with a footer: batches are found without reading the others
  stream,  ///< one after the other
};

struct WriteOptions {
  Container container = Container::file;
  Compression compression = Compression::none;
};

class IpcWriter {
 public:
  /// Writes the schema. `sink` outlives the writer.
  static Result<std::unique_ptr<IpcWriter>> begin(Sink& sink, SchemaPointer schema,
                                                  WriteOptions options = {});

  /// `type_error` if the batch's schema is another one; `bad_request` if, in a file, a dictionary
  /// does not continue that of the batches before (dictionary.h does, A7); `corrupt` if the
  /// offsets of an array do not rise. After an error of the sink the writer is of no use.
  Status append(const RecordBatch& batch);
  /// What makes the file complete: dictionaries and footer, with `metadata` in it; of a stream,
  /// its end. Call it once, last.
  Status finish(const Metadata& metadata = {});
  /// Bytes given to the sink.
  std::uint64_t size_bytes() const { return position_; }

 private:
  struct Block {
    std::uint64_t offset = 0;
    std::uint32_t metadata_size = 0;
    std::uint64_t body_size = 0;
  };
  struct Body;

  IpcWriter(Sink& sink, SchemaPointer schema, WriteOptions options)
      : sink_(sink), schema_(std::move(schema)), options_(options) {}

  Status put(std::string_view bytes);
  Status put_padding(std::size_t size);
  Result<Block> put_message(flatbuffers::FlatBufferBuilder& message, const Body& body);
  Status put_schema();
  Status put_dictionary(std::size_t number, const Array& entries);
  Status put_footer(const Metadata& metadata);
  Result<Body> body_of(const std::vector<const Array*>& arrays) const;
  Status take_dictionaries(const RecordBatch& batch);
  Status take_dictionary(std::size_t number, const ArrayPointer& entries);

  Sink& sink_;
  SchemaPointer schema_;
  WriteOptions options_;
  std::uint64_t position_ = 0;
  std::vector<Block> batches_;
  std::vector<Block> dictionary_blocks_;
  std::vector<ArrayPointer> dictionaries_;  ///< in the order of their fields; null: none yet
};

}  // namespace braid::columnar::arrow
