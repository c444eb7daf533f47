// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "columnar/arrow/c_data.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::int64_t kNullable = 2;

std::string format_of(const DataType& type) {
  switch (type.id()) {
    case TypeId::boolean: return "b";
    case TypeId::i8: return "c";
    case TypeId::u8: return "C";
    case TypeId::i16: return "s";
    case TypeId::u16: return "S";
    case TypeId::i32: return "i";
    case TypeId::u32: return "I";
    case TypeId::i64: return "l";
    case TypeId::u64: return "L";
    case TypeId::f32: return "f";
    case TypeId::f64: return "g";
    case TypeId::date32: return "tdD";
    case TypeId::timestamp_ms: return "tsm:UTC";
    case TypeId::utf8: return "u";
    case TypeId::binary: return "z";
    case TypeId::fixed_size_binary: return "w:" + std::to_string(type.size());
    case TypeId::list: return "+l";
    case TypeId::fixed_size_list: return "+w:" + std::to_string(type.size());
    case TypeId::dictionary: return format_of(type.index());
  }
  BRAID_ASSERT(false);
  return "";
}

/// i32 number of pairs, then of each: i32 size and bytes of the key, the same of the value.
std::string metadata_bytes(const Metadata& metadata) {
  if (metadata.empty()) return "";
  std::string out;
  const auto put_number = [&out](std::size_t number) {
    BRAID_ASSERT(number <= std::numeric_limits<std::int32_t>::max());
    const auto stored = static_cast<std::int32_t>(number);
    out.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
  };
  put_number(metadata.size());
  for (const auto& [key, value] : metadata) {
    put_number(key.size());
    out += key;
    put_number(value.size());
    out += value;
  }
  return out;
}

/// What an exported structure refers to. Children are separate: a consumer may move them away.
template <class Exported>
struct Children {
  std::vector<std::unique_ptr<Exported>> owned;
  std::vector<Exported*> pointers;
  std::unique_ptr<Exported> dictionary;

  Exported& add() {
    owned.push_back(std::make_unique<Exported>());
    pointers.push_back(owned.back().get());
    return *owned.back();
  }
  ~Children() {
    for (const auto& child : owned) {
      if (child->release != nullptr) child->release(child.get());
    }
    if (dictionary != nullptr && dictionary->release != nullptr) {
      dictionary->release(dictionary.get());
    }
  }
};

struct SchemaHolder {
  std::string format;
  std::string name;
  std::string metadata;
  Children<ArrowSchema> children;
};

struct ArrayHolder {
  std::vector<Buffer> kept;
  std::array<const void*, 3> buffers{};
  Children<ArrowArray> children;
};

/// Both structures keep their holder in private_data (A13).
template <class Holder, class Exported>
void release(Exported* exported) {
  const std::unique_ptr<Holder> holder(static_cast<Holder*>(exported->private_data));
  exported->release = nullptr;
  exported->private_data = nullptr;
}

void finish(std::unique_ptr<SchemaHolder> holder, std::int64_t flags, ArrowSchema& out) {
  out = ArrowSchema{.format = holder->format.c_str(),
                    .name = holder->name.c_str(),
                    .metadata = holder->metadata.empty() ? nullptr : holder->metadata.data(),
                    .flags = flags,
                    .n_children = static_cast<std::int64_t>(holder->children.pointers.size()),
                    .children = holder->children.pointers.data(),
                    .dictionary = holder->children.dictionary.get(),
                    .release = &release<SchemaHolder, ArrowSchema>,
                    .private_data = nullptr};
  out.private_data = holder.release();
}

void finish(std::unique_ptr<ArrayHolder> holder, const ArrowArray& sizes, ArrowArray& out) {
  out = sizes;
  out.n_children = static_cast<std::int64_t>(holder->children.pointers.size());
  out.buffers = holder->buffers.data();
  out.children = holder->children.pointers.data();
  out.dictionary = holder->children.dictionary.get();
  out.release = &release<ArrayHolder, ArrowArray>;
  out.private_data = holder.release();
}

void put_buffer(ArrayHolder& holder, std::size_t index, const Buffer& buffer) {
  holder.kept.push_back(buffer);
  holder.buffers[index] = buffer.empty() ? nullptr : buffer.data();
}

/// Offsets of an array without rows may be missing here, but not there.
Buffer offsets_of(const Array& array) {
  if (!array.parts().offsets.empty()) return array.parts().offsets;
  return Buffer::copy_of(std::string_view("\0\0\0\0", 4));
}

/// The child of a fixed-size list has to be as long as its parent says.
ArrayPointer child_of(const Array& array) {
  if (array.type().id() != TypeId::fixed_size_list) return array.shared_child();
  const std::size_t size = array.type().size();
  return array.child().slice(0, (array.first_row() + array.length()) * size);
}

}  // namespace

void export_field(const Field& field, ArrowSchema& out) {
  auto holder = std::make_unique<SchemaHolder>();
  holder->format = format_of(field.type);
  holder->name = field.name;
  holder->metadata = metadata_bytes(field.metadata);
  if (field.type.id() == TypeId::dictionary) {
    holder->children.dictionary = std::make_unique<ArrowSchema>();
    export_field({.name = "", .type = field.type.value()}, *holder->children.dictionary);
  } else if (field.type.id() == TypeId::list || field.type.id() == TypeId::fixed_size_list) {
    export_field(field.type.element(), holder->children.add());
  }
  finish(std::move(holder), field.nullable ? kNullable : 0, out);
}

void export_schema(const Schema& schema, ArrowSchema& out) {
  auto holder = std::make_unique<SchemaHolder>();
  holder->format = "+s";
  holder->metadata = metadata_bytes(schema.metadata);
  for (const Field& field : schema.fields) export_field(field, holder->children.add());
  finish(std::move(holder), 0, out);
}

void export_array(const ArrayPointer& array, ArrowArray& out) {
  auto holder = std::make_unique<ArrayHolder>();
  const ArrayParts& parts = array->parts();
  ArrowArray sizes{};
  sizes.length = static_cast<std::int64_t>(array->length());
  sizes.null_count = static_cast<std::int64_t>(array->null_count());
  sizes.offset = static_cast<std::int64_t>(array->first_row());
  sizes.n_buffers = 2;
  put_buffer(*holder, 0, parts.null_count > 0 ? parts.validity : Buffer());
  switch (array->type().id()) {
    case TypeId::utf8:
    case TypeId::binary:
      put_buffer(*holder, 1, offsets_of(*array));
      put_buffer(*holder, 2, parts.values);
      sizes.n_buffers = 3;
      break;
    case TypeId::list:
      put_buffer(*holder, 1, offsets_of(*array));
      export_array(child_of(*array), holder->children.add());
      break;
    case TypeId::fixed_size_list:
      export_array(child_of(*array), holder->children.add());
      sizes.n_buffers = 1;
      break;
    case TypeId::dictionary:
      holder->children.dictionary = std::make_unique<ArrowArray>();
      export_array(array->shared_child(), *holder->children.dictionary);
      [[fallthrough]];
    default: put_buffer(*holder, 1, parts.values); break;
  }
  finish(std::move(holder), sizes, out);
}

void export_batch(const RecordBatch& batch, ArrowArray& out) {
  auto holder = std::make_unique<ArrayHolder>();
  for (const ArrayPointer& column : batch.columns()) export_array(column, holder->children.add());
  ArrowArray sizes{};
  sizes.length = static_cast<std::int64_t>(batch.length());
  sizes.n_buffers = 1;
  finish(std::move(holder), sizes, out);
}

}  // namespace braid::columnar::arrow
