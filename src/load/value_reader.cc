// SPDX-License-Identifier: Apache-2.0
#include "load/value_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "columnar/base64.h"
#include "columnar/value_codec.h"
#include "columnar/value_text.h"

namespace braid::load {
namespace {

using columnar::PropertyType;
using columnar::ScalarKind;
using columnar::Shape;
using Kind = JsonToken::Kind;

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"a string", "a number",  "a boolean",
                                         "null",     "an object", "an array"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// What the functions below report; the caller adds type and token.
struct Refusal {
  ErrorCode code = ErrorCode::type_error;
  std::string message;
};
using Refused = std::optional<Refusal>;

Refusal wrong_kind(const JsonToken& token) {
  return {.message = "found " + std::string(name_of(token.kind))};
}

struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

/// `-`? and decimal digits without a leading zero; nothing if malformed or beyond 64 bits.
std::optional<Integer> parse_integer(std::string_view text) {
  Integer out;
  out.negative = text.starts_with('-');
  if (out.negative) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out.magnitude);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return out;
}

template <class T>
std::optional<T> narrowed(const Integer& integer) {
  const auto max = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (!integer.negative) {
    if (integer.magnitude > max) return std::nullopt;
    return static_cast<T>(integer.magnitude);
  }
  const std::uint64_t below = std::is_signed_v<T> ? max + 1 : 0;
  if (integer.magnitude > below) return std::nullopt;
  return static_cast<T>(0 - integer.magnitude);
}

template <class T>
Refused read_integer(const JsonCursor& cursor, const JsonToken& token, bool strings, T& out) {
  const bool from_string = token.kind == Kind::string && strings;
  if (!from_string && token.kind != Kind::number) return wrong_kind(token);
  if (token.fractional) return Refusal{.message = "found a number with a fraction or exponent"};
  const auto integer =
      from_string ? parse_integer(cursor.string(token)) : parse_integer(cursor.raw(token));
  if (!integer && from_string) return Refusal{.message = "found a string that is no integer"};
  const auto value = integer ? narrowed<T>(*integer) : std::nullopt;
  if (!value) return Refusal{.message = "the number is out of range"};
  out = *value;
  return std::nullopt;
}

/// Whether a decimal number that no finite float holds is too small, rather than too large.
/// Requires: the text of a JSON number.
bool is_tiny(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  std::string_view exponent_text = e < text.size() ? text.substr(e + 1) : "0";
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read =
      std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  if (read.ec != std::errc()) return exponent_text.starts_with('-');
  const std::size_t first_at = digits.find_first_of("123456789");
  if (first_at == std::string_view::npos) return true;
  const auto first = static_cast<std::int64_t>(first_at);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  // The number is 0.d… × 10^(place + exponent), d not zero.
  const std::int64_t place = first < point ? point - first : point - first + 1;
  return exponent <= -place;
}

template <class T>
Refused read_float(const JsonCursor& cursor, const JsonToken& token, T& out) {
  if (token.kind == Kind::string) {
    const std::string name = cursor.string(token);
    if (name == "NaN") {
      out = std::numeric_limits<T>::quiet_NaN();
    } else if (name == "Infinity") {
      out = std::numeric_limits<T>::infinity();
    } else if (name == "-Infinity") {
      out = -std::numeric_limits<T>::infinity();
    } else {
      return wrong_kind(token);
    }
    return std::nullopt;
  }
  if (token.kind != Kind::number) return wrong_kind(token);
  const std::string_view raw = cursor.raw(token);
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), out);
  if (read.ec == std::errc::result_out_of_range && is_tiny(raw)) {
    out = raw.starts_with('-') ? -T{0} : T{0};
  } else if (read.ec != std::errc() || !std::isfinite(out)) {
    return Refusal{.message = "the number is out of range"};
  }
  return std::nullopt;
}

Refusal too_large() { return {ErrorCode::resource_limit, "a value may have at most 64 MiB"}; }

