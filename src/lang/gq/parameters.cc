// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "columnar/value_codec.h"
#include "columnar/value_text.h"

namespace braid::gq {
namespace {

using columnar::PropertyType;
using columnar::ScalarKind;
using columnar::Shape;

/// Beyond it a double no longer tells neighbouring integers apart.
constexpr double kExactIntegerMax = 9007199254740992.0;

template <class Integer, class Number>
std::optional<Value> as_integer(Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    const auto wide = static_cast<double>(number);
    if (!(std::fabs(wide) <= kExactIntegerMax) || std::trunc(wide) != wide) return std::nullopt;
    return as_integer<Integer>(static_cast<std::int64_t>(wide));
  } else {
    if (!std::in_range<Integer>(number)) return std::nullopt;
    return Value(static_cast<Integer>(number));
  }
}

template <class Float, class Number>
std::optional<Value> as_float(Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    const auto size = static_cast<double>(std::fabs(number));
    if (size > double{std::numeric_limits<Float>::max()} && !std::isinf(size)) return std::nullopt;
    return Value(static_cast<Float>(number));
  } else {
    const auto converted = static_cast<Float>(number);
    // The comparison is exact: long double has the 64 bits that any of our integers needs.
    static_assert(std::numeric_limits<long double>::digits >= 64);
    if (static_cast<long double>(converted) != static_cast<long double>(number)) {
      return std::nullopt;
    }
    return Value(converted);
  }
}

template <class Number>
std::optional<Value> as_kind(Number number, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::i32: return as_integer<std::int32_t>(number);
    case ScalarKind::u32: return as_integer<std::uint32_t>(number);
    case ScalarKind::i64: return as_integer<std::int64_t>(number);
    case ScalarKind::u64: return as_integer<std::uint64_t>(number);
    case ScalarKind::f32: return as_float<float>(number);
    case ScalarKind::f64: return as_float<double>(number);
    default: return std::nullopt;
  }
}

/// For a declared float any number will do: the nearest one is taken.
std::optional<Value> float_parameter(const Value& value, ScalarKind kind) {
  std::optional<double> number;
  std::visit(
      [&number](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          number = static_cast<double>(held);
        }
      },
      value.variant());
  if (!number) return std::nullopt;
  return number_as(Value(*number), kind);
}

template <class Integer>
std::optional<Value> from_decimal(const std::string& text) {
  Integer number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return Value(number);
}

template <class T>
std::optional<Value> keep(const Value& value) {
  if (value.is<T>()) return value;
  return std::nullopt;
}

template <class T>
std::optional<Value> from_text(const Value& value, Result<T> (*parse)(std::string_view)) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) return keep<T>(value);
  Result<T> parsed = parse(*text);
  if (!parsed) return std::nullopt;
  return Value(*parsed);
}

std::optional<Value> scalar(const Value& value, ScalarKind kind) {
  const auto* text = value.as<std::string>();
  switch (kind) {
    case ScalarKind::string: return keep<std::string>(value);
    case ScalarKind::boolean: return keep<bool>(value);
    case ScalarKind::blob: return keep<Blob>(value);
    case ScalarKind::date: return from_text<Date>(value, columnar::parse_date);
    case ScalarKind::date_time: return from_text<DateTime>(value, columnar::parse_date_time);
    case ScalarKind::i64:
      if (text != nullptr) return from_decimal<std::int64_t>(*text);
      break;
    case ScalarKind::u64:
      if (text != nullptr) return from_decimal<std::uint64_t>(*text);
      break;
    case ScalarKind::f32:
    case ScalarKind::f64: return float_parameter(value, kind);
    case ScalarKind::i32:
    case ScalarKind::u32: break;
  }
  return number_as(value, kind);
}

std::optional<Value> list(const Value& value, ScalarKind kind) {
  const auto* elements = value.as<Value::List>();
  if (elements == nullptr) return std::nullopt;
  Value::List out;
  out.reserve(elements->size());
  for (const Value& element : *elements) {
    auto converted = scalar(element, kind);
    if (!converted) return std::nullopt;
    out.push_back(*std::move(converted));
  }
  return Value(std::move(out));
}

std::optional<Value> vector(const Value& value, std::uint32_t size) {
  if (const auto* ready = value.as<Value::Vector>()) {
    return ready->size() == size ? std::optional(value) : std::nullopt;
  }
  const auto* elements = value.as<Value::List>();
  if (elements == nullptr || elements->size() != size) return std::nullopt;
  Value::Vector out;
  out.reserve(size);
  for (const Value& element : *elements) {
    const auto converted = float_parameter(element, ScalarKind::f32);
    if (!converted) return std::nullopt;
    out.push_back(*converted->as<float>());
  }
  return Value(std::move(out));
}

std::optional<Value> converted(const Value& value, const PropertyType& type) {
  if (value.is_null()) return type.nullable ? std::optional(value) : std::nullopt;
  switch (type.shape) {
    case Shape::list: return list(value, type.kind);
    case Shape::vector: return vector(value, type.vector_size);
    case Shape::scalar:
    case Shape::enumeration: break;
  }
  return scalar(value, type.kind);
}

}  // namespace

std::optional<Value> number_as(const Value& value, ScalarKind kind) {
  BRAID_ASSERT(columnar::is_numeric(kind));
  return std::visit(
      [kind](const auto& held) -> std::optional<Value> {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          return as_kind(held, kind);
        } else {
          return std::nullopt;
        }
      },
      value.variant());
}

Result<Parameters> bind_parameters(const std::vector<ParameterDeclaration>& declared,
                                   const Parameters& given) {
  Parameters out;
  for (const ParameterDeclaration& parameter : declared) {
    const std::string& name = parameter.name.text;
    const std::string expected = columnar::to_string(parameter.type);
    const auto found = given.find(name);
    if (found == given.end() && !parameter.type.nullable) {
      return Error(ErrorCode::bad_request,
                   fmt::format("the parameter ${} ({}) has no value", name, expected))
          .with("parameter", name)
          .with("expected", expected);
    }
    const Value value = found == given.end() ? Value() : found->second;
    auto fitting = converted(value, parameter.type);
    if (!fitting) {
      return Error(ErrorCode::bad_request,
                   fmt::format("the value of the parameter ${} is no {}", name, expected))
          .with("parameter", name)
          .with("expected", expected)
          .with("actual", columnar::describe(value));
    }
    out.emplace(name, *std::move(fitting));
  }
  for (const auto& [name, value] : given) {
    if (out.contains(name)) continue;
    return Error(ErrorCode::bad_request, fmt::format("the query has no parameter ${}", name))
        .with("parameter", name);
  }
  return out;
}

}  // namespace braid::gq
