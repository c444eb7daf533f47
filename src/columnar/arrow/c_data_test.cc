// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/c_data.h"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "columnar/arrow/builder.h"
#include "columnar/arrow/dictionary.h"

namespace braid::columnar::arrow {
namespace {

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode::internal : result.error().code();
}

DataType list_of(DataType element) {
  return DataType::list({.name = "item", .type = std::move(element)});
}

SchemaPointer all_types() {
  Schema schema{.fields = {}, .metadata = {{"braid.table", "7"}, {"", ""}}};
  for (const TypeId id :
       {TypeId::boolean, TypeId::i8, TypeId::u8, TypeId::i16, TypeId::u16, TypeId::i32, TypeId::u32,
        TypeId::i64, TypeId::u64, TypeId::f32, TypeId::f64, TypeId::date32, TypeId::timestamp_ms,
        TypeId::utf8, TypeId::binary}) {
    schema.fields.push_back({.name = std::string(name_of(id)), .type = id});
  }
  const Field element{.name = "x", .type = TypeId::f32, .nullable = false};
  schema.fields.push_back({.name = "w", .type = DataType::fixed_size_binary(5)});
  schema.fields.push_back({.name = "n", .type = list_of(list_of(TypeId::i32))});
  schema.fields.push_back({.name = "v", .type = DataType::fixed_size_list(element, 3)});
  schema.fields.push_back({.name = "d",
                           .type = DataType::dictionary(TypeId::i32, TypeId::utf8),
                           .metadata = {{"k", "v"}}});
  return std::make_shared<const Schema>(std::move(schema));
}

/// Rows that are null, a placeholder, null, …
ArrayPointer column_of(const DataType& type, std::size_t rows) {
  if (type.id() == TypeId::dictionary) {
    DictionaryEncoder encoder(type.value());
    BytesBuilder words(type.value());
    for (std::size_t i = 0; i < rows; ++i) {
      if (i % 2 == 0) {
        words.append_null();
      } else {
        EXPECT_TRUE(words.append(std::to_string(i % 3)));
      }
    }
    return *encoder.encode(*words.finish());
  }
  const auto builder = make_builder(type);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 2 == 0) {
      builder->append_null();
    } else {
      builder->append_placeholders(1);
    }
  }
  return builder->finish();
}

RecordBatch batch_of(const SchemaPointer& schema, std::size_t rows) {
  std::vector<ArrayPointer> columns;
  for (const Field& field : schema->fields) columns.push_back(column_of(field.type, rows));
  auto batch = RecordBatch::make(schema, rows, std::move(columns));
  EXPECT_TRUE(batch);
  return *std::move(batch);
}

TEST(CData, StructuresHaveTheLayoutOfTheInterface) {
  EXPECT_EQ(sizeof(ArrowSchema), 72U);
  EXPECT_EQ(offsetof(ArrowSchema, flags), 24U);
  EXPECT_EQ(offsetof(ArrowSchema, release), 56U);
  EXPECT_EQ(sizeof(ArrowArray), 80U);
  EXPECT_EQ(offsetof(ArrowArray, buffers), 40U);
  EXPECT_EQ(offsetof(ArrowArray, release), 64U);
}

TEST(CData, FormatsAreThoseOfTheInterface) {
  ArrowSchema exported;
  export_schema(*all_types(), exported);

  ASSERT_EQ(exported.n_children, 19);
  std::string formats = exported.format;
  for (std::int64_t i = 0; i < exported.n_children; ++i) {
    formats += std::string(" ") + exported.children[i]->format;
  }
  EXPECT_EQ(formats, "+s b c C s S i I l L f g tdD tsm:UTC u z w:5 +l +w:3 i");
  EXPECT_STREQ(exported.children[18]->dictionary->format, "u");
  EXPECT_EQ(exported.children[18]->flags, 2);
  EXPECT_EQ(exported.children[17]->children[0]->flags, 0);
  EXPECT_EQ(std::string_view(exported.children[18]->metadata, 14),
            std::string_view("\1\0\0\0\1\0\0\0k\1\0\0\0v", 14));
  exported.release(&exported);
  EXPECT_EQ(exported.release, nullptr);
}

TEST(CData, SchemaReturnsAsItWas) {
  const SchemaPointer schema = all_types();
  ArrowSchema exported;
  export_schema(*schema, exported);

  const auto imported = import_schema(exported);

  ASSERT_TRUE(imported);
  EXPECT_EQ(*imported, *schema);
  EXPECT_EQ(exported.release, nullptr);  // A14
}

TEST(CData, BatchOfAllTypesReturnsAsItWas) {
  const SchemaPointer schema = all_types();
  for (const std::size_t rows : {0U, 1U, 9U}) {
    const RecordBatch batch = batch_of(schema, rows);
    ArrowArray exported;
    export_batch(batch, exported);

    const auto imported = import_batch(exported, schema);

    ASSERT_TRUE(imported) << to_string(imported.error());
    for (std::size_t i = 0; i < schema->fields.size(); ++i) {
      EXPECT_TRUE(validate(imported->column(i))) << schema->fields[i].name;
      EXPECT_TRUE(same_values(imported->column(i), batch.column(i))) << schema->fields[i].name;
    }
  }
}

