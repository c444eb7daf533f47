// SPDX-License-Identifier: Apache-2.0
// Where in an adjacency file everything stands (docs/formats/adjacency.md). Within index only.
//
// All sizes and places follow from four numbers of the header, which parse_header() bounds: no sum
// or product here wraps.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "braid/result.h"

namespace braid::index {

static_assert(std::endian::native == std::endian::little, "numbers are read where they lie");

inline constexpr std::string_view kMagic = "BRAIDADJ";
inline constexpr std::uint32_t kFormat = 1;
inline constexpr std::size_t kHeaderBytes = 128;
inline constexpr std::size_t kNameBytesMax = 4096;
/// A hash has 32 bits, and a node is at most one slot and a half.
inline constexpr std::uint64_t kNodesMax = std::uint64_t{1} << 31;
/// An ordinal has 32 bits, and so has the number of rows.
inline constexpr std::uint64_t kRowsMax = UINT32_MAX;

/// One place of the table of nodes.
struct Slot {
  std::uint32_t hash = 0;
  /// Number of the node, and 1; 0: the place is free.
  std::uint32_t node_plus_1 = 0;
};
static_assert(sizeof(Slot) == 8);

struct Header {
  /// The fragment that the file belongs to.
  std::string object;
  std::uint64_t fragment_bytes = 0;
  base::Digest fragment_digest{};
  std::uint64_t rows = 0;
  std::uint64_t nodes = 0;
  /// Of all ids of nodes together.
  std::uint64_t id_bytes = 0;
  /// Of everything behind the header and the name.
  base::Hash128 body;
};

/// One part of the file.
struct Section {
  std::uint64_t begin = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t end() const { return begin + size_bytes; }
};

/// Slots of the table: at least a third is free.
constexpr std::uint64_t slots_of(std::uint64_t nodes) { return nodes + nodes / 2 + 1; }
/// Where a look-up begins. Requires: slots < 2^32.
constexpr std::uint64_t first_slot(std::uint32_t hash, std::uint64_t slots) {
  return (hash * slots) >> 32;
}

struct Layout {
  Section slots;
  Section id_offsets;
  Section ids;
  Section out_offsets;
  Section out_rows;
  Section in_offsets;
  Section in_rows;
  std::uint64_t file_bytes = 0;
};
/// Requires: rows and nodes within their limits, id_bytes below 2^62.
Layout layout_of(const Header& header);

std::string encode_header(const Header& header);
/// Of a whole file. `corrupt` unless it begins with a header and has the size that this implies;
/// `format_mismatch` for a later format.
Result<Header> parse_header(std::string_view file);

/// The hash of node ids. A file that somebody made for it to be slow would have to know the digest
/// of the fragment that holds these very ids.
class NodeHash {
 public:
  explicit NodeHash(const base::Digest& fragment_digest);
  std::uint32_t operator()(std::string_view id) const {
    return static_cast<std::uint32_t>(base::xxh3_128(id, seed_).low >> 32);
  }

 private:
  std::uint64_t seed_ = 0;
};

}  // namespace braid::index
