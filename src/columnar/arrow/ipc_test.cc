// SPDX-License-Identifier: Apache-2.0
// Files and streams that we write and read. Other implementations: tests/arrow.
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "columnar/arrow/builder.h"
#include "columnar/arrow/dictionary.h"
#include "columnar/arrow/ipc_reader.h"
#include "columnar/arrow/ipc_writer.h"
#include "columnar/arrow/sink.h"
#include "env/memory_file_system.h"
#include "env/sim_file_system.h"

namespace braid::columnar::arrow {
namespace {

using testing::ElementsAre;

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode::internal : result.error().code();
}

template <class T>
T must(Result<T> result) {
  EXPECT_TRUE(result.ok()) << (result ? "" : to_string(result.error()));
  return *std::move(result);
}

ArrayPointer numbers(std::vector<std::int64_t> values) {
  FixedBuilder<std::int64_t> builder(TypeId::i64);
  builder.append(values);
  return builder.finish();
}

ArrayPointer texts(const std::vector<std::string>& values) {
  BytesBuilder builder(TypeId::utf8);
  for (const std::string& value : values) EXPECT_TRUE(builder.append(value));
  return builder.finish();
}

/// `count` values out of `kinds`.
ArrayPointer repeated_texts(std::size_t count, std::size_t kinds) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back("text " + std::to_string(i * 7 % kinds));
  return texts(values);
}

RecordBatch batch_of(const SchemaPointer& schema, std::vector<ArrayPointer> columns) {
  const std::size_t length = columns.front()->length();
  return must(RecordBatch::make(schema, length, std::move(columns)));
}

const SchemaPointer kTwoColumns = std::make_shared<const Schema>(
    Schema{.fields = {{.name = "n", .type = TypeId::i64, .nullable = false},
                      {.name = "t", .type = TypeId::utf8, .metadata = {{"k", "v"}}}},
           .metadata = {{"braid.table", "3"}}});

std::string written(const SchemaPointer& schema, const std::vector<RecordBatch>& batches,
                    WriteOptions options = {}, const Metadata& metadata = {}) {
  StringSink sink;
  const auto writer = must(IpcWriter::begin(sink, schema, options));
  for (const RecordBatch& batch : batches) {
    const Status appended = writer->append(batch);
    EXPECT_TRUE(appended.ok());
  }
  EXPECT_TRUE(writer->finish(metadata));
  EXPECT_EQ(writer->size_bytes(), sink.bytes().size());
  return std::move(sink).take();
}

/// Bytes at an aligned address, as a mapping has them.
Buffer mapped(std::string_view bytes) { return Buffer::copy_of(bytes); }

Result<std::shared_ptr<const FileReader>> open(const Buffer& file, ReadOptions options = {}) {
  return FileReader::open(file.bytes(), file.owner(), options);
}

std::uint32_t u32_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

TEST(IpcFile, IsFramedAsTheFormatPrescribes) {
  const std::string file =
      written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "bc"})})});

  EXPECT_EQ(file.substr(0, 12), std::string("ARROW1\0\0\xFF\xFF\xFF\xFF", 12));
  const std::size_t batch = 16 + u32_at(file, 12);
  EXPECT_EQ(batch % 64, 0U);
  EXPECT_EQ(u32_at(file, batch), 0xFFFFFFFFU);
  const std::size_t body = batch + 8 + u32_at(file, batch + 4);
  EXPECT_EQ(body % 64, 0U);  // A8
  EXPECT_EQ(file.substr(body, 16), std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(file.substr(body + 16, 48), std::string(48, '\0'));
  EXPECT_EQ(file.substr(body + 64, 12), std::string("\0\0\0\0\1\0\0\0\3\0\0\0", 12));
  EXPECT_EQ(file.substr(body + 128, 3), "abc");
  EXPECT_EQ(file.substr(body + 192, 8), std::string("\xFF\xFF\xFF\xFF\0\0\0\0", 8));
  EXPECT_EQ(file.substr(file.size() - 6), "ARROW1");
  EXPECT_EQ(body + 200 + u32_at(file, file.size() - 10) + 10, file.size());
}

