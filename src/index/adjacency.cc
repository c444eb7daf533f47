// SPDX-License-Identifier: Apache-2.0
#include "index/adjacency.h"

#include <algorithm>

#include "base/assert.h"

namespace braid::index {
namespace {

Error damaged(std::string_view what) {
  return Error(ErrorCode::corrupt, "an adjacency index is damaged")
      .with("expected", std::string(what));
}

}  // namespace

Adjacency::Adjacency(Token, columnar::arrow::Buffer file, Header header)
    : file_(std::move(file)),
      header_(std::move(header)),
      layout_(layout_of(header_)),
      hash_(header_.fragment_digest) {}

Result<std::shared_ptr<const Adjacency>> Adjacency::open(columnar::arrow::Buffer file,
                                                         const table::Pin& pin) {
  BRAID_ASSERT(file.is_aligned(alignof(std::uint64_t)));
  BRAID_ASSIGN(Header header, parse_header(file.bytes()));
  const bool is_its = header.object == pin.object && header.fragment_bytes == pin.size_bytes &&
                      header.fragment_digest == pin.digest && header.rows == pin.summary.rows;
  if (!is_its) {  // I4
    return Error(ErrorCode::corrupt, "an adjacency index belongs to another fragment")
        .with("expected", pin.object)
        .with("actual", header.object);
  }
  return std::make_shared<const Adjacency>(Token{}, std::move(file), std::move(header));
}

// I2: the layout lies inside of the file, and each section is aligned for what it holds.
template <class T>
std::span<const T> Adjacency::section(const Section& section) const {
  const char* const begin = file_.bytes().data() + section.begin;
  return {reinterpret_cast<const T*>(begin), section.size_bytes / sizeof(T)};
}

std::string_view Adjacency::id_of(std::uint32_t node) const {
  const auto offsets = section<std::uint64_t>(layout_.id_offsets);
  const std::uint64_t begin = offsets[node];
  const std::uint64_t end = offsets[std::size_t{node} + 1];
  if (begin > end || end > layout_.ids.size_bytes) return {};  // I2
  return file_.bytes().substr(layout_.ids.begin + begin, end - begin);
}

NodeLookup Adjacency::find(std::string_view id) const {
  NodeLookup lookup;
  const auto slots = section<Slot>(layout_.slots);
  const std::uint32_t hash = hash_(id);
  std::uint64_t at = first_slot(hash, slots.size());
  while (lookup.slots_read < slots.size()) {  // I2: damaged, it may have no free slot
    const Slot slot = slots[at];
    ++lookup.slots_read;
    if (slot.node_plus_1 == 0) break;
    if (slot.hash == hash && slot.node_plus_1 <= header_.nodes) {
      ++lookup.ids_read;
      if (id_of(slot.node_plus_1 - 1) == id) {
        lookup.node = slot.node_plus_1 - 1;
        break;
      }
    }
    if (++at == slots.size()) at = 0;
  }
  return lookup;
}

Result<std::span<const std::uint32_t>> Adjacency::rows_of(std::string_view node,
                                                          state::Direction direction) const {
  const bool is_out = direction == state::Direction::kOut;
  const NodeLookup found = find(node);
  if (!found.node) return std::span<const std::uint32_t>();
  const auto offsets = section<std::uint32_t>(is_out ? layout_.out_offsets : layout_.in_offsets);
  const std::uint32_t begin = offsets[*found.node];
  const std::uint32_t end = offsets[std::size_t{*found.node} + 1];
  if (begin > end || end > header_.rows) return damaged("offsets that rise");  // I2
  return section<std::uint32_t>(is_out ? layout_.out_rows : layout_.in_rows)
      .subspan(begin, end - begin);
}

Result<std::span<const std::uint32_t>> Adjacency::edges_of(std::string_view node,
                                                           state::Direction direction) const {
  BRAID_ASSIGN(const auto rows, rows_of(node, direction));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i - 1] >= rows[i]) return damaged("ordinals that ascend");  // I2
  }
  if (!rows.empty() && rows.back() >= header_.rows) return damaged("ordinals of rows");
  return rows;
}

Result<std::uint64_t> Adjacency::degree(std::string_view node, state::Direction direction) const {
  BRAID_ASSIGN(const auto rows, rows_of(node, direction));
  return std::uint64_t{rows.size()};
}

Status Adjacency::check() const {
  const std::string_view body = file_.bytes().substr(kHeaderBytes + header_.object.size());
  if (base::xxh3_128(body) == header_.body) return Unit{};
  return Error(ErrorCode::corrupt, "an adjacency index is not what was written");
}

}  // namespace braid::index
