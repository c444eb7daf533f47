// SPDX-License-Identifier: Apache-2.0
// Re-checks a graph from its log alone: the chain, every commit's lineage, every row's predecessor,
// every content hash recomputed from values, and the state against what the log makes it.
// Threads: one; the graph may be written to meanwhile.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "braid/graph.h"
#include "engine/fragment_store.h"
#include "log/log.h"
#include "state/state.h"

namespace braid::engine {

/// Everything that a state held at one moment.
struct StateImage {
  state::Applied applied;
  std::map<std::string, std::string, std::less<>> entries;
};

/// Requires: nothing is applied meanwhile (StateApplier::while_paused).
Result<StateImage> read_state_image(const state::State& state);

/// Reads log, state and every fragment that a record pins. Never fails because of what it finds:
/// that goes into the report. Holds every live row and every
/// entry of the state in memory.
VerifyReport verify_graph(const log::CommitLog& log, StateImage state,
                          const FragmentStore& fragments);

}  // namespace braid::engine
