// SPDX-License-Identifier: Apache-2.0
// Reads a `.pg` text by recursive descent; the grammar is in docs/languages/pg.md. Nothing in it
// nests, so the stack is bounded whatever the text.
// Layer: schema.
// Threads: pure; any thread.
#pragma once

#include <string_view>

#include "braid/result.h"
#include "schema/ast.h"

namespace braid::schema {

/// The syntax tree of `source`, which is UTF-8, with or without a byte order mark.
/// Errors: parse_error with the place of the first fault; resource_limit over 16 MiB.
Result<Document> parse(std::string_view source);

}  // namespace braid::schema
