// SPDX-License-Identifier: Apache-2.0
#include "index/adjacency_builder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "base/assert.h"
#include "index/adjacency_layout.h"

namespace braid::index {
namespace {

namespace arrow = columnar::arrow;

/// Rows whose look-ups run beside one another, so that they wait for memory together.
constexpr std::size_t kBlockRows = 128;
constexpr std::size_t kSlotsMin = 64;

Error too_large(std::string_view resource, std::uint64_t limit) {
  return Error(ErrorCode::resource_limit, "a fragment is too large for an adjacency index")
      .with("resource", std::string(resource))
      .with("limit", limit);
}

template <class T>
std::span<T> section_of(char* file, const Section& section) {
  return {reinterpret_cast<T*>(file + section.begin), section.size_bytes / sizeof(T)};
}

/// Numbers node ids in the order in which they first come.
class NodeTable {
 public:
  explicit NodeTable(const base::Digest& fragment_digest)
      : hash_(fragment_digest), slots_(kSlotsMin) {}

  std::size_t size() const { return hashes_.size(); }
  std::string_view ids() const { return ids_.bytes(); }

  /// Numbers of all `ids`, in order.
  void number(std::span<const std::string_view> ids, std::span<std::uint32_t> numbers) {
    std::array<std::uint32_t, kBlockRows> hashes;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      hashes[i] = hash_(ids[i]);
      __builtin_prefetch(&slots_[place_of(hashes[i])]);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Slot slot = slots_[place_of(hashes[i])];
      if (slot.hash == hashes[i] && slot.node_plus_1 != 0) {
        __builtin_prefetch(&id_offsets_[slot.node_plus_1 - 1]);
      }
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Slot slot = slots_[place_of(hashes[i])];
      if (slot.hash == hashes[i] && slot.node_plus_1 != 0) {
        __builtin_prefetch(ids_.bytes().data() + id_offsets_[slot.node_plus_1 - 1]);
      }
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      // Rows come sorted, often by one of their ends.
      numbers[i] = i > 0 && ids[i] == ids[i - 1] ? numbers[i - 1] : number(ids[i], hashes[i]);
    }
  }

  /// Into the file: a table of its final size, filled in the order of the numbers (I3).
  void write(std::span<Slot> slots, std::span<std::uint64_t> id_offsets) const {
    for (std::size_t node = 0; node < hashes_.size(); ++node) {
      std::uint64_t at = first_slot(hashes_[node], slots.size());
      while (slots[at].node_plus_1 != 0) {
        if (++at == slots.size()) at = 0;
      }
      slots[at] = {hashes_[node], static_cast<std::uint32_t>(node + 1)};
    }
    std::copy(id_offsets_.begin(), id_offsets_.end(), id_offsets.begin());
  }

 private:
  std::size_t place_of(std::uint32_t hash) const {
    return static_cast<std::size_t>(first_slot(hash, slots_.size()));
  }
  std::string_view id_of(std::size_t node) const {
    return ids_.bytes().substr(id_offsets_[node], id_offsets_[node + 1] - id_offsets_[node]);
  }

  std::uint32_t number(std::string_view id, std::uint32_t hash) {
    std::size_t at = place_of(hash);
    for (; slots_[at].node_plus_1 != 0; at = (at + 1) % slots_.size()) {
      const std::uint32_t node = slots_[at].node_plus_1 - 1;
      if (slots_[at].hash == hash && id_of(node) == id) return node;
    }
    const auto node = static_cast<std::uint32_t>(hashes_.size());
    slots_[at] = {hash, node + 1};
    hashes_.push_back(hash);
    ids_.append(id);
    id_offsets_.push_back(ids_.size());
    if (hashes_.size() * 2 > slots_.size()) grow();
    return node;
  }

  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot slot : slots_) {
      if (slot.node_plus_1 == 0) continue;
      auto at = static_cast<std::size_t>(first_slot(slot.hash, larger.size()));
      while (larger[at].node_plus_1 != 0) at = (at + 1) % larger.size();
      larger[at] = slot;
    }
    slots_ = std::move(larger);
  }

  NodeHash hash_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> hashes_;
  std::vector<std::uint64_t> id_offsets_ = {0};
  arrow::BufferBuilder ids_;
};

