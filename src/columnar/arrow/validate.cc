// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include <simdjson.h>

#include "columnar/arrow/array.h"

namespace braid::columnar::arrow {
namespace {

Error damaged(std::string_view what, const Array& array) {
  return Error(ErrorCode::corrupt, "Arrow array: " + std::string(what))
      .with("type", to_string(array.type()));
}

Status check_offsets(const Array& array, std::size_t target_size) {
  const std::span<const std::int32_t> offsets = array.offsets();
  if (offsets.empty()) return Unit{};
  bool rises = offsets.front() >= 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) rises &= offsets[i - 1] <= offsets[i];
  if (rises && static_cast<std::size_t>(offsets.back()) <= target_size) return Unit{};
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] > offsets[i + 1]) {
      return damaged("offsets do not rise", array).with("row", std::uint64_t{i});
    }
  }
  return damaged("offsets lead outside", array).with("row", std::uint64_t{offsets.size() - 1});
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// All text at once: it is valid, and no string begins in the middle of a character.
Status check_utf8(const Array& array) {
  const std::span<const std::int32_t> offsets = array.offsets();
  if (offsets.empty()) return Unit{};
  const std::string_view all = array.parts().values.bytes();
  const auto begin = static_cast<std::size_t>(offsets.front());
  const auto end = static_cast<std::size_t>(offsets.back());
  bool splits = false;
  for (const std::int32_t offset : offsets) {
    const auto at = static_cast<std::size_t>(offset);
    splits |= at < end && is_continuation(all[at]);
  }
  if (!splits && (begin == end || simdjson::validate_utf8(all.data() + begin, end - begin))) {
    return Unit{};
  }
  // Bytes under a null are nobody's text, so look again, row by row.
  for (std::size_t row = 0; row < array.length(); ++row) {
    const std::string_view text = array.bytes(row);
    if (array.is_null(row) || text.empty()) continue;
    if (!simdjson::validate_utf8(text.data(), text.size())) {
      return damaged("text is not UTF-8", array).with("row", std::uint64_t{row});
    }
  }
  return Unit{};
}

Status check_entries(const Array& array) {
  const std::size_t entries = array.child().length();
  for (std::size_t row = 0; row < array.length(); ++row) {
    if (array.entry(row) >= entries && !array.is_null(row)) {
      return damaged("a number leads to no entry of the dictionary", array)
          .with("row", std::uint64_t{row});
    }
  }
  return validate(array.child());
}

Status check_elements(const Array& array) {
  const Array& child = array.child();
  if (!array.type().element().nullable && child.null_count() > 0 && array.null_count() == 0) {
    return damaged("a null among elements that cannot be null", array);
  }
  return validate(child);
}

bool same_bits(const Array& left, const Array& right, std::size_t width) {
  const std::uint8_t* const a = left.parts().values.data() + left.first_row() * width;
  const std::uint8_t* const b = right.parts().values.data() + right.first_row() * width;
  for (std::size_t row = 0; row < left.length(); ++row) {
    if (left.is_null(row)) continue;
    if (std::memcmp(a + row * width, b + row * width, width) != 0) return false;
  }
  return true;
}

bool same_bytes(const Array& left, const Array& right) {
  for (std::size_t row = 0; row < left.length(); ++row) {
    if (!left.is_null(row) && left.bytes(row) != right.bytes(row)) return false;
  }
  return true;
}

bool same_lists(const Array& left, const Array& right) {
  for (std::size_t row = 0; row < left.length(); ++row) {
    if (left.is_null(row)) continue;
    const ListRange a = left.list(row);
    const ListRange b = right.list(row);
    if (a.size != b.size) return false;
    if (a.size > 0 &&
        !same_values(*left.child().slice(a.begin, a.size), *right.child().slice(b.begin, b.size))) {
      return false;
    }
  }
  return true;
}

bool same_entries(const Array& left, const Array& right) {
  for (std::size_t row = 0; row < left.length(); ++row) {
    if (left.is_null(row)) continue;
    const std::size_t a = left.entry(row);
    const std::size_t b = right.entry(row);
    if (a >= left.child().length() || b >= right.child().length()) return false;
    if (!same_values(*left.child().slice(a, 1), *right.child().slice(b, 1))) return false;
  }
  return true;
}

const DataType& decoded(const DataType& type) {
  return type.id() == TypeId::dictionary ? type.value() : type;
}

}  // namespace

Status validate(const Array& array) {
  if (array.null_count() != array.length() - array.validity().count_ones()) {
    return damaged("nulls are miscounted", array);
  }
  switch (array.type().id()) {
    case TypeId::utf8:
      BRAID_TRY(check_offsets(array, array.parts().values.size()));
      return check_utf8(array);
    case TypeId::binary: return check_offsets(array, array.parts().values.size());
    case TypeId::list:
      BRAID_TRY(check_offsets(array, array.child().length()));
      return check_elements(array);
    case TypeId::fixed_size_list: return check_elements(array);
    case TypeId::dictionary: return check_entries(array);
    default: return Unit{};
  }
}

bool same_values(const Array& left, const Array& right) {
  if (!(decoded(left.type()) == decoded(right.type()))) return false;
  if (left.length() != right.length() || left.null_count() != right.null_count()) return false;
  for (std::size_t i = 0; i < left.validity().word_count(); ++i) {
    if (left.validity().word(i) != right.validity().word(i)) return false;
  }
  const TypeId id = decoded(left.type()).id();
  if (id >= TypeId::utf8 && id <= TypeId::fixed_size_binary) return same_bytes(left, right);
  if (left.type().id() == TypeId::dictionary || right.type().id() == TypeId::dictionary) {
    return left.type().id() == right.type().id() && same_entries(left, right);
  }
  if (id == TypeId::list || id == TypeId::fixed_size_list) return same_lists(left, right);
  if (id != TypeId::boolean) return same_bits(left, right, width_of(id));
  for (std::size_t row = 0; row < left.length(); ++row) {
    if (!left.is_null(row) && left.bits()[row] != right.bits()[row]) return false;
  }
  return true;
}

}  // namespace braid::columnar::arrow
