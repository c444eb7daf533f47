// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/schema_codec.h"

#include <optional>
#include <string>
#include <utility>

#include <wire_generated.h>

#include "base/assert.h"

namespace braid::columnar::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

struct WireType {
  wire::Type id = wire::Type::NONE;
  Offset<void> table = 0;
};

Offset<wire::Int> encode_int(FlatBufferBuilder& out, TypeId id) {
  const auto bits = static_cast<int>(width_of(id) * 8);
  const bool is_signed =
      id == TypeId::i8 || id == TypeId::i16 || id == TypeId::i32 || id == TypeId::i64;
  return wire::CreateInt(out, bits, is_signed);
}

WireType encode_type(FlatBufferBuilder& out, const DataType& type) {
  switch (type.id()) {
    case TypeId::boolean: return {wire::Type::Bool, wire::CreateBool(out).Union()};
    case TypeId::f32:
      return {wire::Type::FloatingPoint,
              wire::CreateFloatingPoint(out, wire::Precision::SINGLE).Union()};
    case TypeId::f64:
      return {wire::Type::FloatingPoint,
              wire::CreateFloatingPoint(out, wire::Precision::DOUBLE).Union()};
    case TypeId::date32:
      return {wire::Type::Date, wire::CreateDate(out, wire::DateUnit::DAY).Union()};
    case TypeId::timestamp_ms: {
      const auto zone = out.CreateString("UTC");
      return {wire::Type::Timestamp,
              wire::CreateTimestamp(out, wire::TimeUnit::MILLISECOND, zone).Union()};
    }
    case TypeId::utf8: return {wire::Type::Utf8, wire::CreateUtf8(out).Union()};
    case TypeId::binary: return {wire::Type::Binary, wire::CreateBinary(out).Union()};
    case TypeId::fixed_size_binary:
      return {wire::Type::FixedSizeBinary,
              wire::CreateFixedSizeBinary(out, static_cast<int>(type.size())).Union()};
    case TypeId::list: return {wire::Type::List, wire::CreateList(out).Union()};
    case TypeId::fixed_size_list:
      return {wire::Type::FixedSizeList,
              wire::CreateFixedSizeList(out, static_cast<int>(type.size())).Union()};
    default: return {wire::Type::Int, encode_int(out, type.id()).Union()};
  }
}

Offset<wire::Field> encode_field(FlatBufferBuilder& out, const Field& field,
                                 std::int64_t& next_dictionary) {
  const bool is_dictionary = field.type.id() == TypeId::dictionary;
  Offset<wire::DictionaryEncoding> dictionary = 0;
  if (is_dictionary) {
    const auto index = encode_int(out, field.type.index());
    dictionary = wire::CreateDictionaryEncoding(out, next_dictionary++, index);
  }
  const DataType& type = is_dictionary ? field.type.value() : field.type;
  std::vector<Offset<wire::Field>> children;
  if (type.id() == TypeId::list || type.id() == TypeId::fixed_size_list) {
    children.push_back(encode_field(out, type.element(), next_dictionary));
  }
  const auto name = out.CreateString(field.name);
  const auto metadata = encode_metadata(out, field.metadata);
  const auto child_vector = out.CreateVector(children);
  const WireType encoded = encode_type(out, type);
  return wire::CreateField(out, name, field.nullable, encoded.id, encoded.table, dictionary,
                           child_vector, metadata);
}

std::string text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

Error not_ours(const wire::Field& field, std::string_view what) {
  return Error(ErrorCode::unsupported,
               "Arrow type that Braid has no column of: " + std::string(what))
      .with("field", text_of(field.name()))
      .with("type", wire::EnumNameType(field.type_type()));
}

Error damaged(const wire::Field& field, std::string_view what) {
  return Error(ErrorCode::corrupt, "Arrow schema: " + std::string(what))
      .with("field", text_of(field.name()));
}

std::optional<TypeId> integer_of(const wire::Int& type) {
  switch (type.bit_width()) {
    case 8: return type.is_signed() ? TypeId::i8 : TypeId::u8;
    case 16: return type.is_signed() ? TypeId::i16 : TypeId::u16;
    case 32: return type.is_signed() ? TypeId::i32 : TypeId::u32;
    case 64: return type.is_signed() ? TypeId::i64 : TypeId::u64;
    default: return std::nullopt;
  }
}

class SchemaDecoder {
 public:
  Result<Field> field(const wire::Field& in) {
    const wire::DictionaryEncoding* const dictionary = in.dictionary();
    if (dictionary != nullptr) ids_.push_back(dictionary->id());
    BRAID_ASSIGN(DataType type, type_of(in));
    if (dictionary != nullptr) {
      BRAID_ASSIGN(type, dictionary_of(in, *dictionary, std::move(type)));
    }
    return Field{.name = text_of(in.name()),
                 .type = std::move(type),
                 .nullable = in.nullable(),
                 .metadata = decode_metadata(in.custom_metadata())};
  }
  std::vector<std::int64_t> take_ids() { return std::move(ids_); }

 private:
  Result<DataType> dictionary_of(const wire::Field& in, const wire::DictionaryEncoding& encoding,
                                 DataType value) {
    if (value.id() >= TypeId::list) return not_ours(in, "a dictionary of lists");
    if (encoding.dictionary_kind() != wire::DictionaryKind::DenseArray) {
      return not_ours(in, "an unknown kind of dictionary");
    }
    TypeId index = TypeId::i32;  // if nothing else is said
    if (encoding.index_type() != nullptr) {
      const auto found = integer_of(*encoding.index_type());
      if (!found) return damaged(in, "numbers of no known width");
      index = *found;
    }
    return DataType::dictionary(index, std::move(value));
  }

