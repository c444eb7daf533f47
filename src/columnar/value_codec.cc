// SPDX-License-Identifier: Apache-2.0
#include "columnar/value_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include <simdjson.h>

#include "base/assert.h"

namespace braid::columnar {
namespace {

constexpr std::uint32_t kNan32 = 0x7FC00000;
constexpr std::uint64_t kNan64 = 0x7FF8000000000000;

std::uint32_t stored_bits(float value) {
  return std::isnan(value) ? kNan32 : std::bit_cast<std::uint32_t>(value);
}
std::uint64_t stored_bits(double value) {
  return std::isnan(value) ? kNan64 : std::bit_cast<std::uint64_t>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string_view kind_name(const Value& value) {
  constexpr std::string_view kNames[] = {"null", "Bool",     "I32",  "I64",    "U32",
                                         "U64",  "F32",      "F64",  "String", "Blob",
                                         "Date", "DateTime", "list", "Vector", "object"};
  static_assert(std::size(kNames) == std::variant_size_v<Value::Variant>);
  return kNames[value.variant().index()];
}

/// Whether `value` holds the alternative of `kind`.
bool holds(ScalarKind kind, const Value& value) {
  switch (kind) {
    case ScalarKind::string: return value.is<std::string>();
    case ScalarKind::blob: return value.is<Blob>();
    case ScalarKind::boolean: return value.is<bool>();
    case ScalarKind::i32: return value.is<std::int32_t>();
    case ScalarKind::u32: return value.is<std::uint32_t>();
    case ScalarKind::i64: return value.is<std::int64_t>();
    case ScalarKind::u64: return value.is<std::uint64_t>();
    case ScalarKind::f32: return value.is<float>();
    case ScalarKind::f64: return value.is<double>();
    case ScalarKind::date: return value.is<Date>();
    case ScalarKind::date_time: return value.is<DateTime>();
  }
  return false;
}

Error mismatch(const PropertyType& type, std::string actual) {
  std::string message = "expected " + to_string(type) + ", got " + actual;
  return Error(ErrorCode::type_error, std::move(message))
      .with("expected", to_string(type))
      .with("actual", std::move(actual));
}

Error too_large(std::size_t bytes) {
  return Error(ErrorCode::resource_limit, "a value may have at most 64 MiB").with("bytes", bytes);
}

Status check_scalar(const PropertyType& type, const Value& value) {
  if (!holds(type.kind, value)) return mismatch(type, describe(value));
  if (const auto* text = value.as<std::string>()) {
    if (text->size() > kValueBytesMax) return too_large(text->size());
    if (!is_utf8(*text)) return mismatch(type, "bytes that are not UTF-8");
  } else if (const auto* blob = value.as<Blob>()) {
    if (blob->bytes.size() > kValueBytesMax) return too_large(blob->bytes.size());
  }
  return Unit{};
}

std::size_t element_bytes(const Value& value) {
  if (const auto* text = value.as<std::string>()) return text->size();
  return sizeof(std::uint64_t);
}

Status check_list(const PropertyType& type, const Value& value) {
  const auto* list = value.as<Value::List>();
  if (list == nullptr) return mismatch(type, describe(value));
  std::size_t bytes = 0;
  for (const Value& element : *list) {
    BRAID_TRY(check_scalar(type, element));
    bytes += element_bytes(element);
    if (bytes > kValueBytesMax) return too_large(bytes);
  }
  return Unit{};
}

/// The alternative, which check_value has found there.
template <class T>
const T& get(const Value& value) {
  const T* held = value.as<T>();
  BRAID_ASSERT(held != nullptr);
  return *held;
}

void encode_scalar(base::ByteWriter& writer, ScalarKind kind, const Value& value) {
  switch (kind) {
    case ScalarKind::string: return writer.bytes(get<std::string>(value));
    case ScalarKind::blob: return writer.bytes(get<Blob>(value).bytes);
    case ScalarKind::boolean: return writer.u8(get<bool>(value) ? 1 : 0);
    case ScalarKind::i32: return writer.varint(zigzag(get<std::int32_t>(value)));
    case ScalarKind::u32: return writer.varint(get<std::uint32_t>(value));
    case ScalarKind::i64: return writer.varint(zigzag(get<std::int64_t>(value)));
    case ScalarKind::u64: return writer.varint(get<std::uint64_t>(value));
    case ScalarKind::f32: return writer.u32(stored_bits(get<float>(value)));
    case ScalarKind::f64: return writer.u64(stored_bits(get<double>(value)));
    case ScalarKind::date: return writer.varint(zigzag(get<Date>(value).days));
    case ScalarKind::date_time: return writer.varint(zigzag(get<DateTime>(value).ms));
  }
}

std::int32_t decode_i32(base::ByteReader& reader) {
  const std::int64_t value = unzigzag(reader.varint());
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    reader.fail();
    return 0;
  }
  return static_cast<std::int32_t>(value);
}

std::uint32_t decode_u32(base::ByteReader& reader) {
  const std::uint64_t value = reader.varint();
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    reader.fail();
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

float decode_f32(base::ByteReader& reader) {
  const std::uint32_t bits = reader.u32();
  const auto value = std::bit_cast<float>(bits);
  if (stored_bits(value) != bits) reader.fail();  // V1: one NaN
  return value;
}

double decode_f64(base::ByteReader& reader) {
  const std::uint64_t bits = reader.u64();
  const auto value = std::bit_cast<double>(bits);
  if (stored_bits(value) != bits) reader.fail();  // V1: one NaN
  return value;
}

bool decode_bool(base::ByteReader& reader) {
  const std::uint8_t byte = reader.u8();
  if (byte > 1) reader.fail();
  return byte == 1;
}

std::string decode_bytes(base::ByteReader& reader, bool text) {
  const std::string_view bytes = reader.bytes();
  if (bytes.size() > kValueBytesMax || (text && !is_utf8(bytes))) {
    reader.fail();
    return {};
  }
  return std::string(bytes);
}

Value decode_scalar(base::ByteReader& reader, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::string: return decode_bytes(reader, true);
    case ScalarKind::blob: return Blob{decode_bytes(reader, false)};
    case ScalarKind::boolean: return decode_bool(reader);
    case ScalarKind::i32: return decode_i32(reader);
    case ScalarKind::u32: return decode_u32(reader);
    case ScalarKind::i64: return unzigzag(reader.varint());
    case ScalarKind::u64: return reader.varint();
    case ScalarKind::f32: return decode_f32(reader);
    case ScalarKind::f64: return decode_f64(reader);
    case ScalarKind::date: return Date{decode_i32(reader)};
    case ScalarKind::date_time: return DateTime{unzigzag(reader.varint())};
  }
  reader.fail();
  return {};
}

Value decode_list(base::ByteReader& reader, ScalarKind kind) {
  const std::uint64_t count = reader.varint();
  if (count > reader.remaining()) {  // an element takes a byte at least
    reader.fail();
    return {};
  }
  // A count is believed only as far as elements follow, lest a short input claim much memory.
  Value::List list;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    list.push_back(decode_scalar(reader, kind));
    bytes += element_bytes(list.back());
    if (bytes > kValueBytesMax) reader.fail();
  }
  return Value(std::move(list));
}

Value decode_vector(base::ByteReader& reader, std::uint32_t size) {
  if (size > reader.remaining() / sizeof(float)) {
    reader.fail();
    return {};
  }
  Value::Vector vector(size);
  for (float& element : vector) element = decode_f32(reader);
  return Value(std::move(vector));
}

}  // namespace

