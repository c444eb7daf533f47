// SPDX-License-Identifier: Apache-2.0
// The JSON object of --params as query parameters.
// Layer: cli.
// Threads: pure; any thread.
#pragma once

#include <string_view>

#include "braid/graph.h"
#include "braid/result.h"

namespace braid::cli {

/// The members of a JSON object; none for `null` or a blank text. Values are null, booleans,
/// numbers, strings and arrays of these; which type they are to have, the query says.
/// Errors: parse_error with a span in `json`, also for a name that stands twice; unsupported for an
/// object or an array inside an array.
Result<Parameters> parse_parameters(std::string_view json);

}  // namespace braid::cli
