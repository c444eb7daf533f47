// SPDX-License-Identifier: Apache-2.0
// From a log and a state to the first root: finds out up to where the state can be trusted,
// rebuilds it when it cannot, and replays the rest.
//
// Invariants
//   R1  The state is believed only if the record at its position has the hash that it names, and
//       the log reaches that far; otherwise it is thrown away and made again from the log.
// Threads: one, before anything else uses the parts.
#pragma once

#include <memory>
#include <string>

#include "braid/result.h"
#include "env/env.h"
#include "log/log.h"
#include "manifest/root.h"
#include "state/state.h"

namespace braid::engine {

/// Where replayed effects go.
enum class ReplayInto : std::uint8_t {
  state,    ///< applied: the handle may write
  overlay,  ///< kept in memory: the handle only reads
};

/// Opens the state at `directory` for writing, or makes a new one where it cannot be believed (R1).
Result<std::unique_ptr<state::State>> open_state(env::Env& env, const std::string& directory,
                                                 const log::CommitLog& log);
/// For a reader: the state at `directory` if it can be believed, else an empty one in memory.
std::unique_ptr<state::State> open_state_read_only(env::Env& env, const std::string& directory,
                                                   const log::CommitLog& log);

/// Replays what the state lacks. `corrupt` if a record does not go on from what came before it.
Result<std::shared_ptr<manifest::Root>> recover_root(const log::CommitLog& log,
                                                     std::shared_ptr<state::State> state,
                                                     ReplayInto into,
                                                     const table::FragmentSource& fragments);

}  // namespace braid::engine