std::string describe(const Value& value) {
  if (const auto* vector = value.as<Value::Vector>()) {
    return "Vector(" + std::to_string(vector->size()) + ")";
  }
  if (const auto* list = value.as<Value::List>()) {
    if (list->empty()) return "[]";
    return "[" + std::string(kind_name(list->front())) + "]";
  }
  return std::string(kind_name(value));
}

Status check_value(const PropertyType& type, const Value& value) {
  if (value.is_null()) {
    if (type.nullable) return Unit{};
    return mismatch(type, "null");
  }
  switch (type.shape) {
    case Shape::scalar: return check_scalar(type, value);
    case Shape::list: return check_list(type, value);
    case Shape::vector: {
      const auto* vector = value.as<Value::Vector>();
      if (vector == nullptr || vector->size() != type.vector_size) {
        return mismatch(type, describe(value));
      }
      if (vector->size() > kValueBytesMax / sizeof(float)) {
        return too_large(vector->size() * sizeof(float));
      }
      return Unit{};
    }
    case Shape::enumeration: {
      BRAID_TRY(check_scalar(type, value));
      const auto& text = get<std::string>(value);
      if (!std::binary_search(type.enum_values.begin(), type.enum_values.end(), text)) {
        return mismatch(type, "\"" + text.substr(0, 80) + "\"");
      }
      return Unit{};
    }
  }
  BRAID_ASSERT(false);
  return Unit{};
}

