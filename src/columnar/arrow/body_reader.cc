// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/body_reader.h"

#include <limits>
#include <string>
#include <utility>

#include <wire_generated.h>

#include "columnar/arrow/builder.h"
#include "columnar/arrow/schema_codec.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::int64_t kRowsMax = std::numeric_limits<std::int64_t>::max() / 64;

/// Bytes that `rows` values of `width` take, with the padding that some writers count in.
std::size_t size_of(std::size_t rows, std::size_t width) {
  if (width != 0 && rows > (std::numeric_limits<std::size_t>::max() - kAlignment) / width) {
    return std::numeric_limits<std::size_t>::max();
  }
  return padded(rows * width);
}

std::size_t alignment_of(const DataType& type) {
  const TypeId id = type.id() == TypeId::dictionary ? type.index() : type.id();
  return std::max<std::size_t>(1, width_of(id));
}

std::size_t value_width(const DataType& type) {
  if (type.id() == TypeId::fixed_size_binary) return type.size();
  return alignment_of(type);
}

/// The buffer where a T may be read from: where it is, or a copy.
Buffer aligned(Buffer buffer, std::size_t alignment) {
  if (buffer.is_aligned(alignment)) return buffer;
  return Buffer::copy_of(buffer.bytes());
}

}  // namespace

Result<BodyReader> BodyReader::make(const MessageView& message, const wire::RecordBatch& batch,
                                    std::size_t decoded_size_max) {
  BodyReader reader;
  reader.batch_ = &batch;
  reader.body_ = message.body;
  reader.body_offset_ = message.body_offset;
  reader.message_offset_ = message.body_offset - message.metadata.size() - kPrefixSize;
  reader.decoded_size_left_ = decoded_size_max;
  if (batch.length() < 0 || batch.length() > kRowsMax) {
    return reader.damaged("a batch of impossible length");
  }
  reader.length_ = static_cast<std::size_t>(batch.length());
  if (batch.variadic_buffer_counts() != nullptr && batch.variadic_buffer_counts()->size() > 0) {
    return Error(ErrorCode::unsupported, "an Arrow file with views of strings");
  }
  if (const wire::BodyCompression* compression = batch.compression()) {
    if (compression->method() != wire::BodyCompressionMethod::BUFFER) {
      return Error(ErrorCode::unsupported, "an Arrow file compressed in an unknown way");
    }
    switch (compression->codec()) {
      case wire::CompressionType::LZ4_FRAME: reader.codec_ = Compression::lz4_frame; break;
      case wire::CompressionType::ZSTD: reader.codec_ = Compression::zstd; break;
      default: return Error(ErrorCode::unsupported, "an Arrow file of an unknown compression");
    }
  }
  return reader;
}

Result<BodyReader::Node> BodyReader::next_node() {
  if (batch_->nodes() == nullptr || node_ >= batch_->nodes()->size()) {
    return damaged("a batch has fewer arrays than its schema");
  }
  const auto node = element_of<wire::FieldNode>(*batch_->nodes(), node_++);
  if (node.length() < 0 || node.length() > kRowsMax || node.null_count() < 0 ||
      node.null_count() > node.length()) {
    return damaged("an array of impossible length or with impossible nulls");
  }
  return Node{static_cast<std::size_t>(node.length()), static_cast<std::size_t>(node.null_count())};
}

Status BodyReader::skip_buffer() {
  if (batch_->buffers() == nullptr || buffer_ >= batch_->buffers()->size()) {
    return damaged("a batch has fewer buffers than its schema");
  }
  ++buffer_;
  return Unit{};
}

Result<Buffer> BodyReader::next_buffer(std::size_t size_max) {
  BRAID_TRY(skip_buffer());
  const auto place = element_of<wire::Buffer>(*batch_->buffers(), buffer_ - 1);
  const std::string_view body = body_.bytes();
  if (place.offset() < 0 ||  // A11
      place.length() < 0 || static_cast<std::uint64_t>(place.offset()) > body.size() ||
      static_cast<std::uint64_t>(place.length()) >
          body.size() - static_cast<std::uint64_t>(place.offset())) {
    return damaged("a buffer outside of its body").with("buffer", std::uint64_t{buffer_ - 1});
  }
  if (place.length() == 0) return Buffer();
  const Buffer stored(body.substr(static_cast<std::size_t>(place.offset()),
                                  static_cast<std::size_t>(place.length())),
                      body_.owner());
  if (codec_ == Compression::none) return stored;
  Result<Buffer> made = decoded(stored, size_max);
  if (made) return made;
  return made.error().with("offset", body_offset_ + static_cast<std::uint64_t>(place.offset()));
}

