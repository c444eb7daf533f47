// SPDX-License-Identifier: Apache-2.0
// Random schemas and rows: what is written is what is read, in every container and compression,
// sliced anyhow; and so through the C data interface.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/arrow/c_data.h"
#include "columnar/arrow/dictionary.h"
#include "columnar/arrow/ipc_reader.h"
#include "columnar/arrow/ipc_writer.h"
#include "columnar/arrow/sink.h"
#include "env/manual.h"

namespace braid::columnar::arrow {
namespace {

class RandomTables {
 public:
  explicit RandomTables(std::uint64_t seed) : chance_(seed) {}

  DataType type(int depth) {
    static constexpr std::uint64_t kScalars = static_cast<std::uint64_t>(TypeId::fixed_size_binary);
    const std::uint64_t drawn = chance_.below(kScalars + (depth > 0 ? 5 : 1));
    if (drawn < kScalars) return static_cast<TypeId>(drawn);
    if (drawn == kScalars) {
      return DataType::fixed_size_binary(1 + static_cast<std::uint32_t>(chance_.below(20)));
    }
    Field element{.name = "item", .type = type(depth - 1), .nullable = chance_.one_in(2)};
    if (drawn % 2 == 0) return DataType::list(std::move(element));
    return DataType::fixed_size_list(std::move(element),
                                     1 + static_cast<std::uint32_t>(chance_.below(4)));
  }

  void append(ArrayBuilder& to, bool nullable) {
    if (nullable && chance_.one_in(4)) return to.append_null();
    switch (to.type().id()) {
      case TypeId::boolean: static_cast<BooleanBuilder&>(to).append(chance_.one_in(2)); return;
      case TypeId::utf8:
      case TypeId::binary: append_bytes(static_cast<BytesBuilder&>(to)); return;
      case TypeId::fixed_size_binary:
        static_cast<FixedBinaryBuilder&>(to).append(
            std::string(to.type().size(), static_cast<char>('a' + chance_.below(26))));
        return;
      case TypeId::list: {
        auto& list = static_cast<ListBuilder&>(to);
        const std::uint64_t count = chance_.below(4);
        for (std::uint64_t i = 0; i < count; ++i) {
          append(list.element(), to.type().element().nullable);
        }
        EXPECT_TRUE(list.close());
        return;
      }
      case TypeId::fixed_size_list: {
        auto& list = static_cast<FixedListBuilder&>(to);
        for (std::uint32_t i = 0; i < to.type().size(); ++i) {
          append(list.element(), to.type().element().nullable);
        }
        return list.close();
      }
      default: append_number(to); return;
    }
  }

  ArrayPointer column(const Field& field, std::size_t rows) {
    const bool is_dictionary = field.type.id() == TypeId::dictionary;
    const auto builder = make_builder(is_dictionary ? field.type.value() : field.type);
    for (std::size_t row = 0; row < rows; ++row) append(*builder, field.nullable);
    ArrayPointer made = builder->finish();
    if (!is_dictionary) return made;
    return *DictionaryEncoder(field.type.value()).encode(*made);
  }

  SchemaPointer schema() {
    Schema out;
    const std::uint64_t count = 1 + chance_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      DataType drawn = type(3);
      const bool is_text = drawn.id() == TypeId::utf8 || drawn.id() == TypeId::binary;
      if (is_text && chance_.one_in(2)) drawn = DataType::dictionary(TypeId::i32, drawn);
      out.fields.push_back({.name = "f" + std::to_string(i),
                            .type = std::move(drawn),
                            .nullable = chance_.one_in(2),
                            .metadata = {{"i", std::to_string(i)}}});
    }
    return std::make_shared<const Schema>(std::move(out));
  }

  /// Of rows that begin and end somewhere in longer columns.
  RecordBatch batch(const SchemaPointer& schema) {
    const std::size_t rows = chance_.one_in(8) ? 0 : static_cast<std::size_t>(chance_.below(150));
    std::vector<ArrayPointer> columns;
    for (const Field& field : schema->fields) {
      const auto before = static_cast<std::size_t>(chance_.below(20));
      const auto after = static_cast<std::size_t>(chance_.below(20));
      columns.push_back(column(field, before + rows + after)->slice(before, rows));
    }
    return *RecordBatch::make(schema, rows, std::move(columns));
  }

