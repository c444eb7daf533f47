// SPDX-License-Identifier: Apache-2.0
#include "columnar/type.h"

#include <array>

#include "base/assert.h"

namespace braid::columnar {
namespace {

constexpr std::array<std::string_view, 11> kScalarNames = {
    "String", "Blob", "Bool", "I32", "U32", "I64", "U64", "F32", "F64", "Date", "DateTime"};

constexpr std::array<std::string_view, 4> kShapeNames = {"scalar", "list", "vector", "enumeration"};

}  // namespace

std::string_view name_of(ScalarKind kind) {
  const auto index = static_cast<std::size_t>(kind) - 1;
  BRAID_ASSERT(index < kScalarNames.size());
  return kScalarNames[index];
}

std::optional<ScalarKind> scalar_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kScalarNames.size(); ++i) {
    if (kScalarNames[i] == name) return static_cast<ScalarKind>(i + 1);
  }
  return std::nullopt;
}

std::string_view name_of(Shape shape) {
  const auto index = static_cast<std::size_t>(shape) - 1;
  BRAID_ASSERT(index < kShapeNames.size());
  return kShapeNames[index];
}

std::string to_string(const PropertyType& type) {
  std::string out;
  switch (type.shape) {
    case Shape::scalar: out = name_of(type.kind); break;
    case Shape::list: out = "[" + std::string(name_of(type.kind)) + "]"; break;
    case Shape::vector: out = "Vector(" + std::to_string(type.vector_size) + ")"; break;
    case Shape::enumeration:
      out = "enum(";
      for (const std::string& value : type.enum_values) {
        if (out.back() != '(') out += ", ";
        out += value;
      }
      out += ")";
      break;
  }
  if (type.nullable) out += "?";
  return out;
}

}  // namespace braid::columnar
