// SPDX-License-Identifier: Apache-2.0
// The rows that both implementations must agree on, by a rule that each works out for itself
// (interop.mjs has the same one, written again): of column c and row r, h = mix(c * 2^32 + r); the
// row is null if h % 5 == 0; its value follows from g = mix(h).
// Threads: pure functions.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/arrow/builder.h"

namespace braid::test {

namespace arrow = columnar::arrow;

/// SplitMix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

inline std::int32_t i32_of(std::uint64_t g) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(g));
}

inline std::string text_of(std::uint64_t g) {
  static constexpr std::array<std::string_view, 7> kPieces = {
      "", "a", "\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "line\n", std::string_view("\0", 1)};
  std::string text;
  for (std::uint64_t k = 0; k < (g >> 8) % 5; ++k) text += kPieces[(g >> (12 + 3 * k)) % 7];
  return text;
}

inline double f64_of(std::uint64_t g) {
  switch (g % 16) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return -0.0;
    case 2: return -std::numeric_limits<double>::infinity();
    default: return static_cast<double>(i32_of(g)) / 1000;
  }
}

inline float f32_of(std::uint64_t g) {
  return static_cast<float>(static_cast<double>(i32_of(g)) / 1024);
}

inline std::string bytes_of(std::uint64_t g, std::size_t size, bool differs) {
  std::string bytes;
  for (std::size_t j = 0; j < size; ++j) {
    const std::uint64_t byte = (g >> (8 * (j % 8)) & 255U) ^ (differs ? j : 0);
    bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(byte)));
  }
  return bytes;
}

template <class T>
void put(arrow::ArrayBuilder& to, T value) {
  static_cast<arrow::FixedBuilder<T>&>(to).append(value);
}
inline Status put_bytes(arrow::ArrayBuilder& to, std::string_view value) {
  return static_cast<arrow::BytesBuilder&>(to).append(value);
}

inline Status put_nested(arrow::ListBuilder& to, std::uint64_t g) {
  auto& inner = static_cast<arrow::ListBuilder&>(to.element());
  for (std::uint64_t j = 0; j < g % 3; ++j) {
    if (mix(g + j) % 7 == 0) {
      inner.append_null();
      continue;
    }
    for (std::uint64_t k = 0; k < mix(g + j) % 3; ++k) {
      put<std::int32_t>(inner.element(), i32_of(mix(g + j * 10 + k)));
    }
    BRAID_TRY(inner.close());
  }
  return to.close();
}

inline Status put_list(arrow::ListBuilder& to, std::uint64_t g) {
  if (to.type().element().type.id() == arrow::TypeId::list) return put_nested(to, g);
  for (std::uint64_t j = 0; j < g % 4; ++j) {
    if (to.type().element().type.id() == arrow::TypeId::utf8) {
      BRAID_TRY(put_bytes(to.element(), text_of(mix(g + j))));
    } else {
      put<std::int64_t>(to.element(), static_cast<std::int64_t>(mix(g + j)));
    }
  }
  return to.close();
}

/// Of each layout but the dictionary.
inline Status put_value(arrow::ArrayBuilder& to, std::uint64_t g) {
  using arrow::TypeId;
  switch (to.type().id()) {
    case TypeId::boolean:
      static_cast<arrow::BooleanBuilder&>(to).append((g & 1U) != 0);
      return Unit{};
    case TypeId::i32: put(to, i32_of(g)); return Unit{};
    case TypeId::u32: put(to, static_cast<std::uint32_t>(g)); return Unit{};
    case TypeId::i64: put(to, static_cast<std::int64_t>(g)); return Unit{};
    case TypeId::u64: put(to, g); return Unit{};
    case TypeId::f32: put(to, f32_of(g)); return Unit{};
    case TypeId::f64: put(to, f64_of(g)); return Unit{};
    case TypeId::date32: put(to, static_cast<std::int32_t>(g % 40'000) - 10'000); return Unit{};
    case TypeId::timestamp_ms:
      put(to, static_cast<std::int64_t>(g % 4'000'000'000'000) - 1'000'000'000'000);
      return Unit{};
    case TypeId::utf8: return put_bytes(to, text_of(g));
    case TypeId::binary: return put_bytes(to, bytes_of(g, g % 9, false));
    case TypeId::fixed_size_binary:
      static_cast<arrow::FixedBinaryBuilder&>(to).append(bytes_of(g, to.type().size(), true));
      return Unit{};
    case TypeId::list: return put_list(static_cast<arrow::ListBuilder&>(to), g);
    default: {
      std::vector<float> values;
      for (std::uint64_t j = 0; j < to.type().size(); ++j) values.push_back(f32_of(mix(g + j)));
      static_cast<arrow::FixedListBuilder&>(to).append(values);
      return Unit{};
    }
  }
}

/// Rows [begin, begin + count) of column `number`. `is_word` stands for the column that repeats.
inline Result<arrow::ArrayPointer> column_of(const arrow::DataType& type, std::uint64_t number,
                                             std::uint64_t begin, std::uint64_t count,
                                             bool is_word) {
  const auto builder = arrow::make_builder(type);
  for (std::uint64_t row = begin; row < begin + count; ++row) {
    const std::uint64_t h = mix((number << 32) + row);
    const std::uint64_t g = mix(h);
    if (h % 5 == 0) {
      builder->append_null();
    } else if (is_word) {
      BRAID_TRY(put_bytes(*builder, "word" + std::to_string(g % 20)));
    } else {
      BRAID_TRY(put_value(*builder, g));
    }
  }
  return builder->finish();
}

/// The columns, in the order of their numbers. The last one is the word.
inline arrow::Schema interop_schema() {
  using arrow::DataType;
  using arrow::TypeId;
  const auto item = [](DataType type) {
    return arrow::Field{.name = "item", .type = std::move(type)};
  };
  arrow::Schema schema;
  const auto add = [&schema](std::string name, DataType type) {
    schema.fields.push_back({.name = std::move(name),
                             .type = std::move(type),
                             .metadata = {{"number", std::to_string(schema.fields.size())}}});
  };
  add("bool", TypeId::boolean);
  add("i32", TypeId::i32);
  add("u32", TypeId::u32);
  add("i64", TypeId::i64);
  add("u64", TypeId::u64);
  add("f32", TypeId::f32);
  add("f64", TypeId::f64);
  add("utf8", TypeId::utf8);
  add("binary", TypeId::binary);
  add("date", TypeId::date32);
  add("time", TypeId::timestamp_ms);
  add("id", DataType::fixed_size_binary(16));
  add("list", DataType::list(item(TypeId::i64)));
  add("texts", DataType::list(item(TypeId::utf8)));
  add("nested", DataType::list(item(DataType::list(item(TypeId::i32)))));
  add("vector", DataType::fixed_size_list(item(TypeId::f32), 3));
  add("word", TypeId::utf8);
  schema.metadata = {{"braid.table", "7"}};
  return schema;
}

}  // namespace braid::test
