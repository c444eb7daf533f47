// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/array.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "columnar/arrow/builder.h"

namespace braid::columnar::arrow {
namespace {

using testing::ElementsAre;

template <class T>
Buffer buffer_of(const std::vector<T>& values) {
  return Buffer::copy_of({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

ArrayPointer must(Result<ArrayPointer> made) {
  EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message());
  return *std::move(made);
}

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode::internal : result.error().code();
}

ArrayPointer text_array(const std::vector<std::int32_t>& offsets, std::string_view bytes) {
  return must(Array::make({.type = TypeId::utf8,
                           .length = offsets.size() - 1,
                           .offsets = buffer_of(offsets),
                           .values = Buffer::copy_of(bytes)}));
}

TEST(Array, ValuesAreTheBytesOfTheBufferItself) {
  const std::vector<std::int64_t> mapped = {1, -2, 3};
  const auto owner = std::make_shared<int>(0);
  const Buffer buffer({reinterpret_cast<const char*>(mapped.data()), 24}, owner);

  const ArrayPointer array =
      must(Array::make({.type = TypeId::i64, .length = 3, .values = buffer}));

  EXPECT_EQ(array->values<std::int64_t>().data(), mapped.data());
  EXPECT_THAT(array->values<std::int64_t>(), ElementsAre(1, -2, 3));
  EXPECT_EQ(owner.use_count(), 3);  // here, `buffer`, the array
}

TEST(Array, ValidityBitsTellNulls) {
  const ArrayPointer array = must(Array::make({.type = TypeId::u32,
                                               .length = 3,
                                               .null_count = 1,
                                               .validity = Buffer::copy_of("\x05"),
                                               .values = buffer_of<std::uint32_t>({7, 0, 9})}));

  EXPECT_FALSE(array->is_null(0));
  EXPECT_TRUE(array->is_null(1));
  EXPECT_FALSE(array->is_null(2));
}

TEST(Array, BuffersTooShortForTheLengthAreCorrupt) {  // A1
  EXPECT_EQ(code_of(Array::make(
                {.type = TypeId::i64, .length = 4, .values = buffer_of<std::int64_t>({1, 2, 3})})),
            ErrorCode::corrupt);
  EXPECT_EQ(
      code_of(Array::make({.type = TypeId::boolean, .length = 9, .values = Buffer::copy_of("x")})),
      ErrorCode::corrupt);
  EXPECT_EQ(code_of(Array::make(
                {.type = TypeId::utf8, .length = 2, .offsets = buffer_of<std::int32_t>({0, 1})})),
            ErrorCode::corrupt);
  EXPECT_EQ(code_of(Array::make({.type = TypeId::i8,
                                 .length = 9,
                                 .null_count = 1,
                                 .validity = Buffer::copy_of("x"),
                                 .values = Buffer::copy_of("123456789")})),
            ErrorCode::corrupt);
  EXPECT_EQ(code_of(Array::make({.type = DataType::fixed_size_binary(4),
                                 .length = 2,
                                 .values = Buffer::copy_of("1234567")})),
            ErrorCode::corrupt);
  EXPECT_EQ(code_of(Array::make({.type = TypeId::i64, .length = ~std::size_t{0}})),
            ErrorCode::corrupt);
}

TEST(Array, LastOffsetBehindTheBytesIsCorrupt) {  // A1
  EXPECT_EQ(code_of(Array::make({.type = TypeId::utf8,
                                 .length = 1,
                                 .offsets = buffer_of<std::int32_t>({0, 5}),
                                 .values = Buffer::copy_of("four")})),
            ErrorCode::corrupt);
}

TEST(Array, MisalignedValuesAreCorrupt) {  // A1
  const Buffer all = buffer_of<std::int64_t>({1, 2});
  const Buffer shifted(all.bytes().substr(4), all.owner());

  EXPECT_EQ(code_of(Array::make({.type = TypeId::i64, .length = 1, .values = shifted})),
            ErrorCode::corrupt);
}

TEST(Array, OffsetsThatJumpLeadToEmptyTextAndNeverOutside) {  // A1
  const ArrayPointer array = text_array({0, 1'000'000, -7, 4}, "four");

  EXPECT_EQ(array->bytes(0), "");
  EXPECT_EQ(array->bytes(1), "");
  EXPECT_EQ(array->bytes(2), "");
  EXPECT_EQ(code_of(validate(*array)), ErrorCode::corrupt);
}

TEST(Array, DictionaryNumbersLeadToEntries) {
  const ArrayPointer array =
      must(Array::make({.type = DataType::dictionary(TypeId::i8, TypeId::utf8),
                        .length = 3,
                        .values = buffer_of<std::int8_t>({1, 0, 1}),
                        .child = text_array({0, 3, 5}, "onetw")}));

  EXPECT_EQ(array->bytes(0), "tw");
  EXPECT_EQ(array->bytes(1), "one");
  EXPECT_TRUE(validate(*array));
}

TEST(Array, DictionaryNumbersWithoutEntryAreEmptyAndFoundByValidate) {  // A1
  for (const std::int8_t number : {std::int8_t{2}, std::int8_t{-1}}) {
    const ArrayPointer array =
        must(Array::make({.type = DataType::dictionary(TypeId::i8, TypeId::utf8),
                          .length = 1,
                          .values = buffer_of<std::int8_t>({number}),
                          .child = text_array({0, 3, 5}, "onetw")}));

    EXPECT_EQ(array->bytes(0), "");
    EXPECT_EQ(code_of(validate(*array)), ErrorCode::corrupt);
  }
}

TEST(Array, SlicesShareBytesAndCountTheirNulls) {  // A2
  FixedBuilder<std::int32_t> builder(TypeId::i32);
  for (std::int32_t i = 0; i < 100; ++i) {
    if (i % 3 == 0) {
      builder.append_null();
    } else {
      builder.append(i);
    }
  }
  const ArrayPointer whole = builder.finish();

  const ArrayPointer slice = whole->slice(10, 50)->slice(5, 20);

  EXPECT_EQ(slice->length(), 20U);
  EXPECT_EQ(slice->null_count(), 7U);  // 15, 18, … 33
  EXPECT_TRUE(slice->is_null(0));
  EXPECT_EQ(slice->values<std::int32_t>()[1], 16);
  EXPECT_EQ(slice->values<std::int32_t>().data(), whole->values<std::int32_t>().data() + 15);
}

TEST(Array, SlicesOfTextAndListsKeepTheirPlaces) {  // A2
  const ArrayPointer text = text_array({0, 1, 3, 6}, "abbccc");
  const ArrayPointer lists =
      must(Array::make({.type = DataType::list({.name = "item", .type = TypeId::utf8}),
                        .length = 2,
                        .offsets = buffer_of<std::int32_t>({0, 1, 3}),
                        .child = text}));

  EXPECT_EQ(text->slice(1, 2)->bytes(1), "ccc");
  EXPECT_EQ(lists->slice(1, 1)->list(0), (ListRange{1, 2}));
}

TEST(Validate, TextThatIsNotUtf8IsCorrupt) {
  EXPECT_TRUE(validate(*text_array({0, 2, 5},
                                   "\xC3\xA4"
                                   "abc")));
  EXPECT_EQ(code_of(validate(*text_array({0, 1}, "\xFF"))), ErrorCode::corrupt);
  EXPECT_EQ(code_of(validate(*text_array({0, 1, 2}, "\xC3\xA4"))), ErrorCode::corrupt)
      << "one character, cut into two strings";
}

TEST(Validate, BytesUnderANullMayBeAnything) {
  const ArrayPointer array = must(Array::make({.type = TypeId::utf8,
                                               .length = 2,
                                               .null_count = 1,
                                               .validity = Buffer::copy_of("\x01"),
                                               .offsets = buffer_of<std::int32_t>({0, 1, 2}),
                                               .values = Buffer::copy_of("a\xFF")}));
  EXPECT_TRUE(validate(*array));
}

TEST(Validate, MiscountedNullsAreCorrupt) {
  const ArrayPointer array = must(Array::make({.type = TypeId::i8,
                                               .length = 2,
                                               .null_count = 2,
                                               .validity = Buffer::copy_of("\x01"),
                                               .values = Buffer::copy_of("ab")}));
  EXPECT_EQ(code_of(validate(*array)), ErrorCode::corrupt);
}

TEST(Validate, NullAmongElementsThatCannotBeNullIsCorrupt) {
  FixedBuilder<std::int64_t> elements(TypeId::i64);
  elements.append_null();
  const ArrayPointer array = must(
      Array::make({.type = DataType::list({.name = "item", .type = TypeId::i64, .nullable = false}),
                   .length = 1,
                   .offsets = buffer_of<std::int32_t>({0, 1}),
                   .child = elements.finish()}));

  EXPECT_EQ(code_of(validate(*array)), ErrorCode::corrupt);
}

}  // namespace
}  // namespace braid::columnar::arrow