TEST(IpcStream, IsTheSameMessagesWithoutMagicAndFooter) {
  const RecordBatch batch = batch_of(kTwoColumns, {numbers({1}), texts({"a"})});
  const std::string stream = written(kTwoColumns, {batch}, {.container = Container::stream});

  EXPECT_EQ(stream.substr(0, 4), "\xFF\xFF\xFF\xFF");
  EXPECT_EQ(stream.substr(stream.size() - 8), std::string("\xFF\xFF\xFF\xFF\0\0\0\0", 8));
  EXPECT_EQ(stream.size() % 64, 8U);
}

TEST(IpcFile, SameBatchesGiveTheSameBytes) {  // A9
  const auto make = [] {
    return written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "bc"})})});
  };
  EXPECT_EQ(make(), make());

  const RecordBatch longer = batch_of(
      kTwoColumns, {numbers({9, 1, 2, 9})->slice(1, 2), texts({"x", "a", "bc", "y"})->slice(1, 2)});
  EXPECT_EQ(written(kTwoColumns, {longer}), make()) << "a slice is written as what it shows";
}

TEST(IpcFile, ReadsBackSchemaMetadataAndBatches) {
  const RecordBatch first = batch_of(kTwoColumns, {numbers({1, 2, 3}), texts({"a", "", "c"})});
  const RecordBatch empty = batch_of(kTwoColumns, {numbers({}), texts({})});
  const Buffer file = mapped(written(kTwoColumns, {first, empty}, {}, {{"rows", "3"}}));

  const auto reader = must(open(file));

  EXPECT_EQ(reader->schema(), *kTwoColumns);
  EXPECT_EQ(reader->metadata(), (Metadata{{"rows", "3"}}));
  ASSERT_EQ(reader->batch_count(), 2U);
  EXPECT_EQ(must(reader->length_of(0)), 3U);
  EXPECT_EQ(must(reader->length_of(1)), 0U);
  EXPECT_TRUE(same_values(must(reader->read(0)).column(0), first.column(0)));
  EXPECT_TRUE(same_values(must(reader->read(0)).column(1), first.column(1)));
  EXPECT_TRUE(same_values(must(reader->read(1)).column(1), empty.column(1)));
}

TEST(IpcFile, ColumnsAreReadWhereTheyLie) {  // A8
  const Buffer file =
      mapped(written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "b"})})}));

  const RecordBatch batch = must(must(open(file))->read(0));

  for (const ArrayPointer& column : batch.columns()) {
    const Buffer& values = column->parts().values;
    EXPECT_GE(values.data(), file.data());
    EXPECT_LE(values.data() + values.size(), file.data() + file.size());
    EXPECT_TRUE(values.is_aligned(kAlignment));
    EXPECT_EQ(values.owner(), file.owner());
  }
}

TEST(IpcFile, SomeColumnsComeInTheOrderAsked) {
  const Buffer file =
      mapped(written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "b"})})}));
  const auto reader = must(open(file));

  const RecordBatch both = must(reader->read(0, std::vector<std::size_t>{1, 0}));
  const RecordBatch one = must(reader->read(0, std::vector<std::size_t>{1}));

  EXPECT_EQ(both.schema().fields[0].name, "t");
  EXPECT_THAT(both.column(1).values<std::int64_t>(), ElementsAre(1, 2));
  ASSERT_EQ(one.columns().size(), 1U);
  EXPECT_EQ(one.column(0).bytes(1), "b");
}

TEST(IpcFile, OpeningLooksAtNothingButTheFooter) {  // A12
  std::string bytes =
      written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "b"})})});
  const std::size_t footer_size = u32_at(bytes, bytes.size() - 10) + 10;
  std::fill(bytes.begin() + 8, bytes.end() - static_cast<std::ptrdiff_t>(footer_size), '\x5A');
  const Buffer file = mapped(bytes);

  const auto reader = open(file);

  ASSERT_TRUE(reader);
  EXPECT_EQ(code_of((*reader)->read(0)), ErrorCode::corrupt);
}

TEST(IpcFile, MisalignedFileIsReadAllTheSame) {  // A10
  const std::string bytes =
      written(kTwoColumns, {batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "b"})})});
  for (std::size_t shift = 1; shift < 9; ++shift) {
    const Buffer all = mapped(std::string(shift, ' ') + bytes);
    const auto reader =
        must(FileReader::open(all.bytes().substr(shift), all.owner(), ReadOptions{}));
    EXPECT_THAT(must(reader->read(0)).column(0).values<std::int64_t>(), ElementsAre(1, 2));
  }
}

class IpcCompression : public testing::TestWithParam<Compression> {};

