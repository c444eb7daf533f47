// SPDX-License-Identifier: Apache-2.0
// Makes the adjacency of a fragment from its rows: one pass over both end columns that numbers the
// nodes, then a counting sort a direction, into the file's own bytes.
// Threads: a pure function.
#pragma once

#include "braid/result.h"
#include "columnar/arrow/buffer.h"
#include "table/layers.h"

namespace braid::index {

/// The bytes of the index of `fragment`, which `pin` names (I1, I3). Linear in the rows; takes,
/// beside the result, 8 bytes a row and at most 48 bytes and its id a node. `corrupt` if the
/// fragment has other rows than the pin says; `resource_limit` beyond 2^32 - 1 rows or 2^31 nodes.
Result<columnar::arrow::Buffer> build_adjacency(const table::Fragment& fragment,
                                                const table::Pin& pin);

}  // namespace braid::index
