// SPDX-License-Identifier: Apache-2.0
// The canonical `.pg` text of a syntax tree: two spaces, one property or constraint a line, the
// constraints after the properties, one blank line between declarations, no comments.
//
// Invariants
//   P1  parse(print(document)) == document, and so print(parse(print(x))) == print(x).
// Layer: schema.
// Threads: pure; any thread.
#pragma once

#include <string>

#include "schema/ast.h"

namespace braid::schema {

/// The canonical text, in the order declared. An empty document is the empty text.
std::string print(const Document& document);

}  // namespace braid::schema
