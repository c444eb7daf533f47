// SPDX-License-Identifier: Apache-2.0
// Builders whose rows differ in size, or have elements.
#include <algorithm>
#include <string>
#include <utility>

#include "columnar/arrow/builder.h"

namespace braid::columnar::arrow {
namespace {

Error full(const DataType& type, std::size_t present, std::size_t size) {
  return Error(ErrorCode::resource_limit,
               "a column of one batch holds at most 2147483647 bytes or elements: begin another")
      .with("type", to_string(type))
      .with("present", std::uint64_t{present})
      .with("size", std::uint64_t{size});
}

/// Offsets begin with 0, also in a builder that has no rows.
BufferBuilder first_offset() {
  BufferBuilder offsets;
  offsets.push(std::int32_t{0});
  return offsets;
}

void repeat_offset(BufferBuilder& offsets, std::size_t position, std::size_t count) {
  offsets.reserve(count * sizeof(std::int32_t));
  for (std::size_t i = 0; i < count; ++i) offsets.push(static_cast<std::int32_t>(position));
}

/// What some rows of an array with offsets take of its bytes or elements.
Result<ListRange> extent_of(std::span<const std::int32_t> offsets, std::size_t available) {
  bool rises = offsets.front() >= 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) rises &= offsets[i - 1] <= offsets[i];
  if (!rises || static_cast<std::size_t>(offsets.back()) > available) {
    return Error(ErrorCode::corrupt, "offsets of an Arrow array do not rise or lead outside");
  }
  return ListRange{static_cast<std::size_t>(offsets.front()),
                   static_cast<std::size_t>(offsets.back() - offsets.front())};
}

/// The ends of the rows, moved so that the first row begins at `position`.
void append_moved(BufferBuilder& to, std::span<const std::int32_t> offsets, std::size_t position) {
  const auto distance = static_cast<std::int64_t>(position) - offsets.front();
  char* out = to.extend((offsets.size() - 1) * sizeof(std::int32_t));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const auto moved = static_cast<std::int32_t>(offsets[i] + distance);
    std::memcpy(out, &moved, sizeof(moved));
    out += sizeof(moved);
  }
}

}  // namespace

BytesBuilder::BytesBuilder(const DataType& type, std::size_t size_max)
    : ArrayBuilder(type), size_max_(size_max), offsets_(first_offset()) {
  BRAID_ASSERT(size_max <= kOffsetMax);
  BRAID_ASSERT(type.id() == TypeId::utf8 || type.id() == TypeId::binary);
}

Error BytesBuilder::too_large(std::size_t size) const { return full(type(), values_.size(), size); }

void BytesBuilder::add_zeros(std::size_t count) { repeat_offset(offsets_, values_.size(), count); }

Status BytesBuilder::add_rows(const Array& from, std::size_t begin, std::size_t count) {
  if (from.type().id() == TypeId::dictionary) return add_entries(from, begin, count);
  const std::span<const std::int32_t> offsets = from.offsets().subspan(begin, count + 1);
  BRAID_ASSIGN(const ListRange extent, extent_of(offsets, from.parts().values.size()));
  if (!fits(extent.size)) return too_large(extent.size);
  append_moved(offsets_, offsets, values_.size());
  values_.append(from.parts().values.bytes().substr(extent.begin, extent.size));
  return Unit{};
}

Status BytesBuilder::add_entries(const Array& from, std::size_t begin, std::size_t count) {
  std::size_t size = 0;
  for (std::size_t row = begin; row < begin + count; ++row) {
    if (from.is_null(row)) continue;
    if (from.entry(row) >= from.child().length()) {
      return Error(ErrorCode::corrupt, "a number leads to no entry of the dictionary")
          .with("row", std::uint64_t{row});
    }
    size += from.bytes(row).size();
  }
  if (!fits(size)) return too_large(size);
  values_.reserve(size);
  for (std::size_t row = begin; row < begin + count; ++row) {
    if (!from.is_null(row)) values_.append(from.bytes(row));
    offsets_.push(static_cast<std::int32_t>(values_.size()));
  }
  return Unit{};
}

void BytesBuilder::take(ArrayParts& parts) {
  parts.offsets = offsets_.finish();
  parts.values = values_.finish();
  offsets_ = first_offset();
}

ListBuilder::ListBuilder(const DataType& type)
    : ArrayBuilder(type), element_(make_builder(type.element().type)), offsets_(first_offset()) {
  BRAID_ASSERT(type.id() == TypeId::list);
}

Status ListBuilder::close() {
  if (element_->length() > kOffsetMax) {
    return full(type(), closed_, element_->length() - closed_);
  }
  closed_ = element_->length();
  offsets_.push(static_cast<std::int32_t>(closed_));
  count_value();
  return Unit{};
}

void ListBuilder::add_zeros(std::size_t count) { repeat_offset(offsets_, closed_, count); }

Status ListBuilder::add_rows(const Array& from, std::size_t begin, std::size_t count) {
  const std::span<const std::int32_t> offsets = from.offsets().subspan(begin, count + 1);
  BRAID_ASSIGN(const ListRange extent, extent_of(offsets, from.child().length()));
  BRAID_ASSERT(element_->length() == closed_);
  if (!fits(extent.size)) return full(type(), closed_, extent.size);
  BRAID_TRY(element_->append_from(from.child(), extent.begin, extent.size));
  append_moved(offsets_, offsets, closed_);
  closed_ += extent.size;
  return Unit{};
}

void ListBuilder::take(ArrayParts& parts) {
  parts.offsets = offsets_.finish();
  parts.child = element_->finish();
  offsets_ = first_offset();
  closed_ = 0;
}

FixedListBuilder::FixedListBuilder(const DataType& type)
    : ArrayBuilder(type), element_(make_builder(type.element().type)) {
  BRAID_ASSERT(type.id() == TypeId::fixed_size_list);
}

void FixedListBuilder::close() {
  BRAID_ASSERT(element_->length() == (length() + 1) * type().size());
  count_value();
}

void FixedListBuilder::append(std::span<const float> values) {
  BRAID_ASSERT(type().element().type.id() == TypeId::f32);
  BRAID_ASSERT(values.size() == type().size());
  static_cast<FixedBuilder<float>&>(*element_).append(values);
  count_value();
}

void FixedListBuilder::add_zeros(std::size_t count) {
  element_->append_placeholders(count * type().size());
}

Status FixedListBuilder::add_rows(const Array& from, std::size_t begin, std::size_t count) {
  return element_->append_from(from.child(), from.list(begin).begin, count * type().size());
}

void FixedListBuilder::take(ArrayParts& parts) { parts.child = element_->finish(); }

}  // namespace braid::columnar::arrow
