// SPDX-License-Identifier: Apache-2.0
// Which annotations Braid knows, and what their arguments must be. Internal to the layer.
// Layer: schema.
// Threads: pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "braid/result.h"
#include "schema/ast.h"
#include "schema/types.h"

namespace braid::schema {

/// Whether @name has a meaning on a node or edge type; on a property.
bool is_known_on_type(std::string_view name);
bool is_known_on_property(std::string_view name);

/// What an annotated name is: decides what a @rename_from may say.
enum class Annotated : std::uint8_t { type, property };

/// The description, instruction, former name and unknown annotations among `annotations`.
/// Errors: type_error.
Result<Notes> notes_of(const std::vector<Annotation>& annotations, Annotated annotated);

/// The limit that `number` is for a property of `kind`. Errors: type_error without a place.
Result<RangeLimit> range_limit(const SignedNumber& number, columnar::ScalarKind kind);

}  // namespace braid::schema
