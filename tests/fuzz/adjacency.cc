// SPDX-License-Identifier: Apache-2.0
// Adjacency files (src/index/adjacency.h). Two ways in: the bytes as they are; and as numbers for
// the header and any bytes behind it, under a right checksum, so that what is behind the header is
// met.
#include "index/adjacency.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace braid::index {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void read_all(const columnar::arrow::Buffer& file) {
  const auto header = parse_header(file.bytes());
  if (!header) {
    require(header.error().code() == ErrorCode::corrupt ||
            header.error().code() == ErrorCode::format_mismatch);
    return;
  }
  table::Pin pin;
  pin.object = header->object;
  pin.size_bytes = header->fragment_bytes;
  pin.digest = header->fragment_digest;
  pin.summary.rows = header->rows;
  const auto index = Adjacency::open(file, pin);
  require(index.ok());
  for (const std::string_view node : {"", "a", "b", "node"}) {
    require((*index)->find(node).slots_read <= slots_of(header->nodes));
    for (const auto direction : {state::Direction::kOut, state::Direction::kIn}) {
      const auto rows = (*index)->edges_of(node, direction);
      const auto degree = (*index)->degree(node, direction);
      if (!rows) continue;
      require(degree.ok() && *degree == rows->size());
      for (std::size_t i = 0; i < rows->size(); ++i) {
        require((*rows)[i] < header->rows && (i == 0 || (*rows)[i - 1] < (*rows)[i]));
      }
    }
  }
  static_cast<void>((*index)->check().ok());
  pin.object += "x";
  require(!Adjacency::open(file, pin).ok());
}

// As many rows, nodes and bytes of ids as the first three bytes say, and the body as it comes.
std::string with_header(std::string_view bytes) {
  if (bytes.size() < 3) return {};
  Header header;
  header.object = "f";
  header.rows = 1 + static_cast<std::uint8_t>(bytes[0]) % 32U;
  header.nodes = 1 + static_cast<std::uint8_t>(bytes[1]) % (header.rows * 2);
  header.id_bytes = static_cast<std::uint8_t>(bytes[2]);
  std::string file = encode_header(header);
  file.append(bytes.substr(3));
  file.resize(layout_of(header).file_bytes);
  return file;
}

}  // namespace
}  // namespace braid::index

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using braid::columnar::arrow::Buffer;
  // Aligned, as a mapping is, and of its exact size, so that ASan sees what reads beyond it.
  const auto read_exact = [](std::string_view bytes) {
    const auto exact = std::make_unique<std::uint64_t[]>((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(exact.get(), bytes.data(), bytes.size());
    const std::shared_ptr<const void> nobody;
    braid::index::read_all(
        Buffer({reinterpret_cast<const char*>(exact.get()), bytes.size()}, nobody));
  };
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_exact(bytes);
  read_exact(braid::index::with_header(bytes));
  return 0;
}