 private:
  void append_bytes(BytesBuilder& to) {
    const std::string word(chance_.one_in(10) ? 1000 : chance_.below(6),
                           static_cast<char>('a' + chance_.below(3)));
    EXPECT_TRUE(to.append(word));
  }

  template <class T>
  bool appended(ArrayBuilder& to) {
    if (!holds<T>(to.type().id())) return false;
    static_cast<FixedBuilder<T>&>(to).append(static_cast<T>(chance_.below(1U << 30)));
    return true;
  }

  void append_number(ArrayBuilder& to) {
    const bool done = appended<std::int8_t>(to) || appended<std::uint8_t>(to) ||
                      appended<std::int16_t>(to) || appended<std::uint16_t>(to) ||
                      appended<std::int32_t>(to) || appended<std::uint32_t>(to) ||
                      appended<std::int64_t>(to) || appended<std::uint64_t>(to) ||
                      appended<float>(to) || appended<double>(to);
    ASSERT_TRUE(done);
  }

  env::Xoshiro256 chance_;
};

void expect_same(const RecordBatch& left, const RecordBatch& right) {
  ASSERT_EQ(left.schema(), right.schema());
  ASSERT_EQ(left.length(), right.length());
  for (std::size_t i = 0; i < left.columns().size(); ++i) {
    ASSERT_TRUE(same_values(left.column(i), right.column(i)))
        << to_string(left.schema().fields[i].type);
  }
}

RecordBatch through_stream(const RecordBatch& batch, Compression compression) {
  StringSink sink;
  const auto writer = *IpcWriter::begin(
      sink, batch.shared_schema(), {.container = Container::stream, .compression = compression});
  EXPECT_TRUE(writer->append(batch));
  EXPECT_TRUE(writer->finish());
  const Buffer bytes = Buffer::copy_of(sink.bytes());
  const auto reader = *StreamReader::open(bytes.bytes(), bytes.owner());
  auto read = reader->next();
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  return **read;
}

RecordBatch through_file(const RecordBatch& batch, Compression compression) {
  StringSink sink;
  const auto writer = *IpcWriter::begin(sink, batch.shared_schema(), {.compression = compression});
  EXPECT_TRUE(writer->append(batch));
  EXPECT_TRUE(writer->finish());
  const Buffer bytes = Buffer::copy_of(sink.bytes());
  auto read = (*FileReader::open(bytes.bytes(), bytes.owner()))->read(0);
  EXPECT_TRUE(read.ok());
  return *read;
}

TEST(IpcProperty, WhatIsWrittenIsRead) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomTables tables(seed);
    const RecordBatch batch = tables.batch(tables.schema());
    for (const Compression compression :
         {Compression::none, Compression::lz4_frame, Compression::zstd}) {
      ASSERT_NO_FATAL_FAILURE(expect_same(batch, through_stream(batch, compression)));
      ASSERT_NO_FATAL_FAILURE(expect_same(batch, through_file(batch, compression)));
    }
  }
}

TEST(IpcProperty, WhatIsExportedIsImported) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomTables tables(seed);
    const RecordBatch batch = tables.batch(tables.schema());
    ArrowSchema schema;
    ArrowArray array;
    export_schema(batch.schema(), schema);
    export_batch(batch, array);

    auto imported_schema = import_schema(schema);
    ASSERT_TRUE(imported_schema);
    const auto imported =
        import_batch(array, std::make_shared<const Schema>(*std::move(imported_schema)));

    ASSERT_TRUE(imported);
    ASSERT_NO_FATAL_FAILURE(expect_same(batch, *imported));
  }
}

TEST(IpcProperty, RowsCopiedOutOfWhatWasReadAreTheSame) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomTables tables(seed);
    const RecordBatch batch = tables.batch(tables.schema());
    for (const ArrayPointer& column : batch.columns()) {
      const bool is_dictionary = column->type().id() == TypeId::dictionary;
      const auto builder = make_builder(is_dictionary ? column->type().value() : column->type());
      const std::size_t half = column->length() / 2;
      ASSERT_TRUE(builder->append_from(*column, 0, half));
      ASSERT_TRUE(builder->append_from(*column, half, column->length() - half));
      ASSERT_TRUE(same_values(*column, *builder->finish()));
    }
  }
}

}  // namespace
}  // namespace braid::columnar::arrow
