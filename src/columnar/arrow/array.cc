// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/array.h"

#include <limits>
#include <string>

namespace braid::columnar::arrow {
namespace {

/// Rows are counted with room to spare for sizes and offsets computed from them.
constexpr std::size_t kRowsMax = std::numeric_limits<std::int64_t>::max() / 64;

Error damaged(std::string_view what, const ArrayParts& parts) {
  return Error(ErrorCode::corrupt, "Arrow array: " + std::string(what))
      .with("type", to_string(parts.type))
      .with("length", std::uint64_t{parts.length});
}

Status check_buffer(const ArrayParts& parts, std::string_view name, const Buffer& buffer,
                    std::size_t width, std::size_t count) {
  if (buffer.size() / width < count) {
    return damaged(std::string(name) + " are too short for the rows", parts)
        .with("size", std::uint64_t{buffer.size()});
  }
  if (!buffer.empty() && !buffer.is_aligned(width)) {
    return damaged(std::string(name) + " are not aligned", parts);
  }
  return Unit{};
}

Status check_offsets(const ArrayParts& parts, std::size_t target_size) {
  if (parts.length == 0) return Unit{};  // then the format lets them be missing
  BRAID_TRY(check_buffer(parts, "offsets", parts.offsets, sizeof(std::int32_t), parts.length + 1));
  const std::int32_t last = parts.offsets.as<std::int32_t>()[parts.length];
  if (last < 0 || static_cast<std::size_t>(last) > target_size) {
    return damaged("the last offset leads outside", parts)
        .with("offset_value", std::to_string(last));
  }
  return Unit{};
}

Status check_child(const ArrayParts& parts, const DataType& type) {
  if (parts.child == nullptr) return damaged("elements are missing", parts);
  if (!(parts.child->type() == type)) return damaged("elements are of another type", parts);
  return Unit{};
}

Status check_layout(const ArrayParts& parts) {
  const DataType& type = parts.type;
  switch (type.id()) {
    case TypeId::boolean:
      return check_buffer(parts, "values", parts.values, 1, bitmap_bytes(parts.length));
    case TypeId::utf8:
    case TypeId::binary: return check_offsets(parts, parts.values.size());
    case TypeId::fixed_size_binary:
      if (parts.values.size() / type.size() < parts.length) {
        return damaged("values are too short for the rows", parts);
      }
      return Unit{};
    case TypeId::list:
      BRAID_TRY(check_child(parts, type.element().type));
      return check_offsets(parts, parts.child->length());
    case TypeId::fixed_size_list:
      BRAID_TRY(check_child(parts, type.element().type));
      if (parts.child->length() / type.size() < parts.length) {
        return damaged("elements are too few for the rows", parts);
      }
      return Unit{};
    case TypeId::dictionary:
      BRAID_TRY(check_child(parts, type.value()));
      return check_buffer(parts, "numbers", parts.values, width_of(type.index()), parts.length);
    default: return check_buffer(parts, "values", parts.values, width_of(type.id()), parts.length);
  }
}

}  // namespace

Result<ArrayPointer> Array::make(ArrayParts parts) {
  if (parts.length > kRowsMax) return damaged("too many rows", parts);
  if (parts.null_count > parts.length) return damaged("more nulls than rows", parts);
  if (parts.null_count > 0) {
    BRAID_TRY(check_buffer(parts, "validity bits", parts.validity, 1, bitmap_bytes(parts.length)));
  }
  BRAID_TRY(check_layout(parts));
  return ArrayPointer(std::make_shared<const Array>(Array(std::move(parts), 0)));
}

BitmapView Array::bits() const {
  BRAID_ASSERT(parts_.type.id() == TypeId::boolean);
  if (parts_.length == 0) return {};
  return {parts_.values.data(), begin_, parts_.length};
}

std::span<const std::int32_t> Array::offsets() const {
  BRAID_ASSERT(has_offsets(parts_.type.id()));
  if (parts_.length == 0) return {};
  return {parts_.offsets.as<std::int32_t>() + begin_, parts_.length + 1};
}

std::string_view Array::own_bytes(std::size_t row) const {
  const std::string_view all = parts_.values.bytes();
  if (parts_.type.id() == TypeId::fixed_size_binary) {
    const std::size_t size = parts_.type.size();
    return {all.data() + (begin_ + row) * size, size};
  }
  const std::int32_t* const offsets = parts_.offsets.as<std::int32_t>() + begin_ + row;
  const auto begin = static_cast<std::uint32_t>(offsets[0]);
  const auto end = static_cast<std::uint32_t>(offsets[1]);
  if (begin > end || end > all.size()) return {};  // A1
  return {all.data() + begin, end - begin};
}

std::string_view Array::bytes(std::size_t row) const {
  BRAID_ASSERT(row < parts_.length);
  if (parts_.type.id() != TypeId::dictionary) {
    const TypeId id = parts_.type.id();
    BRAID_ASSERT(id >= TypeId::utf8 && id <= TypeId::fixed_size_binary);
    return own_bytes(row);
  }
  const std::size_t number = entry(row);
  if (number >= parts_.child->length()) return {};  // A1
  return parts_.child->bytes(number);
}

ListRange Array::list(std::size_t row) const {
  BRAID_ASSERT(row < parts_.length);
  if (parts_.type.id() == TypeId::fixed_size_list) {
    const std::size_t size = parts_.type.size();
    return {(begin_ + row) * size, size};
  }
  BRAID_ASSERT(parts_.type.id() == TypeId::list);
  const std::int32_t* const offsets = parts_.offsets.as<std::int32_t>() + begin_ + row;
  const auto begin = static_cast<std::uint32_t>(offsets[0]);
  const auto end = static_cast<std::uint32_t>(offsets[1]);
  if (begin > end || end > parts_.child->length()) return {};  // A1
  return {begin, end - begin};
}

std::size_t Array::entry(std::size_t row) const {
  BRAID_ASSERT(row < parts_.length);
  BRAID_ASSERT(parts_.type.id() == TypeId::dictionary);
  // A negative number becomes one that is far too large.
  switch (parts_.type.index()) {
    case TypeId::i8: return static_cast<std::size_t>(values<std::int8_t>()[row]);
    case TypeId::u8: return values<std::uint8_t>()[row];
    case TypeId::i16: return static_cast<std::size_t>(values<std::int16_t>()[row]);
    case TypeId::u16: return values<std::uint16_t>()[row];
    case TypeId::i32: return static_cast<std::size_t>(values<std::int32_t>()[row]);
    case TypeId::u32: return values<std::uint32_t>()[row];
    case TypeId::i64: return static_cast<std::size_t>(values<std::int64_t>()[row]);
    default: return static_cast<std::size_t>(values<std::uint64_t>()[row]);
  }
}

ArrayPointer Array::slice(std::size_t begin, std::size_t count) const {
  BRAID_ASSERT(begin <= parts_.length);
  BRAID_ASSERT(count <= parts_.length - begin);
  ArrayParts parts = parts_;  // (A2) shares all bytes
  parts.length = count;
  parts.null_count = count - validity().slice(begin, count).count_ones();
  return std::make_shared<const Array>(Array(std::move(parts), begin_ + begin));
}

}  // namespace braid::columnar::arrow
