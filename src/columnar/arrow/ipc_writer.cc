// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/ipc_writer.h"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include <wire_generated.h>

#include "columnar/arrow/body_writer.h"
#include "columnar/arrow/builder.h"
#include "columnar/arrow/ipc_frame.h"
#include "columnar/arrow/schema_codec.h"

namespace braid::columnar::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;

constexpr std::array<char, kAlignment> kZeros{};

std::string_view view_of(FlatBufferBuilder& built) {
  return {reinterpret_cast<const char*>(built.GetBufferPointer()), built.GetSize()};
}

std::string prefix_of(std::uint32_t metadata_size) {
  std::string prefix(kPrefixSize, '\0');
  std::memcpy(prefix.data(), &kContinuation, sizeof(kContinuation));
  std::memcpy(prefix.data() + sizeof(kContinuation), &metadata_size, sizeof(metadata_size));
  return prefix;
}

wire::CompressionType wire_codec(Compression compression) {
  return compression == Compression::zstd ? wire::CompressionType::ZSTD
                                          : wire::CompressionType::LZ4_FRAME;
}

template <class Header>
void finish_message(FlatBufferBuilder& out, wire::MessageHeader kind,
                    flatbuffers::Offset<Header> header, std::uint64_t body_size) {
  out.Finish(wire::CreateMessage(out, wire::MetadataVersion::V5, kind, header.Union(),
                                 static_cast<std::int64_t>(body_size)));
}

}  // namespace

/// The buffers of a message and where they will be.
struct IpcWriter::Body {
  std::vector<wire::FieldNode> nodes;
  std::vector<wire::Buffer> places;
  std::vector<Buffer> buffers;
  std::uint64_t size = 0;

  flatbuffers::Offset<wire::RecordBatch> encode(FlatBufferBuilder& out, std::size_t length,
                                                Compression compression) const {
    flatbuffers::Offset<wire::BodyCompression> codec = 0;
    if (compression != Compression::none) {
      codec = wire::CreateBodyCompression(out, wire_codec(compression),
                                          wire::BodyCompressionMethod::BUFFER);
    }
    const auto stored_nodes = out.CreateVectorOfStructs(nodes);
    const auto stored_places = out.CreateVectorOfStructs(places);
    return wire::CreateRecordBatch(out, static_cast<std::int64_t>(length), stored_nodes,
                                   stored_places, codec);
  }
};

Result<std::unique_ptr<IpcWriter>> IpcWriter::begin(Sink& sink, SchemaPointer schema,
                                                    WriteOptions options) {
  std::unique_ptr<IpcWriter> writer =
      std::make_unique<IpcWriter>(IpcWriter(sink, std::move(schema), options));
  BRAID_TRY(writer->put_schema());
  return Result<std::unique_ptr<IpcWriter>>(std::move(writer));
}

Status IpcWriter::put(std::string_view bytes) {
  if (bytes.empty()) return Unit{};
  BRAID_TRY(sink_.append(bytes));
  position_ += bytes.size();
  return Unit{};
}

Status IpcWriter::put_padding(std::size_t size) { return put({kZeros.data(), size}); }

Result<IpcWriter::Block> IpcWriter::put_message(FlatBufferBuilder& message, const Body& body) {
  const std::uint64_t offset = position_;
  const std::string_view metadata = view_of(message);
  if (metadata.size() > kMetadataSizeMax) {
    return Error(ErrorCode::resource_limit, "the metadata of an Arrow message is too large");
  }
  const std::uint64_t end = offset + kPrefixSize + metadata.size();
  const auto padding = static_cast<std::size_t>(padded(end) - end);
  const auto metadata_size = static_cast<std::uint32_t>(metadata.size() + padding);
  BRAID_TRY(put(prefix_of(metadata_size)));
  BRAID_TRY(put(metadata));
  BRAID_TRY(put_padding(padding));
  BRAID_ASSERT(position_ % kAlignment == 0);  // A8
  for (const Buffer& buffer : body.buffers) {
    BRAID_TRY(put(buffer.bytes()));
    BRAID_TRY(put_padding(padded(buffer.size()) - buffer.size()));
  }
  return Block{offset, static_cast<std::uint32_t>(kPrefixSize + metadata_size), body.size};
}

Status IpcWriter::put_schema() {
  if (options_.container == Container::file) BRAID_TRY(put(kFileMagicPadded));
  std::vector<DataType> types;
  for (const Field& field : schema_->fields) find_dictionary_types(field.type, types);
  dictionaries_.resize(types.size());
  FlatBufferBuilder message;
  finish_message(message, wire::MessageHeader::Schema, encode_schema(message, *schema_), 0);
  BRAID_TRY(put_message(message, {}));
  return Unit{};
}

