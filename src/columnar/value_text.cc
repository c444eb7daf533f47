// SPDX-License-Identifier: Apache-2.0
#include "columnar/value_text.h"

#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/assert.h"
#include "columnar/base64.h"
#include "columnar/value_codec.h"

namespace braid::columnar {
namespace {

constexpr std::int64_t kSafeIntegerMax = (std::int64_t{1} << 53) - 1;

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char out[32];
  const auto end = std::to_chars(out, out + sizeof out, value);
  BRAID_ASSERT(end.ec == std::errc());
  return {out, end.ptr};
}

template <class T>
Result<std::string> float_key(T value) {
  if (!std::isfinite(value)) {
    return Error(ErrorCode::type_error, "a key cannot be " + shortest(value))
        .with("expected", "a finite number")
        .with("actual", shortest(value));
  }
  if (value == 0) return std::string("0");  // V4: both zeros are one
  return shortest(value);
}

Result<std::string> member_text(const KeyMember& member) {
  BRAID_ASSERT(member.type->shape == Shape::scalar || member.type->shape == Shape::enumeration);
  BRAID_ASSERT(member.type->kind != ScalarKind::blob);
  BRAID_TRY(check_value(*member.type, *member.value));
  return std::visit(
      [&](const auto& held) -> Result<std::string> {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>) {
          return std::string(held ? "true" : "false");
        } else if constexpr (std::is_floating_point_v<T>) {
          return float_key(held);
        } else if constexpr (std::is_integral_v<T>) {
          return std::to_string(held);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<T, Date>) {
          return std::to_string(held.days);
        } else if constexpr (std::is_same_v<T, DateTime>) {
          return std::to_string(held.ms);
        } else {
          return Error(ErrorCode::type_error, "a key has a member without a value")
              .with("expected", to_string(*member.type))
              .with("actual", describe(*member.value));
        }
      },
      member.value->variant());
}

template <class T>
void append_integer(std::string& out, T value, const JsonOptions& options) {
  const bool quoted = options.safe_integers && (std::cmp_greater(value, kSafeIntegerMax) ||
                                                std::cmp_less(value, -kSafeIntegerMax));
  if (quoted) out += '"';
  out += std::to_string(value);
  if (quoted) out += '"';
}

template <class T>
void append_float(std::string& out, T value) {
  const std::string text = shortest(value);
  if (std::isfinite(value)) {
    out += text;
  } else {
    out += '"' + text + '"';
  }
}

template <class Elements, class Append>
void append_array(std::string& out, const Elements& elements, Append append) {
  out += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ',';
    append(elements[i]);
  }
  out += ']';
}

void append_object(std::string& out, const Value::Object& object, const JsonOptions& options) {
  BRAID_ASSERT(object.names.size() == object.values.size());
  out += '{';
  for (std::size_t i = 0; i < object.names.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, object.names[i]);
    out += ':';
    append_json(out, object.values[i], options);
  }
  out += '}';
}

void append_blob(std::string& out, const Blob& blob, const JsonOptions& options) {
  out += options.blob_prefix ? "\"base64:" : "\"";
  append_base64(out, blob.bytes);
  out += '"';
}

}  // namespace

std::string float_text(float value) { return shortest(value); }
std::string float_text(double value) { return shortest(value); }

Result<std::string> key_text(std::span<const KeyMember> members) {
  BRAID_ASSERT(!members.empty());
  if (members.size() == 1) return member_text(members.front());
  std::string out = "[";
  for (const KeyMember& member : members) {
    if (out.size() > 1) out += ',';
    BRAID_ASSIGN(const std::string text, member_text(member));
    append_json_string(out, text);
  }
  return out + "]";
}

void append_json(std::string& out, const Value& value, const JsonOptions& options) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Null>) {
          out += "null";
        } else if constexpr (std::is_same_v<T, bool>) {
          out += held ? "true" : "false";
        } else if constexpr (std::is_floating_point_v<T>) {
          append_float(out, held);
        } else if constexpr (std::is_integral_v<T>) {
          append_integer(out, held, options);
        } else if constexpr (std::is_same_v<T, std::string>) {
          append_json_string(out, held);
        } else if constexpr (std::is_same_v<T, Blob>) {
          append_blob(out, held, options);
        } else if constexpr (std::is_same_v<T, Date> || std::is_same_v<T, DateTime>) {
          out += '"' + to_text(held) + '"';
        } else if constexpr (std::is_same_v<T, Value::Vector>) {
          append_array(out, held, [&](float element) { append_float(out, element); });
        } else if constexpr (std::is_same_v<T, Value::List>) {
          append_array(out, held, [&](const Value& each) { append_json(out, each, options); });
        } else {
          append_object(out, held, options);
        }
      },
      value.variant());
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kLetters = "btn-fr";  // of 8, 9, 10, 12 and 13
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;  // where the run of characters begins that stand for themselves
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(plain, i - plain);
    plain = i + 1;
    out += '\\';
    if (c == '"' || c == '\\') {
      out += text[i];
    } else if (c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r') {
      out += kLetters[c - 8U];
    } else {
      out += "u00";
      out += kHex[c >> 4];
      out += kHex[c & 15U];
    }
  }
  out += text.substr(plain);
  out += '"';
}

}  // namespace braid::columnar
