// SPDX-License-Identifier: Apache-2.0
// What a prepared change has read and writes, so that the committer can tell whether it still holds
// (docs/architecture.md). Predicates and ranges are not there yet: what reads a range names its
// table, which costs false conflicts and never misses one.
//
// Threads: values.
#pragma once

#include <string>
#include <vector>

#include "braid/ids.h"

namespace braid::table {

struct Footprint {
  /// Version prefixes of state keys (state/keys.h) read or written, each with its branch in it.
  std::vector<std::string> keys;
  /// Tables of which more than single keys was read.
  std::vector<TableId> tables;
};

}  // namespace braid::table
