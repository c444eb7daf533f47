// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columnar/arrow/builder.h"
#include "columnar/arrow/c_data.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::int64_t kNullable = 2;
constexpr std::int64_t kRowsMax = std::numeric_limits<std::int64_t>::max() / 64;
constexpr int kDepthMax = 64;

Error damaged(std::string_view what) {
  return Error(ErrorCode::corrupt, "Arrow C data: " + std::string(what));
}

/// Takes a structure over: releases it at the end (A14).
template <class Exported>
class Owned {
 public:
  explicit Owned(Exported& from) : exported_(from) { from.release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (exported_.release != nullptr) exported_.release(&exported_);
  }
  const Exported& get() const { return exported_; }

 private:
  Exported exported_;
};

std::optional<TypeId> simple_type(std::string_view format) {
  static constexpr std::string_view kLetters = "bcCsSiIlLfg";
  if (format.size() == 1) {
    const std::size_t at = kLetters.find(format[0]);
    if (at != std::string_view::npos) return static_cast<TypeId>(at);
    if (format == "u") return TypeId::utf8;
    if (format == "z") return TypeId::binary;
  }
  if (format == "tdD") return TypeId::date32;
  if (format == "tsm:" || format == "tsm:UTC" || format == "tsm:Etc/UTC" ||
      format == "tsm:+00:00" || format == "tsm:Z") {
    return TypeId::timestamp_ms;
  }
  return std::nullopt;
}

Result<std::uint32_t> size_in(std::string_view format) {
  std::uint32_t size = 0;
  const char* const end = format.data() + format.size();
  const auto [stop, problem] = std::from_chars(format.data(), end, size);
  if (problem != std::errc() || stop != end || size > kOffsetMax) {
    return damaged("a format without its size").with("format", std::string(format));
  }
  return size;
}

Metadata metadata_of(const char* bytes) {
  Metadata metadata;
  if (bytes == nullptr) return metadata;
  const auto number = [&bytes] {
    std::int32_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    bytes += sizeof(value);
    return value < 0 ? std::size_t{0} : static_cast<std::size_t>(value);
  };
  const auto text = [&bytes, &number] {
    const std::size_t size = number();
    std::string value(bytes, size);
    bytes += size;
    return value;
  };
  const std::size_t pairs = number();
  for (std::size_t i = 0; i < pairs; ++i) {
    std::string key = text();
    metadata.emplace_back(std::move(key), text());
  }
  return metadata;
}

Result<Field> field_of(const ArrowSchema& in, int depth);

Result<DataType> type_of(const ArrowSchema& in, int depth) {
  if (in.format == nullptr) return damaged("a schema without format");
  const std::string_view format = in.format;
  if (const auto simple = simple_type(format)) return DataType(*simple);
  if (format.starts_with("w:")) {
    BRAID_ASSIGN(const std::uint32_t size, size_in(format.substr(2)));
    if (size == 0) return Error(ErrorCode::unsupported, "Arrow bytes of size 0");
    return DataType::fixed_size_binary(size);
  }
  if (format == "+l" || format.starts_with("+w:")) {
    if (in.n_children != 1 || in.children == nullptr || in.children[0] == nullptr) {
      return damaged("a list without its one element");
    }
    BRAID_ASSIGN(Field element, field_of(*in.children[0], depth + 1));
    if (format == "+l") return DataType::list(std::move(element));
    BRAID_ASSIGN(const std::uint32_t size, size_in(format.substr(3)));
    if (size == 0) return Error(ErrorCode::unsupported, "Arrow lists of size 0");
    return DataType::fixed_size_list(std::move(element), size);
  }
  return Error(ErrorCode::unsupported, "Arrow type that Braid has no column of")
      .with("format", std::string(format));
}

Result<Field> field_of(const ArrowSchema& in, int depth) {
  if (depth > kDepthMax) return Error(ErrorCode::unsupported, "Arrow lists of too many levels");
  BRAID_ASSIGN(DataType type, type_of(in, depth));
  if (in.dictionary != nullptr) {
    BRAID_ASSIGN(DataType value, type_of(*in.dictionary, depth + 1));
    if (!is_index(type.id())) return damaged("a dictionary without numbers");
    if (value.id() >= TypeId::list) {
      return Error(ErrorCode::unsupported, "an Arrow dictionary of lists");
    }
    type = DataType::dictionary(type.id(), std::move(value));
  }
  return Field{.name = in.name == nullptr ? "" : in.name,
               .type = std::move(type),
               .nullable = (in.flags & kNullable) != 0,
               .metadata = metadata_of(in.metadata)};
}

/// Reads an array of `owner`, which stays alive with whatever is made of it.
class ArrayImporter {
 public:
  explicit ArrayImporter(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}

  Result<ArrayPointer> read(const ArrowArray& in, const DataType& type) const {
    BRAID_TRY(check(in, type));
    const auto length = static_cast<std::size_t>(in.length);
    const auto offset = static_cast<std::size_t>(in.offset);
    const std::size_t rows = offset + length;
    ArrayParts parts{.type = type, .length = rows};
    if (in.null_count != 0 && in.buffers[0] != nullptr) {
      parts.validity = borrowed(in.buffers[0], bitmap_bytes(rows));
      const BitmapView bits(parts.validity.data(), 0, rows);
      parts.null_count = rows - bits.count_ones();
    } else if (in.null_count > 0) {
      return damaged("nulls without bits");
    }
    BRAID_TRY(read_parts(in, parts));
    BRAID_ASSIGN(const ArrayPointer whole, Array::make(std::move(parts)));
    return offset == 0 ? whole : whole->slice(offset, length);
  }

