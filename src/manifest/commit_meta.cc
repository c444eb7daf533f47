// SPDX-License-Identifier: Apache-2.0
#include "manifest/commit_meta.h"

#include "base/coding.h"

namespace braid::manifest {

namespace {
constexpr std::uint8_t kEncodingVersion = 1;
}

std::string encode(const CommitMeta& meta) {
  base::ByteWriter writer;
  writer.u8(kEncodingVersion);
  writer.array(meta.id.ulid.bytes);
  writer.u64(meta.branch.value);
  writer.varint(meta.parents.size());
  for (const CommitRef& parent : meta.parents) {
    writer.array(parent.id.ulid.bytes);
    writer.u64(parent.position.value);
  }
  writer.u64(meta.version.value);
  writer.u64(meta.sequence.value);
  writer.u64(static_cast<std::uint64_t>(meta.committed_ms));
  writer.u64(static_cast<std::uint64_t>(meta.authored_ms));
  writer.u64(meta.catalog.value);
  writer.u64(meta.content_hash.low);
  writer.u64(meta.content_hash.high);
  writer.varint(meta.tables.size());
  for (const TableCounts& counts : meta.tables) {
    writer.varint(counts.table.value);
    writer.varint(counts.inserted);
    writer.varint(counts.updated);
    writer.varint(counts.removed);
  }
  return std::move(writer).take();
}

Result<CommitMeta> decode_commit_meta(std::string_view bytes) {
  base::ByteReader reader(bytes);
  CommitMeta meta;
  if (reader.u8() != kEncodingVersion) reader.fail();
  meta.id.ulid.bytes = reader.array<std::array<std::uint8_t, 16>>();
  meta.branch.value = reader.u64();
  const std::uint64_t parent_count = reader.varint();
  for (std::uint64_t i = 0; i < parent_count && !reader.failed(); ++i) {
    CommitRef parent;
    parent.id.ulid.bytes = reader.array<std::array<std::uint8_t, 16>>();
    parent.position.value = reader.u64();
    meta.parents.push_back(parent);
  }
  meta.version.value = reader.u64();
  meta.sequence.value = reader.u64();
  meta.committed_ms = static_cast<std::int64_t>(reader.u64());
  meta.authored_ms = static_cast<std::int64_t>(reader.u64());
  meta.catalog.value = reader.u64();
  meta.content_hash.low = reader.u64();
  meta.content_hash.high = reader.u64();
  const std::uint64_t table_count = reader.varint();
  for (std::uint64_t i = 0; i < table_count && !reader.failed(); ++i) {
    TableCounts counts;
    counts.table.value = reader.varint();
    counts.inserted = reader.varint();
    counts.updated = reader.varint();
    counts.removed = reader.varint();
    meta.tables.push_back(counts);
  }
  BRAID_TRY(reader.finish("bound section of a commit"));
  return meta;
}

}  // namespace braid::manifest