Result<IpcWriter::Body> IpcWriter::body_of(const std::vector<const Array*>& arrays) const {
  FlatArrays flat;  // (A9) of slices only what they show
  for (const Array* array : arrays) BRAID_TRY(flatten(*array, flat));
  Body body;
  for (const FlatArrays::Node& node : flat.nodes) {
    body.nodes.emplace_back(static_cast<std::int64_t>(node.length),
                            static_cast<std::int64_t>(node.null_count));
  }
  for (Buffer& buffer : flat.buffers) {
    if (options_.compression != Compression::none) {
      BRAID_ASSIGN(buffer, compress(options_.compression, buffer.bytes()));
    }
    body.places.emplace_back(static_cast<std::int64_t>(body.size),
                             static_cast<std::int64_t>(buffer.size()));
    body.size += padded(buffer.size());
    body.buffers.push_back(std::move(buffer));
  }
  return body;
}

Status IpcWriter::take_dictionary(std::size_t number, const ArrayPointer& entries) {
  ArrayPointer& known = dictionaries_[number];
  if (known == entries) return Unit{};
  if (options_.container == Container::stream) {
    known = entries;
    return put_dictionary(number, *entries);
  }
  if (known != nullptr) {
    const std::size_t common = std::min(known->length(), entries->length());
    if (!same_values(*known->slice(0, common), *entries->slice(0, common))) {
      return Error(ErrorCode::bad_request, "a file has one dictionary a column: it can only grow");
    }
    if (entries->length() <= known->length()) return Unit{};
  }
  known = entries;
  return Unit{};
}

Status IpcWriter::take_dictionaries(const RecordBatch& batch) {
  std::vector<ArrayPointer> found;
  for (const ArrayPointer& column : batch.columns()) find_dictionaries(*column, found);
  BRAID_ASSERT(found.size() == dictionaries_.size());
  for (std::size_t i = 0; i < found.size(); ++i) BRAID_TRY(take_dictionary(i, found[i]));
  return Unit{};
}

Status IpcWriter::put_dictionary(std::size_t number, const Array& entries) {
  BRAID_ASSIGN(const Body body, body_of({&entries}));
  FlatBufferBuilder message;
  const auto data = body.encode(message, entries.length(), options_.compression);
  finish_message(message, wire::MessageHeader::DictionaryBatch,
                 wire::CreateDictionaryBatch(message, static_cast<std::int64_t>(number), data),
                 body.size);
  BRAID_ASSIGN(const Block block, put_message(message, body));
  dictionary_blocks_.push_back(block);
  return Unit{};
}

Status IpcWriter::append(const RecordBatch& batch) {
  if (batch.shared_schema() != schema_ && !(batch.schema() == *schema_)) {
    return Error(ErrorCode::type_error, "a batch of another schema than the file's");
  }
  BRAID_TRY(take_dictionaries(batch));
  std::vector<const Array*> arrays;
  for (const ArrayPointer& column : batch.columns()) arrays.push_back(column.get());
  BRAID_ASSIGN(const Body body, body_of(arrays));
  FlatBufferBuilder message;
  finish_message(message, wire::MessageHeader::RecordBatch,
                 body.encode(message, batch.length(), options_.compression), body.size);
  BRAID_ASSIGN(const Block block, put_message(message, body));
  batches_.push_back(block);
  return Unit{};
}

Status IpcWriter::finish(const Metadata& metadata) {
  if (options_.container == Container::stream) return put(prefix_of(0));
  std::vector<DataType> types;
  for (const Field& field : schema_->fields) find_dictionary_types(field.type, types);
  for (std::size_t i = 0; i < dictionaries_.size(); ++i) {
    if (dictionaries_[i] == nullptr) dictionaries_[i] = make_builder(types[i])->finish();
    BRAID_TRY(put_dictionary(i, *dictionaries_[i]));
  }
  BRAID_TRY(put(prefix_of(0)));
  return put_footer(metadata);
}

Status IpcWriter::put_footer(const Metadata& metadata) {
  FlatBufferBuilder out;
  const auto blocks = [&out](const std::vector<Block>& from) {
    std::vector<wire::Block> stored;
    for (const Block& block : from) {
      stored.emplace_back(static_cast<std::int64_t>(block.offset),
                          static_cast<std::int32_t>(block.metadata_size),
                          static_cast<std::int64_t>(block.body_size));
    }
    return out.CreateVectorOfStructs(stored);
  };
  const auto schema = encode_schema(out, *schema_);
  const auto dictionaries = blocks(dictionary_blocks_);
  const auto batches = blocks(batches_);
  const auto stored_metadata = encode_metadata(out, metadata);
  out.Finish(wire::CreateFooter(out, wire::MetadataVersion::V5, schema, dictionaries, batches,
                                stored_metadata));
  const std::string_view footer = view_of(out);
  if (footer.size() > kMetadataSizeMax) {
    return Error(ErrorCode::resource_limit, "the footer of an Arrow file is too large");
  }
  const auto size = static_cast<std::uint32_t>(footer.size());
  BRAID_TRY(put(footer));
  BRAID_TRY(put({reinterpret_cast<const char*>(&size), sizeof(size)}));
  return put(kFileMagic);
}

}  // namespace braid::columnar::arrow
