// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/builder.h"

#include <string>
#include <utility>

namespace braid::columnar::arrow {

void ArrayBuilder::need_validity() {
  if (has_validity_) return;
  has_validity_ = true;
  validity_.append(true, length_);
}

void ArrayBuilder::append_nulls(std::size_t count) {
  if (count == 0) return;
  need_validity();
  add_zeros(count);
  validity_.append(false, count);
  length_ += count;
  null_count_ += count;
}

void ArrayBuilder::append_placeholders(std::size_t count) {
  add_zeros(count);
  count_values(count);
}

void ArrayBuilder::count_rows(const BitmapView& validity) {
  const std::size_t ones = validity.count_ones();
  if (ones == validity.size()) return count_values(ones);
  need_validity();
  validity_.append(validity);
  length_ += validity.size();
  null_count_ += validity.size() - ones;
}

Status ArrayBuilder::append_from(const Array& from, std::size_t begin, std::size_t count) {
  BRAID_ASSERT(begin <= from.length());
  BRAID_ASSERT(count <= from.length() - begin);
  const bool decodes = from.type().id() == TypeId::dictionary;
  BRAID_ASSERT((decodes ? from.type().value() : from.type()) == type_);
  if (count == 0) return Unit{};
  const bool is_bytes = type_.id() >= TypeId::utf8 && type_.id() <= TypeId::fixed_size_binary;
  BRAID_TRY(decodes && !is_bytes ? add_entries(from, begin, count) : add_rows(from, begin, count));
  count_rows(from.validity().slice(begin, count));
  return Unit{};
}

Status ArrayBuilder::add_entries(const Array& from, std::size_t begin, std::size_t count) {
  for (std::size_t row = begin; row < begin + count; ++row) {
    if (!from.is_null(row) && from.entry(row) >= from.child().length()) {
      return Error(ErrorCode::corrupt, "a number leads to no entry of the dictionary")
          .with("row", std::uint64_t{row});
    }
  }
  for (std::size_t row = begin; row < begin + count; ++row) {
    if (from.is_null(row)) {
      add_zeros(1);
    } else {
      BRAID_TRY(add_rows(from.child(), from.entry(row), 1));
    }
  }
  return Unit{};
}

ArrayPointer ArrayBuilder::finish() {
  ArrayParts parts{.type = type_, .length = length_, .null_count = null_count_};
  if (has_validity_) parts.validity = validity_.finish();
  take(parts);
  length_ = 0;
  null_count_ = 0;
  has_validity_ = false;
  Result<ArrayPointer> array = Array::make(std::move(parts));
  BRAID_ASSERT(array.ok());  // A3
  return *std::move(array);
}

Status BooleanBuilder::add_rows(const Array& from, std::size_t begin, std::size_t count) {
  values_.append(from.bits().slice(begin, count));
  return Unit{};
}

FixedBinaryBuilder::FixedBinaryBuilder(const DataType& type) : ArrayBuilder(type) {
  BRAID_ASSERT(type.id() == TypeId::fixed_size_binary);
}

Status FixedBinaryBuilder::add_rows(const Array& from, std::size_t begin, std::size_t count) {
  const std::size_t before = values_.size();
  for (std::size_t row = begin; row < begin + count; ++row) {
    const std::string_view bytes = from.bytes(row);
    if (bytes.size() == type().size()) {
      values_.append(bytes);
    } else if (from.is_null(row)) {
      values_.append_zeros(type().size());
    } else {
      values_.shrink(before);
      return Error(ErrorCode::corrupt, "a number leads to no entry of the dictionary")
          .with("row", std::uint64_t{row});
    }
  }
  return Unit{};
}

template <class T>
std::unique_ptr<ArrayBuilder> fixed(const DataType& type) {
  return std::make_unique<FixedBuilder<T>>(type);
}

std::unique_ptr<ArrayBuilder> make_builder(const DataType& type) {
  switch (type.id()) {
    case TypeId::boolean: return std::make_unique<BooleanBuilder>();
    case TypeId::i8: return fixed<std::int8_t>(type);
    case TypeId::u8: return fixed<std::uint8_t>(type);
    case TypeId::i16: return fixed<std::int16_t>(type);
    case TypeId::u16: return fixed<std::uint16_t>(type);
    case TypeId::i32:
    case TypeId::date32: return fixed<std::int32_t>(type);
    case TypeId::u32: return fixed<std::uint32_t>(type);
    case TypeId::i64:
    case TypeId::timestamp_ms: return fixed<std::int64_t>(type);
    case TypeId::u64: return fixed<std::uint64_t>(type);
    case TypeId::f32: return fixed<float>(type);
    case TypeId::f64: return fixed<double>(type);
    case TypeId::utf8:
    case TypeId::binary: return std::make_unique<BytesBuilder>(type);
    case TypeId::fixed_size_binary: return std::make_unique<FixedBinaryBuilder>(type);
    case TypeId::list: return std::make_unique<ListBuilder>(type);
    case TypeId::fixed_size_list: return std::make_unique<FixedListBuilder>(type);
    case TypeId::dictionary: break;
  }
  BRAID_ASSERT(type.id() != TypeId::dictionary);
  return nullptr;
}

}  // namespace braid::columnar::arrow
