// SPDX-License-Identifier: Apache-2.0
#include "index/adjacency_layout.h"

#include "base/coding.h"
#include "columnar/arrow/buffer.h"

namespace braid::index {
namespace {

Error not_an_index(std::string_view what) {
  return Error(ErrorCode::corrupt, "the file is not an adjacency index")
      .with("expected", std::string(what));
}

}  // namespace

NodeHash::NodeHash(const base::Digest& fragment_digest) {
  base::ByteReader reader(base::as_view(fragment_digest));
  seed_ = reader.u64();
}

Layout layout_of(const Header& header) {
  Layout layout;
  std::uint64_t at = kHeaderBytes + header.object.size();
  const auto next = [&](std::uint64_t size_bytes) {
    const Section section{columnar::arrow::padded(at), size_bytes};
    at = section.end();
    return section;
  };
  layout.slots = next(slots_of(header.nodes) * sizeof(Slot));
  layout.id_offsets = next((header.nodes + 1) * sizeof(std::uint64_t));
  layout.ids = next(header.id_bytes);
  layout.out_offsets = next((header.nodes + 1) * sizeof(std::uint32_t));
  layout.out_rows = next(header.rows * sizeof(std::uint32_t));
  layout.in_offsets = next((header.nodes + 1) * sizeof(std::uint32_t));
  layout.in_rows = next(header.rows * sizeof(std::uint32_t));
  layout.file_bytes = columnar::arrow::padded(at);
  return layout;
}

std::string encode_header(const Header& header) {
  base::ByteWriter writer;
  writer.raw(kMagic);
  writer.u32(kFormat);
  writer.u32(static_cast<std::uint32_t>(header.object.size()));
  writer.u64(header.fragment_bytes);
  writer.array(header.fragment_digest);
  writer.u64(header.rows);
  writer.u64(header.nodes);
  writer.u64(header.id_bytes);
  writer.u64(header.body.low);
  writer.u64(header.body.high);
  writer.raw(std::string(kHeaderBytes - sizeof(std::uint32_t) - writer.size(), '\0'));
  const std::uint32_t crc = base::crc32c(header.object, base::crc32c(writer.view()));
  writer.u32(crc);
  writer.raw(header.object);
  return std::move(writer).take();
}

Result<Header> parse_header(std::string_view file) {
  base::ByteReader reader(file.substr(0, kHeaderBytes));
  if (reader.raw(kMagic.size()) != kMagic) return not_an_index(kMagic);
  const std::uint32_t format = reader.u32();
  if (!reader.failed() && format != kFormat) {
    return Error(ErrorCode::format_mismatch,
                 "an adjacency index of a format that is not known here")
        .with("found", format)
        .with("supported", kFormat);
  }
  Header header;
  const std::uint32_t name_bytes = reader.u32();
  header.fragment_bytes = reader.u64();
  header.fragment_digest = reader.array<base::Digest>();
  header.rows = reader.u64();
  header.nodes = reader.u64();
  header.id_bytes = reader.u64();
  header.body.low = reader.u64();
  header.body.high = reader.u64();
  while (!reader.failed() && reader.offset() < kHeaderBytes - sizeof(std::uint32_t)) {
    if (reader.u8() != 0) reader.fail();
  }
  const std::uint32_t crc = reader.u32();
  BRAID_TRY(reader.finish("header of an adjacency index"));
  if (name_bytes > kNameBytesMax || name_bytes > file.size() - kHeaderBytes) {
    return not_an_index("the name of a fragment");
  }
  header.object = file.substr(kHeaderBytes, name_bytes);
  const std::string_view covered = file.substr(0, kHeaderBytes - sizeof(std::uint32_t));
  if (base::crc32c(header.object, base::crc32c(covered)) != crc)
    return not_an_index("its checksum");
  // I2: from here on no sum wraps.
  const bool bounded = header.rows > 0 && header.rows <= kRowsMax && header.nodes > 0 &&
                       header.nodes <= kNodesMax && header.nodes <= header.rows * 2 &&
                       header.id_bytes <= file.size();
  if (!bounded || layout_of(header).file_bytes != file.size()) return not_an_index("its size");
  return header;
}

}  // namespace braid::index
