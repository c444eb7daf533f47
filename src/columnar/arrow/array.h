// SPDX-License-Identifier: Apache-2.0
// One column of values, immutable, in the Arrow layout, over bytes that somebody else may own.
//
// Invariants
//   A1  No accessor reads outside of the array's buffers, whatever bytes these hold: sizes are
//       checked when an array is made, offsets and dictionary numbers when they are followed. What
//       they lead to in damaged bytes is empty; validate() finds the damage.
//   A2  Slicing copies nothing and costs the same for any array, but for counting nulls.
// Layer: columnar.
// Threads: immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/assert.h"
#include "braid/result.h"
#include "columnar/arrow/bitmap.h"
#include "columnar/arrow/buffer.h"
#include "columnar/arrow/data_type.h"

namespace braid::columnar::arrow {

class Array;
using ArrayPointer = std::shared_ptr<const Array>;

/// What an array is made of. Which buffers a type has:
///   fixed width, boolean, fixed_size_binary   values
///   utf8, binary                              offsets, values
///   list                                      offsets, child: the elements
///   fixed_size_list                           child
///   dictionary                                values: the numbers; child: the entries
struct ArrayParts {
  DataType type;
  std::size_t length = 0;
  std::size_t null_count = 0;
  /// May be empty if there are no nulls.
  Buffer validity = {};
  Buffer offsets = {};
  Buffer values = {};
  ArrayPointer child = nullptr;
};

/// Elements [begin, begin + size) of a list's child.
struct ListRange {
  std::size_t begin = 0;
  std::size_t size = 0;
  friend bool operator==(const ListRange&, const ListRange&) = default;
};

/// True if an array of type `id` hands out its values as T.
template <class T>
constexpr bool holds(TypeId id) {
  switch (id) {
    case TypeId::i8: return std::is_same_v<T, std::int8_t>;
    case TypeId::u8: return std::is_same_v<T, std::uint8_t>;
    case TypeId::i16: return std::is_same_v<T, std::int16_t>;
    case TypeId::u16: return std::is_same_v<T, std::uint16_t>;
    case TypeId::i32:
    case TypeId::date32: return std::is_same_v<T, std::int32_t>;
    case TypeId::u32: return std::is_same_v<T, std::uint32_t>;
    case TypeId::i64:
    case TypeId::timestamp_ms: return std::is_same_v<T, std::int64_t>;
    case TypeId::u64: return std::is_same_v<T, std::uint64_t>;
    case TypeId::f32: return std::is_same_v<T, float>;
    case TypeId::f64: return std::is_same_v<T, double>;
    default: return false;
  }
}

class Array {
 public:
  /// `corrupt` if the buffers are too small for the length, or misaligned; looks at no row but the
  /// last offset (A1).
  static Result<ArrayPointer> make(ArrayParts parts);

  const DataType& type() const { return parts_.type; }
  std::size_t length() const { return parts_.length; }
  std::size_t null_count() const { return parts_.null_count; }
  /// All ones if there are no nulls.
  BitmapView validity() const {
    if (parts_.null_count == 0) return {nullptr, 0, parts_.length};
    return {parts_.validity.data(), begin_, parts_.length};
  }
  bool is_null(std::size_t row) const {
    BRAID_ASSERT(row < parts_.length);
    return parts_.null_count > 0 && !validity()[row];
  }

  /// All values; what is under a null is not specified. Requires: holds<T>(type().id()), or a
  /// dictionary whose numbers are T.
  template <class T>
  std::span<const T> values() const {
    const TypeId id = parts_.type.id();
    BRAID_ASSERT(holds<T>(id == TypeId::dictionary ? parts_.type.index() : id));
    if (parts_.length == 0) return {};
    return {parts_.values.as<T>() + begin_, parts_.length};
  }
  /// Requires: boolean.
  BitmapView bits() const;
  /// Requires: utf8, binary or fixed_size_binary, or a dictionary of them.
  std::string_view bytes(std::size_t row) const;
  /// One more than rows, into bytes or elements; unchecked. Empty if there are no rows. Requires:
  /// has_offsets(type().id()).
  std::span<const std::int32_t> offsets() const;
  /// Requires: list or fixed_size_list.
  ListRange list(std::size_t row) const;
  /// Elements or entries, as a whole also for a slice. Requires: a list or a dictionary.
  const Array& child() const {
    BRAID_ASSERT(parts_.child != nullptr);
    return *parts_.child;
  }
  const ArrayPointer& shared_child() const { return parts_.child; }
  /// The number of the row's entry; child().length() or more if the row is damaged. Requires: a
  /// dictionary.
  std::size_t entry(std::size_t row) const;

  /// Rows [begin, begin + count). Requires: they exist.
  ArrayPointer slice(std::size_t begin, std::size_t count) const;

  /// For writers and checkers of the format: the buffers as a whole, of which this array begins at
  /// row `first_row()`.
  const ArrayParts& parts() const { return parts_; }
  std::size_t first_row() const { return begin_; }

 private:
  Array(ArrayParts parts, std::size_t begin) : parts_(std::move(parts)), begin_(begin) {}
  std::string_view own_bytes(std::size_t row) const;

  ArrayParts parts_;  // length and null_count are those of the slice
  std::size_t begin_;
};

/// Every row and everything below it: `corrupt` unless offsets rise and stay inside, dictionary
/// numbers lead to entries, text is UTF-8, and nulls are as many as counted and only where the
/// field allows them. Linear in the size of the array. Detail `row` where there is one.
Status validate(const Array& array);

/// Types equal, same rows null, same values in the others (bit by bit: NaN equals itself). A
/// dictionary equals whatever has the same values after decoding.
bool same_values(const Array& left, const Array& right);

}  // namespace braid::columnar::arrow