Refused read_text(const JsonCursor& cursor, const JsonToken& token, std::string& out) {
  if (token.kind != Kind::string) return wrong_kind(token);
  out = cursor.string(token);
  if (out.size() > columnar::kValueBytesMax) return too_large();
  return std::nullopt;
}

Refused read_blob(const JsonCursor& cursor, const JsonToken& token, Blob& out) {
  constexpr std::string_view kPrefix = "base64:";
  if (token.kind != Kind::string) return wrong_kind(token);
  const std::string unescaped = token.escaped ? cursor.string(token) : std::string();
  std::string_view text = token.escaped ? std::string_view(unescaped) : cursor.plain_string(token);
  if (!text.starts_with(kPrefix)) {
    return Refusal{ErrorCode::unsupported,
                   "external blobs are not allowed: write the bytes as \"base64:…\""};
  }
  text.remove_prefix(kPrefix.size());
  if (text.size() / 4 * 3 > columnar::kValueBytesMax + 2) return too_large();
  auto bytes = columnar::parse_base64(text);
  if (!bytes) return Refusal{.message = "found a string that is no base 64 with padding"};
  if (bytes->size() > columnar::kValueBytesMax) return too_large();
  out.bytes = *std::move(bytes);
  return std::nullopt;
}

Refused read_date(const JsonCursor& cursor, const JsonToken& token, Date& out) {
  if (token.kind != Kind::string) return read_integer(cursor, token, false, out.days);
  const auto date = columnar::parse_date(cursor.string(token));
  if (!date) return Refusal{.message = date.error().message()};
  out = *date;
  return std::nullopt;
}

Refused read_date_time(const JsonCursor& cursor, const JsonToken& token, DateTime& out) {
  if (token.kind != Kind::string) return read_integer(cursor, token, false, out.ms);
  const auto time = columnar::parse_date_time(cursor.string(token));
  if (!time) return Refusal{.message = time.error().message()};
  out = *time;
  return std::nullopt;
}

Refused read_bool(const JsonCursor& cursor, const JsonToken& token, bool& out) {
  if (token.kind != Kind::boolean) return wrong_kind(token);
  out = cursor.raw(token) == "true";
  return std::nullopt;
}

/// Reads a T with `read` and, if it is there, makes it the value.
template <class T, class Read>
Refused keep(Value& out, Read read) {
  T value{};
  Refused refused = read(value);
  if (!refused) out = Value(std::move(value));
  return refused;
}

Refused read_scalar(const JsonCursor& cursor, const JsonToken& token, ScalarKind kind, Value& out) {
  switch (kind) {
    case ScalarKind::string:
      return keep<std::string>(out, [&](auto& to) { return read_text(cursor, token, to); });
    case ScalarKind::blob:
      return keep<Blob>(out, [&](auto& to) { return read_blob(cursor, token, to); });
    case ScalarKind::boolean:
      return keep<bool>(out, [&](auto& to) { return read_bool(cursor, token, to); });
    case ScalarKind::i32:
      return keep<std::int32_t>(out,
                                [&](auto& to) { return read_integer(cursor, token, false, to); });
    case ScalarKind::u32:
      return keep<std::uint32_t>(out,
                                 [&](auto& to) { return read_integer(cursor, token, false, to); });
    case ScalarKind::i64:
      return keep<std::int64_t>(out,
                                [&](auto& to) { return read_integer(cursor, token, true, to); });
    case ScalarKind::u64:
      return keep<std::uint64_t>(out,
                                 [&](auto& to) { return read_integer(cursor, token, true, to); });
    case ScalarKind::f32:
      return keep<float>(out, [&](auto& to) { return read_float(cursor, token, to); });
    case ScalarKind::f64:
      return keep<double>(out, [&](auto& to) { return read_float(cursor, token, to); });
    case ScalarKind::date:
      return keep<Date>(out, [&](auto& to) { return read_date(cursor, token, to); });
    case ScalarKind::date_time:
      return keep<DateTime>(out, [&](auto& to) { return read_date_time(cursor, token, to); });
  }
  return Refusal{ErrorCode::internal, "a type of no kind"};
}

