// SPDX-License-Identifier: Apache-2.0
#include "manifest/branch.h"

#include "base/coding.h"

namespace braid::manifest {

namespace {
constexpr std::uint8_t kEncodingVersion = 1;
}

std::string encode(const Branch& branch, const Counters& counters) {
  base::ByteWriter writer;
  writer.u8(kEncodingVersion);
  writer.u64(branch.incarnation.value);
  writer.bytes(branch.name);
  writer.u8(branch.fork ? 1 : 0);
  if (branch.fork) {
    writer.u64(branch.fork->branch.value);
    writer.u64(branch.fork->position.value);
  }
  writer.u8(branch.head ? 1 : 0);
  if (branch.head) {
    writer.array(branch.head->id.ulid.bytes);
    writer.u64(branch.head->position.value);
  }
  writer.u64(branch.version.value);
  writer.u64(branch.content_hash.low);
  writer.u64(branch.content_hash.high);
  writer.u64(static_cast<std::uint64_t>(branch.committed_ms));
  writer.u64(branch.last_sequence.value);
  writer.u64(counters.version.value);
  writer.u64(counters.sequence.value);
  writer.u64(counters.catalog.value);
  return std::move(writer).take();
}

Result<StoredBranch> decode_branch(std::string_view bytes) {
  base::ByteReader reader(bytes);
  StoredBranch out;
  if (reader.u8() != kEncodingVersion) reader.fail();
  out.branch.incarnation.value = reader.u64();
  out.branch.name = reader.bytes();
  const std::uint8_t has_fork = reader.u8();
  if (has_fork == 1) {
    const BranchIncarnation parent{reader.u64()};
    out.branch.fork = Fork{parent, Position{reader.u64()}};
  }
  const std::uint8_t has_head = reader.u8();
  if (has_head == 1) {
    CommitRef head;
    head.id.ulid.bytes = reader.array<std::array<std::uint8_t, 16>>();
    head.position.value = reader.u64();
    out.branch.head = head;
  }
  if (has_fork > 1 || has_head > 1) reader.fail();
  out.branch.version.value = reader.u64();
  out.branch.content_hash.low = reader.u64();
  out.branch.content_hash.high = reader.u64();
  out.branch.committed_ms = static_cast<std::int64_t>(reader.u64());
  out.branch.last_sequence.value = reader.u64();
  out.counters.version.value = reader.u64();
  out.counters.sequence.value = reader.u64();
  out.counters.catalog.value = reader.u64();
  BRAID_TRY(reader.finish("branch record of the state"));
  return out;
}

}  // namespace braid::manifest
