// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: nothing that moves its cursor, and how many columns it takes.
//
// Invariants
//   K2  printable() returns no control character, no direction override and no malformed UTF-8:
//       stored text cannot give orders to a terminal.
// Layer: cli.
// Threads: pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid::cli {

/// `text` with control characters, line separators, direction marks and malformed bytes written as
/// \n, \t, \u001b, \xff, …
std::string printable(std::string_view text);

/// `text` with malformed bytes replaced by U+FFFD: what JSON may carry.
std::string well_formed(std::string_view text);

/// Columns that a printable text takes: two for wide East Asian characters and emoji, none for
/// combining marks (https://www.unicode.org/reports/tr11/).
std::size_t display_width(std::string_view text);

}  // namespace braid::cli