/// The numbers of both ends of each row.
struct Ends {
  std::vector<std::uint32_t> src;
  std::vector<std::uint32_t> dst;
};

void number_column(const arrow::Array& column, NodeTable& nodes, std::span<std::uint32_t> numbers) {
  std::array<std::string_view, kBlockRows> ids;
  for (std::size_t begin = 0; begin < column.length(); begin += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, column.length() - begin);
    for (std::size_t i = 0; i < count; ++i) ids[i] = column.bytes(begin + i);
    nodes.number(std::span(ids).first(count), numbers.subspan(begin, count));
  }
}

Result<Ends> number_ends(const table::Fragment& fragment, NodeTable& nodes) {
  Ends ends;
  ends.src.resize(fragment.rows());
  ends.dst.resize(fragment.rows());
  std::size_t rows = 0;
  for (std::size_t batch = 0; batch < fragment.batch_count(); ++batch) {
    BRAID_ASSIGN(const table::EndColumns columns, fragment.ends(batch));
    const std::size_t length = columns.src->length();
    if (length > fragment.rows() - rows) {
      return Error(ErrorCode::corrupt, "a fragment has more rows than its footer says");
    }
    number_column(*columns.src, nodes, std::span(ends.src).subspan(rows, length));
    number_column(*columns.dst, nodes, std::span(ends.dst).subspan(rows, length));
    rows += length;
    if (nodes.size() > kNodesMax) return too_large("nodes", kNodesMax);
  }
  if (rows == fragment.rows()) return ends;
  return Error(ErrorCode::corrupt, "a fragment has fewer rows than its footer says");
}

/// A counting sort, which keeps the order of the rows of a node (I1). Requires: `offsets` are 0.
void sort_rows(std::span<const std::uint32_t> node_of_row, std::span<std::uint32_t> offsets,
               std::span<std::uint32_t> rows) {
  for (const std::uint32_t node : node_of_row) ++offsets[node];
  std::uint32_t begin = 0;
  for (std::uint32_t& offset : offsets) begin += std::exchange(offset, begin);
  for (std::size_t row = 0; row < node_of_row.size(); ++row) {
    rows[offsets[node_of_row[row]]++] = static_cast<std::uint32_t>(row);
  }
  // Each offset has moved to where its node ends, and the next one begins.
  std::copy_backward(offsets.begin(), offsets.end() - 1, offsets.end());
  offsets.front() = 0;
}

}  // namespace

Result<arrow::Buffer> build_adjacency(const table::Fragment& fragment, const table::Pin& pin) {
  if (pin.object.size() > kNameBytesMax) return too_large("object_name_bytes", kNameBytesMax);
  if (fragment.rows() != pin.summary.rows) {
    return Error(ErrorCode::corrupt, "a fragment has another number of rows than its pin says");
  }
  if (fragment.rows() > kRowsMax) return too_large("rows", kRowsMax);
  NodeTable nodes(pin.digest);
  BRAID_ASSIGN(Ends ends, number_ends(fragment, nodes));

  Header header{.object = pin.object,
                .fragment_bytes = pin.size_bytes,
                .fragment_digest = pin.digest,
                .rows = fragment.rows(),
                .nodes = nodes.size(),
                .id_bytes = nodes.ids().size(),
                .body = {}};
  const Layout layout = layout_of(header);
  arrow::BufferBuilder bytes;
  bytes.append_zeros(layout.file_bytes);
  char* const file = bytes.data();
  nodes.write(section_of<Slot>(file, layout.slots),
              section_of<std::uint64_t>(file, layout.id_offsets));
  std::memcpy(file + layout.ids.begin, nodes.ids().data(), nodes.ids().size());
  sort_rows(ends.src, section_of<std::uint32_t>(file, layout.out_offsets),
            section_of<std::uint32_t>(file, layout.out_rows));
  sort_rows(ends.dst, section_of<std::uint32_t>(file, layout.in_offsets),
            section_of<std::uint32_t>(file, layout.in_rows));
  header.body = base::xxh3_128(bytes.bytes().substr(kHeaderBytes + header.object.size()));
  const std::string head = encode_header(header);
  std::memcpy(file, head.data(), head.size());
  return bytes.finish();
}

}  // namespace braid::index