  Result<DataType> type_of(const wire::Field& in) {
    if (in.type() == nullptr) return damaged(in, "a field without a type");
    switch (in.type_type()) {
      case wire::Type::Bool: return DataType(TypeId::boolean);
      case wire::Type::Utf8: return DataType(TypeId::utf8);
      case wire::Type::Binary: return DataType(TypeId::binary);
      case wire::Type::Int: {
        const auto found = integer_of(*in.type_as_Int());
        if (!found) return damaged(in, "an integer of no known width");
        return DataType(*found);
      }
      case wire::Type::FloatingPoint:
        if (in.type_as_FloatingPoint()->precision() == wire::Precision::SINGLE) {
          return DataType(TypeId::f32);
        }
        if (in.type_as_FloatingPoint()->precision() == wire::Precision::DOUBLE) {
          return DataType(TypeId::f64);
        }
        return not_ours(in, "a float that is not of 32 or 64 bits");
      case wire::Type::Date:
        if (in.type_as_Date()->unit() == wire::DateUnit::DAY) return DataType(TypeId::date32);
        return not_ours(in, "a date in milliseconds");
      case wire::Type::Timestamp: return timestamp_of(in);
      case wire::Type::FixedSizeBinary: {
        const std::int32_t size = in.type_as_FixedSizeBinary()->byte_width();
        if (size < 0) return damaged(in, "a negative size");
        if (size == 0) return not_ours(in, "bytes of size 0");
        return DataType::fixed_size_binary(static_cast<std::uint32_t>(size));
      }
      case wire::Type::List:
      case wire::Type::FixedSizeList: return list_of(in);
      default: return not_ours(in, "this one");
    }
  }

  static Result<DataType> timestamp_of(const wire::Field& in) {
    const wire::Timestamp& timestamp = *in.type_as_Timestamp();
    const std::string zone = text_of(timestamp.timezone());
    if (timestamp.unit() != wire::TimeUnit::MILLISECOND) {
      return not_ours(in, "a time that is not in milliseconds");
    }
    if (!zone.empty() && zone != "UTC" && zone != "Etc/UTC" && zone != "+00:00" && zone != "Z") {
      return not_ours(in, "a time of another zone than UTC");
    }
    return DataType(TypeId::timestamp_ms);
  }

  Result<DataType> list_of(const wire::Field& in) {
    if (in.children() == nullptr || in.children()->size() != 1) {
      return damaged(in, "a list without its one element");
    }
    BRAID_ASSIGN(Field element, field(*in.children()->Get(0)));
    if (in.type_type() == wire::Type::List) return DataType::list(std::move(element));
    const std::int32_t size = in.type_as_FixedSizeList()->list_size();
    if (size < 0) return damaged(in, "a negative size");
    if (size == 0) return not_ours(in, "lists of size 0");  // any number of rows out of no bytes
    return DataType::fixed_size_list(std::move(element), static_cast<std::uint32_t>(size));
  }

  std::vector<std::int64_t> ids_;
};

Result<DecodedSchema> decoded_schema(const wire::Schema& schema) {
  if (schema.endianness() != wire::Endianness::Little) {
    return Error(ErrorCode::unsupported, "an Arrow file of big-endian numbers");
  }
  if (schema.features() != nullptr) {
    for (std::size_t i = 0; i < schema.features()->size(); ++i) {
      const auto number = element_of<std::int64_t>(*schema.features(), i);
      if (number < 0 || number > static_cast<std::int64_t>(wire::Feature::COMPRESSED_BODY)) {
        return Error(ErrorCode::unsupported, "an Arrow file that needs an unknown feature")
            .with("feature", std::to_string(number));
      }
    }
  }
  DecodedSchema out;
  SchemaDecoder decoder;
  if (schema.fields() != nullptr) {
    for (const wire::Field* field : *schema.fields()) {
      BRAID_ASSIGN(Field decoded, decoder.field(*field));
      out.schema.fields.push_back(std::move(decoded));
    }
  }
  out.schema.metadata = decode_metadata(schema.custom_metadata());
  out.dictionary_ids = decoder.take_ids();
  return out;
}

}  // namespace

Offset<WireMetadata> encode_metadata(FlatBufferBuilder& out, const Metadata& metadata) {
  if (metadata.empty()) return 0;
  std::vector<Offset<wire::KeyValue>> pairs;
  for (const auto& [key, value] : metadata) {
    const auto stored_key = out.CreateString(key);
    const auto stored_value = out.CreateString(value);
    pairs.push_back(wire::CreateKeyValue(out, stored_key, stored_value));
  }
  return out.CreateVector(pairs);
}

Metadata decode_metadata(const WireMetadata* metadata) {
  Metadata out;
  if (metadata == nullptr) return out;
  for (const wire::KeyValue* pair : *metadata) {
    out.emplace_back(text_of(pair->key()), text_of(pair->value()));
  }
  return out;
}

Offset<wire::Schema> encode_schema(FlatBufferBuilder& out, const Schema& schema) {
  std::vector<Offset<wire::Field>> fields;
  std::int64_t next_dictionary = 0;
  for (const Field& field : schema.fields) {
    fields.push_back(encode_field(out, field, next_dictionary));
  }
  const auto metadata = encode_metadata(out, schema.metadata);
  const auto field_vector = out.CreateVector(fields);
  return wire::CreateSchema(out, wire::Endianness::Little, field_vector, metadata);
}

Result<DecodedSchema> decode_schema(const wire::Schema& schema, std::uint64_t offset) {
  Result<DecodedSchema> decoded = decoded_schema(schema);
  if (decoded) return decoded;
  return decoded.error().with("offset", offset);
}

}  // namespace braid::columnar::arrow
