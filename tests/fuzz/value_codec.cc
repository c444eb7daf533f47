// SPDX-License-Identifier: Apache-2.0
// What decodes is a value of its type and encodes to the same bytes; its texts read back.
#include "columnar/value_codec.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "columnar/content_hash.h"
#include "columnar/value_text.h"

namespace {

using braid::columnar::PropertyType;
using braid::columnar::ScalarKind;
using braid::columnar::Shape;

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<PropertyType> all_types() {
  std::vector<PropertyType> out;
  for (int kind = 1; kind <= 11; ++kind) {
    for (const Shape shape : {Shape::scalar, Shape::list}) {
      PropertyType type;
      type.kind = static_cast<ScalarKind>(kind);
      type.shape = shape;
      out.push_back(type);
    }
  }
  PropertyType vector;
  vector.kind = ScalarKind::f32;
  vector.shape = Shape::vector;
  vector.vector_size = 3;
  out.push_back(vector);
  PropertyType enumeration;
  enumeration.shape = Shape::enumeration;
  enumeration.enum_values = {"a", "b"};
  out.push_back(enumeration);
  return out;
}

void check_texts(const braid::Value& value) {
  if (const auto* date = value.as<braid::Date>()) {
    require(braid::columnar::parse_date(braid::columnar::to_text(*date))->days == date->days);
  }
  if (const auto* time = value.as<braid::DateTime>()) {
    require(braid::columnar::parse_date_time(braid::columnar::to_text(*time))->ms == time->ms);
  }
  std::string json;
  braid::columnar::append_json(json, value, {.safe_integers = true, .blob_prefix = true});
  require(!json.empty());
}

void check_one(const PropertyType& type, std::string_view bytes) {
  braid::base::ByteReader reader(bytes);
  const auto value = decode_value(reader, type);
  if (!value) return;
  braid::base::ByteWriter writer;
  encode_value(writer, type, *value);
  require(writer.view() == bytes.substr(0, reader.offset()));
  require(braid::columnar::same_value(*value, *value));
  // Only membership may be missing: decode leaves it to check_value.
  require(check_value(type, *value).ok() || type.shape == Shape::enumeration);
  check_texts(*value);
  require(!braid::columnar::hashed_form(*value).empty());
}

void check_row(const std::vector<PropertyType>& types, std::string_view bytes) {
  std::vector<const PropertyType*> pointers;
  for (const PropertyType& type : types) pointers.push_back(&type);
  braid::base::ByteReader reader(bytes);
  const auto row = decode_row(reader, pointers);
  if (!row) return;
  braid::base::ByteWriter writer;
  encode_row(writer, pointers, *row);
  require(writer.view() == bytes.substr(0, reader.offset()));
}

void check_content_hash(std::string_view bytes) {
  braid::base::ByteReader reader(bytes);
  const auto hash = braid::columnar::ContentHash::decode(reader);
  if (!hash) return;
  braid::base::ByteWriter writer;
  hash->encode(writer);
  require(writer.view() == bytes.substr(0, reader.offset()));
}

/// A text that is read as a date or time prints and reads back as the same.
void check_text_input(std::string_view text) {
  if (const auto date = braid::columnar::parse_date(text)) {
    require(braid::columnar::parse_date(braid::columnar::to_text(*date))->days == date->days);
  }
  if (const auto time = braid::columnar::parse_date_time(text)) {
    require(braid::columnar::parse_date_time(braid::columnar::to_text(*time))->ms == time->ms);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<PropertyType> types = all_types();
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t pick = data[0];
  if (pick < types.size()) {
    check_one(types[pick], bytes);
  } else if (pick == types.size()) {
    check_row(types, bytes);
  } else if (pick == types.size() + 1) {
    check_content_hash(bytes);
  } else {
    check_text_input(bytes);
  }
  return 0;
}
