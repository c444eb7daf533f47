// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/dictionary_reader.h"

#include <optional>
#include <string>
#include <utility>

#include <wire_generated.h>

#include "columnar/arrow/body_reader.h"
#include "columnar/arrow/body_writer.h"
#include "columnar/arrow/builder.h"

namespace braid::columnar::arrow {
namespace {

std::uint64_t offset_of(const MessageView& message) {
  return message.body_offset - message.metadata.size() - kPrefixSize;
}

Status check_rows(const Array& array, const std::string& name, const MessageView& message) {
  Status checked = validate(array);
  if (checked) return Unit{};
  return checked.error().with("field", name).with("offset", offset_of(message));
}

Result<ArrayPointer> entries_of(const MessageView& message, const wire::DictionaryBatch& batch,
                                const ReadOptions& options, const DataType& type) {
  if (batch.data() == nullptr) return damaged_ipc("a dictionary without data", offset_of(message));
  BRAID_ASSIGN(BodyReader reader,
               BodyReader::make(message, *batch.data(), options.decoded_bytes_max));
  std::size_t next_dictionary = 0;
  const Field field{.name = "", .type = type};
  BRAID_ASSIGN(ArrayPointer entries, reader.read(field, reader.length(), {}, next_dictionary));
  BRAID_TRY(reader.finish());
  if (options.check_rows) BRAID_TRY(check_rows(*entries, "", message));
  return entries;
}

Result<ArrayPointer> joined(const Array& first, const Array& second) {
  const auto builder = make_builder(first.type());
  BRAID_TRY(builder->append_from(first, 0, first.length()));
  BRAID_TRY(builder->append_from(second, 0, second.length()));
  return builder->finish();
}

}  // namespace

Status take_dictionary(const MessageView& message, const ReadOptions& options,
                       const DictionarySet& set) {
  const wire::DictionaryBatch& batch = *message.message->header_as_DictionaryBatch();
  std::vector<DataType> types;
  for (const Field& field : set.schema.fields) find_dictionary_types(field.type, types);
  ArrayPointer made;  // one array for all fields that share the dictionary
  bool is_known = false;
  for (std::size_t i = 0; i < set.ids.size(); ++i) {
    if (set.ids[i] != batch.id()) continue;
    is_known = true;
    ArrayPointer& entries = set.entries[i];
    if (entries != nullptr && !batch.is_delta() && !set.may_replace) {
      return damaged_ipc("a file with two dictionaries for one field", offset_of(message));
    }
    if (made == nullptr || !(made->type() == types[i])) {
      BRAID_ASSIGN(made, entries_of(message, batch, options, types[i]));
      if (batch.is_delta() && entries != nullptr) {
        Result<ArrayPointer> whole = joined(*entries, *made);
        if (!whole) return whole.error().with("offset", offset_of(message));
        made = *std::move(whole);
      }
    }
    entries = made;
  }
  if (!is_known) return damaged_ipc("a dictionary of no field", offset_of(message));
  return Unit{};
}

Result<RecordBatch> read_batch(const MessageView& message, const ReadOptions& options,
                               const SchemaPointer& schema, std::span<const std::size_t> columns,
                               const std::vector<ArrayPointer>& dictionaries) {
  const wire::RecordBatch* const batch = message.message->header_as_RecordBatch();
  if (batch == nullptr) return damaged_ipc("no batch where one should be", offset_of(message));
  BRAID_ASSIGN(BodyReader reader, BodyReader::make(message, *batch, options.decoded_bytes_max));
  std::vector<bool> wanted(schema->fields.size(), false);
  for (const std::size_t column : columns) {
    BRAID_ASSERT(column < wanted.size());
    wanted[column] = true;
  }
  std::vector<ArrayPointer> arrays(schema->fields.size());
  std::size_t next_dictionary = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Field& field = schema->fields[i];
    if (!wanted[i]) {
      BRAID_TRY(reader.skip(field.type, next_dictionary));
      continue;
    }
    BRAID_ASSIGN(arrays[i], reader.read(field, reader.length(), dictionaries, next_dictionary));
    if (options.check_rows) BRAID_TRY(check_rows(*arrays[i], field.name, message));
  }
  BRAID_TRY(reader.finish());
  bool takes_all = columns.size() == arrays.size();
  for (std::size_t i = 0; takes_all && i < columns.size(); ++i) takes_all = columns[i] == i;
  if (takes_all) {
    return RecordBatch::make(schema, reader.length(), std::move(arrays));
  }
  auto part = std::make_shared<Schema>();
  part->metadata = schema->metadata;
  std::vector<ArrayPointer> chosen;
  for (const std::size_t column : columns) {
    part->fields.push_back(schema->fields[column]);
    chosen.push_back(arrays[column]);
  }
  return RecordBatch::make(std::move(part), reader.length(), std::move(chosen));
}

}  // namespace braid::columnar::arrow