TEST(CData, SlicesReturnAsWhatTheyShow) {
  const SchemaPointer schema = all_types();
  for (const Field& field : schema->fields) {
    const ArrayPointer slice = column_of(field.type, 40)->slice(3, 20);
    ArrowArray exported;
    export_array(slice, exported);
    EXPECT_EQ(exported.offset, 3);

    const auto imported = import_array(exported, field.type);

    ASSERT_TRUE(imported) << field.name;
    EXPECT_TRUE(same_values(**imported, *slice)) << field.name;
  }
}

TEST(CData, ImportedBytesAreThoseExported) {
  const ArrayPointer array = column_of(TypeId::i64, 10);
  ArrowArray exported;
  export_array(array, exported);

  const auto imported = import_array(exported, TypeId::i64);

  EXPECT_EQ((*imported)->values<std::int64_t>().data(), array->values<std::int64_t>().data());
}

TEST(CData, ExportKeepsItsBytesUntilReleased) {  // A13
  ArrowArray exported;
  std::weak_ptr<const Array> watched;
  std::weak_ptr<const void> bytes;
  {
    const ArrayPointer array = column_of(TypeId::i64, 10);
    watched = array;
    bytes = array->parts().values.owner();
    export_array(array, exported);
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(bytes.expired());

  exported.release(&exported);

  EXPECT_TRUE(bytes.expired());
}

TEST(CData, ChildMovedOutOutlivesItsParent) {  // A13
  const SchemaPointer schema = all_types();
  ArrowArray exported;
  export_batch(batch_of(schema, 5), exported);
  ArrowArray moved = *exported.children[13];
  exported.children[13]->release = nullptr;
  exported.release(&exported);

  const auto imported = import_array(moved, TypeId::utf8);

  ASSERT_TRUE(imported);
  EXPECT_EQ((*imported)->bytes(1), "");
  EXPECT_TRUE((*imported)->is_null(2));
}

/// Somebody else's array of one i64, which counts how often it is released.
struct Foreign {
  std::int64_t value = 42;
  const void* buffers[2] = {nullptr, &value};
  int released = 0;
  ArrowArray array{};

  Foreign() {
    array.length = 1;
    array.null_count = -1;
    array.n_buffers = 2;
    array.buffers = buffers;
    array.private_data = &released;
    array.release = [](ArrowArray* self) {
      ++*static_cast<int*>(self->private_data);
      self->release = nullptr;
    };
  }
};

TEST(CData, ImportIsReleasedOnceWithItsLastArray) {  // A14
  Foreign foreign;
  auto imported = import_array(foreign.array, TypeId::i64);
  ASSERT_TRUE(imported);
  EXPECT_EQ(foreign.array.release, nullptr);
  ArrayPointer slice = (*imported)->slice(0, 1);

  *imported = nullptr;
  EXPECT_EQ(foreign.released, 0);
  EXPECT_EQ(slice->values<std::int64_t>()[0], 42);
  slice = nullptr;
  EXPECT_EQ(foreign.released, 1);
}

TEST(CData, ImportThatFailsIsReleasedToo) {  // A14
  for (const auto& damage :
       std::vector<void (*)(ArrowArray&)>{[](ArrowArray& array) { array.length = -1; },
                                          [](ArrowArray& array) { array.offset = -1; },
                                          [](ArrowArray& array) { array.n_buffers = 3; },
                                          [](ArrowArray& array) { array.n_children = 1; },
                                          [](ArrowArray& array) { array.null_count = 1; },
                                          [](ArrowArray& array) { array.buffers = nullptr; },
                                          [](ArrowArray& array) { array.dictionary = &array; }}) {
    Foreign foreign;
    damage(foreign.array);

    EXPECT_EQ(code_of(import_array(foreign.array, TypeId::i64)), ErrorCode::corrupt);
    EXPECT_EQ(foreign.released, 1);
  }
}

TEST(CData, TypesWithoutColumnAreUnsupported) {
  for (const char* const format :
       {"n", "e", "U", "Z", "vu", "tdm", "tss:", "tsm:CET", "+s", "d:9,2"}) {
    ArrowSchema exported;
    export_field({.name = "x", .type = TypeId::i64}, exported);
    exported.format = format;
    EXPECT_EQ(code_of(import_field(exported)), ErrorCode::unsupported) << format;
  }
  for (const char* const format : {"w:", "w:x", "w:-1", "w:2147483648", "+l"}) {
    ArrowSchema exported;
    export_field({.name = "x", .type = TypeId::i64}, exported);
    exported.format = format;
    EXPECT_EQ(code_of(import_field(exported)), ErrorCode::corrupt) << format;
  }
}

}  // namespace
}  // namespace braid::columnar::arrow
