// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/data_type.h"

#include <array>
#include <limits>

#include "base/assert.h"

namespace braid::columnar::arrow {
namespace {

constexpr auto kSizeMax = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());

constexpr std::array<std::string_view, 19> kNames = {"bool",         "i8",
                                                     "u8",           "i16",
                                                     "u16",          "i32",
                                                     "u32",          "i64",
                                                     "u64",          "f32",
                                                     "f64",          "date32",
                                                     "timestamp_ms", "utf8",
                                                     "binary",       "fixed_size_binary",
                                                     "list",         "fixed_size_list",
                                                     "dictionary"};

}  // namespace

std::string_view name_of(TypeId id) {
  BRAID_ASSERT(static_cast<std::size_t>(id) < kNames.size());
  return kNames[static_cast<std::size_t>(id)];
}

const std::string* find(const Metadata& metadata, std::string_view name) {
  for (const auto& [key, value] : metadata) {
    if (key == name) return &value;
  }
  return nullptr;
}

DataType::DataType(TypeId id) : id_(id) { BRAID_ASSERT(id < TypeId::fixed_size_binary); }

DataType DataType::fixed_size_binary(std::uint32_t size) {
  BRAID_ASSERT(size > 0);
  BRAID_ASSERT(size <= kSizeMax);
  DataType type;
  type.id_ = TypeId::fixed_size_binary;
  type.size_ = size;
  return type;
}

DataType DataType::list(Field element) {
  DataType type;
  type.id_ = TypeId::list;
  type.element_ = std::make_shared<const Field>(std::move(element));
  return type;
}

DataType DataType::fixed_size_list(Field element, std::uint32_t size) {
  BRAID_ASSERT(size > 0);
  BRAID_ASSERT(size <= kSizeMax);
  DataType type = list(std::move(element));
  type.id_ = TypeId::fixed_size_list;
  type.size_ = size;
  return type;
}

DataType DataType::dictionary(TypeId index, DataType value) {
  BRAID_ASSERT(is_index(index));
  BRAID_ASSERT(value.id() != TypeId::dictionary);
  DataType type = list({.name = "", .type = std::move(value)});
  type.id_ = TypeId::dictionary;
  type.index_ = index;
  return type;
}

const Field& DataType::element() const {
  BRAID_ASSERT(id_ == TypeId::list || id_ == TypeId::fixed_size_list);
  return *element_;
}

const DataType& DataType::value() const {
  BRAID_ASSERT(id_ == TypeId::dictionary);
  return element_->type;
}

bool operator==(const DataType& left, const DataType& right) {
  if (left.id_ != right.id_ || left.size_ != right.size_) return false;
  if (left.id_ == TypeId::dictionary && left.index_ != right.index_) return false;
  if (left.element_ == right.element_) return true;
  if (left.element_ == nullptr || right.element_ == nullptr) return false;
  return left.element_->name == right.element_->name &&
         left.element_->nullable == right.element_->nullable &&
         left.element_->type == right.element_->type;
}

std::string to_string(const DataType& type) {
  const std::string name(name_of(type.id()));
  switch (type.id()) {
    case TypeId::fixed_size_binary: return name + "(" + std::to_string(type.size()) + ")";
    case TypeId::list: return name + "<" + to_string(type.element().type) + ">";
    case TypeId::fixed_size_list:
      return name + "(" + std::to_string(type.size()) + ")<" + to_string(type.element().type) + ">";
    case TypeId::dictionary:
      return name + "<" + std::string(name_of(type.index())) + ", " + to_string(type.value()) + ">";
    default: return name;
  }
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace braid::columnar::arrow