Result<Buffer> BodyReader::decoded(const Buffer& stored, std::size_t size_max) {
  const std::uint64_t size = decompressed_size(stored);
  if (size <= size_max && size > decoded_size_left_) {
    return Error(ErrorCode::resource_limit, "a batch is larger than this reader decompresses")
        .with("size", size);
  }
  BRAID_ASSIGN(Buffer made, decompress(codec_, stored, size_max));
  decoded_size_left_ -= static_cast<std::size_t>(size);
  return made;
}

Status BodyReader::read_buffers(ArrayParts& parts, const std::vector<ArrayPointer>& dictionaries,
                                std::size_t& next_dictionary) {
  const DataType& type = parts.type;
  if (has_offsets(type.id())) {
    BRAID_ASSIGN(parts.offsets, next_buffer(size_of(parts.length + 1, sizeof(std::int32_t))));
    parts.offsets = aligned(std::move(parts.offsets), sizeof(std::int32_t));
  }
  switch (type.id()) {
    case TypeId::utf8:
    case TypeId::binary: {
      BRAID_ASSIGN(parts.values, next_buffer(padded(kOffsetMax)));
      return Unit{};
    }
    case TypeId::list:
    case TypeId::fixed_size_list: {
      BRAID_ASSIGN(parts.child, read_any(type.element(), dictionaries, next_dictionary));
      return Unit{};
    }
    case TypeId::boolean: {
      BRAID_ASSIGN(parts.values, next_buffer(padded(bitmap_bytes(parts.length))));
      return Unit{};
    }
    case TypeId::dictionary: {
      if (next_dictionary >= dictionaries.size()) return damaged("a dictionary is missing");
      parts.child = dictionaries[next_dictionary++];
      break;
    }
    default: break;
  }
  BRAID_ASSIGN(parts.values, next_buffer(size_of(parts.length, value_width(type))));
  parts.values = aligned(std::move(parts.values), alignment_of(type));
  return Unit{};
}

Result<ArrayPointer> BodyReader::read_any(const Field& field,
                                          const std::vector<ArrayPointer>& dictionaries,
                                          std::size_t& next_dictionary) {
  BRAID_ASSIGN(const Node node, next_node());
  ArrayParts parts{.type = field.type, .length = node.length, .null_count = node.null_count};
  if (node.null_count > 0) {
    BRAID_ASSIGN(parts.validity, next_buffer(padded(bitmap_bytes(node.length))));
  } else {
    BRAID_TRY(skip_buffer());
  }
  BRAID_TRY(read_buffers(parts, dictionaries, next_dictionary));
  Result<ArrayPointer> made = Array::make(std::move(parts));
  if (made) return made;
  return made.error().with("field", field.name).with("offset", message_offset_);
}

Result<ArrayPointer> BodyReader::read(const Field& field, std::size_t length,
                                      const std::vector<ArrayPointer>& dictionaries,
                                      std::size_t& next_dictionary) {
  BRAID_ASSIGN(ArrayPointer array, read_any(field, dictionaries, next_dictionary));
  if (array->length() != length) {
    return damaged("a column has not as many rows as its batch").with("field", field.name);
  }
  if (!field.nullable && array->null_count() > 0) {
    return damaged("a null in a column that has none").with("field", field.name);
  }
  return array;
}

Status BodyReader::skip(const DataType& type, std::size_t& next_dictionary) {
  BRAID_TRY(next_node());
  BRAID_TRY(skip_buffer());
  if (has_offsets(type.id())) BRAID_TRY(skip_buffer());
  if (type.id() == TypeId::dictionary) ++next_dictionary;
  if (type.id() == TypeId::list || type.id() == TypeId::fixed_size_list) {
    return skip(type.element().type, next_dictionary);
  }
  return skip_buffer();
}

Status BodyReader::finish() const {
  const std::size_t nodes = batch_->nodes() == nullptr ? 0 : batch_->nodes()->size();
  const std::size_t buffers = batch_->buffers() == nullptr ? 0 : batch_->buffers()->size();
  if (node_ != nodes || buffer_ != buffers) {
    return damaged("a batch has more arrays or buffers than its schema");
  }
  return Unit{};
}

}  // namespace braid::columnar::arrow
