// SPDX-License-Identifier: Apache-2.0
// The Arrow types that Braid has columns of, fields and schemas.
// Layer: columnar.
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/result.h"

namespace braid::columnar::arrow {

/// How a column is laid out. The numbers are not stored.
enum class TypeId : std::uint8_t {
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  date32,             ///< days since 1970-01-01, as i32
  timestamp_ms,       ///< milliseconds since 1970-01-01 UTC, as i64
  utf8,               ///< text with i32 offsets
  binary,             ///< bytes with i32 offsets
  fixed_size_binary,  ///< `size` bytes each
  list,               ///< any number of elements, with i32 offsets
  fixed_size_list,    ///< `size` elements each
  dictionary,         ///< numbers of entries of a shared array
};

std::string_view name_of(TypeId id);

/// Bytes a value takes in its buffer; 0 for boolean and for types whose size is not fixed.
constexpr std::size_t width_of(TypeId id) {
  switch (id) {
    case TypeId::i8:
    case TypeId::u8: return 1;
    case TypeId::i16:
    case TypeId::u16: return 2;
    case TypeId::i32:
    case TypeId::u32:
    case TypeId::f32:
    case TypeId::date32: return 4;
    case TypeId::i64:
    case TypeId::u64:
    case TypeId::f64:
    case TypeId::timestamp_ms: return 8;
    default: return 0;
  }
}
constexpr bool is_index(TypeId id) { return id >= TypeId::i8 && id <= TypeId::u64; }
constexpr bool has_offsets(TypeId id) {
  return id == TypeId::utf8 || id == TypeId::binary || id == TypeId::list;
}

/// Names and values, in order; a name may repeat.
using Metadata = std::vector<std::pair<std::string, std::string>>;
/// The first value of that name, or nullptr.
const std::string* find(const Metadata& metadata, std::string_view name);

struct Field;

/// The type of an array. Cheap to copy.
class DataType {
 public:
  /// Requires: a type without parameters.
  DataType(TypeId id);  // NOLINT(google-explicit-constructor)
  /// Requires: 1 <= size < 2^31.
  static DataType fixed_size_binary(std::uint32_t size);
  static DataType list(Field element);
  /// Requires: 1 <= size < 2^31.
  static DataType fixed_size_list(Field element, std::uint32_t size);
  /// Requires: is_index(index); `value` is no dictionary.
  static DataType dictionary(TypeId index, DataType value);

  TypeId id() const { return id_; }
  /// Of the two fixed-size types.
  std::uint32_t size() const { return size_; }
  /// Of lists. Requires: one.
  const Field& element() const;
  /// Of a dictionary: how entries are numbered.
  TypeId index() const { return index_; }
  /// Of a dictionary: what the entries are. Requires: one.
  const DataType& value() const;

  /// Layout, parameters and fields below, with their names and flags but without their metadata.
  friend bool operator==(const DataType& left, const DataType& right);

 private:
  DataType() = default;

  TypeId id_ = TypeId::i64;
  TypeId index_ = TypeId::i32;
  std::uint32_t size_ = 0;
  std::shared_ptr<const Field> element_;  // of a dictionary: its value, nameless
};

/// "list<i64>", "dictionary<i32, utf8>", for messages.
std::string to_string(const DataType& type);

struct Field {
  std::string name;
  DataType type;
  bool nullable = true;
  Metadata metadata = {};

  friend bool operator==(const Field&, const Field&) = default;
};

struct Schema {
  std::vector<Field> fields;
  Metadata metadata = {};

  /// The first field of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace braid::columnar::arrow
