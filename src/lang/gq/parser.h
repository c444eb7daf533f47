// SPDX-License-Identifier: Apache-2.0
// Reads a `.gq` text. What this version can run is a node lookup:
//
//   query name($parameter: Type?, …) @description("…") {
//     match { $v: Type { property: literal or $parameter, … } }
//     return { $v.property as alias, $v.@id, $v }
//   }
//
// Every other construct of the language is recognised by its first tokens. A query that has one is
// kept with the reason, so that the others of its text can run; of the rest of its body only the
// brackets are looked at.
//
// Invariants
//   Q2  The stack used does not grow with the text: no function of the parser calls itself.
// Layer: gq.
// Threads: pure; any thread.
#pragma once

#include <string_view>

#include "braid/result.h"
#include "lang/gq/ast.h"

namespace braid::gq {

/// The queries of `text`, which is UTF-8.
/// Errors: parse_error at the first fault, with the detail `expected` where a token was missing;
/// resource_limit for more than kTextBytesMax bytes.
Result<Document> parse(std::string_view text);

}  // namespace braid::gq