 private:
  static std::int64_t buffers_of(TypeId id) {
    if (id == TypeId::fixed_size_list) return 1;
    return id == TypeId::utf8 || id == TypeId::binary ? 3 : 2;
  }

  static Status check(const ArrowArray& in, const DataType& type) {
    if (in.length < 0 || in.offset < 0 || in.length > kRowsMax || in.offset > kRowsMax ||
        in.null_count < -1 || in.null_count > in.length) {
      return damaged("an array of impossible length");
    }
    if (in.n_buffers != buffers_of(type.id()) || in.buffers == nullptr) {
      return damaged("not as many buffers as the type has").with("type", to_string(type));
    }
    const bool is_list = type.id() == TypeId::list || type.id() == TypeId::fixed_size_list;
    if (in.n_children != (is_list ? 1 : 0) ||
        (is_list && (in.children == nullptr || in.children[0] == nullptr)) ||
        (in.dictionary != nullptr) != (type.id() == TypeId::dictionary)) {
      return damaged("not the children that the type has").with("type", to_string(type));
    }
    return Unit{};
  }

  Buffer borrowed(const void* bytes, std::size_t size) const {
    if (bytes == nullptr || size == 0) return {};
    return {std::string_view(static_cast<const char*>(bytes), size), owner_};
  }

  Status read_parts(const ArrowArray& in, ArrayParts& parts) const {
    const TypeId id = parts.type.id();
    if (has_offsets(id) && parts.length > 0) {
      parts.offsets = borrowed(in.buffers[1], (parts.length + 1) * sizeof(std::int32_t));
    }
    switch (id) {
      case TypeId::utf8:
      case TypeId::binary: {
        if (parts.offsets.empty()) return Unit{};
        const std::int32_t end = parts.offsets.as<std::int32_t>()[parts.length];
        if (end < 0) return damaged("a negative offset");
        parts.values = borrowed(in.buffers[2], static_cast<std::size_t>(end));
        return Unit{};
      }
      case TypeId::list:
      case TypeId::fixed_size_list: {
        BRAID_ASSIGN(parts.child, read(*in.children[0], parts.type.element().type));
        return Unit{};
      }
      case TypeId::dictionary: {
        BRAID_ASSIGN(parts.child, read(*in.dictionary, parts.type.value()));
        parts.values = borrowed(in.buffers[1], parts.length * width_of(parts.type.index()));
        return Unit{};
      }
      case TypeId::boolean:
        parts.values = borrowed(in.buffers[1], bitmap_bytes(parts.length));
        return Unit{};
      case TypeId::fixed_size_binary:
        parts.values = borrowed(in.buffers[1], parts.length * parts.type.size());
        return Unit{};
      default: parts.values = borrowed(in.buffers[1], parts.length * width_of(id)); return Unit{};
    }
  }

  std::shared_ptr<const void> owner_;
};

}  // namespace

Result<Field> import_field(ArrowSchema& in) {
  BRAID_ASSERT(in.release != nullptr);
  const Owned<ArrowSchema> owned(in);
  return field_of(owned.get(), 0);
}

Result<Schema> import_schema(ArrowSchema& in) {
  BRAID_ASSERT(in.release != nullptr);
  const Owned<ArrowSchema> owned(in);
  const ArrowSchema& from = owned.get();
  if (from.format == nullptr || std::string_view(from.format) != "+s" || from.n_children < 0 ||
      (from.n_children > 0 && from.children == nullptr)) {
    return damaged("a schema that is no struct");
  }
  Schema schema;
  schema.metadata = metadata_of(from.metadata);
  for (std::int64_t i = 0; i < from.n_children; ++i) {
    if (from.children[i] == nullptr) return damaged("a child is missing");
    BRAID_ASSIGN(Field field, field_of(*from.children[i], 0));
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

Result<ArrayPointer> import_array(ArrowArray& in, const DataType& type) {
  BRAID_ASSERT(in.release != nullptr);
  const auto owner = std::make_shared<const Owned<ArrowArray>>(in);
  return ArrayImporter(owner).read(owner->get(), type);
}

Result<RecordBatch> import_batch(ArrowArray& in, SchemaPointer schema) {
  BRAID_ASSERT(in.release != nullptr);
  const auto owner = std::make_shared<const Owned<ArrowArray>>(in);
  const ArrowArray& from = owner->get();
  if (from.length < 0 || from.length > kRowsMax || from.offset != 0 || from.null_count > 0 ||
      from.n_children != static_cast<std::int64_t>(schema->fields.size()) ||
      (from.n_children > 0 && from.children == nullptr)) {
    return damaged("a batch that does not fit its schema");
  }
  std::vector<ArrayPointer> columns;
  for (std::size_t i = 0; i < schema->fields.size(); ++i) {
    if (from.children[i] == nullptr) return damaged("a child is missing");
    BRAID_ASSIGN(ArrayPointer column,
                 ArrayImporter(owner).read(*from.children[i], schema->fields[i].type));
    columns.push_back(std::move(column));
  }
  return RecordBatch::make(std::move(schema), static_cast<std::size_t>(from.length),
                           std::move(columns));
}

}  // namespace braid::columnar::arrow
