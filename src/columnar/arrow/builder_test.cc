// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/builder.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::columnar::arrow {
namespace {

using testing::ElementsAre;

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode::internal : result.error().code();
}

DataType list_of(DataType element) {
  return DataType::list({.name = "item", .type = std::move(element), .nullable = true});
}

TEST(Builder, WithoutNullsThereAreNoValidityBits) {
  FixedBuilder<double> builder(TypeId::f64);
  builder.append(1.5);
  builder.append(std::vector<double>{2.5, 3.5});

  const ArrayPointer array = builder.finish();

  EXPECT_THAT(array->values<double>(), ElementsAre(1.5, 2.5, 3.5));
  EXPECT_EQ(array->null_count(), 0U);
  EXPECT_TRUE(array->parts().validity.empty());
  EXPECT_TRUE(array->parts().values.is_aligned(kAlignment));
}

TEST(Builder, FirstNullMarksEarlierRowsAsPresent) {
  FixedBuilder<std::int16_t> builder(TypeId::i16);
  builder.append(std::vector<std::int16_t>(10, 7));
  builder.append_null();
  builder.append(8);

  const ArrayPointer array = builder.finish();

  EXPECT_EQ(array->null_count(), 1U);
  EXPECT_FALSE(array->is_null(9));
  EXPECT_TRUE(array->is_null(10));
  EXPECT_EQ(array->values<std::int16_t>()[11], 8);
  EXPECT_TRUE(validate(*array));
}

TEST(Builder, BulkWithBitsIsTheSameAsOneByOne) {
  BitmapBuilder bits;
  for (const bool bit : {true, false, true}) bits.push(bit);
  const Buffer map = bits.finish();
  FixedBuilder<std::uint64_t> bulk(TypeId::u64);
  bulk.append(std::vector<std::uint64_t>{1, 0, 3}, BitmapView(map.data(), 0, 3));
  FixedBuilder<std::uint64_t> single(TypeId::u64);
  single.append(1);
  single.append_null();
  single.append(3);

  EXPECT_TRUE(same_values(*bulk.finish(), *single.finish()));
}

TEST(Builder, FinishLeavesAnEmptyBuilder) {  // A3
  BytesBuilder builder(TypeId::utf8);
  ASSERT_TRUE(builder.append("one"));
  builder.append_null();
  const ArrayPointer first = builder.finish();
  ASSERT_TRUE(builder.append("two"));
  const ArrayPointer second = builder.finish();

  EXPECT_EQ(first->length(), 2U);
  EXPECT_EQ(second->length(), 1U);
  EXPECT_EQ(second->null_count(), 0U);
  EXPECT_EQ(first->bytes(0), "one");
  EXPECT_EQ(second->bytes(0), "two");
  EXPECT_EQ(builder.finish()->length(), 0U);
}

TEST(Builder, NestedListsKeepEmptyAndNullApart) {
  ListBuilder outer(list_of(list_of(TypeId::i32)));
  auto& inner = static_cast<ListBuilder&>(outer.element());
  auto& numbers = static_cast<FixedBuilder<std::int32_t>&>(inner.element());
  numbers.append(1);
  numbers.append(2);
  ASSERT_TRUE(inner.close());
  ASSERT_TRUE(inner.close());
  inner.append_null();
  ASSERT_TRUE(outer.close());  // [[1, 2], [], null]
  outer.append_null();
  ASSERT_TRUE(outer.close());  // []

  const ArrayPointer array = outer.finish();

  EXPECT_TRUE(validate(*array));
  EXPECT_EQ(array->list(0), (ListRange{0, 3}));
  EXPECT_TRUE(array->is_null(1));
  EXPECT_EQ(array->list(2), (ListRange{3, 0}));
  EXPECT_EQ(array->child().list(0), (ListRange{0, 2}));
  EXPECT_EQ(array->child().list(1).size, 0U);
  EXPECT_TRUE(array->child().is_null(2));
}

TEST(Builder, NullVectorTakesItsPlaceAmongTheElements) {
  FixedListBuilder builder(
      DataType::fixed_size_list({.name = "item", .type = TypeId::f32, .nullable = false}, 2));
  builder.append(std::vector<float>{1, 2});
  builder.append_null();
  builder.append(std::vector<float>{3, 4});

  const ArrayPointer array = builder.finish();

  EXPECT_TRUE(validate(*array));
  EXPECT_THAT(array->child().values<float>(), ElementsAre(1, 2, 0, 0, 3, 4));
  EXPECT_EQ(array->list(2), (ListRange{4, 2}));
}