ValueProblem problem(Refusal refusal, std::string expected, const JsonToken& token) {
  std::string message = "expected " + expected + ": " + std::move(refusal.message);
  return {refusal.code, std::move(message), std::move(expected), token, std::nullopt};
}

ValueProblem syntax_problem(const JsonCursor& cursor) {
  ValueProblem out;
  out.code = ErrorCode::parse_error;
  out.message = cursor.fault().what;
  out.expected = "JSON";
  out.token.begin = out.token.end = cursor.fault().at;
  return out;
}

/// Reads the elements of the array whose bracket is `token`, each with `read`.
template <class Read>
std::optional<ValueProblem> read_elements(JsonCursor& cursor, ScalarKind kind, Read read) {
  for (std::size_t i = 0;; ++i) {
    const auto step = cursor.element(i == 0);
    if (step == JsonCursor::Step::end) return std::nullopt;
    std::optional<ValueProblem> found;
    JsonToken element;
    if (step == JsonCursor::Step::fault || !cursor.value(element)) {
      found = syntax_problem(cursor);
    } else if (auto refused = read(element)) {
      found = problem(*std::move(refused), std::string(columnar::name_of(kind)), element);
    } else {
      continue;
    }
    found->element = i;
    return found;
  }
}

std::optional<ValueProblem> read_list(JsonCursor& cursor, const PropertyType& type, Value& out) {
  Value::List list;
  std::size_t bytes = 0;
  auto found = read_elements(cursor, type.kind, [&](const JsonToken& token) -> Refused {
    Value element;
    Refused refused = read_scalar(cursor, token, type.kind, element);
    if (refused) return refused;
    const auto* text = element.as<std::string>();
    bytes += text == nullptr ? sizeof(std::uint64_t) : text->size();
    list.push_back(std::move(element));
    if (bytes > columnar::kValueBytesMax) return too_large();
    return std::nullopt;
  });
  if (!found) out = Value(std::move(list));
  return found;
}

std::optional<ValueProblem> read_vector(JsonCursor& cursor, const PropertyType& type,
                                        const JsonToken& token, Value& out) {
  Value::Vector vector;
  auto found = read_elements(cursor, type.kind, [&](const JsonToken& element) -> Refused {
    float value = 0;
    Refused refused = read_float(cursor, element, value);
    if (!refused) vector.push_back(value);
    if (vector.size() > columnar::kValueBytesMax / sizeof(float)) return too_large();
    return refused;
  });
  if (found) return found;
  if (vector.size() != type.vector_size) {
    const std::string size = std::to_string(vector.size());
    return problem({.message = "found " + size + " numbers"}, columnar::to_string(type), token);
  }
  out = Value(std::move(vector));
  return std::nullopt;
}

std::optional<ValueProblem> read_present(JsonCursor& cursor, const PropertyType& type,
                                         const JsonToken& token, Value& out) {
  if (type.shape == Shape::list || type.shape == Shape::vector) {
    if (token.kind != Kind::array) {
      return problem(wrong_kind(token), columnar::to_string(type), token);
    }
    if (type.shape == Shape::list) return read_list(cursor, type, out);
    return read_vector(cursor, type, token, out);
  }
  if (auto refused = read_scalar(cursor, token, type.kind, out)) {
    return problem(*std::move(refused), columnar::to_string(type), token);
  }
  if (type.shape == Shape::enumeration) {
    const auto& names = type.enum_values;
    if (!std::binary_search(names.begin(), names.end(), *out.as<std::string>())) {
      return problem({.message = "found another string"}, columnar::to_string(type), token);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ValueProblem> read_value(JsonCursor& cursor, const PropertyType& type, Value& out) {
  JsonToken token;
  if (!cursor.value(token)) return syntax_problem(cursor);
  if (token.kind != Kind::null) return read_present(cursor, type, token, out);
  if (!type.nullable) {
    return problem({.message = "found null, and the property is required"},
                   columnar::to_string(type), token);
  }
  out = Value();
  return std::nullopt;
}

}  // namespace braid::load
