// SPDX-License-Identifier: Apache-2.0
// Always-on assertions for what only our own code can break. Bytes from disk, network or users
// are never asserted: they are checked and reported as an Error.
#pragma once

namespace braid::base {

/// Prints the failed condition with its place and ends the process.
[[noreturn]] void assert_failed(const char* condition, const char* file, int line);

}  // namespace braid::base

/// One condition per assert. A numbered invariant is named in a comment beside it.
#define BRAID_ASSERT(condition) \
  ((condition) ? void(0) : ::braid::base::assert_failed(#condition, __FILE__, __LINE__))