TEST(Builder, TextBeyondTheLimitIsRefusedAndAddsNoRow) {  // A3
  BytesBuilder builder(TypeId::binary, 10);
  ASSERT_TRUE(builder.append("123456"));
  ASSERT_TRUE(builder.fits(4));
  ASSERT_FALSE(builder.fits(5));

  EXPECT_EQ(code_of(builder.append("12345")), ErrorCode::resource_limit);

  EXPECT_EQ(builder.length(), 1U);
  EXPECT_TRUE(builder.append("1234"));
  EXPECT_EQ(code_of(builder.append("x")), ErrorCode::resource_limit);
  EXPECT_EQ(builder.finish()->bytes(1), "1234");
}

TEST(Builder, OffsetsReachAsFarAsTheFormat) {
  EXPECT_TRUE(BytesBuilder(TypeId::utf8).fits(2'147'483'647));
  EXPECT_FALSE(BytesBuilder(TypeId::utf8).fits(2'147'483'648));
}

TEST(Builder, MemoryIsCountedWithItsSpareRoom) {  // A4
  FixedBuilder<std::int64_t> builder(TypeId::i64);
  builder.reserve(1000);
  EXPECT_EQ(builder.memory_bytes(), 8000U);
  for (std::int64_t i = 0; i < 1000; ++i) builder.append(i);
  EXPECT_EQ(builder.memory_bytes(), 8000U);
  builder.append(0);
  EXPECT_EQ(builder.memory_bytes(), 16000U);
  builder.append_null();
  EXPECT_GT(builder.memory_bytes(), 16000U);
}

/// One array of each layout, with nulls; twenty rows.
std::vector<ArrayPointer> samples() {
  std::vector<ArrayPointer> out;
  BooleanBuilder booleans;
  FixedBuilder<float> floats(TypeId::f32);
  BytesBuilder texts(TypeId::utf8);
  FixedBinaryBuilder ids(DataType::fixed_size_binary(3));
  ListBuilder lists(list_of(TypeId::utf8));
  FixedListBuilder vectors(
      DataType::fixed_size_list({.name = "item", .type = TypeId::f32, .nullable = false}, 3));
  const std::vector<ArrayBuilder*> all = {&booleans, &floats, &texts, &ids, &lists, &vectors};
  for (std::size_t i = 0; i < 20; ++i) {
    if (i % 7 == 2) {
      for (ArrayBuilder* builder : all) builder->append_null();
      continue;
    }
    booleans.append(i % 3 == 0);
    floats.append(static_cast<float>(i));
    EXPECT_TRUE(texts.append(std::string(i, 'a')));
    ids.append(std::string(3, static_cast<char>('a' + i)));
    for (std::size_t k = 0; k < i % 4; ++k) {
      EXPECT_TRUE(static_cast<BytesBuilder&>(lists.element()).append(std::to_string(i * k)));
    }
    EXPECT_TRUE(lists.close());
    vectors.append(std::vector<float>(3, static_cast<float>(i)));
  }
  for (ArrayBuilder* builder : all) out.push_back(builder->finish());
  return out;
}

TEST(Builder, RowsCopiedInPiecesAreTheSameRows) {  // A3
  for (const ArrayPointer& array : samples()) {
    const auto builder = make_builder(array->type());
    ASSERT_TRUE(builder->append_from(*array, 0, 0));
    ASSERT_TRUE(builder->append_from(*array, 0, 5));
    ASSERT_TRUE(builder->append_from(*array->slice(5, 10), 0, 10));
    ASSERT_TRUE(builder->append_from(*array, 15, 5));

    const ArrayPointer copy = builder->finish();

    EXPECT_TRUE(validate(*copy)) << to_string(array->type());
    EXPECT_TRUE(same_values(*array, *copy)) << to_string(array->type());
    EXPECT_FALSE(same_values(*array, *copy->slice(0, 19)));
    EXPECT_FALSE(same_values(*array->slice(3, 2), *copy->slice(4, 2)));
  }
}

TEST(Builder, RowsOfADamagedArrayAreCorruptAndAddNothing) {
  const std::vector<std::int32_t> offsets = {0, 9, 1, 2};
  const auto damaged =
      Array::make({.type = TypeId::utf8,
                   .length = 3,
                   .offsets = Buffer::copy_of({reinterpret_cast<const char*>(offsets.data()), 16}),
                   .values = Buffer::copy_of("ab")});
  ASSERT_TRUE(damaged);
  BytesBuilder builder(TypeId::utf8);

  EXPECT_EQ(code_of(builder.append_from(**damaged, 0, 3)), ErrorCode::corrupt);
  EXPECT_EQ(builder.length(), 0U);
  EXPECT_TRUE(builder.append_from(**damaged, 2, 1));
  EXPECT_EQ(builder.finish()->bytes(0), "b");
}

}  // namespace
}  // namespace braid::columnar::arrow
