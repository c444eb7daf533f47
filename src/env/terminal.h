// SPDX-License-Identifier: Apache-2.0
// What a command-line program asks of its process: the standard streams, whether a person watches
// them, the environment and the user.
// Threads: any; but nothing orders two writers of one stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/result.h"

namespace braid::env {

enum class StandardStream : std::uint8_t { input, output, error };

/// True when the stream is a terminal.
bool is_terminal(StandardStream stream);
/// Reads up to `size` bytes of the standard input; 0 at its end.
Result<std::size_t> read_standard_input(char* out, std::size_t size);
/// Writes all of `bytes`. `cancelled` when nobody reads the stream any more; otherwise as
/// system_error() says, e.g. no_space. Requires: `stream` is no input.
Status write_standard(StandardStream stream, std::string_view bytes);
/// Opens /dev/null on standard streams that are closed: else the next file that is opened, a log
/// segment perhaps, would get their number and whatever is written to them. Call it first.
void claim_closed_streams();
/// From now on a stream that nobody reads fails with `cancelled` instead of killing the process.
void ignore_broken_pipes();

/// The variable's value, if it is set.
std::optional<std::string> environment_variable(const std::string& name);
/// The login name of the user that the process runs as; "uid-…" if it has none.
std::string user_name();

}  // namespace braid::env
