// SPDX-License-Identifier: Apache-2.0
// Outbox events: what projections and other consumers will be told about a commit, stored with it
// in one record (docs/formats/records.md). One dense sequence a graph, in commit order; an event
// names its branch's previous event. Claims and acknowledgements are not there yet. Threads:
// values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ids.h"
#include "braid/result.h"

namespace braid::commit {

enum class VersionScope : std::uint8_t {
  graph = 1,      ///< with a positive source version
  non_graph = 2,  ///< with an explicit 0
};

struct OutboxEvent {
  Sequence sequence;
  /// The event before it on its branch; 0 for the first.
  Sequence previous;
  BranchIncarnation branch;
  VersionScope scope = VersionScope::graph;
  Version source_version;
  /// e.g. "engine.projection.rebuild".
  std::string kind;
  friend bool operator==(const OutboxEvent&, const OutboxEvent&) = default;
};

std::string encode(const std::vector<OutboxEvent>& events);
Result<std::vector<OutboxEvent>> decode_outbox(std::string_view bytes);

}  // namespace braid::commit