bool same_value(const Value& left, const Value& right) {
  if (left.variant().index() != right.variant().index()) return false;
  const auto same_all = [](const auto& a, const auto& b, auto same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  };
  const auto same_float = [](auto a, auto b) { return stored_bits(a) == stored_bits(b); };
  return std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        const T& b = get<T>(right);
        if constexpr (std::is_floating_point_v<T>) {
          return same_float(a, b);
        } else if constexpr (std::is_same_v<T, Value::Vector>) {
          return same_all(a, b, same_float);
        } else if constexpr (std::is_same_v<T, Value::List>) {
          return same_all(a, b, same_value);
        } else if constexpr (std::is_same_v<T, Value::Object>) {
          return a.names == b.names && same_all(a.values, b.values, same_value);
        } else {
          return a == b;
        }
      },
      left.variant());
}

void encode_value(base::ByteWriter& writer, const PropertyType& type, const Value& value) {
  switch (type.shape) {
    case Shape::scalar:
    case Shape::enumeration: return encode_scalar(writer, type.kind, value);
    case Shape::list: {
      const auto& list = get<Value::List>(value);
      writer.varint(list.size());
      for (const Value& element : list) encode_scalar(writer, type.kind, element);
      return;
    }
    case Shape::vector: {
      const auto& vector = get<Value::Vector>(value);
      BRAID_ASSERT(vector.size() == type.vector_size);
      for (const float element : vector) writer.u32(stored_bits(element));
      return;
    }
  }
}

Result<Value> decode_value(base::ByteReader& reader, const PropertyType& type) {
  const std::size_t offset = reader.offset();
  Value value;
  switch (type.shape) {
    case Shape::scalar:
    case Shape::enumeration: value = decode_scalar(reader, type.kind); break;
    case Shape::list: value = decode_list(reader, type.kind); break;
    case Shape::vector: value = decode_vector(reader, type.vector_size); break;
  }
  if (reader.failed()) {
    return Error(ErrorCode::corrupt, "no value of type " + to_string(type) + " is stored here")
        .with("expected", to_string(type))
        .with("offset", offset);
  }
  return value;
}

void encode_row(base::ByteWriter& writer, std::span<const PropertyType* const> types,
                std::span<const Value> values) {
  BRAID_ASSERT(types.size() == values.size());
  for (std::size_t i = 0; i < values.size(); i += 8) {
    unsigned present = 0;
    for (std::size_t j = i; j < std::min(i + 8, values.size()); ++j) {
      if (!values[j].is_null()) present |= 1U << (j - i);
    }
    writer.u8(static_cast<std::uint8_t>(present));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_null()) encode_value(writer, *types[i], values[i]);
  }
}

Result<std::vector<Value>> decode_row(base::ByteReader& reader,
                                      std::span<const PropertyType* const> types) {
  const std::string_view presence = reader.raw((types.size() + 7) / 8);
  const auto present = [&](std::size_t i) {
    return i / 8 < presence.size() &&
           (static_cast<std::uint8_t>(presence[i / 8]) >> (i % 8) & 1U) != 0;
  };
  for (std::size_t i = types.size(); i < presence.size() * 8; ++i) {
    if (present(i)) reader.fail();  // V2: padding bits are zero
  }
  std::vector<Value> values(types.size());
  for (std::size_t i = 0; i < types.size() && !reader.failed(); ++i) {
    if (!present(i)) continue;
    BRAID_ASSIGN(values[i], decode_value(reader, *types[i]));
  }
  if (reader.failed()) {
    return Error(ErrorCode::corrupt, "a row is cut short or malformed")
        .with("offset", reader.offset());
  }
  return values;
}

}  // namespace braid::columnar
