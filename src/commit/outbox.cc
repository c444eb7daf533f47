// SPDX-License-Identifier: Apache-2.0
#include "commit/outbox.h"

#include "base/coding.h"

namespace braid::commit {

namespace {
constexpr std::uint8_t kEncodingVersion = 1;
}

std::string encode(const std::vector<OutboxEvent>& events) {
  base::ByteWriter writer;
  writer.u8(kEncodingVersion);
  writer.varint(events.size());
  for (const OutboxEvent& event : events) {
    writer.u64(event.sequence.value);
    writer.u64(event.previous.value);
    writer.u64(event.branch.value);
    writer.u8(static_cast<std::uint8_t>(event.scope));
    writer.u64(event.source_version.value);
    writer.bytes(event.kind);
  }
  return std::move(writer).take();
}

Result<std::vector<OutboxEvent>> decode_outbox(std::string_view bytes) {
  base::ByteReader reader(bytes);
  std::vector<OutboxEvent> events;
  if (reader.u8() != kEncodingVersion) reader.fail();
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    OutboxEvent event;
    event.sequence.value = reader.u64();
    event.previous.value = reader.u64();
    event.branch.value = reader.u64();
    const std::uint8_t scope = reader.u8();
    event.source_version.value = reader.u64();
    event.kind = reader.bytes();
    const bool graph = scope == static_cast<std::uint8_t>(VersionScope::graph);
    const bool non_graph = scope == static_cast<std::uint8_t>(VersionScope::non_graph);
    if (!graph && !non_graph) reader.fail();
    if (graph != (event.source_version.value > 0)) reader.fail();
    event.scope = static_cast<VersionScope>(scope);
    events.push_back(std::move(event));
  }
  BRAID_TRY(reader.finish("outbox section"));
  return events;
}

}  // namespace braid::commit