TEST_P(IpcCompression, FilesAreSmallerAndReadBack) {
  const RecordBatch batch =
      batch_of(kTwoColumns, {numbers(std::vector<std::int64_t>(5000, 7)), repeated_texts(5000, 9)});
  const std::string plain = written(kTwoColumns, {batch});
  const std::string small = written(kTwoColumns, {batch}, {.compression = GetParam()});

  EXPECT_LT(small.size() * 3, plain.size());
  const Buffer file = mapped(small);
  const RecordBatch read = must(must(open(file))->read(0));
  EXPECT_TRUE(same_values(read.column(0), batch.column(0)));
  EXPECT_TRUE(same_values(read.column(1), batch.column(1)));
}

TEST_P(IpcCompression, WhatDoesNotShrinkStaysWhereItIs) {
  const RecordBatch batch = batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", ""})});
  const Buffer file = mapped(written(kTwoColumns, {batch}, {.compression = GetParam()}));

  const RecordBatch read = must(must(open(file))->read(0));

  EXPECT_TRUE(same_values(read.column(1), batch.column(1)));
  EXPECT_EQ(read.column(1).parts().values.owner(), file.owner());
}

TEST_P(IpcCompression, BufferIsItsSizeThenItsFrame) {
  const std::string text(1000, 'x');
  const Buffer stored = must(compress(GetParam(), text));
  const std::string_view magic =
      GetParam() == Compression::zstd ? "\x28\xB5\x2F\xFD" : "\x04\x22\x4D\x18";
  EXPECT_EQ(stored.bytes().substr(0, 8), std::string_view("\xE8\x03\0\0\0\0\0\0", 8));
  EXPECT_EQ(stored.bytes().substr(8, 4), magic);

  const Buffer raw = must(compress(GetParam(), "x"));
  EXPECT_EQ(raw.bytes(), std::string(8, '\xFF') + "x");
}

