// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/body_writer.h"

#include <string>

namespace braid::columnar::arrow {
namespace {

Buffer part_of(const Buffer& buffer, std::size_t begin, std::size_t size) {
  if (size == 0) return {};
  return {buffer.bytes().substr(begin, size), buffer.owner()};
}

/// The bits as a map of their own, zeros behind the last.
Buffer bits_of(const BitmapView& bits) {
  BitmapBuilder builder;
  builder.append(bits);
  return builder.finish();
}

Buffer offsets_of(const Array& array) {
  const std::span<const std::int32_t> offsets = array.offsets();
  BufferBuilder moved;
  if (offsets.empty()) {  // readers want to see the first one
    moved.push(std::int32_t{0});
    return moved.finish();
  }
  if (offsets.front() == 0) {
    return part_of(array.parts().offsets, array.first_row() * sizeof(std::int32_t),
                   offsets.size_bytes());
  }
  moved.reserve(offsets.size_bytes());
  for (const std::int32_t offset : offsets) moved.push(offset - offsets.front());
  return moved.finish();
}

/// The part of bytes or elements that the rows refer to.
Result<ListRange> extent_of(const Array& array, std::size_t available) {
  const std::span<const std::int32_t> offsets = array.offsets();
  if (offsets.empty()) return ListRange{};
  bool rises = offsets.front() >= 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) rises &= offsets[i - 1] <= offsets[i];
  if (!rises || static_cast<std::size_t>(offsets.back()) > available) {
    return Error(ErrorCode::corrupt, "offsets of an Arrow array do not rise or lead outside")
        .with("type", to_string(array.type()));
  }
  return ListRange{static_cast<std::size_t>(offsets.front()),
                   static_cast<std::size_t>(offsets.back() - offsets.front())};
}

}  // namespace

Status flatten(const Array& array, FlatArrays& out) {
  out.nodes.push_back({array.length(), array.null_count()});
  out.buffers.push_back(array.null_count() == 0 ? Buffer() : bits_of(array.validity()));
  const ArrayParts& parts = array.parts();
  const DataType& type = array.type();
  switch (type.id()) {
    case TypeId::boolean: out.buffers.push_back(bits_of(array.bits())); return Unit{};
    case TypeId::utf8:
    case TypeId::binary: {
      BRAID_ASSIGN(const ListRange extent, extent_of(array, parts.values.size()));
      out.buffers.push_back(offsets_of(array));
      out.buffers.push_back(part_of(parts.values, extent.begin, extent.size));
      return Unit{};
    }
    case TypeId::list: {
      BRAID_ASSIGN(const ListRange extent, extent_of(array, parts.child->length()));
      out.buffers.push_back(offsets_of(array));
      return flatten(*parts.child->slice(extent.begin, extent.size), out);
    }
    case TypeId::fixed_size_list: {
      const std::size_t size = type.size();
      return flatten(*parts.child->slice(array.first_row() * size, array.length() * size), out);
    }
    default: {
      std::size_t width = width_of(type.id());
      if (type.id() == TypeId::fixed_size_binary) width = type.size();
      if (type.id() == TypeId::dictionary) width = width_of(type.index());
      out.buffers.push_back(
          part_of(parts.values, array.first_row() * width, array.length() * width));
      return Unit{};
    }
  }
}

void find_dictionaries(const Array& array, std::vector<ArrayPointer>& out) {
  if (array.type().id() == TypeId::dictionary) {
    out.push_back(array.shared_child());
  } else if (array.shared_child() != nullptr) {
    find_dictionaries(array.child(), out);
  }
}

void find_dictionary_types(const DataType& type, std::vector<DataType>& out) {
  if (type.id() == TypeId::dictionary) out.push_back(type.value());
  if (type.id() == TypeId::list || type.id() == TypeId::fixed_size_list) {
    find_dictionary_types(type.element().type, out);
  }
}

}  // namespace braid::columnar::arrow
