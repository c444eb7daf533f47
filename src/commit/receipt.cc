// SPDX-License-Identifier: Apache-2.0
#include "commit/receipt.h"

#include "base/coding.h"

namespace braid::commit {

namespace {
constexpr std::uint8_t kEncodingVersion = 1;
}

std::string encode(const StoredReceipt& receipt) {
  base::ByteWriter writer;
  writer.u8(kEncodingVersion);
  writer.u8(receipt.commit ? 1 : 0);
  if (receipt.commit) writer.array(receipt.commit->ulid.bytes);
  writer.u64(receipt.version.value);
  writer.u64(receipt.position.value);
  writer.u64(receipt.sequence.value);
  writer.varint(receipt.counts.nodes_inserted);
  writer.varint(receipt.counts.nodes_updated);
  writer.varint(receipt.counts.edges_inserted);
  writer.varint(receipt.counts.edges_updated);
  writer.u64(static_cast<std::uint64_t>(receipt.key_valid_until_ms));
  return std::move(writer).take();
}

Result<StoredReceipt> decode_receipt(std::string_view bytes) {
  base::ByteReader reader(bytes);
  StoredReceipt receipt;
  if (reader.u8() != kEncodingVersion) reader.fail();
  const std::uint8_t has_commit = reader.u8();
  if (has_commit > 1) reader.fail();
  if (has_commit == 1) {
    receipt.commit = CommitId{Ulid{reader.array<std::array<std::uint8_t, 16>>()}};
  }
  receipt.version.value = reader.u64();
  receipt.position.value = reader.u64();
  receipt.sequence.value = reader.u64();
  receipt.counts.nodes_inserted = reader.varint();
  receipt.counts.nodes_updated = reader.varint();
  receipt.counts.edges_inserted = reader.varint();
  receipt.counts.edges_updated = reader.varint();
  receipt.key_valid_until_ms = static_cast<std::int64_t>(reader.u64());
  BRAID_TRY(reader.finish("receipt"));
  return receipt;
}

}  // namespace braid::commit