TEST_P(IpcCompression, BombsAndDamageAreCorrupt) {  // A6
  const std::string text(100'000, 'x');
  const std::string stored(must(compress(GetParam(), text)).bytes());
  const auto code = [&](std::string bytes, std::size_t size_max) {
    return code_of(decompress(GetParam(), Buffer::copy_of(bytes), size_max));
  };
  ASSERT_EQ(must(decompress(GetParam(), Buffer::copy_of(stored), 100'000)).bytes(), text);

  EXPECT_EQ(code(stored, 99'999), ErrorCode::corrupt);
  EXPECT_EQ(code(stored.substr(0, stored.size() - 1), 100'000), ErrorCode::corrupt);
  EXPECT_EQ(code(stored + "x", 100'000), ErrorCode::corrupt);
  EXPECT_EQ(code("1234567", 100'000), ErrorCode::corrupt);
  EXPECT_EQ(code(std::string(8, '\0'), 100'000), ErrorCode::corrupt);
  EXPECT_EQ(code(std::string(8, '\xFF') + text, 99'999), ErrorCode::corrupt);
  for (const char size : {'\x9F', '\xA1'}) {  // one less, one more than there is
    std::string lie = stored;
    lie[0] = size;
    EXPECT_EQ(code(lie, 200'000), ErrorCode::corrupt);
  }
}

TEST_P(IpcCompression, BatchBeyondTheReadersLimitIsAResourceLimit) {
  const RecordBatch batch =
      batch_of(kTwoColumns, {numbers(std::vector<std::int64_t>(5000, 7)), repeated_texts(5000, 9)});
  const Buffer file = mapped(written(kTwoColumns, {batch}, {.compression = GetParam()}));

  const auto reader = must(open(file, {.decoded_bytes_max = 50'000}));

  EXPECT_EQ(code_of(reader->read(0)), ErrorCode::resource_limit);
  EXPECT_TRUE(reader->read(0, std::vector<std::size_t>{0}));
}

INSTANTIATE_TEST_SUITE_P(Both, IpcCompression,
                         testing::Values(Compression::lz4_frame, Compression::zstd));

TEST(Dictionary, IsWorthItWhereValuesRepeat) {
  EXPECT_TRUE(is_worth_a_dictionary(*repeated_texts(256, 64)));
  EXPECT_FALSE(is_worth_a_dictionary(*repeated_texts(256, 65)));
  EXPECT_FALSE(is_worth_a_dictionary(*repeated_texts(255, 2)));
  EXPECT_FALSE(is_worth_a_dictionary(*repeated_texts(5000, 1000))) << "the first 1024 are new";
}

TEST(Dictionary, LaterBatchesContinueTheEntriesOfEarlierOnes) {  // A7
  DictionaryEncoder encoder(TypeId::utf8);
  const ArrayPointer first = must(encoder.encode(*texts({"b", "a", "b"})));
  const ArrayPointer second = must(encoder.encode(*texts({"c", "a"})));

  EXPECT_THAT(first->values<std::int32_t>(), ElementsAre(0, 1, 0));
  EXPECT_THAT(second->values<std::int32_t>(), ElementsAre(2, 1));
  EXPECT_EQ(first->child().length(), 2U);
  EXPECT_EQ(second->child().length(), 3U);
  EXPECT_EQ(second->bytes(0), "c");
}

TEST(Dictionary, ManyEntriesAreToldApart) {
  const ArrayPointer plain = repeated_texts(20'000, 9'973);
  DictionaryEncoder encoder(TypeId::utf8);

  const ArrayPointer encoded = must(encoder.encode(*plain));

  EXPECT_EQ(encoder.entry_count(), 9'973U);
  EXPECT_TRUE(same_values(*plain, *encoded));
}

SchemaPointer dictionary_schema() {
  return std::make_shared<const Schema>(
      Schema{.fields = {{.name = "d", .type = DataType::dictionary(TypeId::i32, TypeId::utf8)}}});
}

class IpcContainer : public testing::TestWithParam<Container> {};

std::vector<ArrayPointer> first_columns(const std::string& bytes, Container container) {
  const Buffer all = mapped(bytes);
  std::vector<ArrayPointer> columns;
  if (container == Container::file) {
    const auto reader = must(open(all));
    for (std::size_t i = 0; i < reader->batch_count(); ++i) {
      columns.push_back(must(reader->read(i)).columns()[0]);
    }
    return columns;
  }
  const auto reader = must(StreamReader::open(all.bytes(), all.owner()));
  while (auto batch = must(reader->next())) columns.push_back(batch->columns()[0]);
  return columns;
}

TEST_P(IpcContainer, DictionaryGrowsFromBatchToBatch) {
  DictionaryEncoder encoder(TypeId::utf8);
  const SchemaPointer schema = dictionary_schema();
  const ArrayPointer first = must(encoder.encode(*texts({"b", "a", "b"})));
  const ArrayPointer second = must(encoder.encode(*texts({"c", "a"})));

  const auto read =
      first_columns(written(schema, {batch_of(schema, {first}), batch_of(schema, {second})},
                            {.container = GetParam()}),
                    GetParam());

  ASSERT_EQ(read.size(), 2U);
  EXPECT_TRUE(same_values(*read[0], *texts({"b", "a", "b"})));
  EXPECT_TRUE(same_values(*read[1], *texts({"c", "a"})));
}

TEST_P(IpcContainer, NoBatchesThenNoneAreRead) {
  const SchemaPointer schema = dictionary_schema();
  EXPECT_TRUE(first_columns(written(schema, {}, {.container = GetParam()}), GetParam()).empty());
}

TEST_P(IpcContainer, EveryCutIsCorruptOrAnEarlierEnd) {  // A11
  const RecordBatch batch = batch_of(kTwoColumns, {numbers({1, 2}), texts({"a", "b"})});
  const std::string bytes = written(kTwoColumns, {batch, batch}, {.container = GetParam()});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Buffer cut = mapped(bytes.substr(0, size));
    if (GetParam() == Container::file) {
      const auto reader = open(cut);
      ASSERT_EQ(code_of(reader), ErrorCode::corrupt) << size;
      ASSERT_NE(reader.error().detail("offset"), nullptr);
      continue;
    }
    const auto reader = StreamReader::open(cut.bytes(), cut.owner());
    if (!reader) {
      ASSERT_EQ(code_of(reader), ErrorCode::corrupt);
      continue;
    }
    while (true) {
      const auto next = (*reader)->next();
      if (next && next->has_value()) continue;
      ASSERT_TRUE(next || code_of(next) == ErrorCode::corrupt) << size;
      break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, IpcContainer, testing::Values(Container::file, Container::stream));

TEST(IpcFile, DictionaryThatDoesNotContinueIsRefused) {
  const SchemaPointer schema = dictionary_schema();
  StringSink sink;
  const auto writer = must(IpcWriter::begin(sink, schema));
  ASSERT_TRUE(writer->append(
      batch_of(schema, {must(DictionaryEncoder(TypeId::utf8).encode(*texts({"a"})))})));

  EXPECT_EQ(code_of(writer->append(
                batch_of(schema, {must(DictionaryEncoder(TypeId::utf8).encode(*texts({"b"})))}))),
            ErrorCode::bad_request);
}

TEST(IpcFile, EveryFlippedBitIsFoundOrHarmless) {  // A11
  DictionaryEncoder encoder(TypeId::utf8);
  const auto schema = std::make_shared<const Schema>(Schema{
      .fields = {{.name = "d", .type = encoder.type()},
                 {.name = "t", .type = TypeId::utf8},
                 {.name = "v", .type = DataType::list({.name = "i", .type = TypeId::i32})}}});
  ListBuilder lists(schema->fields[2].type);
  static_cast<FixedBuilder<std::int32_t>&>(lists.element()).append(5);
  ASSERT_TRUE(lists.close());
  lists.append_null();
  const RecordBatch batch = batch_of(
      schema, {must(encoder.encode(*texts({"a", "b"}))), texts({"x", "yz"}), lists.finish()});
  const std::string bytes = written(schema, {batch});
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Buffer file = mapped(damaged);
    for (const bool check_rows : {true, false}) {
      const auto reader = open(file, {.check_rows = check_rows});
      if (!reader || (*reader)->batch_count() == 0) {
        ++refused;
        continue;
      }
      const auto read = (*reader)->read(0);
      if (!read) ++refused;
      if (!read || read->columns().size() < 2) continue;
      for (const ArrayPointer& column : read->columns()) {
        EXPECT_TRUE(!check_rows || validate(*column).ok());
        static_cast<void>(same_values(*column, *column));
      }
    }
  }
  EXPECT_GT(refused, 1000U);
}

TEST(IpcFile, BatchOfAnotherSchemaIsATypeError) {
  StringSink sink;
  const auto writer = must(IpcWriter::begin(sink, kTwoColumns));

  EXPECT_EQ(
      code_of(writer->append(batch_of(
          dictionary_schema(), {must(DictionaryEncoder(TypeId::utf8).encode(*texts({"b"})))}))),
      ErrorCode::type_error);
}

TEST(RecordBatch, ColumnsMustFitTheirFields) {
  FixedBuilder<std::int64_t> with_null(TypeId::i64);
  with_null.append_null();

  EXPECT_EQ(code_of(RecordBatch::make(kTwoColumns, 1, {numbers({1})})), ErrorCode::type_error);
  EXPECT_EQ(code_of(RecordBatch::make(kTwoColumns, 1, {texts({"a"}), texts({"a"})})),
            ErrorCode::type_error);
  EXPECT_EQ(code_of(RecordBatch::make(kTwoColumns, 1, {numbers({1}), texts({"a", "b"})})),
            ErrorCode::type_error);
  EXPECT_EQ(code_of(RecordBatch::make(kTwoColumns, 1, {with_null.finish(), texts({"a"})})),
            ErrorCode::type_error);
}

TEST(FileSink, BytesOfAnySizeArriveInOrder) {
  env::MemoryFileSystem files;
  const auto file = must(files.open("/f", env::OpenMode::kCreateNew));
  FileSink sink(*file);
  std::string expected;
  for (const std::size_t size : {10UL, 1UL << 20, 3UL, (1UL << 20) - 4, 5UL, 2UL << 20}) {
    const std::string part(size, static_cast<char>('a' + size % 20));
    ASSERT_TRUE(sink.append(part));
    expected += part;
  }
  ASSERT_TRUE(sink.flush());

  EXPECT_EQ(sink.size_bytes(), expected.size());
  EXPECT_EQ(must(files.map("/f"))->bytes(), expected);
}

TEST(FileSink, FailedWriteIsReported) {
  env::SimFileSystem files({.capacity_bytes = 100});
  const auto file = must(files.open("f", env::OpenMode::kCreateNew));
  FileSink sink(*file);
  ASSERT_TRUE(sink.append(std::string(200, 'x')));

  EXPECT_EQ(code_of(sink.flush()), ErrorCode::no_space);
}

}  // namespace
}  // namespace braid::columnar::arrow
