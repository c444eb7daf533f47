// SPDX-License-Identifier: Apache-2.0
#include "table/row_source.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "columnar/value_codec.h"

namespace braid::table {
namespace {

// The first byte of a packed row. What follows: 16 bytes of a ULID if it is drawn, the number of
// the type, the id if it is given, the ends of an edge, the number of values, each as its index
// times two (plus one: null) and its encoding.
constexpr std::uint8_t kIsEdge = 1;
constexpr std::uint8_t kIdGiven = 2;
constexpr std::uint8_t kIdDrawn = 4;

using UlidBytes = decltype(Ulid::bytes);

}  // namespace

std::uint64_t PackedBlock::number_of(const schema::RecordType& type) {
  const auto found = std::find(types_.begin(), types_.end(), &type);
  if (found == types_.end()) {
    types_.push_back(&type);
    return types_.size() - 1;
  }
  return static_cast<std::uint64_t>(found - types_.begin());
}

void PackedBlock::add(const schema::RecordType& type, bool is_edge,
                      const std::optional<std::string>& id, std::string_view src,
                      std::string_view dst, const Assigned& assigned) {
  BRAID_ASSERT(bytes_.size() <= std::numeric_limits<std::uint32_t>::max());
  begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  const bool is_drawn = !id && !type.is_keyed();
  base::ByteWriter writer(std::move(bytes_));
  writer.u8(static_cast<std::uint8_t>((is_edge ? kIsEdge : 0) | (id ? kIdGiven : 0) |
                                      (is_drawn ? kIdDrawn : 0)));
  if (is_drawn) writer.array(UlidBytes{});
  writer.varint(number_of(type));
  if (id) writer.bytes(*id);
  if (is_edge) {
    writer.bytes(src);
    writer.bytes(dst);
  }
  writer.varint(assigned.size());
  for (const auto& [index, value] : assigned) {
    writer.varint(index * 2 + (value.is_null() ? 1 : 0));
    if (!value.is_null()) columnar::encode_value(writer, type.properties[index].type, value);
  }
  bytes_ = std::move(writer).take();
}

void PackedBlock::draw_ids(const std::function<Ulid()>& draw) {
  for (const std::uint32_t begin : begins_) {
    if ((static_cast<std::uint8_t>(bytes_[begin]) & kIdDrawn) == 0) continue;
    const Ulid id = draw();
    std::copy(id.bytes.begin(), id.bytes.end(), bytes_.begin() + begin + 1);
  }
}

void PackedBlock::shrink() {
  begins_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

void PackedBlock::read(std::size_t index, RowWrite& out) const {
  base::ByteReader reader(std::string_view(bytes_).substr(begins_[index]));
  const std::uint8_t flags = reader.u8();
  out.is_edge = (flags & kIsEdge) != 0;
  out.fresh_id.clear();
  if ((flags & kIdDrawn) != 0) out.fresh_id = Ulid{reader.array<UlidBytes>()}.to_string();
  out.type = types_[reader.varint()];
  out.id.reset();
  if ((flags & kIdGiven) != 0) out.id.emplace(reader.bytes());
  out.src = out.is_edge ? reader.bytes() : std::string_view();
  out.dst = out.is_edge ? reader.bytes() : std::string_view();
  out.assigned.clear();
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t head = reader.varint();
    Value value;
    if (head % 2 == 0) {
      auto decoded = columnar::decode_value(reader, out.type->properties[head / 2].type);
      BRAID_ASSERT(decoded.ok());  // T13: add() encoded it
      value = *std::move(decoded);
    }
    out.assigned.emplace_back(head / 2, std::move(value));
  }
  BRAID_ASSERT(!reader.failed());
}

void PackedRows::add(PackedBlock block) {
  if (block.size() == 0) return;
  firsts_.push_back(size_);
  size_ += block.size();
  blocks_.push_back(std::move(block));
}

void PackedRows::draw_ids(const std::function<Ulid()>& draw) {
  for (PackedBlock& block : blocks_) block.draw_ids(draw);
}

void PackedRows::read(std::size_t index, RowWrite& out) const {
  BRAID_ASSERT(index < size_);
  const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), index);
  const auto block = static_cast<std::size_t>(after - firsts_.begin()) - 1;
  blocks_[block].read(index - firsts_[block], out);
  out.ordinal = index;
}

}  // namespace braid::table
