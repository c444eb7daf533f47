// SPDX-License-Identifier: Apache-2.0
// Arrays out of the body of a message. Internal to columnar/arrow.
// Layer: columnar.
// Threads: a reader belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/array.h"
#include "columnar/arrow/compression.h"
#include "columnar/arrow/ipc_frame.h"

namespace braid::columnar::arrow {

namespace wire {
struct RecordBatch;
}  // namespace wire

class BodyReader {
 public:
  /// Checks what `batch` says as a whole. `batch` is part of `message`, or of the same buffer.
  static Result<BodyReader> make(const MessageView& message, const wire::RecordBatch& batch,
                                 std::size_t decoded_size_max);

  std::size_t length() const { return length_; }
  /// The next array; `dictionaries` has the entries for each dictionary in the type, which are
  /// taken from `next_dictionary` on. Nothing below `length` rows is accepted, nor more.
  Result<ArrayPointer> read(const Field& field, std::size_t length,
                            const std::vector<ArrayPointer>& dictionaries,
                            std::size_t& next_dictionary);
  /// Steps over an array without looking at its buffers.
  Status skip(const DataType& type, std::size_t& next_dictionary);
  /// `corrupt` unless all nodes and buffers were read or skipped.
  Status finish() const;

 private:
  struct Node {
    std::size_t length = 0;
    std::size_t null_count = 0;
  };

  Error damaged(std::string_view what) const { return damaged_ipc(what, message_offset_); }
  Result<Node> next_node();
  /// The next buffer; at most `size_max` bytes of it if it has to be made, and aligned.
  Result<Buffer> next_buffer(std::size_t size_max);
  Result<Buffer> decoded(const Buffer& stored, std::size_t size_max);
  Status skip_buffer();
  Result<ArrayPointer> read_any(const Field& field, const std::vector<ArrayPointer>& dictionaries,
                                std::size_t& next_dictionary);
  Status read_buffers(ArrayParts& parts, const std::vector<ArrayPointer>& dictionaries,
                      std::size_t& next_dictionary);

  const wire::RecordBatch* batch_ = nullptr;
  Buffer body_;
  std::uint64_t message_offset_ = 0;
  std::uint64_t body_offset_ = 0;
  Compression codec_ = Compression::none;
  std::size_t length_ = 0;
  std::size_t node_ = 0;
  std::size_t buffer_ = 0;
  std::size_t decoded_size_left_ = 0;
};

}  // namespace braid::columnar::arrow
