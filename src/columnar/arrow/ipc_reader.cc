// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/ipc_reader.h"

#include <numeric>
#include <string>
#include <utility>

#include <wire_generated.h>

#include "columnar/arrow/dictionary_reader.h"
#include "columnar/arrow/ipc_frame.h"
#include "columnar/arrow/schema_codec.h"

namespace braid::columnar::arrow {

struct FileReader::Parts {
  Buffer file;
  ReadOptions options;
  SchemaPointer schema = nullptr;
  Metadata metadata = {};
  std::vector<std::int64_t> dictionary_ids = {};
  std::vector<Block> dictionary_blocks = {};
  std::vector<Block> batches = {};
};

namespace {

std::vector<std::size_t> all_columns(const Schema& schema) {
  std::vector<std::size_t> columns(schema.fields.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

/// Where the footer says that messages are: aligned, and inside of what precedes the footer.
Result<std::vector<FileReader::Block>> blocks_of(
    const flatbuffers::Vector<const wire::Block*>* stored, std::uint64_t footer_offset) {
  std::vector<FileReader::Block> blocks;
  if (stored == nullptr) return blocks;
  blocks.reserve(stored->size());
  for (std::size_t i = 0; i < stored->size(); ++i) {
    const auto block = element_of<wire::Block>(*stored, i);
    const auto end = static_cast<std::int64_t>(footer_offset);
    if (block.offset() < static_cast<std::int64_t>(kFileMagicPadded.size()) ||
        block.offset() % 8 != 0 || block.offset() > end ||
        block.metadata_length() < static_cast<std::int32_t>(kPrefixSize) ||
        block.metadata_length() > end - block.offset() || block.body_length() < 0 ||
        block.body_length() > end - block.offset() - block.metadata_length()) {
      return damaged_ipc("the footer leads outside", footer_offset);
    }
    blocks.push_back({static_cast<std::uint64_t>(block.offset()),
                      static_cast<std::uint64_t>(block.metadata_length()),
                      static_cast<std::uint64_t>(block.body_length())});
  }
  return blocks;
}

}  // namespace

FileReader::FileReader(Parts parts)
    : file_(std::move(parts.file)),
      options_(parts.options),
      schema_(std::move(parts.schema)),
      metadata_(std::move(parts.metadata)),
      dictionary_ids_(std::move(parts.dictionary_ids)),
      dictionary_blocks_(std::move(parts.dictionary_blocks)),
      batches_(std::move(parts.batches)) {}

FileReader::~FileReader() = default;

Result<std::shared_ptr<const FileReader>> FileReader::open(std::string_view bytes,
                                                           std::shared_ptr<const void> owner,
                                                           ReadOptions options) {
  Parts parts{.file = Buffer(bytes, std::move(owner)), .options = options};
  BRAID_ASSIGN(const FooterView view, read_footer(parts.file));  // (A12) and no message
  const wire::Footer& footer = *view.footer;
  if (footer.schema() == nullptr) return damaged_ipc("a footer without schema", view.offset);
  BRAID_ASSIGN(DecodedSchema decoded, decode_schema(*footer.schema(), view.offset));
  parts.schema = std::make_shared<const Schema>(std::move(decoded.schema));
  parts.dictionary_ids = std::move(decoded.dictionary_ids);
  parts.metadata = decode_metadata(footer.custom_metadata());
  BRAID_ASSIGN(parts.dictionary_blocks, blocks_of(footer.dictionaries(), view.offset));
  BRAID_ASSIGN(parts.batches, blocks_of(footer.record_batches(), view.offset));
  return std::shared_ptr<const FileReader>(std::make_shared<const FileReader>(std::move(parts)));
}

Result<MessageView> FileReader::message_at(const Block& block) const {
  BRAID_ASSIGN(MessageView message, read_message(file_, block.offset));
  if (message.message == nullptr || message.body_offset != block.offset + block.metadata_size ||
      message.body.size() != block.body_size) {
    return damaged_ipc("a message is not as large as the footer says", block.offset);
  }
  return message;
}

Result<std::vector<ArrayPointer>> FileReader::load_dictionaries() const {
  std::vector<ArrayPointer> entries(dictionary_ids_.size());
  const DictionarySet set{.schema = *schema_, .ids = dictionary_ids_, .entries = entries};
  for (const Block& block : dictionary_blocks_) {
    BRAID_ASSIGN(const MessageView message, message_at(block));
    if (message.message->header_as_DictionaryBatch() == nullptr) {
      return damaged_ipc("no dictionary where one should be", block.offset);
    }
    BRAID_TRY(take_dictionary(message, options_, set));
  }
  return entries;
}

Result<std::vector<ArrayPointer>> FileReader::dictionaries() const {
  if (dictionary_ids_.empty()) return std::vector<ArrayPointer>();
  const env::Lock lock(mutex_);
  if (!dictionaries_) {
    BRAID_ASSIGN(dictionaries_, load_dictionaries());
  }
  return *dictionaries_;
}

Result<std::size_t> FileReader::length_of(std::size_t index) const {
  BRAID_ASSERT(index < batches_.size());
  BRAID_ASSIGN(const MessageView message, message_at(batches_[index]));
  const wire::RecordBatch* const batch = message.message->header_as_RecordBatch();
  if (batch == nullptr || batch->length() < 0) {
    return damaged_ipc("no batch where one should be", batches_[index].offset);
  }
  return static_cast<std::size_t>(batch->length());
}

Result<RecordBatch> FileReader::read(std::size_t index) const {
  return read(index, all_columns(*schema_));
}

Result<RecordBatch> FileReader::read(std::size_t index,
                                     std::span<const std::size_t> columns) const {
  BRAID_ASSERT(index < batches_.size());
  BRAID_ASSIGN(const MessageView message, message_at(batches_[index]));
  BRAID_ASSIGN(const std::vector<ArrayPointer> entries, dictionaries());
  return read_batch(message, options_, schema_, columns, entries);
}

Result<std::unique_ptr<StreamReader>> StreamReader::open(std::string_view bytes,
                                                         std::shared_ptr<const void> owner,
                                                         ReadOptions options) {
  std::unique_ptr<StreamReader> reader = std::make_unique<StreamReader>(StreamReader());
  reader->stream_ = Buffer(bytes, std::move(owner));
  reader->options_ = options;
  BRAID_ASSIGN(const MessageView message, read_message(reader->stream_, 0));
  if (message.message == nullptr || message.message->header_as_Schema() == nullptr) {
    return damaged_ipc("a stream does not begin with its schema", 0);
  }
  BRAID_ASSIGN(DecodedSchema decoded, decode_schema(*message.message->header_as_Schema(), 0));
  reader->schema_ = std::make_shared<const Schema>(std::move(decoded.schema));
  reader->dictionary_ids_ = std::move(decoded.dictionary_ids);
  reader->dictionaries_.resize(reader->dictionary_ids_.size());
  reader->offset_ = message.end;
  return Result<std::unique_ptr<StreamReader>>(std::move(reader));
}

Result<std::optional<RecordBatch>> StreamReader::next() {
  while (offset_ < stream_.size()) {
    BRAID_ASSIGN(const MessageView message, read_message(stream_, offset_));
    if (message.message == nullptr) {
      offset_ = stream_.size();
      break;
    }
    if (message.message->header_as_DictionaryBatch() != nullptr) {
      const DictionarySet set{.schema = *schema_,
                              .ids = dictionary_ids_,
                              .entries = dictionaries_,
                              .may_replace = true};
      BRAID_TRY(take_dictionary(message, options_, set));
      offset_ = message.end;
      continue;
    }
    BRAID_ASSIGN(RecordBatch batch,
                 read_batch(message, options_, schema_, all_columns(*schema_), dictionaries_));
    offset_ = message.end;
    return std::optional<RecordBatch>(std::move(batch));
  }
  return std::optional<RecordBatch>();
}

}  // namespace braid::columnar::arrow
